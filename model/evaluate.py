"""Expressions on states as data: what a piece of a property is worth in one state.

The typed representation is evaluated here as it stands, operator by operator, with no regard to
speed.  Properties are evaluated by engines; this evaluator takes a property to pieces afterwards,
to find out which piece is false.  It never decides whether something holds: a test compares it
with plain Python on every property and state it can reach.

A process is not a value of the language.  While a chain like `s.queues[q].store.level` is walked,
a process is a `_Place`: a state, the names that lead to the process, and the family members chosen
on the way.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ackproof.model.show import in_order
from ackproof.spec.lang import ir
from ackproof.spec.lang.binding import Bound
from ackproof.spec.lang.data import default_data, domain
from ackproof.spec.lang.types import FamilyT, MapT, ProcT, RecordT, SetT, SortT

__all__ = ["Environment", "Evaluator"]

State = tuple[Any, ...]

#: What names stand for: variables as data, roots as states.
Environment = Mapping[str, Any]


@dataclass(frozen=True)
class _Place:
    """A process, or a family of processes, in a state."""

    state: State
    path: tuple[str, ...]
    keys: tuple[Any, ...]


_SET_OPS: dict[str, Any] = {
    "|": frozenset.union,
    "&": frozenset.intersection,
    "-": frozenset.difference,
    "^": frozenset.symmetric_difference,
}
_INT_OPS: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "min": min,
    "max": max,
}


class Evaluator:
    """Evaluates expressions of a bound program.

    Raises:
        ValueError: where an expression is undefined, as in plain Python: `min` of an empty set.
    """

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self._places = {
            (loc.variable.path, loc.elements): i for i, loc in enumerate(bound.locations)
        }

    def value(self, e: ir.Expr, env: Environment) -> Any:
        """Return the value of an expression as data."""
        name = "at" if isinstance(e, ir.Index) else type(e).__name__.lower()
        return getattr(self, f"_{name}")(e, env)

    def choices(self, binders: tuple[ir.Binder, ...], env: Environment) -> Iterator[Environment]:
        """Yield the environment with every choice of values for the binders."""
        if not binders:
            yield env
            return
        head, *rest = binders
        assert isinstance(head.domain.type, SetT)
        for value in in_order(self.value(head.domain, env), head.domain.type.elem):
            yield from self.choices(tuple(rest), {**env, head.name: value})

    # -- leaves and access ----------------------------------------------------------------------

    def _lit(self, e: ir.Lit, env: Environment) -> Any:
        if isinstance(e.type, SortT):
            assert isinstance(e.value, int)
            return self.bound.elements[e.type.name][e.value]
        return e.value

    def _var(self, e: ir.Var, env: Environment) -> Any:
        return env[e.name]

    def _root(self, e: ir.Root, env: Environment) -> _Place:
        return _Place(env[e.name], (), ())

    def _first(self, e: ir.First, env: Environment) -> Any:
        assert isinstance(e.type, SortT)
        return self.bound.elements[e.type.name][0]

    def _universe(self, e: ir.Universe, env: Environment) -> frozenset[Any]:
        assert isinstance(e.type, SetT)
        return frozenset(domain(e.type.elem, self.bound.elements))

    def _default(self, e: ir.Default, env: Environment) -> Any:
        return default_data(e.type, self.bound.elements)

    def _field(self, e: ir.Field, env: Environment) -> Any:
        obj = self.value(e.obj, env)
        if not isinstance(obj, _Place):
            assert isinstance(e.obj.type, RecordT)
            return obj[[n for n, _ in e.obj.type.fields].index(e.name)]
        path = (*obj.path, e.name)
        if isinstance(e.type, ProcT | FamilyT):
            return _Place(obj.state, path, obj.keys)
        if (path, obj.keys) in self._places:
            return obj.state[self._places[path, obj.keys]]
        return self.bound.constants[".".join(path), obj.keys]

    def _at(self, e: ir.Index, env: Environment) -> Any:
        obj, key = self.value(e.obj, env), self.value(e.key, env)
        if isinstance(obj, _Place):
            return _Place(obj.state, obj.path, (*obj.keys, key))
        assert isinstance(e.obj.type, MapT)
        entries = dict(obj)
        return entries[key] if key in entries else self._missing(e.obj.type)

    def _missing(self, t: MapT) -> Any:
        return default_data(t.value, self.bound.elements)

    def _support(self, e: ir.Support, env: Environment) -> frozenset[Any]:
        return frozenset(k for k, _ in self.value(e.map, env))

    # -- logic ----------------------------------------------------------------------------------

    def _not(self, e: ir.Not, env: Environment) -> bool:
        return not self.value(e.arg, env)

    def _and(self, e: ir.And, env: Environment) -> bool:
        return all(self.value(a, env) for a in e.args)

    def _or(self, e: ir.Or, env: Environment) -> bool:
        return any(self.value(a, env) for a in e.args)

    def _eq(self, e: ir.Eq, env: Environment) -> bool:
        return bool(self.value(e.left, env) == self.value(e.right, env))

    def _less(self, e: ir.Less, env: Environment) -> bool:
        left, right = self.value(e.left, env), self.value(e.right, env)
        return bool(left < right or (not e.strict and left == right))

    def _in(self, e: ir.In, env: Environment) -> bool:
        return self.value(e.elem, env) in self.value(e.set, env)

    def _subset(self, e: ir.Subset, env: Environment) -> bool:
        left, right = self.value(e.left, env), self.value(e.right, env)
        return bool(left < right if e.strict else left <= right)

    def _ite(self, e: ir.Ite, env: Environment) -> Any:
        return self.value(e.then if self.value(e.cond, env) else e.orelse, env)

    def _let(self, e: ir.Let, env: Environment) -> Any:
        return self.value(e.body, {**env, e.name: self.value(e.value, env)})

    def _forall(self, e: ir.Forall, env: Environment) -> bool:
        return all(self.value(e.body, inner) for inner in self.choices(e.binders, env))

    def _exists(self, e: ir.Exists, env: Environment) -> bool:
        return any(self.value(e.body, inner) for inner in self.choices(e.binders, env))

    # -- sets, options, integers, records, sequences --------------------------------------------

    def _comprehension(self, e: ir.Comprehension, env: Environment) -> frozenset[Any]:
        return frozenset(
            self.value(e.elem, inner)
            for inner in self.choices(e.binders, env)
            if self.value(e.cond, inner)
        )

    def _setlit(self, e: ir.SetLit, env: Environment) -> frozenset[Any]:
        return frozenset(self.value(x, env) for x in e.elems)

    def _setop(self, e: ir.SetOp, env: Environment) -> Any:
        return _SET_OPS[e.op](self.value(e.left, env), self.value(e.right, env))

    def _extreme(self, e: ir.Extreme, env: Environment) -> Any:
        values = self.value(e.set, env)
        if e.optional and not values:
            return None
        return min(values) if e.op == "min" else max(values)

    def _card(self, e: ir.Card, env: Environment) -> int:
        return len(self.value(e.set, env))

    def _arith(self, e: ir.Arith, env: Environment) -> Any:
        return _INT_OPS[e.op](self.value(e.left, env), self.value(e.right, env))

    def _some(self, e: ir.Some, env: Environment) -> Any:
        return self.value(e.arg, env)

    def _unwrap(self, e: ir.Unwrap, env: Environment) -> Any:
        return self.value(e.arg, env)

    def _isnone(self, e: ir.IsNone, env: Environment) -> bool:
        return self.value(e.arg, env) is None

    def _succ(self, e: ir.Succ, env: Environment) -> Any:
        assert isinstance(e.arg.type, SortT)
        elements = self.bound.elements[e.arg.type.name]
        following = dict(itertools.pairwise(elements))
        return following.get(self.value(e.arg, env))

    def _makerecord(self, e: ir.MakeRecord, env: Environment) -> tuple[Any, ...]:
        return tuple(self.value(a, env) for a in e.args)

    def _head(self, e: ir.Head, env: Environment) -> Any:
        sequence = self.value(e.seq, env)
        if not sequence:
            raise ValueError("the head of an empty sequence")
        return sequence[0]

    def _length(self, e: ir.Length, env: Environment) -> int:
        return len(self.value(e.seq, env))
