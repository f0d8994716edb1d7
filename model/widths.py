"""Widths: the types of a program that the compiled engine has no room for.

The compiled engine holds an integer, and the code of an option or a record, in a word of 64 bits,
and a set in a bit for each element that it may have (see `ackproof.model.lower.codec`).  So no type
of a program, of a variable or of any expression, may have more values than there is room for: one
that has is refused before code is made of it.  A display that is only asked whether it has an
element, or for the least or greatest of what it lists, is no mask, and may have elements of any
range: `n in {1, 1_000_000}`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.data import Elements, domain_size
from ackproof.lang.empty import is_empty
from ackproof.lang.errors import BindError
from ackproof.lang.ir import Expr, Node
from ackproof.lang.kept import ById, once
from ackproof.lang.program import Variable
from ackproof.lang.types import IntT, MapT, OptionT, RecordT, SeqT, SetT, Type, written
from ackproof.model.limits import CODE_BITS, MOST_ELEMENTS, MOST_PLACES

__all__ = ["refuse_wide_types"]

#: What is evaluated: the body of an action, or a part of a property.
Body: TypeAlias = Node | tuple[Node, ...]


def refuse_wide_types(bound: Bound) -> None:
    """Refuse a program with a type that the compiled engine has no room for.

    Raises:
        BindError: naming the variable, or the place of the expression, and the limit.
    """
    room = _room(tuple(bound.elements.items()))
    name = bound.instance.name
    for v in bound.program.variables:
        problem = room.problem(v.type) or room.too_many_places(v)
        if problem:
            raise BindError(f"instance {name}: {v.owner}.{v.path[-1]} is {problem}")
    for fault, budget in bound.budgets.items():
        if problem := room.problem(IntT(0, budget)):
            raise BindError(f"instance {name}: the budget of {fault} is {problem}")
    for body in _bodies(bound):
        if found := room.too_wide(body):
            raise BindError(f"instance {name}: {_place(found[0])} is {found[1]}")


def _bodies(bound: Bound) -> Iterator[Body]:
    """Yield what is evaluated: bodies of actions that have arguments, and of properties."""
    for action in bound.actions:
        if not any(is_empty(p.type, bound.elements) for p in action.params):
            yield action.body
    for prop in (*bound.properties, *bound.constraints):
        yield from prop.parts


def _computed(body: Body) -> tuple[Expr, ...]:
    """Return the first expression of each type that values are computed of."""
    listed: set[int] = set()
    found: dict[Type, Expr] = {}
    nodes = body if isinstance(body, tuple) else (body,)
    for part in itertools.chain.from_iterable(map(ir.walk, nodes)):
        if isinstance(part, ir.In | ir.Extreme):
            listed.add(id(part.set))
        display = isinstance(part, ir.SetLit) and id(part) in listed
        if isinstance(part, Expr) and not display:
            found.setdefault(part.type, part)
    return tuple(found.values())


def _place(e: Expr) -> str:
    text = e.span.text[e.span.column - 1 : e.span.end_column - 1]
    return f"{e.span.file}:{e.span.line}: `{text}`"


class _Room:
    """Which types there is room for, at the sizes of an instance, and which bodies."""

    def __init__(self, elements: Elements) -> None:
        self.elements = elements
        self._roomy: set[Type] = set()
        self._fitting: set[ById] = set()

    def too_wide(self, body: Body) -> tuple[Expr, str] | None:
        """Return the first expression that there is no room for, and what is wrong with it."""
        if ById(body) in self._fitting:
            return None
        for e in once(_computed, body):
            if problem := self.problem(e.type):
                return e, problem
        self._fitting.add(ById(body))
        return None

    def problem(self, t: Type) -> str | None:
        """Return what is wrong with a type: its values, the limit, and what to do."""
        if t not in self._roomy:
            found = self._problem(t)
            if found:
                return found
            self._roomy.add(t)
        return None

    def _problem(self, t: Type) -> str | None:
        match t:
            case IntT(lo, hi):
                return self._wide_integer(lo, hi)
            case SetT(elem):
                return self._many(
                    f"a set with {{}} possible elements of type {written(elem)}", elem
                )
            case MapT(key, value):
                many = self._many(f"a map with {{}} keys of type {written(key)}", key)
                return many or self.problem(value)
            case SeqT(elem, cap):
                if cap > MOST_ELEMENTS:
                    return (
                        f"a sequence of {cap:,} elements, where {MOST_ELEMENTS:,} can be held; "
                        "make it shorter"
                    )
                return self._wide_code(elem)
            case OptionT():
                return self._wide_code(t)
            case RecordT(fields=fields):
                return next(filter(None, (self.problem(f) for _, f in fields)), None)
        return None

    def _wide_integer(self, lo: int, hi: int) -> str | None:
        if lo >= -(1 << CODE_BITS) and hi <= 1 << CODE_BITS:
            return None
        return (
            f"an integer from {lo:,} to {hi:,}, where {CODE_BITS} bits and a sign can be computed "
            "with; give it a tighter range"
        )

    def _wide_code(self, t: Type) -> str | None:
        size = domain_size(t, self.elements)
        if size <= 1 << CODE_BITS:
            return None
        return (
            f"of type {written(t)}, with {size:,} values, where {1 << CODE_BITS:,} can be told "
            "apart; give its integers tighter ranges, or make the sorts smaller"
        )

    def _many(self, what: str, t: Type) -> str | None:
        size = domain_size(t, self.elements)
        if size <= MOST_ELEMENTS:
            return None
        return (
            f"{what.format(f'{size:,}')}, where {MOST_ELEMENTS:,} can be computed with; "
            "give its integers tighter ranges, or make the sorts smaller"
        )

    def too_many_places(self, v: Variable) -> str | None:
        """Return what is wrong where a variable has too many entries."""
        count = math.prod(len(self.elements[family.name]) for family in v.families)
        t: Type = v.type
        while isinstance(t, MapT):
            count *= domain_size(t.key, self.elements)
            t = t.value
        if count <= MOST_PLACES:
            return None
        return (
            f"a map, or of a family, with {count:,} entries in all, where {MOST_PLACES:,} can be "
            "held; make the sorts smaller"
        )


@lru_cache(maxsize=128)
def _room(elements: tuple[tuple[str, tuple[Any, ...]], ...]) -> _Room:
    """Return what there is room for with these elements: what fits once fits in other designs."""
    return _Room(dict(elements))
