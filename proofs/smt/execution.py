"""Symbolic execution: from the body of an action to the state that it leads to.

A body is executed once, on symbols.  What it writes is a function on top of the state before, so
what is said of the state after comes out as a formula about the state before and the arguments, and
no symbol is needed for what is in between.  A branch is taken under its condition, and both are
merged.

A loop is parallel (no iteration reads what another wrote), so it is executed once, for an element
that stands for all, and what it wrote is *lifted* (`ackproof.proofs.smt.lifting`).

The rules for statements are one `match`, closed by `assert_never`, as those for expressions are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache as once
from functools import partial
from typing import assert_never

from ackproof.lang import ir
from ackproof.lang.properties import ASSERTION, DEFINED
from ackproof.lang.types import RecordT, SetT
from ackproof.proofs.smt.definedness import defined, evaluated
from ackproof.proofs.smt.expressions import Expressions, Scope, State
from ackproof.proofs.smt.lifting import Change, Lift, Path, Write
from ackproof.proofs.smt.logic import (
    Term,
    conjunction,
    disjunction,
    implies,
    is_false,
    is_true,
    negation,
)
from ackproof.proofs.smt.unbounded import Unbounded, Untranslatable
from ackproof.proofs.smt.values import MapValue, Scalar, SetValue, Value, choose, same

__all__ = ["Claim", "Event", "Execution"]


@dataclass(frozen=True)
class Event:
    """An event that a step may emit.

    Attributes:
        type: the class of the event.
        leaves: its fields.
        guard: when it is emitted.
        bound: constants that stand for any element of a loop.
    """

    type: RecordT
    leaves: Scalar
    guard: Term
    bound: tuple[Term, ...]


@dataclass(frozen=True)
class Claim:
    """What a step needs in order not to fail.

    Attributes:
        name: the property that is broken where it is false: `ASSERTION` or `DEFINED`.
        said: makes the formula; most claims are of no interest to anybody.
    """

    name: str
    said: Callable[[], Term]


@dataclass
class Execution:
    """The symbolic execution of one body.

    Attributes:
        expressions: translates what the body computes.
        enabled: what must hold for the step to be possible.
        asserted: what the specification asserts.
        events: the events that it may emit.
        written: the variables that it may change.
        claims: what it needs in order not to fail.
    """

    expressions: Expressions
    enabled: list[Term] = field(default_factory=list)
    asserted: list[Term] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    written: set[Path] = field(default_factory=set)
    claims: list[Claim] = field(default_factory=list)
    _before_loop: tuple[tuple[Term, ...], tuple[Claim, ...]] | None = None
    _path: list[Term] = field(default_factory=list)
    _bound: list[Term] = field(default_factory=list)
    _log: list[Write] = field(default_factory=list)

    @property
    def domain(self) -> Unbounded:
        """What quantifiers range over."""
        return self.expressions.domain

    def block(self, body: Sequence[ir.Stmt], scope: Scope) -> Scope:
        """Execute statements; return the scope after them."""
        for stmt in body:
            scope = self.statement(stmt, scope)
        return scope

    def statement(self, stmt: ir.Stmt, scope: Scope) -> Scope:
        """Execute one statement.

        Raises:
            Untranslatable: there is no formula for what it does.
        """
        assert isinstance(stmt, ir.AnyStmt)
        for e in evaluated(stmt):
            if e.can_fail:
                self._claim(DEFINED, partial(defined, self.expressions, e, scope))
        match stmt:
            case ir.Local():
                value = self.expressions.value(stmt.value, scope)
                if isinstance(value, SetValue):
                    value = self.domain.defined(value)
                return scope.with_name(stmt.name, value)
            case ir.Require():
                self._demand(self.enabled, self.expressions.formula(stmt.cond, scope))
                return scope
            case ir.Assert():
                self._claim(ASSERTION, partial(self.expressions.formula, stmt.cond, scope))
                self._demand(self.asserted, self.expressions.formula(stmt.cond, scope))
                return scope
            case ir.Assign():
                return self._assign(stmt, scope)
            case ir.SetAdd() | ir.SetDiscard():
                elem, t = self.expressions.scalar(stmt.elem, scope), stmt.elem.type
                one = SetValue(t, lambda x: same(t, x, elem))
                kind: Change = "add" if isinstance(stmt, ir.SetAdd) else "remove"
                return self._write(stmt.place, kind, one, scope, elem)
            case ir.If():
                return self._branch(stmt, scope)
            case ir.For():
                return self._loop(stmt, scope)
            case ir.Emit():
                self._emit(stmt, scope)
                return scope
            case ir.Push() | ir.Pop() | ir.Call():
                raise Untranslatable(
                    f"{stmt.span.file}:{stmt.span.line}: no formula says `{stmt.span.text.strip()}`"
                )
            case _:
                assert_never(stmt)

    def _emit(self, stmt: ir.Emit, scope: Scope) -> None:
        leaves = self.expressions.scalar(stmt.event, scope)
        assert isinstance(stmt.event.type, RecordT)
        self.events.append(
            Event(stmt.event.type, leaves, conjunction(self._path), tuple(self._bound))
        )

    def _demand(self, where: list[Term], cond: Term) -> None:
        """Note a condition on the step, which counts where the step gets to it."""
        said = self._here(tuple(self._path), tuple(self._bound), cond)
        if not is_true(said):
            where.append(said)

    def _here(self, path: tuple[Term, ...], bound: tuple[Term, ...], cond: Term) -> Term:
        """Return what says that a condition is true wherever the step gets to it."""
        said = implies(conjunction(path), cond)
        return self.domain.quantify(True, bound, said) if bound else said

    def _claim(self, name: str, cond: Callable[[], Term]) -> None:
        """Note what the step needs here in order not to fail.

        What it has demanded before is true, or it would have ended; so is what it has claimed of
        another kind.  In a loop that is what it has demanded and claimed before the loop: nobody
        says which iteration comes first.
        """
        demands, claims = self._before_loop or self._so_far()
        others = [one for one in claims if one.name != name]
        path, bound = tuple(self._path), tuple(self._bound)

        @once
        def said() -> Term:
            earlier = conjunction((*demands, *(one.said() for one in others)))
            return implies(earlier, self._here(path, bound, cond()))

        self.claims.append(Claim(name, said))

    def _so_far(self) -> tuple[tuple[Term, ...], tuple[Claim, ...]]:
        """Return what was demanded up to here, and claimed."""
        return (*self.enabled, *self.asserted), tuple(self.claims)

    # -- writing --------------------------------------------------------------------------------

    def _assign(self, stmt: ir.Assign, scope: Scope) -> Scope:
        """An assignment; one that adds to a set or takes from it is known as that."""
        change = stmt.value
        if isinstance(change, ir.SetOp) and change.op in "|-" and change.left == stmt.place:
            kind: Change = "add" if change.op == "|" else "remove"
            members = self.expressions.members(change.right, scope)
            return self._write(stmt.place, kind, members, scope)
        return self._write(stmt.place, "set", self.expressions.value(change, scope), scope)

    def _write(
        self, where: ir.Expr, kind: Change, value: Value, scope: Scope, elem: Scalar | None = None
    ) -> Scope:
        place = self.expressions.place(where, scope)
        assert place.root == "self", "a step writes the state of its own system"
        state = scope.states["self"]
        self.written.add(place.path)
        guard = conjunction(self._path)
        self._log.append(Write(place.path, place.keys, guard, kind, value, elem))
        whole = self.expressions.variable(place, scope)
        new = _changed(whole, place.keys, lambda old: _result(kind, old, value))
        return scope.with_state("self", {**state, place.path: new})

    # -- branches -------------------------------------------------------------------------------

    def _branch(self, stmt: ir.If, scope: Scope) -> Scope:
        cond = self.expressions.formula(stmt.cond, scope)
        then = self._under(cond, stmt.then, scope)
        orelse = self._under(negation(cond), stmt.orelse, scope)
        before = scope.states["self"]
        one, other = then.states["self"], orelse.states["self"]
        merged = {
            path: old
            if one[path] is old and other[path] is old
            else choose(cond, one[path], other[path])
            for path, old in before.items()
        }
        return scope.with_state("self", merged)

    def _under(self, cond: Term, body: Sequence[ir.Stmt], scope: Scope) -> Scope:
        if is_false(cond):
            return scope
        self._path.append(cond)
        scope = self.block(body, scope)
        self._path.pop()
        return scope

    # -- loops ----------------------------------------------------------------------------------

    def _loop(self, stmt: ir.For, scope: Scope) -> Scope:
        outermost = self._before_loop is None
        if outermost:
            self._before_loop = self._so_far()
        scope = self._iterated(stmt, scope)
        if outermost:
            self._before_loop = None
        return scope

    def _iterated(self, stmt: ir.For, scope: Scope) -> Scope:
        if isinstance(stmt.binder.domain, ir.SetLit):
            return self._listed(stmt, stmt.binder.domain, scope)
        members = self.domain.defined(self.expressions.members(stmt.binder.domain, scope))
        for x, bound in self.domain.shapes(members.elem):
            here = members(x)
            if is_false(here):
                continue
            if not bound:
                after = self._under(here, stmt.body, scope.with_name(stmt.binder.name, x))
                scope = scope.with_state("self", _merged(here, after, scope))
                continue
            scope = self._iteration(stmt, scope, x, bound, here)
        return scope

    def _listed(self, stmt: ir.For, domain: ir.SetLit, scope: Scope) -> Scope:
        """Execute the body once for each element of a set that is written out.

        Two that are written may be one, and the loop comes to it once.
        """
        assert isinstance(domain.type, SetT)
        t, done = domain.type.elem, list[Scalar]()
        # What is in the set is known before the first iteration changes anything.
        for elem in [self.expressions.scalar(e, scope) for e in domain.elems]:
            here = conjunction(negation(same(t, elem, other)) for other in done)
            done.append(elem)
            if not is_false(here):
                after = self._under(here, stmt.body, scope.with_name(stmt.binder.name, elem))
                scope = scope.with_state("self", _merged(here, after, scope))
        return scope

    def _iteration(
        self,
        stmt: ir.For,
        scope: Scope,
        x: Scalar,
        bound: tuple[Term, ...],
        here: Term,
    ) -> Scope:
        """Execute the body for an element that stands for all, and lift what it wrote."""
        outer, self._log = self._log, []
        self._bound.extend(bound)
        own = scope.with_name(stmt.binder.name, x)
        after = self._under(here, stmt.body, own)
        del self._bound[len(self._bound) - len(bound) :]
        log, self._log = self._log, outer
        old, new = scope.states["self"], after.states["self"]
        lifted = dict(old)
        for path in {w.path: None for w in log}:
            writes = [w for w in log if w.path == path]
            lift = Lift(self.domain, bound, here)
            lifted[path] = lift.of(old[path], new[path], writes)
            self._log.extend(replace(w, bound=(*w.bound, *bound)) for w in writes)
        return scope.with_state("self", lifted)


def _merged(cond: Term, after: Scope, before: Scope) -> State:
    one, old = after.states["self"], before.states["self"]
    return {
        path: value if one[path] is value else choose(cond, one[path], value)
        for path, value in old.items()
    }


def _result(kind: Change, old: Value, value: Value) -> Value:
    """Return what a write makes of a value."""
    if kind == "set":
        return value
    assert isinstance(old, SetValue)
    assert isinstance(value, SetValue)
    was, change = old, value
    if kind == "add":
        return SetValue(was.elem, lambda x: disjunction((was(x), change(x))))
    return SetValue(was.elem, lambda x: conjunction((was(x), negation(change(x)))))


def _changed(value: Value, keys: Sequence[Scalar], change: Callable[[Value], Value]) -> Value:
    """Return a value with the part at `keys` changed."""
    if not keys:
        return change(value)
    assert isinstance(value, MapValue)
    entries, key = value, keys[0]

    def at(k: Scalar) -> Value:
        here = same(entries.key, k, key)
        old = entries(k)
        return old if is_false(here) else choose(here, _changed(old, keys[1:], change), old)

    return MapValue(entries.key, entries.value, at)
