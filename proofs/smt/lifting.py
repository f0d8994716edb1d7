"""Lifting: from what one iteration of a loop wrote to what all have written.

Where each write of a variable is at the element itself, the state after is known place by place: at
`k` it is what the iteration for `k` made of it.  Elsewhere it is a set that grows or shrinks: what
is in it afterwards is what was in it or what some iteration added, and what none removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ackproof.proofs.smt.direct import address
from ackproof.proofs.smt.logic import (
    Term,
    alike,
    conjunction,
    constants,
    disjunction,
    equal,
    ite,
    negation,
)
from ackproof.proofs.smt.unbounded import Unbounded, Untranslatable
from ackproof.proofs.smt.values import MapValue, Scalar, SetValue, Value, choose, substituted

__all__ = ["Change", "Lift", "Path", "Write"]

Path = tuple[str, ...]

#: What a write does: it assigns, or a set grows or shrinks by the members of the value.
Change = Literal["set", "add", "remove"]


@dataclass(frozen=True)
class Write:
    """What one statement wrote: where, when, and what.

    `bound` are constants that stand for the elements of loops inside.
    """

    path: Path
    keys: tuple[Scalar, ...]
    guard: Term
    kind: Change
    value: Value
    elem: Scalar | None = None
    bound: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Lift:
    """Makes of what one iteration wrote what all have written.

    Attributes:
        domain: what quantifiers range over.
        bound: the constants that stand for the element of the iteration.
        here: the formula that says that the loop comes to it.
    """

    domain: Unbounded
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
        return self.domain.quantify(False, bound, conjunction((self.here, said)))

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
        return conjunction((*pairs, write.guard))

    def _kept(self, was: Term, made: Term, hits: Sequence[tuple[Write, Term]], x: Scalar) -> Term:
        """Return the formula that says that something is in a set after all iterations."""
        kinds = {write.kind for write, _ in hits}
        if len(kinds) > 1 or "set" in kinds:
            gone = conjunction((self.here, was, negation(made)))
            come = conjunction((self.here, negation(was), made))
            lost = self.domain.quantify(False, self.bound, gone)
            gained = self.domain.quantify(False, self.bound, come)
            return disjunction((conjunction((was, negation(lost))), gained))
        changed = []
        for write, hit in hits:
            assert isinstance(write.value, SetValue)
            changed.append(self._somewhere(write, conjunction((hit, write.value(x)))))
        if "add" in kinds:
            return disjunction((was, *changed))
        return conjunction((was, negation(disjunction(changed))))

    def _last(self, old: Scalar, hits: Sequence[tuple[Write, Term]]) -> Scalar:
        result = old
        for write, hit in hits:
            assert isinstance(write.value, tuple)
            own = {address(x) for x in (*self.bound, *write.bound)}
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
        and all(alike(a, b) for a, b in zip(key, bound, strict=True))
    )
