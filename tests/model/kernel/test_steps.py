"""Compiled code takes the steps that plain Python takes, state by state, failures included."""

from functools import cache

import pytest
from ackproof.lang.binding import Bound, bind
from ackproof.lang.errors import BindError
from ackproof.lang.properties import ASSERTION, DEADLOCK, DEFINED
from ackproof.model.lower import generate, tables, tree
from ackproof.model.plain import PlainMachine, State

from tests.exploring import chance, examples
from tests.model.kernel.machine import Expanded, Machine
from tests.model.kernel.workshop import MODEL

INSTANCES = {instance.name: instance for instance in MODEL.instances}
NO_INSTANCE = 0xFFFFFFFF
WALKS, STEPS = 25, 25


@cache
def bound_of(name: str) -> Bound:
    """The workshop at the sizes of an instance."""
    return bind(MODEL, INSTANCES[name])


@cache
def states_of(name: str) -> list[State]:
    """States on random walks from the initial one, past violations and around failing steps."""
    machine = PlainMachine(bound_of(name))
    dice = chance(name)
    found: dict[State, None] = {}
    with machine:
        for _ in range(examples(WALKS)):
            state = machine.initial()
            for _ in range(STEPS):
                found[state] = None
                after: dict[str, list[State]] = {}
                for step in machine.steps(state):
                    if step.after is not None:
                        after.setdefault(step.instance.action.name, []).append(step.after)
                if not after:
                    break
                # Actions have different numbers of instances, and all should have their turn.
                state = dice.choice(after[dice.choice(list(after))])
    return list(found)


def expected_steps(machine: PlainMachine, state: State) -> Expanded:
    """What plain Python says of the steps of one state."""
    found = Expanded(counts=[0] * len(machine.bound.actions))
    properties = [p for p in machine.bound.properties if p.of_steps]
    steps = list(machine.steps(state))
    for step in steps:
        if step.after is None:
            assert step.broken is not None
            found.broken[step.number] = {step.broken}
            continue
        found.successors[step.number] = step.after
        found.counts[machine.bound.actions.index(step.instance.action)] += 1
        for prop in properties:
            results = machine.holds_on_step(prop, state, step)
            if prop.kind == "reachable" and any(results):
                found.witnessed.add(prop.name)
            elif prop.kind != "reachable" and not all(results):
                found.broken.setdefault(step.number, set()).add(prop.name)
    if not steps:
        found.broken[NO_INSTANCE] = {DEADLOCK}
    return found


@pytest.mark.parametrize("name", INSTANCES)
def test_every_step_is_the_one_that_python_takes(name: str) -> None:
    compiled = Machine(bound_of(name))
    plain = PlainMachine(bound_of(name))
    with plain:
        for state in states_of(name):
            assert compiled.expand([state]) == [expected_steps(plain, state)]


@pytest.mark.parametrize("size", [2, 3, 8, 1000])
def test_code_in_pieces_takes_the_same_steps(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    states = states_of("two")[:200]
    whole = Machine(bound_of("two"))
    monkeypatch.setattr(generate, "WHOLE_INSTANCES", 0)
    monkeypatch.setattr(tree, "PIECE_INSTANCES", size)
    pieces = Machine(bound_of("two"))
    assert "@piece" in pieces.kernel.ir_text
    assert "@piece" not in whole.kernel.ir_text
    assert pieces.kernel.fanout == whole.kernel.fanout
    assert pieces.expand(states) == whole.expand(states)


def test_more_properties_than_a_record_has_bits_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "MOST_PROPERTIES", 3)
    with pytest.raises(BindError, match="6 properties of steps, and 3 can be watched at once"):
        Machine(bound_of("two"))


@pytest.mark.parametrize("name", INSTANCES)
def test_a_batch_says_the_same_as_its_states_one_by_one(name: str) -> None:
    compiled = Machine(bound_of(name))
    states = states_of(name)[:64]
    together, alone = compiled.expand(states), [compiled.expand([s])[0] for s in states]
    assert [t.successors for t in together] == [a.successors for a in alone]
    assert [t.broken for t in together] == [a.broken for a in alone]
    assert together[0].witnessed == set().union(*(a.witnessed for a in alone))
    assert together[0].counts == [sum(ns) for ns in zip(*(a.counts for a in alone), strict=True)]


@pytest.mark.parametrize("name", INSTANCES)
def test_properties_of_states_are_what_python_says(name: str) -> None:
    compiled = Machine(bound_of(name))
    plain = PlainMachine(bound_of(name))
    states = states_of(name)
    invariants = [p for p in plain.bound.properties if p.kind == "invariant"]
    goals = [p for p in plain.bound.properties if p.kind == "reachable" and not p.of_steps]
    broken, witnessed = compiled.inspect(states)
    with plain:
        assert broken == [{p.name for p in invariants if not plain.holds(p, s)} for s in states]
        assert witnessed == {p.name for p in goals if any(plain.holds(p, s) for s in states)}


def test_the_walks_come_by_every_kind_of_failure() -> None:
    plain = PlainMachine(bound_of("two"))
    with plain:
        found = [expected_steps(plain, state) for state in states_of("two")]
    broken = {name for steps in found for names in steps.broken.values() for name in names}
    assert {ASSERTION, DEFINED, "DoneWasOnTheBench"} <= broken
    assert all(any(steps.counts[i] for steps in found) for i in range(len(plain.bound.actions)))
