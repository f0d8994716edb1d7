"""The meaning of the IR, written down naively: an interpreter over states as data.

It is what the front end is tested with: for every state and action it must do what CPython does
with the source.  The language says that loops are parallel and sets have no order, so iterations
and elements are taken in an order drawn at random; only what is `ordered` is taken in order.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ackproof.spec.lang import ir
from ackproof.spec.lang.binding import ActionInstance, Bound
from ackproof.spec.lang.data import default_data, domain, in_range
from ackproof.spec.lang.program import PropertyDecl
from ackproof.spec.lang.properties import ASSERTION, DEFINED
from ackproof.spec.lang.types import (
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    Type,
)

__all__ = ["Interpreter", "NotThere", "Result"]

State = tuple[Any, ...]


class NotThere(Exception):
    """The step is not enabled."""


class _Broken(Exception):
    """The step breaks a built-in property, whose name is the argument."""


@dataclass(frozen=True)
class _Address:
    """A process (or family): the names that lead to it and the elements of families on the way."""

    path: tuple[str, ...] = ()
    keys: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Result:
    """What a step leads to: a state and events as data, or the built-in property it breaks."""

    after: State | None
    events: tuple[tuple[str, Any], ...] = ()
    broken: str | None = None


class _Memory:
    """A state that can be changed: the values of all places; maps as dicts, the rest as data."""

    def __init__(self, bound: Bound, state: State) -> None:
        self.bound = bound
        self.slots = {
            (loc.variable.path, loc.elements): _open(value, loc.variable.type)
            for loc, value in zip(bound.locations, state, strict=False)
        }

    def close(self) -> State:
        """Return the state as data."""
        return tuple(
            _closed(self.slots[loc.variable.path, loc.elements], loc.variable.type)
            for loc in self.bound.locations
        )


def _open(value: Any, t: Type) -> Any:
    if isinstance(t, MapT):
        return {k: _open(v, t.value) for k, v in value}
    return value


def _closed(value: Any, t: Type) -> Any:
    if isinstance(t, MapT):
        return frozenset((k, _closed(v, t.value)) for k, v in value.items())
    return value


@dataclass
class _Evaluator:
    """Evaluates expressions; `roots` are the states that processes are read from."""

    bound: Bound
    roots: dict[str, _Memory]
    order: random.Random
    names: dict[str, Any] = field(default_factory=dict)

    def value(self, e: ir.Expr) -> Any:
        """Return the value of an expression.

        Raises:
            _Broken: it is undefined.
        """
        method = getattr(self, f"_{type(e).__name__.lower()}")
        return method(e)

    def default(self, t: Type) -> Any:
        """Return the default of a type."""
        return _open(default_data(t, self.bound.elements), t)

    def shuffled(self, values: Iterable[Any]) -> list[Any]:
        """Return values in an order that nothing may depend on."""
        found = sorted(values, key=repr)
        self.order.shuffle(found)
        return found

    def rank(self, value: Any, t: Type) -> int:
        """Return the position of a value in its type."""
        return value if isinstance(t, IntT) else domain(t, self.bound.elements).index(value)

    # -- leaves and access ----------------------------------------------------------------------

    def _lit(self, e: ir.Lit) -> Any:
        return e.value

    def _var(self, e: ir.Var) -> Any:
        return self.names[e.name]

    def _root(self, e: ir.Root) -> Any:
        return (e.name, _Address())

    def _first(self, e: ir.First) -> Any:
        return domain(e.type, self.bound.elements)[0]

    def _universe(self, e: ir.Universe) -> Any:
        assert isinstance(e.type, SetT)
        return frozenset(domain(e.type.elem, self.bound.elements))

    def _default(self, e: ir.Default) -> Any:
        return self.default(e.type)

    def _field(self, e: ir.Field) -> Any:
        obj = self.value(e.obj)
        if isinstance(e.obj.type, RecordT):
            return obj[[n for n, _ in e.obj.type.fields].index(e.name)]
        root, at = obj
        inner = _Address((*at.path, e.name), at.keys)
        if isinstance(e.type, ProcT | FamilyT):
            return (root, inner)
        memory = self.roots[root]
        if (inner.path, inner.keys) in memory.slots:
            return memory.slots[inner.path, inner.keys]
        return self.bound.constants[".".join(inner.path), inner.keys]

    def _index(self, e: ir.Index) -> Any:
        obj, key = self.value(e.obj), self.value(e.key)
        if isinstance(e.obj.type, FamilyT):
            root, at = obj
            return (root, _Address(at.path, (*at.keys, key)))
        return obj[key] if key in obj else self.default(e.type)

    def _support(self, e: ir.Support) -> Any:
        return frozenset(self.value(e.map))

    # -- logic ----------------------------------------------------------------------------------

    def _not(self, e: ir.Not) -> Any:
        return not self.value(e.arg)

    def _and(self, e: ir.And) -> Any:
        return all(self.value(a) for a in e.args)

    def _or(self, e: ir.Or) -> Any:
        return any(self.value(a) for a in e.args)

    def _eq(self, e: ir.Eq) -> Any:
        return self.value(e.left) == self.value(e.right)

    def _less(self, e: ir.Less) -> Any:
        left = self.rank(self.value(e.left), e.left.type)
        right = self.rank(self.value(e.right), e.right.type)
        return left < right if e.strict else left <= right

    def _in(self, e: ir.In) -> Any:
        return self.value(e.elem) in self.value(e.set)

    def _subset(self, e: ir.Subset) -> Any:
        left, right = self.value(e.left), self.value(e.right)
        return left < right if e.strict else left <= right

    def _ite(self, e: ir.Ite) -> Any:
        return self.value(e.then if self.value(e.cond) else e.orelse)

    def _let(self, e: ir.Let) -> Any:
        self.names[e.name] = self.value(e.value)
        return self.value(e.body)

    def _choices(self, binders: tuple[ir.Binder, ...]) -> Iterator[None]:
        """Give the binders each choice of values in turn."""
        if not binders:
            yield
            return
        for value in self.shuffled(self.value(binders[0].domain)):
            self.names[binders[0].name] = value
            yield from self._choices(binders[1:])

    def _forall(self, e: ir.Forall) -> Any:
        return all(self.value(e.body) for _ in self._choices(e.binders))

    def _exists(self, e: ir.Exists) -> Any:
        return any(self.value(e.body) for _ in self._choices(e.binders))

    # -- sets, options, integers, records, sequences --------------------------------------------

    def _comprehension(self, e: ir.Comprehension) -> Any:
        chosen = (None for _ in self._choices(e.binders) if self.value(e.cond))
        return frozenset(self.value(e.elem) for _ in chosen)

    def _setlit(self, e: ir.SetLit) -> Any:
        return frozenset(map(self.value, e.elems))

    def _setop(self, e: ir.SetOp) -> Any:
        left, right = self.value(e.left), self.value(e.right)
        return {"|": left | right, "&": left & right, "-": left - right, "^": left ^ right}[e.op]

    def _extreme(self, e: ir.Extreme) -> Any:
        found = self.value(e.set)
        assert isinstance(e.set.type, SetT)
        if not found:
            if e.optional:
                return None
            raise _Broken(DEFINED)
        elem = e.set.type.elem
        return (min if e.op == "min" else max)(found, key=lambda x: self.rank(x, elem))

    def _card(self, e: ir.Card) -> Any:
        return len(self.value(e.set))

    def _arith(self, e: ir.Arith) -> Any:
        left, right = self.value(e.left), self.value(e.right)
        return {
            "+": left + right,
            "-": left - right,
            "*": left * right,
            "min": min(left, right),
            "max": max(left, right),
        }[e.op]

    def _some(self, e: ir.Some) -> Any:
        return self.value(e.arg)

    def _unwrap(self, e: ir.Unwrap) -> Any:
        found = self.value(e.arg)
        assert found is not None, f"{e!r} is None"
        return found

    def _isnone(self, e: ir.IsNone) -> Any:
        return self.value(e.arg) is None

    def _succ(self, e: ir.Succ) -> Any:
        assert isinstance(e.type, OptionT)
        elements = domain(e.type.inner, self.bound.elements)
        following = elements.index(self.value(e.arg)) + 1
        return elements[following] if following < len(elements) else None

    def _makerecord(self, e: ir.MakeRecord) -> Any:
        return tuple(map(self.value, e.args))

    def _head(self, e: ir.Head) -> Any:
        found = self.value(e.seq)
        if not found:
            raise _Broken(DEFINED)
        return found[0]

    def _length(self, e: ir.Length) -> Any:
        return len(self.value(e.seq))


@dataclass
class _Executor(_Evaluator):
    """Executes statements on the state of the root `self`."""

    events: list[tuple[str, Any]] = field(default_factory=list)

    def run(self, body: Iterable[ir.Stmt]) -> None:
        """Execute statements.

        Raises:
            NotThere: a requirement does not hold.
            _Broken: something fails.
        """
        for stmt in body:
            getattr(self, f"_do_{type(stmt).__name__.lower()}")(stmt)

    def write(self, place: ir.Expr, value: Any) -> None:
        """Store a value; a map forgets an entry that is the default."""
        if isinstance(place, ir.Field):
            root, at = self.value(place.obj)
            self.roots[root].slots[(*at.path, place.name), at.keys] = value
            return
        assert isinstance(place, ir.Index)
        entries = dict(self.value(place.obj))
        entries.pop(self.value(place.key), None)
        if value != self.default(place.type):
            entries[self.value(place.key)] = value
        self.write(place.obj, entries)

    def _do_local(self, s: ir.Local) -> None:
        self.names[s.name] = self.value(s.value)

    def _do_assign(self, s: ir.Assign) -> None:
        self.write(s.place, self.value(s.value))

    def _do_setadd(self, s: ir.SetAdd) -> None:
        self.write(s.place, self.value(s.place) | {self.value(s.elem)})

    def _do_setdiscard(self, s: ir.SetDiscard) -> None:
        self.write(s.place, self.value(s.place) - {self.value(s.elem)})

    def _do_push(self, s: ir.Push) -> None:
        before = self.value(s.place)
        elem = self.value(s.elem)
        assert isinstance(s.place.type, SeqT)
        if len(before) >= s.place.type.cap:
            raise _Broken(DEFINED)
        self.write(s.place, (*before, elem))

    def _do_pop(self, s: ir.Pop) -> None:
        before = self.value(s.place)
        if not before:
            raise _Broken(DEFINED)
        self.write(s.place, before[1:])

    def _do_if(self, s: ir.If) -> None:
        self.run(s.then if self.value(s.cond) else s.orelse)

    def _do_for(self, s: ir.For) -> None:
        found = self.value(s.binder.domain)
        if s.ordered:
            values = sorted(found, key=lambda x: self.rank(x, s.binder.type))
        else:
            values = self.shuffled(found)
        for value in values:
            self.names[s.binder.name] = value
            self.run(s.body)

    def _do_require(self, s: ir.Require) -> None:
        if not self.value(s.cond):
            raise NotThere

    def _do_assert(self, s: ir.Assert) -> None:
        if not self.value(s.cond):
            raise _Broken(ASSERTION)

    def _do_emit(self, s: ir.Emit) -> None:
        assert isinstance(s.event.type, RecordT)
        self.events.append((s.event.type.name, self.value(s.event)))


class Interpreter:
    """A bound program as a transition system, as its IR says."""

    def __init__(self, bound: Bound, seed: int = 0) -> None:
        self.bound = bound
        self.order = random.Random(seed)
        self.budgets = list(bound.budgets)

    def step(self, state: State, instance: ActionInstance) -> Result | None:
        """Take one action instance, or return None if it is not enabled."""
        places = len(self.bound.locations)
        budgets = list(state[places:])
        if instance.action.name in self.budgets:
            left = self.budgets.index(instance.action.name)
            if budgets[left] == 0:
                return None
            budgets[left] -= 1
        memory = _Memory(self.bound, state)
        names = dict(zip((p.name for p in instance.action.params), instance.args, strict=True))
        run = _Executor(self.bound, {"self": memory}, self.order, names)
        try:
            run.run(instance.action.body)
        except NotThere:
            return None
        except _Broken as error:
            return Result(None, (), str(error))
        after = memory.close()
        types = [loc.variable.type for loc in self.bound.locations]
        if not all(itertools.starmap(in_range, zip(after, types, strict=True))):
            return Result(None, (), DEFINED)
        return Result((*after, *budgets), tuple(run.events))

    def holds(
        self, prop: PropertyDecl, before: State, after: State | None = None, event: Any = None
    ) -> bool:
        """Evaluate a property of states, or of a step with an event."""
        states = [before] if after is None else [before, after]
        roots = {
            name: _Memory(self.bound, state) for name, state in zip(prop.roots, states, strict=True)
        }
        names = {prop.event.name: event} if prop.event is not None else {}
        return bool(_Evaluator(self.bound, roots, self.order, names).value(prop.body))
