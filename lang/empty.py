"""Empty sorts: an instance may say that there are none of something.

All that is done for each element is then not done: sets over the sort are empty, maps and families
have no entries, an `Option` is None, and an action with such an argument has no instances.  What
there cannot be is a value of the sort itself, and so nothing that exists may start with, or ask
for, its first element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ackproof.lang import ir
from ackproof.lang.data import Elements
from ackproof.lang.errors import BindError
from ackproof.lang.ir import Binder, Expr, Node
from ackproof.lang.kept import once
from ackproof.lang.program import Param, Program
from ackproof.lang.types import MapT, RecordT, SortT, Type

__all__ = ["is_empty", "reject_first_of_empty", "sort_without_first"]


def reject_first_of_empty(program: Program, instance: str, elements: Elements) -> None:
    """Reject a variable that starts with an element of an empty sort, and code that asks for one.

    Raises:
        BindError: naming the variable, action or property.
    """
    if all(elements.values()):
        return
    for v in program.variables:
        exists = all(elements[family.name] for family in v.families)
        empty = sort_without_first(v.initial, v.type, elements)
        if exists and not v.const and empty:
            raise BindError(
                f"instance {instance}: {v.owner}.{v.path[-1]} starts with an element of {empty}, "
                f"which has none; give {empty} a size, or declare Option[{empty}]"
            )
    bodies: list[tuple[str, Node | tuple[Node, ...]]] = [
        (f"the property {p.name}", part)
        for p in program.stated
        if _possible((*p.params, *p.asked), elements)
        for part in p.parts
    ]
    bodies += [
        (f"the step {a.name}", a.body) for a in program.actions if _possible(a.params, elements)
    ]
    for name, body in bodies:
        nodes = once(_asking, body)
        for empty in (e for node in nodes for e in _asked_for(node, elements)):
            raise BindError(
                f"instance {instance}: {name} asks for {empty}.first(), and {empty} is empty; "
                f"give {empty} a size, or ask below a `for` over {empty}"
            )


def sort_without_first(initial: Expr, t: Type, elements: Elements) -> str | None:
    """Return the empty sort whose first element a declared variable would start with, if any."""
    if isinstance(initial, ir.First | ir.Some | ir.MakeRecord):
        return next(_asked_for(initial, elements), None)
    return _default_needs(t, elements) if isinstance(initial, ir.Default) else None


def _default_needs(t: Type, elements: Elements) -> str | None:
    if isinstance(t, SortT):
        return None if elements[t.name] else t.name
    if isinstance(t, RecordT):
        needed = (_default_needs(field, elements) for _, field in t.fields)
        return next((name for name in needed if name), None)
    if isinstance(t, MapT) and not is_empty(t.key, elements):
        return _default_needs(t.value, elements)
    return None


def is_empty(t: Type, elements: Elements) -> bool:
    """Whether a type has no values at all."""
    if isinstance(t, SortT):
        return not elements[t.name]
    if isinstance(t, RecordT):
        return any(is_empty(field, elements) for _, field in t.fields)
    return False


def _possible(params: Iterable[Param], elements: Elements) -> bool:
    return not any(is_empty(p.type, elements) for p in params)


def _asking(body: Node | tuple[Node, ...]) -> tuple[Node, ...]:
    """Return those of some statements, or the expression, in which a first element is asked for."""
    nodes = body if isinstance(body, tuple) else (body,)
    return tuple(n for n in nodes if any(isinstance(part, ir.First) for part in ir.walk(n)))


def _asked_for(node: Node, elements: Elements) -> Iterator[str]:
    """Yield the empty sorts whose first element an expression or statement asks for."""
    if isinstance(node, ir.First):
        assert isinstance(node.type, SortT)
        if not elements[node.type.name]:
            yield node.type.name
    binders: tuple[Binder, ...] = getattr(node, "binders", ())
    if isinstance(node, ir.For):
        binders = (node.binder,)
    if any(is_empty(b.type, elements) for b in binders):
        return
    for child in ir.children(node):
        yield from _asked_for(child, elements)
