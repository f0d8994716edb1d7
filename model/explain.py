"""Why a property is false: its smallest false part, with the values it is made of.

A property is a formula, and most of it has nothing to do with the failure.  So the formula is
walked from the top to where the trouble is: of a conjunction, to the first conjunct that is false;
of `all(…)`, to the first element for which the body is false; under a `not`, to what is true and
should not be.  What is chosen on the way (the element, the side of a branch, the premises of an
implication) is kept, because it says which case this is.  Where the walk cannot go on, it has the
smallest false part, and the parts of that are shown with their values.

    s.queues[q].store.level[m] == Level.SYNCED   is False
      for    m = 2, q = q1
      given  m in s.publishers[c].confirmed
      where  s.queues[q].store.level[m] = WRITTEN
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.ir import Span
from ackproof.lang.program import PropertyDecl
from ackproof.lang.types import FamilyT, ProcT
from ackproof.model.evaluate import Environment, Evaluator
from ackproof.model.phrase import Phrases, base_name, split_condition
from ackproof.model.show import show_value

__all__ = ["Explanation", "explain"]

#: Of a claim that something exists, this many candidates are shown failing, one by one.
_CANDIDATES = 4

_TRIVIAL = (ir.Lit, ir.Var, ir.Root, ir.Universe, ir.First, ir.Default, ir.SetLit)
_COMPOUND = (
    ir.SetOp,
    ir.Arith,
    ir.Card,
    ir.Extreme,
    ir.Owner,
    ir.Succ,
    ir.Length,
    ir.Head,
    ir.Ite,
    ir.Forall,
    ir.Exists,
    ir.Comprehension,
    ir.MakeRecord,
)


@dataclass(frozen=True)
class Explanation:
    """The smallest part of a property that has the wrong truth value.

    Args:
        text: the part, as Python.
        truth: the value it has; the property needs the other one.
        where: names chosen on the way, with their values.
        given: what is true beside it, so that the part matters.
        parts: what the part is made of, with values.
        cases: for a claim that something exists, why each candidate fails.
        span: where the part is written.
    """

    text: str
    truth: bool
    where: tuple[tuple[str, str], ...]
    given: tuple[str, ...]
    parts: tuple[tuple[str, str], ...]
    cases: tuple[Explanation, ...]
    span: Span


@dataclass(frozen=True)
class _Here:
    """Where the walk is: what names stand for, as values, as text, and as expressions."""

    env: Environment
    names: dict[str, str]
    lets: dict[str, ir.Expr]
    where: tuple[tuple[str, str], ...] = ()
    given: tuple[str, ...] = ()


def explain(bound: Bound, prop: PropertyDecl, env: Environment) -> Explanation:
    """Return why a property is false.

    Args:
        bound: the program it is a property of.
        prop: the property; it is false in `env`.
        env: the states its roots stand for, and its event and what was asked for as data.
    """
    told = (*prop.asked, *([prop.event] if prop.event is not None else []))
    where = tuple((p.name, show_value(env[p.name], p.type)) for p in told)
    walker = _Walker(Evaluator(bound))
    return walker.walk(prop.body, False, _Here(env, {}, {}, where))


class _Walker:
    """Walks a formula to the smallest part that has the wrong truth value."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def walk(self, e: ir.Expr, truth: bool, here: _Here) -> Explanation:
        """Return the smallest part of `e`, which has the truth value `truth`, that makes it so."""
        following = self._step(e, truth, here)
        return self._leaf(e, truth, here) if following is None else self.walk(*following)

    def _step(self, e: ir.Expr, truth: bool, here: _Here) -> tuple[ir.Expr, bool, _Here] | None:
        """Return where the walk goes on, or None where it ends."""
        if isinstance(e, ir.Not):
            return e.arg, not truth, here
        if isinstance(e, ir.Var) and e.name in here.lets:
            return here.lets[e.name], truth, here
        if isinstance(e, ir.Let):
            return e.body, truth, self._let(e, here)
        if isinstance(e, ir.Ite):
            return self._branch(e, truth, here)
        if isinstance(e, ir.And | ir.Or):
            if isinstance(e, ir.Or) == truth:
                part = next(a for a in e.args if self._true(a, here) == truth)
                return part, truth, here
            return self._implication(e, truth, here) if isinstance(e, ir.Or) else None
        if isinstance(e, ir.Forall | ir.Exists) and isinstance(e, ir.Exists) == truth:
            return self._witness(e, truth, here)
        return None

    def _true(self, e: ir.Expr, here: _Here) -> bool:
        return bool(self.evaluator.value(e, here.env))

    def _text(self, e: ir.Expr, here: _Here) -> str:
        return Phrases(here.names, self.evaluator.bound.elements).text(e)

    def _let(self, e: ir.Let, here: _Here) -> _Here:
        value = self.evaluator.value(e.value, here.env)
        return replace(
            here,
            env={**here.env, e.name: value},
            names={**here.names, e.name: self._text(e.value, here)},
            lets={**here.lets, e.name: e.value},
        )

    def _branch(self, e: ir.Ite, truth: bool, here: _Here) -> tuple[ir.Expr, bool, _Here]:
        taken = self._true(e.cond, here)
        cond = e.cond if taken else ir.Not(e.cond, type=e.cond.type)
        inner = replace(here, given=(*here.given, self._text(cond, here)))
        return (e.then if taken else e.orelse), truth, inner

    def _implication(
        self, e: ir.Or, truth: bool, here: _Here
    ) -> tuple[ir.Expr, bool, _Here] | None:
        """Of `not a or b`, go on with `b`, given `a`; a choice between several ends the walk."""
        premises = [a.arg for a in e.args if isinstance(a, ir.Not)]
        claims = [a for a in e.args if not isinstance(a, ir.Not)]
        if not claims:
            premises, claims = premises[:-1], [e.args[-1]]
        if len(claims) > 1:
            return None
        given = tuple(self._text(p, here) for p in premises)
        return claims[0], truth, replace(here, given=(*here.given, *given))

    def _witness(
        self, e: ir.Forall | ir.Exists, truth: bool, here: _Here
    ) -> tuple[ir.Expr, bool, _Here]:
        body, cond = split_condition(e)
        for env in self.evaluator.choices(e.binders, here.env):
            if bool(self.evaluator.value(e.body, env)) == truth:
                inner = self._chosen(e.binders, env, here)
                if cond is not None:
                    inner = replace(inner, given=(*inner.given, self._text(cond, inner)))
                return body, truth, inner
        raise AssertionError("a quantifier has a witness for its truth value")

    def _chosen(self, binders: tuple[ir.Binder, ...], env: Environment, here: _Here) -> _Here:
        names, where = dict(here.names), list(here.where)
        for b in binders:
            name = base_name(b.name)
            while name in dict(where):
                name += "_"
            names[b.name] = name
            where.append((name, show_value(env[b.name], b.type)))
        return replace(here, env=env, names=names, where=tuple(where))

    # -- where the walk ends --------------------------------------------------------------------

    def _leaf(self, e: ir.Expr, truth: bool, here: _Here) -> Explanation:
        parts: dict[str, str] = {}
        for sub, inner in self._parts(e, here, top=True):
            # What stands behind `x is not None and` has no value where x is None.
            with suppress(ValueError):
                value = self.evaluator.value(sub, inner.env)
                parts.setdefault(self._text(sub, inner), show_value(value, sub.type))
        return Explanation(
            text=self._text(e, here),
            truth=truth,
            where=here.where,
            given=here.given,
            parts=tuple(parts.items()),
            cases=tuple(self._cases(e, here)),
            span=e.span,
        )

    def _cases(self, e: ir.Expr, here: _Here) -> Iterator[Explanation]:
        if not isinstance(e, ir.Exists):
            return
        candidates = list(self.evaluator.choices(e.binders, here.env))
        if len(candidates) > _CANDIDATES:
            return
        for env in candidates:
            inner = self._chosen(e.binders, env, replace(here, given=(), where=()))
            yield self.walk(e.body, False, inner)

    def _parts(
        self, e: ir.Expr, here: _Here, *, top: bool = False
    ) -> Iterator[tuple[ir.Expr, _Here]]:
        """Yield what is worth showing of an expression: state that it reads, operands it makes."""
        if isinstance(e, ir.Var) and e.name in here.lets:
            yield from self._parts(here.lets[e.name], here)
        elif isinstance(e, ir.Field | ir.Index) and self._reads_state(e):
            if not isinstance(e.type, ProcT | FamilyT):
                yield e, here
            for key in _keys(e):
                yield from self._parts(key, here)
        elif not isinstance(e, _TRIVIAL):
            if isinstance(e, _COMPOUND) and not top:
                yield e, here
            yield from self._below(e, here)

    def _below(self, e: ir.Expr, here: _Here) -> Iterator[tuple[ir.Expr, _Here]]:
        if isinstance(e, ir.Forall | ir.Exists | ir.Comprehension):
            for b in e.binders[:1]:
                yield from self._parts(b.domain, here)
            return
        if isinstance(e, ir.Let):
            with suppress(ValueError):
                yield from self._parts(e.body, self._let(e, here))
            return
        for child in ir.children(e):
            assert isinstance(child, ir.Expr)
            yield from self._parts(child, here)

    def _reads_state(self, e: ir.Expr) -> bool:
        while isinstance(e, ir.Field | ir.Index | ir.Unwrap):
            e = e.arg if isinstance(e, ir.Unwrap) else e.obj
        return isinstance(e, ir.Root)


def _keys(e: Any) -> Iterator[ir.Expr]:
    while isinstance(e, ir.Field | ir.Index):
        if isinstance(e, ir.Index):
            yield e.key
        e = e.obj
