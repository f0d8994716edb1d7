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
from typing import Any, assert_never

from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.data import default_data, domain, owner_of, owns
from ackproof.lang.types import FamilyT, MapT, ProcT, RecordT, SetT, SortT
from ackproof.model.show import in_order, rank

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
        ValueError: where an expression is undefined, as in plain Python: `min` of an empty set,
            or what an option has that is None.
    """

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self._places = {
            (loc.variable.path, loc.elements): i for i, loc in enumerate(bound.locations)
        }

    def value(self, e: ir.Expr, env: Environment) -> Any:
        """Return the value of an expression as data."""
        assert isinstance(e, ir.AnyExpr)
        match e:
            case ir.Lit():
                return self._literal(e)
            case ir.Var():
                return env[e.name]
            case ir.Root():
                return _Place(env[e.name], (), ())
            case ir.First():
                return self._first(e, env)
            case ir.Universe():
                assert isinstance(e.type, SetT)
                return frozenset(domain(e.type.elem, self.bound.elements))
            case ir.Default():
                return default_data(e.type, self.bound.elements)
            case ir.Field():
                return self._field(e, env)
            case ir.Index():
                return self._entry(e, env)
            case ir.Support():
                return frozenset(k for k, _ in self.value(e.map, env))
            case ir.Not():
                return not self.value(e.arg, env)
            case ir.And():
                return all(self.value(a, env) for a in e.args)
            case ir.Or():
                return any(self.value(a, env) for a in e.args)
            case ir.Eq():
                return bool(self.value(e.left, env) == self.value(e.right, env))
            case ir.Less():
                left, right = (rank(self.value(x, env), x.type) for x in (e.left, e.right))
                return bool(left < right or (not e.strict and left == right))
            case ir.In():
                return self.value(e.elem, env) in self.value(e.set, env)
            case ir.Subset():
                left, right = self.value(e.left, env), self.value(e.right, env)
                return bool(left < right if e.strict else left <= right)
            case ir.Ite():
                return self.value(e.then if self.value(e.cond, env) else e.orelse, env)
            case ir.Let():
                return self.value(e.body, {**env, e.name: self.value(e.value, env)})
            case ir.Forall():
                return all(self.value(e.body, inner) for inner in self.choices(e.binders, env))
            case ir.Exists():
                return any(self.value(e.body, inner) for inner in self.choices(e.binders, env))
            case ir.Comprehension():
                chosen = (c for c in self.choices(e.binders, env) if self.value(e.cond, c))
                return frozenset(self.value(e.elem, inner) for inner in chosen)
            case ir.SetLit():
                return frozenset(self.value(x, env) for x in e.elems)
            case ir.SetOp():
                return _SET_OPS[e.op](self.value(e.left, env), self.value(e.right, env))
            case ir.Extreme():
                return self._extreme(e, env)
            case ir.Card():
                return len(self.value(e.set, env))
            case ir.Arith():
                return _INT_OPS[e.op](self.value(e.left, env), self.value(e.right, env))
            case ir.Some():
                return self.value(e.arg, env)
            case ir.Unwrap():
                return self._something(e, env)
            case ir.IsNone():
                return self.value(e.arg, env) is None
            case ir.Owner():
                assert isinstance(e.arg.type, SortT)
                return owner_of(e.arg.type, self.value(e.arg, env), self.bound.elements)
            case ir.Succ():
                return self._successor(e, env)
            case ir.MakeRecord():
                return tuple(self.value(a, env) for a in e.args)
            case ir.Head():
                sequence = self.value(e.seq, env)
                if not sequence:
                    raise ValueError("the head of an empty sequence")
                return sequence[0]
            case ir.Length():
                return len(self.value(e.seq, env))
            case ir.Key():
                raise AssertionError("inlining replaces keys")
            case _:
                assert_never(e)

    def choices(self, binders: tuple[ir.Binder, ...], env: Environment) -> Iterator[Environment]:
        """Yield the environment with every choice of values for the binders."""
        if not binders:
            yield env
            return
        head, *rest = binders
        assert isinstance(head.domain.type, SetT)
        for value in in_order(self.value(head.domain, env), head.domain.type.elem):
            yield from self.choices(tuple(rest), {**env, head.name: value})

    def _literal(self, e: ir.Lit) -> Any:
        if isinstance(e.type, SortT):
            assert isinstance(e.value, int)
            return self.bound.elements[e.type.name][e.value]
        return e.value

    def _first(self, e: ir.First, env: Environment) -> Any:
        assert isinstance(e.type, SortT)
        if e.owner is not None:
            return owns(e.type, self.value(e.owner, env), self.bound.elements)[0]
        return self.bound.elements[e.type.name][0]

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

    def _entry(self, e: ir.Index, env: Environment) -> Any:
        obj, key = self.value(e.obj, env), self.value(e.key, env)
        if isinstance(obj, _Place):
            return _Place(obj.state, obj.path, (*obj.keys, key))
        assert isinstance(e.obj.type, MapT)
        entries = dict(obj)
        return entries[key] if key in entries else self._missing(e.obj.type)

    def _missing(self, t: MapT) -> Any:
        return default_data(t.value, self.bound.elements)

    def _extreme(self, e: ir.Extreme, env: Environment) -> Any:
        values = self.value(e.set, env)
        if e.optional and not values:
            return None
        assert isinstance(e.set.type, SetT)
        if not values:
            raise ValueError(f"{e.op} of an empty set")
        ordered = in_order(values, e.set.type.elem)
        return ordered[0] if e.op == "min" else ordered[-1]

    def _something(self, e: ir.Unwrap, env: Environment) -> Any:
        found = self.value(e.arg, env)
        if found is None:
            raise ValueError("the value of an option that is None")
        return found

    def _successor(self, e: ir.Succ, env: Environment) -> Any:
        assert isinstance(e.arg.type, SortT)
        element, elements = self.value(e.arg, env), self.bound.elements
        among = elements[e.arg.type.name]
        if e.arg.type.owner is not None:
            among = owns(e.arg.type, owner_of(e.arg.type, element, elements), elements)
        return dict(itertools.pairwise(among)).get(element)
