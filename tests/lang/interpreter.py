"""The meaning of the IR, written down naively: an interpreter over states as data.

It is what the front end is tested with: for every state and action it must do what CPython does
with the source.  The language says that loops are parallel and sets have no order, so iterations
and elements are taken in an order drawn at random; only what is `ordered` is taken in order.
"""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, assert_never

from ackproof.lang import ir
from ackproof.lang.binding import ActionInstance, Bound
from ackproof.lang.data import default_data, domain, in_range
from ackproof.lang.program import PropertyDecl
from ackproof.lang.properties import ASSERTION, DEFINED
from ackproof.lang.types import (
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    SortT,
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


_SET_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "|": operator.or_,
    "&": operator.and_,
    "-": operator.sub,
    "^": operator.xor,
}
_INT_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "min": min,
    "max": max,
}


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
        assert isinstance(e, ir.AnyExpr)
        match e:
            case ir.Lit():
                return self._literal(e)
            case ir.Var():
                return self.names[e.name]
            case ir.Root():
                return (e.name, _Address())
            case ir.First():
                return self._first(e)
            case ir.Universe():
                assert isinstance(e.type, SetT)
                return frozenset(domain(e.type.elem, self.bound.elements))
            case ir.Default():
                return self.default(e.type)
            case ir.Field():
                return self._field(e)
            case ir.Index():
                return self._index(e)
            case ir.Support():
                return frozenset(self.value(e.map))
            case ir.Not():
                return not self.value(e.arg)
            case ir.And():
                return all(self.value(a) for a in e.args)
            case ir.Or():
                return any(self.value(a) for a in e.args)
            case ir.Eq():
                return self.value(e.left) == self.value(e.right)
            case ir.Less():
                left = self.rank(self.value(e.left), e.left.type)
                right = self.rank(self.value(e.right), e.right.type)
                return left < right if e.strict else left <= right
            case ir.In():
                return self.value(e.elem) in self.value(e.set)
            case ir.Subset():
                left, right = self.value(e.left), self.value(e.right)
                return left < right if e.strict else left <= right
            case ir.Ite():
                return self.value(e.then if self.value(e.cond) else e.orelse)
            case ir.Let():
                self.names[e.name] = self.value(e.value)
                return self.value(e.body)
            case ir.Forall():
                return all(self.value(e.body) for _ in self._choices(e.binders))
            case ir.Exists():
                return any(self.value(e.body) for _ in self._choices(e.binders))
            case ir.Comprehension():
                chosen = (None for _ in self._choices(e.binders) if self.value(e.cond))
                return frozenset(self.value(e.elem) for _ in chosen)
            case ir.SetLit():
                return frozenset(map(self.value, e.elems))
            case ir.SetOp():
                return _SET_OPERATIONS[e.op](self.value(e.left), self.value(e.right))
            case ir.Extreme():
                return self._extreme(e)
            case ir.Card():
                return len(self.value(e.set))
            case ir.Arith():
                return _INT_OPERATIONS[e.op](self.value(e.left), self.value(e.right))
            case ir.Some():
                return self.value(e.arg)
            case ir.Unwrap():
                found = self.value(e.arg)
                assert found is not None, f"{e!r} is None"
                return found
            case ir.IsNone():
                return self.value(e.arg) is None
            case ir.Owner():
                return self._of(self.value(e.arg), e.arg.type)
            case ir.Succ():
                return self._successor(e)
            case ir.MakeRecord():
                return tuple(map(self.value, e.args))
            case ir.Head():
                found = self.value(e.seq)
                if not found:
                    raise _Broken(DEFINED)
                return found[0]
            case ir.Length():
                return len(self.value(e.seq))
            case ir.Key():
                raise AssertionError("inlining replaces keys")
            case _:
                assert_never(e)

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

    # -- what takes more than a line ------------------------------------------------------------

    def _literal(self, e: ir.Lit) -> Any:
        if isinstance(e.type, SortT):
            assert isinstance(e.value, int)
            return self.bound.elements[e.type.name][e.value]
        return e.value

    def _first(self, e: ir.First) -> Any:
        found = domain(e.type, self.bound.elements)
        if e.owner is not None:
            owner = self.value(e.owner)
            found = [x for x in found if self._of(x, e.type) == owner]
        return found[0]

    def _of(self, element: Any, t: Type) -> Any:
        """Return the owner of an element: that which its name begins with, or the only one."""
        assert isinstance(t, SortT)
        assert t.owner is not None
        owners = self.bound.elements[t.owner.name]
        if isinstance(element, int):
            (only,) = owners
            return only
        return next(one for one in owners if str(one) == element.rpartition(".")[0])

    def _successor(self, e: ir.Succ) -> Any:
        assert isinstance(e.type, OptionT)
        elements = domain(e.type.inner, self.bound.elements)
        element = self.value(e.arg)
        if isinstance(e.type.inner, SortT) and e.type.inner.owner is not None:
            owner = self._of(element, e.type.inner)
            elements = [x for x in elements if self._of(x, e.type.inner) == owner]
        following = elements.index(element) + 1
        return elements[following] if following < len(elements) else None

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

    def _choices(self, binders: tuple[ir.Binder, ...]) -> Iterator[None]:
        """Give the binders each choice of values in turn."""
        if not binders:
            yield
            return
        for value in self.shuffled(self.value(binders[0].domain)):
            self.names[binders[0].name] = value
            yield from self._choices(binders[1:])

    def _extreme(self, e: ir.Extreme) -> Any:
        found = self.value(e.set)
        assert isinstance(e.set.type, SetT)
        if not found:
            if e.optional:
                return None
            raise _Broken(DEFINED)
        elem = e.set.type.elem
        return (min if e.op == "min" else max)(found, key=lambda x: self.rank(x, elem))


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
            self._statement(stmt)

    def _statement(self, s: ir.Stmt) -> None:
        assert isinstance(s, ir.AnyStmt)
        match s:
            case ir.Local():
                self.names[s.name] = self.value(s.value)
            case ir.Assign():
                self.write(s.place, self.value(s.value))
            case ir.SetAdd():
                self.write(s.place, self.value(s.place) | {self.value(s.elem)})
            case ir.SetDiscard():
                self.write(s.place, self.value(s.place) - {self.value(s.elem)})
            case ir.Push():
                before, elem = self.value(s.place), self.value(s.elem)
                assert isinstance(s.place.type, SeqT)
                if len(before) >= s.place.type.cap:
                    raise _Broken(DEFINED)
                self.write(s.place, (*before, elem))
            case ir.Pop():
                before = self.value(s.place)
                if not before:
                    raise _Broken(DEFINED)
                self.write(s.place, before[1:])
            case ir.If():
                self.run(s.then if self.value(s.cond) else s.orelse)
            case ir.For():
                self._loop(s)
            case ir.Require():
                if not self.value(s.cond):
                    raise NotThere
            case ir.Assert():
                if not self.value(s.cond):
                    raise _Broken(ASSERTION)
            case ir.Emit():
                assert isinstance(s.event.type, RecordT)
                self.events.append((s.event.type.name, self.value(s.event)))
            case ir.Call():
                raise AssertionError("inlining replaces calls")
            case _:
                assert_never(s)

    def _loop(self, s: ir.For) -> None:
        found = self.value(s.binder.domain)
        if s.ordered:
            values = sorted(found, key=lambda x: self.rank(x, s.binder.type))
        else:
            values = self.shuffled(found)
        for value in values:
            self.names[s.binder.name] = value
            self.run(s.body)

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
        self,
        prop: PropertyDecl,
        before: State,
        after: State | None = None,
        event: Any = None,
        asked: Mapping[str, Any] = MappingProxyType({}),
    ) -> bool:
        """Evaluate a property of states, or of a step with an event and arguments."""
        states = [before] if after is None else [before, after]
        roots = {
            name: _Memory(self.bound, state) for name, state in zip(prop.roots, states, strict=True)
        }
        names = dict(asked)
        if prop.event is not None:
            names[prop.event.name] = event
        return bool(_Evaluator(self.bound, roots, self.order, names).value(prop.body))
