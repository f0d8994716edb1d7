"""Pass: loops are parallel: no iteration reads what another one wrote.

A loop variable `x` splits the state: what is indexed by `x` (`self.state[x]`) belongs to the
iteration of `x`, everything else is shared.  An iteration may read and write what belongs to it.
Of what is shared it may read what no iteration writes, and write only what comes out the same in
any order: it may add elements to a set, or discard elements, but not both; it may add and discard
its own `x`, and ask whether its own `x` is a member; and it may assign a value that is the same
in every iteration.  That is why a loop can become bit operations, a quantified formula or Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ackproof.spec.lang import ir
from ackproof.spec.lang.errors import SpecError
from ackproof.spec.lang.inline import inline_method
from ackproof.spec.lang.ir import Expr, Node, Span, Stmt
from ackproof.spec.lang.program import Program

__all__ = ["check_loops"]

_WRITES = (ir.Assign, ir.SetAdd, ir.SetDiscard, ir.Push, ir.Pop)


@dataclass
class _Effects:
    """What the iterations of a loop do to shared state, by variable."""

    variable: str
    shared: dict[str, list[Stmt]] = field(default_factory=dict)
    owned: dict[str, Span] = field(default_factory=dict)
    locals: set[str] = field(default_factory=set)


def check_loops(program: Program) -> Program:
    """Refuse loops whose iterations depend on each other.

    Raises:
        SpecError: at the read or write that makes them depend.
    """
    for action in program.actions:
        _check_block(action.body)
    for process in program.processes:
        for method in process.methods:
            _check_block(inline_method(program, process, method))
    return program


def _check_block(body: Iterable[Stmt]) -> None:
    for stmt in body:
        for node in ir.walk(stmt):
            if isinstance(node, ir.For):
                _check_loop(node)


def _check_loop(loop: ir.For) -> None:
    effects = _Effects(loop.binder.name)
    for stmt in loop.body:
        for node in ir.walk(stmt):
            if isinstance(node, ir.Local):
                effects.locals.add(node.name)
            elif isinstance(node, ir.For):
                effects.locals.add(node.binder.name)
            elif isinstance(node, ir.Emit) and not loop.ordered:
                raise SpecError(
                    node.span,
                    "the loop emits, and nothing says in which order",
                    "loop over sorted(…)",
                )
            elif isinstance(node, _WRITES):
                _note(effects, node)
    for writes in effects.shared.values():
        _check_shared(effects, writes)
    for stmt in loop.body:
        _check_reads(effects, stmt)


def _note(effects: _Effects, write: Stmt) -> None:
    assert isinstance(write, _WRITES)
    name = _path(write.place)
    if _belongs(write.place, effects.variable):
        effects.owned[name] = write.span
    else:
        effects.shared.setdefault(name, []).append(write)


def _check_shared(effects: _Effects, writes: list[Stmt]) -> None:
    """Refuse writes to shared state whose result depends on the order of iterations."""
    kinds = {type(w) for w in writes}
    own = all(isinstance(w, ir.SetAdd | ir.SetDiscard) and _is_own(w.elem, effects) for w in writes)
    if own or kinds in ({ir.SetAdd}, {ir.SetDiscard}):
        return
    for write in writes:
        if isinstance(write, ir.Assign) and len(writes) == 1 and _same_everywhere(write, effects):
            continue
        if isinstance(write, ir.Assign) and _only_grows(write):
            if all(
                isinstance(w, ir.SetAdd) or (isinstance(w, ir.Assign) and _only_grows(w))
                for w in writes
            ):
                continue
        raise SpecError(
            write.span,
            "iterations write the same place, and their order would tell",
            "index it by the loop variable, or compute the value before the loop",
        )


def _same_everywhere(write: ir.Assign, effects: _Effects) -> bool:
    inner = {effects.variable, *effects.locals}
    return not any(isinstance(n, ir.Var) and n.name in inner for n in ir.walk(write.value)) and (
        not any(isinstance(n, ir.Var) and n.name in inner for n in ir.walk(write.place))
    )


def _only_grows(write: ir.Assign) -> bool:
    return (
        isinstance(write.value, ir.SetOp)
        and write.value.op in "|-"
        and write.value.left == write.place
    )


def _is_own(elem: Expr, effects: _Effects) -> bool:
    return isinstance(elem, ir.Var) and elem.name == effects.variable


def _check_reads(effects: _Effects, node: Node) -> None:
    for place in _reads(node):
        name = _path(place)
        written = _overlapping(name, effects.shared)
        if written is not None and not _own_membership(effects, node, place):
            raise SpecError(
                place.span,
                "this reads what another iteration of the loop wrote",
                "read it into a local before the loop",
            )
        if _overlapping(name, effects.owned) is not None and not _belongs(place, effects.variable):
            raise SpecError(
                place.span,
                "this reads what another iteration of the loop wrote",
                "read only the entry of the loop variable, or copy before the loop",
            )


def _overlapping(name: str, written: Iterable[str]) -> str | None:
    return next((w for w in written if _prefix(w, name) or _prefix(name, w)), None)


def _prefix(a: str, b: str) -> bool:
    return a == b or b.startswith(a + ".")


def _own_membership(effects: _Effects, node: Node, place: Expr) -> bool:
    """Whether the place is read only by asking whether the loop variable is a member."""
    writes = effects.shared.get(_path(place), [])
    if not all(
        isinstance(w, ir.SetAdd | ir.SetDiscard) and _is_own(w.elem, effects) for w in writes
    ):
        return False
    tests = [n for n in ir.walk(node) if isinstance(n, ir.In) and n.set == place]
    return (
        bool(tests)
        and all(_is_own(t.elem, effects) for t in tests)
        and (sum(1 for r in _reads(node) if r == place) == len(tests))
    )


def _reads(node: Node) -> Iterator[Expr]:
    """Yield the places a node reads, the longest chains only."""
    if isinstance(node, ir.Assign) and _only_grows(node):
        assert isinstance(node.value, ir.SetOp)
        yield from _keys(node.place)
        yield from _reads(node.value.right)
        return
    if isinstance(node, _WRITES):
        yield from _keys(node.place)
        for child in ir.children(node):
            if child is not node.place:
                yield from _reads(child)
        return
    if isinstance(node, ir.Field | ir.Index) and _rooted(node):
        yield node
        yield from _keys(node)
        return
    for child in ir.children(node):
        yield from _reads(child)


def _keys(place: Expr) -> Iterator[Expr]:
    while isinstance(place, ir.Field | ir.Index):
        if isinstance(place, ir.Index):
            yield from _reads(place.key)
        place = place.obj


def _rooted(place: Expr) -> bool:
    while isinstance(place, ir.Field | ir.Index):
        place = place.obj
    return isinstance(place, ir.Root)


def _path(place: Expr) -> str:
    names = []
    while isinstance(place, ir.Field | ir.Index):
        if isinstance(place, ir.Field):
            names.append(place.name)
        place = place.obj
    return ".".join(reversed(names))


def _belongs(place: Expr, variable: str) -> bool:
    while isinstance(place, ir.Field | ir.Index):
        if (
            isinstance(place, ir.Index)
            and isinstance(place.key, ir.Var)
            and (place.key.name == variable)
        ):
            return True
        place = place.obj
    return False
