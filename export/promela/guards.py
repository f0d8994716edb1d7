"""Guards in Promela: when a step is enabled, and when it fails, as is known before it is taken.

SPIN takes a `d_step` or does not, and that must be decided at its beginning.  So the body is gone
through, as far as something is required or may fail in it, and what it writes on the way is
remembered: what is asked after a write is said in terms of the state before.  That an integer comes
out of its range is seen when the step has ended, see `steps`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ackproof.export.promela.codes import Line, Value
from ackproof.export.promela.expressions import Process, Scope, Writer
from ackproof.export.promela.known import without_known
from ackproof.export.promela.terms import (
    Term,
    add,
    all_of,
    any_of,
    bit,
    choose,
    equal,
    less,
    negation,
    sub,
    union,
    without,
)
from ackproof.export.promela.variables import Ref, Store, Written
from ackproof.lang import ir
from ackproof.lang.types import MapT, SeqT, SetT

__all__ = ["Guard", "guard_of", "places_below"]


@dataclass(frozen=True)
class Guard:
    """What is known of a step before it is taken.

    Args:
        enabled: the conditions under which there is such a step, in order.
        asserted: whether it then asserts in vain.
        undefined: whether it then is not defined, but for integers out of their ranges.
    """

    enabled: tuple[Term, ...]
    asserted: Term
    undefined: Term


def guard_of(
    body: tuple[ir.Stmt, ...], writer: Writer, values: dict[str, Value | Process], root: str
) -> Guard:
    """Return the guard of a step.

    Args:
        body: what it does.
        writer: writes expressions.
        values: what its parameters are.
        root: what the state is called in it.
    """
    found = _Look(writer, Scope({root: Written(Store(), writer.codes)}, dict(values)), root)
    body = without_known(body)
    asking = [i for i, stmt in enumerate(body) if _asks(stmt)]
    found.block(body[: asking[-1] + 1] if asking else (), True)
    return Guard(tuple(found.enabled), found.asserted, found.undefined)


def _asks(stmt: ir.Stmt) -> bool:
    """Tell whether something is required in a statement, or may fail."""
    return any(
        isinstance(node, ir.Require | ir.Assert | ir.Push | ir.Pop) or node.can_fail
        for node in ir.walk(stmt)
    )


def places_below(ref: Ref, writer: Writer) -> Iterable[Ref]:
    """Yield the places that a place is, which may be a map."""
    t = ref.type
    if not isinstance(t, MapT):
        yield ref
        return
    for i in range(writer.codes.size(t.key)):
        yield from places_below(ref.at(i), writer)


class _Look:
    """Goes through a body."""

    def __init__(self, writer: Writer, scope: Scope, root: str) -> None:
        self.writer, self.codes, self.scope = writer, writer.codes, scope
        state = scope.roots[root]
        assert isinstance(state, Written)
        self.state = state
        self.enabled: list[Term] = []
        self.asserted: Term = False
        self.undefined: Term = False

    def block(self, body: Iterable[ir.Stmt], path: Term) -> None:
        """Go through statements that are executed where a condition holds."""
        for stmt in body:
            with self.writer.collecting(path) as wrong:
                self._statement(stmt, path)
            for one in wrong:
                self.fail(one)

    def fail(self, wrong: Term) -> None:
        """Note that the step is undefined where a condition holds."""
        if negation(wrong) in self.enabled:
            return  # else there is no such step
        first = all_of(wrong, negation(self.asserted))
        self.undefined = any_of(self.undefined, first)

    def _term(self, e: ir.Expr) -> Term:
        return self.writer.term(e, self.scope)

    def _statement(self, stmt: ir.Stmt, path: Term) -> None:
        match stmt:
            case ir.Require(cond=ir.And(args=args)) if path is True:
                for arg in args:
                    self._require(arg, path)
            case ir.Require(cond=cond):
                self._require(cond, path)
            case ir.Assert(cond=cond):
                wrong = all_of(path, negation(self._term(cond)), negation(self.undefined))
                self.asserted = any_of(self.asserted, wrong)
            case ir.Local(name=name, value=value):
                process = self.writer.place(value, self.scope)
                self.scope.values[name] = process or self.writer.value(value, self.scope)
            case ir.If(cond=cond, then=then, orelse=orelse):
                self._if(self._term(cond), then, orelse, path)
            case ir.For(binder=binder, body=body):
                for _, inside, scope in list(self.writer.members(binder, self.scope)):
                    self._branch(body, all_of(path, inside), dict(scope.values))
            case ir.Emit():
                pass  # observers are written where an event is emitted; nobody else sees it here
            case ir.Assign() | ir.SetAdd() | ir.SetDiscard() | ir.Push() | ir.Pop():
                self._write(stmt, path)
            case _:
                raise AssertionError(f"{stmt!r} is not in an action")

    def _if(
        self, holds: Term, then: Iterable[ir.Stmt], orelse: Iterable[ir.Stmt], path: Term
    ) -> None:
        before = self.scope.values
        one = self._branch(then, all_of(path, holds), dict(before))
        other = self._branch(orelse, all_of(path, negation(holds)), dict(before))
        for name in (n for n in one if n in other and n not in before):
            a, b = one[name], other[name]
            before[name] = a if a == b else self.codes.choose(holds, a, b)

    def _branch(
        self, body: Iterable[ir.Stmt], path: Term, values: dict[str, Value | Process]
    ) -> dict[str, Value | Process]:
        """Go through a branch; return what names stand for at its end."""
        if path is not False:
            before, self.scope.values = self.scope.values, values
            self.block(body, path)
            self.scope.values = before
        return values

    def _require(self, cond: ir.Expr, path: Term) -> None:
        holds = self._term(cond)
        settled = any_of(negation(path), self.asserted, self.undefined, holds)
        if settled is not True:
            self.enabled.append(settled)

    def _write(self, stmt: ir.AnyWrite, path: Term) -> None:
        value = None
        if isinstance(stmt, ir.Assign) and not isinstance(stmt.place.type, MapT):
            value = self.writer.value(stmt.value, self.scope)
        for ref in places_below(self.writer.ref(stmt.place, self.scope), self.writer):
            if not ref.kept.count:
                return  # nobody comes here: there is no such place
            index = ref.kept.index(ref.codes)
            new = self._new(stmt, value, self.state.read(ref.kept, index), path)
            self.state.write(ref.kept, index, path, new)

    def _new(self, stmt: ir.AnyWrite, value: Value | None, old: Value, path: Term) -> Value:
        """Return what a place becomes."""
        t = stmt.place.type
        match stmt:
            case ir.Assign():
                inner = t
                while isinstance(inner, MapT):
                    inner = inner.value
                return self.codes.default(inner) if value is None else value
            case ir.SetAdd(elem=elem):
                return union(old, bit(self._code(elem)))
            case ir.SetDiscard(elem=elem):
                assert isinstance(t, SetT)
                return without(old, bit(self._code(elem)), self.codes.universe(t.elem))
            case ir.Push(elem=elem):
                assert isinstance(t, SeqT)
                self.fail(all_of(path, negation(less(old.length, t.cap, strict=True))))
                return pushed(old, self._code(elem))
            case ir.Pop():
                self.fail(all_of(path, equal(old.length, 0)))
                return Line(sub(old.length, 1), (*old.slots[1:], 0))

    def _code(self, e: ir.Expr) -> Term:
        return self.codes.code(e.type, self._term(e))


def pushed(old: Line, code: Term) -> Line:
    """Return a sequence with one element more."""
    slots = (choose(equal(old.length, i), code, slot) for i, slot in enumerate(old.slots))
    return Line(add(old.length, 1), tuple(slots))
