"""The finite domain: a specification at the sizes of an instance, as terms over bit-vectors.

Here nothing is abstracted.  Sorts have the elements of an instance, quantifiers are written out,
and cardinalities, bounded sequences, bounded integers and the budgets of faults are what they are.
A state has a value for each leaf.  A step is an action that was executed once, on such values: it
says when it is enabled, when an assertion in it fails or it is undefined, and what each leaf is
afterwards.  It is the model checker's own lowering that says so: the checker executes the same
operations on machine words that here become terms.

A set is held in a word, which has 64 bits.  An instance in which a set may have more members is
rejected before anything is translated, for a bit beyond the last would be lost silently.

A constant has the value of the instance, or is left open, for the solver to choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import z3
from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.errors import BindError
from ackproof.lang.program import Action, Program, PropertyDecl
from ackproof.lang.types import BoolT, MapT, RecordT, SeqT, SetT, Type
from ackproof.model.beginnings import left_open
from ackproof.model.lower.access import Access
from ackproof.model.lower.codec import Codec, Sequence, Value
from ackproof.model.lower.evaluate import Evaluator
from ackproof.model.lower.execute import Emitted, Run, judge
from ackproof.model.lower.leaves import Leaf, Leaves
from ackproof.model.lower.ops import Bit, Word
from ackproof.model.lower.sizes import Sizes
from ackproof.model.lower.state import SymbolicState
from ackproof.proofs.smt.bitvectors import BitVectors
from ackproof.proofs.smt.logic import Term, conjunction
from ackproof.proofs.smt.open_constants import OpenAccess, OpenConstants

__all__ = ["Finite", "FiniteState", "FiniteStep", "Reading", "reading"]

#: Gives the value that a term has in a model.
Reading = Callable[[Term], Term]


def reading(model: z3.ModelRef) -> Reading:
    """Return what terms are in a model; what it leaves open is 0."""
    return lambda term: model.eval(term, model_completion=True)


class FiniteState(SymbolicState):
    """A state by name, or one that a step made of it."""

    def __init__(
        self,
        types: Mapping[Leaf, Type],
        codec: Codec,
        before: Mapping[Leaf, Value],
        written: dict[Leaf, Value] | None = None,
    ) -> None:
        super().__init__(types, codec, written)
        self.before = before

    def load(self, leaf: Leaf) -> Value:
        """Return what a leaf was before the step."""
        return self.before[leaf]

    def copy(self) -> FiniteState:
        """Return a state that can be written independently."""
        return FiniteState(self.types, self.codec, self.before, dict(self.written))


@dataclass(frozen=True)
class FiniteStep:
    """An action with arguments, known ones or not.

    Attributes:
        action: which.
        arguments: the value of each parameter.
        run: its execution.
        enabled: when the step exists.
        asserted: when an assertion in it fails.
        undefined: when it is undefined: an empty `min`, an integer out of its range…
        before: the state before.
        after: the state after, where the step is proper.
        proper: when it is enabled and does not fail.
    """

    action: Action
    arguments: Mapping[str, Value]
    run: Run
    enabled: Bit
    asserted: Bit
    undefined: Bit
    before: FiniteState
    after: FiniteState
    proper: Bit

    @property
    def events(self) -> list[Emitted]:
        """The events that it may emit."""
        return self.run.emitted


class Finite:
    """States, steps and properties of a bound program, as terms.

    Args:
        bound: the program at the sizes of an instance.
        known: leaves that have one value in every state, and which.
        open_constants: whether constants may have any value, and not only that of the instance.

    Raises:
        BindError: a set of the specification has more possible elements than a word has bits.

    Attributes:
        ops: the operations; they say which term a bit or a word is.
        leaves: what a state is made of.
        typing: for each symbol that was made, what it can be.
    """

    def __init__(
        self,
        bound: Bound,
        known: Mapping[Leaf, Value] | None = None,
        *,
        open_constants: bool = False,
    ) -> None:
        self.bound = bound
        self.known = known or {}
        self.ops = BitVectors()
        self.codec = Codec(bound.elements, self.ops)
        _reject_wide_sets(bound, self.codec)
        self.leaves = Leaves(bound, self.codec)
        self.typing: list[Term] = []
        self.constants: OpenConstants | None = None
        self.access = Access(Sizes(bound), self.codec)
        if open_constants:
            self.constants = OpenConstants(bound, self.codec, self.symbol)
            self.access = OpenAccess(bound, self.codec, self.constants)

    # -- symbols --------------------------------------------------------------------------------

    def symbol(self, name: str, t: Type) -> Value:
        """Return a value of a type that may be any of it."""
        ops = self.ops
        if isinstance(t, BoolT):
            return ops.truth(name)
        if isinstance(t, SetT):
            return ops.symbol(name, self.codec.cardinality(t.elem))
        if isinstance(t, RecordT):
            return tuple(self.symbol(f"{name}.{field}", inner) for field, inner in t.fields)
        if isinstance(t, SeqT):
            return self._sequence(name, t)
        code = ops.symbol(name, self.codec.bits(t))
        self._within(code, self.codec.cardinality(t))
        return self.codec.decode(t, code)

    def _within(self, code: Word, count: int) -> None:
        said = self.ops.less(code, count, True)
        if said is not True and count:
            self.typing.append(self.ops.bit(said))

    def _sequence(self, name: str, t: SeqT) -> Sequence:
        """Return any sequence; what lies beyond its length is 0."""
        ops, count = self.ops, self.codec.cardinality(t.elem)
        length = ops.symbol(f"{name}.length", t.cap.bit_length())
        self._within(length, t.cap + 1)
        slots = []
        for i in range(t.cap):
            slot = ops.symbol(f"{name}.{i}", self.codec.bits(t.elem))
            self._within(slot, count)
            beyond = ops.less(length, i, False)
            self.typing.append(ops.bit(ops.any(ops.no(beyond), ops.equal(slot, 0))))
            slots.append(slot)
        if count == 0:
            self.typing.append(ops.bit(ops.equal(length, 0)))
        return Sequence(length, tuple(slots))

    def state(self, name: str) -> FiniteState:
        """Return the state of that name: any state at all."""
        values = {
            leaf: self.known[leaf] if leaf in self.known else self.symbol(self.path(name, leaf), t)
            for leaf, t in self.leaves.types.items()
        }
        return FiniteState(self.leaves.types, self.codec, values)

    def path(self, state: str, leaf: Leaf) -> str:
        """Return the name of the symbol of a leaf of a state."""
        return f"{state}.{self.leaves.name(leaf)}{''.join(f'[{k}]' for k in leaf.keys)}"

    def given(self, state: tuple[Any, ...]) -> FiniteState:
        """Return a state that is given as data."""
        return FiniteState(self.leaves.types, self.codec, self.leaves.values(state))

    def initial(self) -> FiniteState:
        """Return an initial state, with all budgets.

        What may start with anything has symbols, unless it is known; see `beginning`.
        """
        values = self.leaves.values(self.bound.first())
        places = set(left_open(self.bound))
        for leaf, t in self.leaves.types.items():
            if leaf.location in places:
                values[leaf] = self.symbol(self.path("initial", leaf), t)
        return FiniteState(self.leaves.types, self.codec, values)

    def beginning(self, state: FiniteState) -> Term:
        """Return the formula that says that a state is an initial one."""
        places = set(left_open(self.bound))
        first = self.leaves.values(self.bound.first())
        same = (
            self.alike(leaf, state.get(leaf), first[leaf])
            for leaf in self.leaves.types
            if leaf.location not in places
        )
        chosen = (self.holds(prop, state) for prop in self.bound.initially)
        return conjunction(self.ops.bit(bit) for bit in (*same, *chosen))

    def usual(self) -> list[Term]:
        """Return what says of each open constant that it has the value of the instance."""
        return [self.ops.bit(bit) for bit in self.constants.usual()] if self.constants else []

    # -- steps ----------------------------------------------------------------------------------

    def arguments(self, action: Action) -> dict[str, Value]:
        """Return symbols for the arguments of an action."""
        return {p.name: self.symbol(f"arg.{action.name}.{p.name}", p.type) for p in action.params}

    def inhabited(self, action: Action) -> bool:
        """Tell whether there are arguments for an action at all."""
        return all(
            isinstance(p.type, SetT) or self.codec.cardinality(p.type) > 0 for p in action.params
        )

    def given_arguments(self, action: Action, args: tuple[Any, ...]) -> dict[str, Value]:
        """Return arguments that are given as data."""
        return {
            p.name: self.codec.from_data(p.type, value)
            for p, value in zip(action.params, args, strict=True)
        }

    def step(
        self, action: Action, before: FiniteState, arguments: Mapping[str, Value]
    ) -> FiniteStep:
        """Return what an action does in a state; a fault takes one off its budget."""
        run = Run(Evaluator(self.access, {"self": before.copy()}, dict(arguments)), action)
        possible: Bit = True
        if action.name in self.bound.budgets:
            budget = self.leaves.budget(action.name)
            left = before.get(budget)
            possible = self.ops.less(0, left, True)
            run.state.put(budget, self.ops.choose(possible, self.ops.sub(left, 1), left))
        run.block(action.body)
        run.finish()
        assert isinstance(run.state, FiniteState)
        enabled = self.ops.all(possible, run.enabled)
        undefined = self.ops.all(run.undefined, self.ops.no(run.asserted))
        failed = self.ops.any(run.asserted, undefined)
        proper = self.ops.all(enabled, self.ops.no(failed))
        return FiniteStep(
            action, arguments, run, enabled, run.asserted, undefined, before, run.state, proper
        )

    # -- properties -----------------------------------------------------------------------------

    def holds(self, prop: PropertyDecl, state: FiniteState) -> Bit:
        """Return whether a property of states holds in one."""
        return Evaluator(self.access, dict.fromkeys(prop.roots, state), {}).bit(prop.body)

    def broken(self, prop: PropertyDecl, step: FiniteStep) -> Bit:
        """Return whether a property of steps is false for a step, or one of its events."""
        wrong, _ = judge(prop, self.access, step.before, step.run)
        return wrong

    def alike(self, leaf: Leaf, a: Value, b: Value) -> Bit:
        """Return whether two values of a leaf are equal."""
        return self.codec.equal(self.leaves.types[leaf], a, b)

    def same(self, one: FiniteState, other: FiniteState) -> Term:
        """Return the formula that says that two states are equal."""
        return conjunction(
            self.ops.bit(self.alike(leaf, one.get(leaf), other.get(leaf)))
            for leaf in self.leaves.types
        )

    # -- from a model back to data --------------------------------------------------------------

    def value(self, value: Value, read: Reading) -> Value:
        """Return what a value is in a model."""
        if isinstance(value, Sequence):
            length = self.value(value.length, read)
            return Sequence(length, tuple(self.value(slot, read) for slot in value.slots))
        if isinstance(value, tuple):
            return tuple(self.value(part, read) for part in value)
        if not isinstance(value, str):
            return value
        found = read(self.ops.term(value))
        if z3.is_bool(found):
            return z3.is_true(found)
        number = found.as_long()
        return number - (1 << 64) if found.size() == 64 and number >> 63 else number

    def data(self, state: FiniteState, read: Reading) -> tuple[Any, ...]:
        """Return, as data, what a state is in a model."""
        return self.leaves.state(
            {leaf: self.value(state.get(leaf), read) for leaf in self.leaves.types}
        )

    def arguments_data(self, step: FiniteStep, read: Reading) -> tuple[Any, ...]:
        """Return, as data, the arguments of a step in a model."""
        return tuple(
            self.codec.to_data(p.type, self.value(step.arguments[p.name], read))
            for p in step.action.params
        )

    def constants_data(self, read: Reading) -> dict[str, Any]:
        """Return the open constants in a model, as an instance gives them, but for usual ones."""
        return self.constants.data(lambda value: self.value(value, read)) if self.constants else {}


# -- sets that are too wide -------------------------------------------------------------------

_WORD_BITS = 64

#: The types of elements in the latest program, which is often needed again.
_LATEST_ELEMENTS: list[tuple[Program, tuple[Type, ...]]] = []


def _reject_wide_sets(bound: Bound, codec: Codec) -> None:
    """Reject an instance in which a set may have more than 64 elements.

    Raises:
        BindError: there is one.
    """
    for elem in _elements(bound.program):
        count = codec.cardinality(elem)
        if count > _WORD_BITS:
            raise BindError(
                f"instance {bound.instance.name}: a set of {elem!r} has {count:,} possible "
                f"elements, where {_WORD_BITS} can be computed with; make the sorts smaller"
            )


def _elements(program: Program) -> tuple[Type, ...]:
    """Return the types of the elements of all sets in a program."""
    if not (_LATEST_ELEMENTS and _LATEST_ELEMENTS[0][0] is program):
        _LATEST_ELEMENTS[:] = [(program, tuple(dict.fromkeys(_listed(program))))]
    return _LATEST_ELEMENTS[0][1]


def _listed(program: Program) -> Iterator[Type]:
    for v in program.variables:
        yield from _inside(v.type)
    for action in program.actions:
        for p in action.params:
            yield from _inside(p.type)
    bodies: list[ir.Node] = [stmt for action in program.actions for stmt in action.body]
    bodies += [prop.body for prop in (*program.properties, *program.initially)]
    for body in bodies:
        for node in ir.walk(body):
            if isinstance(node, ir.Expr):
                yield from _inside(node.type)


def _inside(t: Type) -> Iterator[Type]:
    while isinstance(t, MapT):
        yield t.key
        t = t.value
    if isinstance(t, SetT):
        yield t.elem
