"""Steps: from the body of an action to the state after it, in terms of the state before.

A body is run once, on symbols.  What it writes is a function on top of the state before, so what
is said of the state after comes out as a formula about the state before and the arguments, and no
symbol is needed for what is in between.  A branch is taken under its condition, and both are
merged.

A loop is parallel (no iteration reads what another wrote), so it is run once, for an element that
stands for all, and what it wrote is *lifted*.  Where each write of a variable is at the element
itself, the state after is known place by place: at `k` it is what the iteration for `k` made of it.
Elsewhere it is a set that grows or shrinks: what is in it afterwards is what was in it or what some
iteration added, and what none removed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import z3
from ackproof.proofs.smt.domain import Untranslatable
from ackproof.proofs.smt.expressions import Expressions, Scope, State
from ackproof.proofs.smt.logic import (
    Term,
    both,
    constants,
    either,
    equal,
    implies,
    ite,
    negation,
)
from ackproof.proofs.smt.values import MapValue, Scalar, SetValue, Value, choose, same, substituted
from ackproof.spec.lang import ir
from ackproof.spec.lang.types import RecordT

__all__ = ["Event", "Run"]

Path = tuple[str, ...]


@dataclass(frozen=True)
class Event:
    """A frame that a step may send.

    Attributes:
        type: the class of the frame.
        leaves: its fields.
        guard: when it is sent.
        bound: constants that stand for any element of a loop.
    """

    type: RecordT
    leaves: Scalar
    guard: Term
    bound: tuple[Term, ...]


@dataclass(frozen=True)
class Write:
    """What one statement wrote: where, when, and what.

    `kind` is "set" for an assignment, and "add" and "remove" for sets that grow and shrink by the
    members of `value`.  `bound` are constants that stand for the elements of loops inside.
    """

    path: Path
    keys: tuple[Scalar, ...]
    guard: Term
    kind: str
    value: Value
    elem: Scalar | None = None
    bound: tuple[Term, ...] = ()


@dataclass
class Run:
    """One body, run on symbols.

    Attributes:
        expressions: translates what the body computes.
        enabled: what must hold for the step to be possible.
        asserted: what the specification asserts.
        events: the frames that it may send.
        written: the variables that it may change.
    """

    expressions: Expressions
    enabled: list[Term] = field(default_factory=list)
    asserted: list[Term] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    written: set[Path] = field(default_factory=set)
    _path: list[Term] = field(default_factory=list)
    _bound: list[Term] = field(default_factory=list)
    _log: list[Write] = field(default_factory=list)

    def block(self, body: Sequence[ir.Stmt], scope: Scope) -> Scope:
        """Run statements; return the scope after them."""
        for stmt in body:
            scope = self.statement(stmt, scope)
        return scope

    def statement(self, stmt: ir.Stmt, scope: Scope) -> Scope:
        """Run one statement.

        Raises:
            Untranslatable: there is no formula for what it does.
        """
        value = self.expressions.value
        if isinstance(stmt, ir.Local):
            known = value(stmt.value, scope)
            if isinstance(known, SetValue):
                known = self.expressions.domain.defined(known)
            return scope.knowing(stmt.name, known)
        if isinstance(stmt, ir.Require):
            self._demand(self.enabled, self.expressions.formula(stmt.cond, scope))
            return scope
        if isinstance(stmt, ir.Assert):
            self._demand(self.asserted, self.expressions.formula(stmt.cond, scope))
            return scope
        if isinstance(stmt, ir.Assign):
            return self._assign(stmt, scope)
        if isinstance(stmt, ir.SetAdd | ir.SetDiscard):
            elem = self.expressions.scalar(stmt.elem, scope)
            t = stmt.elem.type
            one = SetValue(t, lambda x: same(t, x, elem))
            kind = "add" if isinstance(stmt, ir.SetAdd) else "remove"
            return self._write(stmt.place, kind, one, scope, elem)
        if isinstance(stmt, ir.If):
            return self._branch(stmt, scope)
        if isinstance(stmt, ir.For):
            return self._loop(stmt, scope)
        if isinstance(stmt, ir.Emit):
            leaves = self.expressions.scalar(stmt.event, scope)
            assert isinstance(stmt.event.type, RecordT)
            self.events.append(Event(stmt.event.type, leaves, both(self._path), tuple(self._bound)))
            return scope
        raise Untranslatable(
            f"{stmt.span.file}:{stmt.span.line}: no formula says `{stmt.span.text}`"
        )

    def _demand(self, where: list[Term], cond: Term) -> None:
        """Note a condition on the step, which counts where the step gets to it."""
        said = implies(both(self._path), cond)
        if self._bound:
            said = self.expressions.domain.quantify(True, tuple(self._bound), said)
        if not z3.is_true(said):
            where.append(said)

    # -- writing --------------------------------------------------------------------------------

    def _assign(self, stmt: ir.Assign, scope: Scope) -> Scope:
        """An assignment; one that adds to a set or takes from it is known as that."""
        change = stmt.value
        if isinstance(change, ir.SetOp) and change.op in "|-" and change.left == stmt.place:
            kind = "add" if change.op == "|" else "remove"
            return self._write(
                stmt.place, kind, self.expressions.members(change.right, scope), scope
            )
        return self._write(stmt.place, "set", self.expressions.value(change, scope), scope)

    def _write(
        self, where: ir.Expr, kind: str, value: Value, scope: Scope, elem: Scalar | None = None
    ) -> Scope:
        place = self.expressions.place(where, scope)
        assert place.root == "self", "a step writes the state of its own system"
        state = scope.states["self"]
        self.written.add(place.path)
        guard = both(self._path)
        self._log.append(Write(place.path, place.keys, guard, kind, value, elem))
        whole = self.expressions.variable(place, scope)
        new = _changed(whole, place.keys, lambda old: _result(kind, old, value))
        return scope.seeing("self", {**state, place.path: new})

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
        return scope.seeing("self", merged)

    def _under(self, cond: Term, body: Sequence[ir.Stmt], scope: Scope) -> Scope:
        if z3.is_false(cond):
            return scope
        self._path.append(cond)
        scope = self.block(body, scope)
        self._path.pop()
        return scope

    # -- loops ----------------------------------------------------------------------------------

    def _loop(self, stmt: ir.For, scope: Scope) -> Scope:
        if isinstance(stmt.binder.domain, ir.SetLit):
            for e in stmt.binder.domain.elems:
                elem = self.expressions.scalar(e, scope)
                after = self.block(stmt.body, scope.knowing(stmt.binder.name, elem))
                scope = scope.seeing("self", after.states["self"])
            return scope
        members = self.expressions.members(stmt.binder.domain, scope)
        domain = self.expressions.domain
        for x, bound in domain.shapes(members.elem):
            here = members(x)
            if z3.is_false(here):
                continue
            if not bound:
                after = self._under(here, stmt.body, scope.knowing(stmt.binder.name, x))
                scope = scope.seeing("self", _merged(here, after, scope))
                continue
            scope = self._iteration(stmt, scope, x, bound, here)
        return scope

    def _iteration(
        self,
        stmt: ir.For,
        scope: Scope,
        x: Scalar,
        bound: tuple[Term, ...],
        here: Term,
    ) -> Scope:
        """Run the body for an element that stands for all, and lift what it wrote."""
        outer, self._log = self._log, []
        self._bound.extend(bound)
        own = scope.knowing(stmt.binder.name, x)
        after = self._under(here, stmt.body, own)
        del self._bound[len(self._bound) - len(bound) :]
        log, self._log = self._log, outer
        old, new = scope.states["self"], after.states["self"]
        lifted = dict(old)
        for path in {w.path: None for w in log}:
            writes = [w for w in log if w.path == path]
            lift = _Lift(self.expressions, bound, here)
            lifted[path] = lift.of(old[path], new[path], writes)
            self._log.extend(replace(w, bound=(*w.bound, *bound)) for w in writes)
        return scope.seeing("self", lifted)


def _merged(cond: Term, after: Scope, before: Scope) -> State:
    one, old = after.states["self"], before.states["self"]
    return {
        path: value if one[path] is value else choose(cond, one[path], value)
        for path, value in old.items()
    }


def _result(kind: str, old: Value, value: Value) -> Value:
    """Return what a write makes of a value."""
    if kind == "set":
        return value
    assert isinstance(old, SetValue)
    assert isinstance(value, SetValue)
    was, change = old, value
    if kind == "add":
        return SetValue(was.elem, lambda x: either((was(x), change(x))))
    return SetValue(was.elem, lambda x: both((was(x), negation(change(x)))))


def _changed(value: Value, keys: Sequence[Scalar], change: Callable[[Value], Value]) -> Value:
    """Return a value with the part at `keys` changed."""
    if not keys:
        return change(value)
    assert isinstance(value, MapValue)
    entries, key = value, keys[0]

    def at(k: Scalar) -> Value:
        here = same(entries.key, k, key)
        old = entries(k)
        return old if z3.is_false(here) else choose(here, _changed(old, keys[1:], change), old)

    return MapValue(entries.key, entries.value, at)


@dataclass(frozen=True)
class _Lift:
    """Makes of what one iteration wrote what all have written.

    Attributes:
        bound: the constants that stand for the element of the iteration.
        here: the formula that says that the loop comes to it.
    """

    expressions: Expressions
    bound: tuple[Term, ...]
    here: Term

    def of(self, old: Value, new: Value, writes: Sequence[Write]) -> Value:
        """Return the value of a variable after the loop."""
        position = self._position(writes)
        if position is not None:
            return self._at(old, new, position)
        return self._gathered(old, new, writes, ())

    def _position(self, writes: Sequence[Write]) -> int | None:
        """Return at which key, counted from 0, all writes have the element itself."""
        dims = [(*w.keys, w.elem) if w.elem is not None else w.keys for w in writes]
        for i in range(min(map(len, dims))):
            if all(_is(d[i], self.bound) for d in dims):
                return i
        return None

    def _at(self, old: Value, new: Value, position: int) -> Value:
        """Return a value that at each key is what the iteration for that key made of it."""
        if isinstance(old, SetValue):
            assert isinstance(new, SetValue)
            assert position == 0
            was, made = old, new
            return SetValue(was.elem, lambda x: self._chosen_term(x, made(x), was(x)))
        assert isinstance(old, MapValue)
        assert isinstance(new, MapValue)
        entries, others = old, new
        if position == 0:
            return MapValue(
                entries.key, entries.value, lambda k: self._chosen(k, others(k), entries(k))
            )
        return MapValue(
            entries.key,
            entries.value,
            lambda k: self._at(entries(k), others(k), position - 1),
        )

    def _chosen(self, k: Scalar, new: Value, old: Value) -> Value:
        here = substituted((self.here,), self.bound, k)
        assert isinstance(here, tuple)
        return choose(here[0], substituted(new, self.bound, k), old)

    def _chosen_term(self, k: Scalar, new: Term, old: Term) -> Term:
        found = self._chosen(k, (new,), (old,))
        assert isinstance(found, tuple)
        term: Term = found[0]
        return term

    def _somewhere(self, write: Write, said: Term) -> Term:
        """Return the formula that says something of some iteration, and of loops in it."""
        bound = (*self.bound, *write.bound)
        return self.expressions.domain.quantify(False, bound, both((self.here, said)))

    def _gathered(
        self, old: Value, new: Value, writes: Sequence[Write], keys: tuple[Scalar, ...]
    ) -> Value:
        """Return what all iterations together left of a value."""
        if isinstance(old, MapValue):
            assert isinstance(new, MapValue)
            entries, others = old, new
            return MapValue(
                entries.key,
                entries.value,
                lambda k: self._gathered(entries(k), others(k), writes, (*keys, k)),
            )
        hits = [(w, self._hit(w, keys)) for w in writes]
        if isinstance(old, SetValue):
            assert isinstance(new, SetValue)
            was, made = old, new
            return SetValue(was.elem, lambda x: self._kept(was(x), made(x), hits, x))
        return self._last(old, hits)

    def _hit(self, write: Write, keys: tuple[Scalar, ...]) -> Term:
        """Return the formula that says that an iteration writes at some keys."""
        pairs = [
            equal(a, b)
            for one, other in zip(write.keys, keys, strict=True)
            for a, b in zip(one, other, strict=True)
        ]
        return both((*pairs, write.guard))

    def _kept(self, was: Term, made: Term, hits: Sequence[tuple[Write, Term]], x: Scalar) -> Term:
        """Return the formula that says that something is in a set after all iterations."""
        kinds = {write.kind for write, _ in hits}
        if len(kinds) > 1 or "set" in kinds:
            domain = self.expressions.domain
            gone = both((self.here, was, negation(made)))
            come = both((self.here, negation(was), made))
            lost = domain.quantify(False, self.bound, gone)
            return either((both((was, negation(lost))), domain.quantify(False, self.bound, come)))
        changed = []
        for write, hit in hits:
            assert isinstance(write.value, SetValue)
            changed.append(self._somewhere(write, both((hit, write.value(x)))))
        if "add" in kinds:
            return either((was, *changed))
        return both((was, negation(either(changed))))

    def _last(self, old: Scalar, hits: Sequence[tuple[Write, Term]]) -> Scalar:
        result = old
        for write, hit in hits:
            assert isinstance(write.value, tuple)
            own = {x.get_id() for x in (*self.bound, *write.bound)}
            if any(own & set(constants(t)) for t in write.value):
                raise Untranslatable(
                    f"{'.'.join(write.path)} gets a value that depends on which iteration of a "
                    "loop comes to it"
                )
            cond = self._somewhere(write, hit)
            result = tuple(ite(cond, a, b) for a, b in zip(write.value, result, strict=True))
        return result


def _is(key: Scalar | None, bound: tuple[Term, ...]) -> bool:
    return (
        key is not None
        and len(key) == len(bound)
        and all(z3.eq(a, b) for a, b in zip(key, bound, strict=True))
    )
