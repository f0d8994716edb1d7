"""Steps and properties of the two translations, compared with plain Python in one state."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import z3
from ackproof.lang import ir
from ackproof.lang.binding import ActionInstance, Bound
from ackproof.lang.data import default_data, domain, to_data
from ackproof.lang.properties import ASSERTION, FAILURES
from ackproof.lang.types import MapT, SeqT, SetT, SortT, Type
from ackproof.model.plain import PlainMachine
from ackproof.model.plain import Step as PlainStep
from ackproof.proofs.smt.finite import Finite, FiniteStep
from ackproof.proofs.smt.theory import Step, Theory
from ackproof.proofs.smt.unbounded import Unbounded, Untranslatable
from ackproof.proofs.smt.values import MapValue, SetValue

from tests.proofs.smt.meaning import Meaning


def events_of(step: PlainStep) -> list[tuple[str, Any]]:
    """Return the frames of a step of plain Python, as data."""
    return [
        (type(e).__name__, tuple(to_data(getattr(e, f.name)) for f in dataclasses.fields(e)))
        for e in step.events
    ]


@dataclass
class UnboundedSteps:
    """The translation over unbounded sorts, evaluated at an instance."""

    bound: Bound
    junk: int = 0
    untranslatable: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.domain = Unbounded()
        self.theory = Theory(self.bound.program, self.domain)
        self.before = self.theory.state("s")
        self.meaning = Meaning(self.bound, self.domain, self.junk)
        self._steps: dict[str, Step | None] = {}
        self._formulas: dict[tuple[object, ...], Any] = {}

    def _formula(self, prop: Any, step: Step | None = None, event: Any = None) -> Any:
        """Return a property as a formula, made once."""
        key = (prop.name, step and step.action.name, id(event))
        if key not in self._formulas:
            states = (self.before,) if step is None else (self.before, step.after)
            leaves = event.leaves if event else None
            asked = {} if step is None else {p.name: step.arguments[p.name] for p in prop.asked}
            self._formulas[key] = self.theory.formula(prop, *states, event=leaves, elements=asked)
        return self._formulas[key]

    def step(self, instance: ActionInstance) -> Step | None:
        """Return an action as formulas, once for all arguments; None if there are none for it."""
        action = instance.action
        if action.name not in self._steps:
            try:
                self._steps[action.name] = self.theory.step(action, self.before)
            except Untranslatable:
                self.untranslatable.append(action.name)
                self._steps[action.name] = None
        return self._steps[action.name]

    def agrees(self, state: Any, instance: ActionInstance, plain: PlainStep | None) -> None:
        """Compare one step with that of plain Python."""
        step = self.step(instance)
        if step is None:
            return
        params = {p.name: p.type for p in instance.action.params}
        args = dict(zip(params, instance.args, strict=True))
        self.meaning.sees("s", state)
        self.meaning.takes(instance.action.name, {n: (params[n], args[n]) for n in params})
        self._fails(step, plain)
        if plain and plain.broken and plain.broken != ASSERTION:
            return  # where Python says that a step is undefined, a proof may assume anything
        enabled = self.meaning.of(step.enabled)
        assert enabled == (plain is not None and plain.after is not None), instance
        if plain is None or plain.after is None:
            return
        for loc, was, expected in zip(self.bound.locations, state, plain.after, strict=False):
            if isinstance(loc.variable.type, SeqT):
                assert was == expected, "what changes a sequence is not translated"
                continue
            value = step.after[loc.variable.path]
            for key, sort in zip(loc.elements, loc.variable.families, strict=True):
                value = value(self._constants(sort, key))
            found = self.data(loc.variable.type, value)
            assert found == expected, (str(instance), loc.name, was, found, expected)
            if found != was:
                assert loc.variable.path in step.written
        assert set(self.events(step)) == set(events_of(plain)), instance

    def _fails(self, step: Step, plain: PlainStep | None) -> None:
        """Compare whether the step fails, and how: in a proof no integer leaves its range."""
        claims = {name: self.meaning.of(self._claimed(step, name)) for name in FAILURES}
        failed = plain.broken if plain and not plain.outside else None
        if failed:
            assert not claims[failed], (str(plain), failed)
        # Of the iterations of a loop in order, nobody says how far an earlier one has come.
        elif not any(isinstance(n, ir.For) for s in step.action.body for n in ir.walk(s)):
            assert all(claims.values()), (str(plain), claims)

    def _claimed(self, step: Step, name: str) -> Any:
        key = (name, step.action.name, "claimed")
        if key not in self._formulas:
            self._formulas[key] = step.claimed(name)
        return self._formulas[key]

    def events(self, step: Step) -> Iterable[tuple[str, Any]]:
        """Yield the frames that are sent."""
        for event in step.events:
            names = [x.decl().name() for x in event.bound]
            ranges = [self.meaning._range(x.sort()) for x in event.bound]
            for xs in _product(ranges):
                own = dict(zip(names, xs, strict=True))
                if self.meaning.of(event.guard, own):
                    leaves = [self.meaning.of(leaf, own) for leaf in event.leaves]
                    yield event.type.name, self.meaning.data(event.type, leaves)

    def _constants(self, t: Type, value: Any) -> tuple[Any, ...]:
        """Return symbols that have the leaves of a value."""
        made = []
        for i, (leaf, sort) in enumerate(
            zip(self.meaning.leaves(t, value), self.domain.sorts(t), strict=True)
        ):
            name = f"given!{t!r}!{value}!{i}"
            self.meaning._symbols[name] = lambda leaf=leaf: leaf
            made.append(z3.Const(name, sort))
        return tuple(made)

    def data(self, t: Type, value: Any) -> Any:
        """Return what a value is worth, as data."""
        elements = self.bound.elements
        if isinstance(t, SetT):
            assert isinstance(value, SetValue)
            return frozenset(
                x
                for x in domain(t.elem, elements)
                if self.meaning.of(value(self._constants(t.elem, x)))
            )
        if isinstance(t, MapT):
            assert isinstance(value, MapValue)
            entries = [
                (k, self.data(t.value, value(self._constants(t.key, k))))
                for k in domain(t.key, elements)
            ]
            default = default_data(t.value, elements) if _inhabited(t.value, elements) else None
            return frozenset(e for e in entries if e[1] != default)
        return self.meaning.data(t, [self.meaning.of(leaf) for leaf in value])

    def judges(self, machine: PlainMachine, state: Any) -> Counter[str]:
        """Compare the properties of states with plain Python; return how many came out how."""
        self.meaning.sees("s", state)
        self._is_typed()
        counted: Counter[str] = Counter()
        for prop in self.bound.properties:
            if prop.of_steps:
                continue
            try:
                formula = self._formula(prop)
            except Untranslatable:
                continue
            expected = machine.holds(prop, state)
            assert self.meaning.of(formula) == expected, prop.name
            counted[str(expected)] += 1
        return counted

    def _is_typed(self) -> None:
        """Make sure that what a proof takes for known of a state is true of this one."""
        for name, said in self.theory.typing.items():
            if name.startswith(("s.", "const.")):
                for formula in said:
                    assert self.meaning.of(formula), (name, formula)

    def judges_step(self, machine: PlainMachine, state: Any, plain: PlainStep) -> Counter[str]:
        """Compare the properties of steps with plain Python."""
        counted: Counter[str] = Counter()
        step = self.step(plain.instance)
        if step is None or plain.after is None:
            return counted
        for prop in self.bound.properties:
            if not prop.of_steps:
                continue
            results = machine.holds_on_step(prop, state, plain)
            if prop.of and plain.instance.action.name not in prop.of:
                found = []
            elif prop.event is None:
                found = [self.meaning.of(self._formula(prop, step))]
            else:
                found = list(self._frames(prop, step))
            assert set(found) == set(results), (prop.name, str(plain.instance))
            counted.update(map(str, results))
        return counted

    def _frames(self, prop: Any, step: Step) -> Iterable[bool]:
        for event in step.events:
            if event.type != prop.event.type:
                continue
            formula = self._formula(prop, step, event)
            names = [x.decl().name() for x in event.bound]
            for xs in _product([self.meaning._range(x.sort()) for x in event.bound]):
                own = dict(zip(names, xs, strict=True))
                if self.meaning.of(event.guard, own):
                    yield self.meaning.of(formula, own)


@dataclass
class FiniteSteps:
    """The translation at the sizes of an instance, evaluated in a model of a state."""

    bound: Bound

    def __post_init__(self) -> None:
        self.finite = Finite(self.bound)
        self.before = self.finite.state("s")
        self._steps: dict[str, FiniteStep] = {}

    def reads(self, state: Any, more: Iterable[Any] = ()) -> Any:
        """Return how terms are read in a state."""
        solver = z3.SolverFor("QF_FD")
        solver.add(*self.finite.typing)
        solver.add(self.finite.same(self.before, self.finite.given(state)), *more)
        assert solver.check() == z3.sat
        model = solver.model()
        return lambda term: model.eval(term, model_completion=True)

    def agrees(self, state: Any, instance: ActionInstance, plain: PlainStep | None) -> None:
        """Compare one step with that of plain Python."""
        action, finite = instance.action, self.finite
        if action.name not in self._steps:
            arguments = finite.arguments(action)
            self._steps[action.name] = finite.step(action, self.before, arguments)
        step = self._steps[action.name]
        given = finite.given_arguments(action, instance.args)
        same = [
            finite.ops.bit(finite.codec.equal(p.type, step.arguments[p.name], given[p.name]))
            for p in action.params
        ]
        read = self.reads(state, same)
        assert finite.value(step.enabled, read) == (plain is not None), instance
        if plain is None:
            return
        assert finite.value(step.proper, read) == (plain.after is not None), instance
        if plain.after is None:
            assert finite.value(step.asserted, read) == (plain.broken == ASSERTION), instance
            return
        assert finite.data(step.after, read) == plain.after, instance
        sent = [
            (e.type.name, finite.codec.to_data(e.type, finite.value(e.fields, read)))
            for e in step.events
            if finite.value(e.cond, read)
        ]
        assert sent == events_of(plain), instance

    def judges(self, machine: PlainMachine, state: Any) -> None:
        """Compare the properties of states with plain Python."""
        read = self.reads(state)
        for prop in self.bound.properties:
            if not prop.of_steps:
                found = self.finite.value(self.finite.holds(prop, self.before), read)
                assert found == machine.holds(prop, state), prop.name


def _inhabited(t: Type, elements: Any) -> bool:
    return not isinstance(t, SortT) or bool(elements[t.name])


def _product(ranges: list[list[Any]]) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = [()]
    for one in ranges:
        found = [(*xs, x) for xs in found for x in one]
    return found
