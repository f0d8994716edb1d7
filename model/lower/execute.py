"""Executing statements abstractly: one action instance becomes straight-line code.

A `Run` executes a body over a symbolic state.  Branches of the specification are executed both and
merged; a loop is its body once for each element that may be in its set.  Three things are kept
besides the state: whether the step is enabled after all (a `require` of an inlined handler), what
it asserted in vain or left undefined, and what it emitted, each under the condition of the path.
Python stops at the first failure, so nothing after it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import assert_never

from ackproof.lang import ir
from ackproof.lang.ir import Stmt
from ackproof.lang.program import Action, PropertyDecl
from ackproof.lang.types import IntT, MapT, OptionT, RecordT, SeqT, SetT, Type
from ackproof.model.lower.access import Access
from ackproof.model.lower.codec import Sequence, Value
from ackproof.model.lower.evaluate import Evaluator
from ackproof.model.lower.leaves import Leaf
from ackproof.model.lower.ops import Bit
from ackproof.model.lower.state import SymbolicState, merge

__all__ = ["Emitted", "Run", "judge"]


@dataclass(frozen=True)
class Emitted:
    """An event that a step emits: when, of which type, with which fields."""

    cond: Bit
    type: RecordT
    fields: Value


class Run:
    """The abstract execution of one step.

    Args:
        evaluator: knows the arguments, and the state before.
        action: whose step it is.
        root: what the state is called.
    """

    def __init__(self, evaluator: Evaluator, action: Action, root: str = "self") -> None:
        self.action = action
        self.asked = {p.name: evaluator.names[p.name] for p in action.params}
        self.eval = evaluator
        self.ops = evaluator.ops
        self.root = root
        self.enabled: Bit = True
        self.asserted: Bit = False
        self.undefined: Bit = False
        self.emitted: list[Emitted] = []

    @property
    def state(self) -> SymbolicState:
        """The state as the step has changed it so far."""
        return self.eval.states[self.root]

    @state.setter
    def state(self, state: SymbolicState) -> None:
        self.eval.states[self.root] = state

    @property
    def failed(self) -> Bit:
        """Whether Python has stopped by now."""
        return self.ops.any(self.asserted, self.undefined)

    def block(self, body: Iterable[Stmt]) -> None:
        """Execute statements in order."""
        for stmt in body:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        """Execute one statement; what was undefined in it stops the step."""
        self._execute(stmt)
        self._collect()

    def _execute(self, stmt: Stmt) -> None:
        assert isinstance(stmt, ir.AnyStmt)
        match stmt:
            case ir.Require():
                self._require(stmt)
            case ir.Assert():
                self._assert(stmt)
            case ir.Local():
                self.eval.names[stmt.name] = self.eval.value(stmt.value)
            case ir.Emit():
                self._emit(stmt)
            case ir.If():
                self._if(stmt)
            case ir.For():
                self._for(stmt)
            case ir.Assign():
                self._assign(stmt)
            case ir.SetAdd():
                self._set_add(stmt)
            case ir.SetDiscard():
                self._set_discard(stmt)
            case ir.Push():
                self._push(stmt)
            case ir.Pop():
                self._pop(stmt)
            case ir.Call():
                raise AssertionError("handlers are inlined before a body is executed")
            case _:
                assert_never(stmt)

    def _collect(self) -> None:
        wrong, self.eval.undefined = self.eval.undefined, False
        if wrong is not False:
            self.undefined = self.ops.any(
                self.undefined, self.ops.all(wrong, self.ops.no(self.asserted))
            )

    # -- statements -----------------------------------------------------------------------------

    def _require(self, s: ir.Require) -> None:
        holds = self.eval.bit(s.cond)
        self._collect()
        off = self.ops.all(self.eval.path, self.ops.no(holds), self.ops.no(self.failed))
        self.enabled = self.ops.all(self.enabled, self.ops.no(off))

    def _assert(self, s: ir.Assert) -> None:
        holds = self.eval.bit(s.cond)
        self._collect()
        wrong = self.ops.all(
            self.eval.path, self.ops.no(holds), self.ops.no(self.undefined), self.enabled
        )
        self.asserted = self.ops.any(self.asserted, wrong)

    def _emit(self, s: ir.Emit) -> None:
        assert isinstance(s.event.type, RecordT)
        fields = self.eval.value(s.event)
        self.emitted.append(Emitted(self.eval.path, s.event.type, fields))

    def _if(self, s: ir.If) -> None:
        cond = self.eval.bit(s.cond)
        self._collect()
        if isinstance(cond, bool):
            self.block(s.then if cond else s.orelse)
            return
        self._branch(cond, s.then, s.orelse)

    def _branch(self, cond: Bit, then: Iterable[Stmt], orelse: Iterable[Stmt]) -> None:
        before = self.state
        self.state = before.copy()
        with self.eval.under(cond):
            self.block(then)
        one, self.state = self.state, before.copy()
        with self.eval.under(self.ops.no(cond)):
            self.block(orelse)
        self.state = merge(cond, one, self.state)

    def _for(self, s: ir.For) -> None:
        domain = self.eval.word(s.binder.domain)
        self._collect()
        for i in range(self.eval.codec.cardinality(s.binder.type)):
            member = self.ops.test(domain, i)
            if member is False:
                continue
            self.eval.names[s.binder.name] = self.eval.codec.decode(s.binder.type, i)
            if member is True:
                self.block(s.body)
            else:
                self._branch(member, s.body, ())

    # -- writes ---------------------------------------------------------------------------------

    def _assign(self, s: ir.Assign) -> None:
        value: Value = None
        if not isinstance(s.place.type, MapT):
            value = self.eval.value(s.value)
        self._collect()
        self._write(
            s.place, lambda leaf, t, _: self.eval.codec.default(t) if value is None else value
        )

    def _set_add(self, s: ir.SetAdd) -> None:
        assert isinstance(s.place.type, SetT)
        one = self.eval.singleton(s.place.type, self.eval.value(s.elem))
        self._write(s.place, lambda leaf, t, old: self.ops.either(old, one))

    def _set_discard(self, s: ir.SetDiscard) -> None:
        assert isinstance(s.place.type, SetT)
        full = self.eval.codec.universe(s.place.type.elem)
        code, inside = self.eval.element(s.place.type, self.eval.value(s.elem))
        width = self.eval.codec.width(s.place.type)
        one = self.ops.choose(inside, self.ops.left(1, code, width), 0)
        self._write(s.place, lambda leaf, t, old: self.ops.without(old, one, full))

    def _push(self, s: ir.Push) -> None:
        assert isinstance(s.place.type, SeqT)
        t = s.place.type
        code = self.eval.codec.code(t.elem, self.eval.value(s.elem))

        def pushed(leaf: Leaf, _: Type, old: Sequence) -> Sequence:
            self.eval.fail_unless(self.ops.less(old.length, t.cap, True))
            slots = tuple(
                self.ops.choose(self.ops.equal(old.length, i), code, slot)
                for i, slot in enumerate(old.slots)
            )
            return Sequence(self.ops.add(old.length, 1), slots)

        self._write(s.place, pushed)

    def _pop(self, s: ir.Pop) -> None:
        def popped(leaf: Leaf, _: Type, old: Sequence) -> Sequence:
            self.eval.fail_unless(self.ops.no(self.ops.equal(old.length, 0)))
            return Sequence(self.ops.sub(old.length, 1), (*old.slots[1:], 0))

        self._write(s.place, popped)

    def _write(self, expr: ir.Expr, new: Callable[[Leaf, Type, Value], Value]) -> None:
        place = self.eval.place(expr)
        targets = list(self.eval.access.leaves(place))
        if not targets and isinstance(place.type, MapT):
            return  # a map without keys
        self.eval.fail_unless(self.ops.any(*(cond for cond, _, _ in targets)))
        for cond, leaf, t in targets:
            if cond is False:
                continue
            old = self.state.get(leaf)
            with self.eval.under(cond):
                value = new(leaf, t, old)
            self.state.put(leaf, self.eval.codec.choose(t, cond, value, old))

    # -- the end of the step --------------------------------------------------------------------

    def finish(self) -> None:
        """Check that every bounded integer is in its range, as is done when a step has ended."""
        for leaf, value in self.state.written.items():
            inside = self._in_range(self.state.types[leaf], value)
            wrong = self.ops.all(self.ops.no(inside), self.ops.no(self.asserted))
            self.undefined = self.ops.any(self.undefined, wrong)

    def _in_range(self, t: Type, value: Value) -> Bit:
        if isinstance(t, IntT):
            return self.ops.all(
                self.ops.less(t.lo, value, False), self.ops.less(value, t.hi, False)
            )
        if isinstance(t, RecordT):
            return self.ops.all(
                *(self._in_range(f, v) for (_, f), v in zip(t.fields, value, strict=True))
            )
        if isinstance(t, OptionT) and isinstance(t.inner, IntT | RecordT):
            return self.ops.less(value, self.eval.codec.cardinality(t), True)
        return True


def judge(prop: PropertyDecl, access: Access, before: SymbolicState, run: Run) -> tuple[Bit, Bit]:
    """Return whether a property of steps is false, and true, for some event (or for the step)."""
    ops = run.ops
    if prop.of and run.action.name not in prop.of:
        return False, False
    asked = {p.name: run.asked[p.name] for p in prop.asked}
    evaluator = Evaluator(access, dict(zip(prop.roots, (before, run.state), strict=True)), asked)
    if prop.event is None:
        holds = evaluator.bit(prop.body)
        return ops.no(holds), holds
    wrong: Bit = False
    found: Bit = False
    for event in run.emitted:
        if event.type == prop.event.type and event.cond is not False:
            evaluator.names = {**asked, prop.event.name: event.fields}
            holds = evaluator.bit(prop.body)
            wrong = ops.any(wrong, ops.all(event.cond, ops.no(holds)))
            found = ops.any(found, ops.all(event.cond, holds))
    return wrong, found
