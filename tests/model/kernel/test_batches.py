"""Batches of packed states have the successors that plain Python finds, each once."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from ackproof.lang import Model
from ackproof.lang.binding import Bound
from ackproof.model.kernel import batches, stepping
from ackproof.model.kernel.batches import Batches, Code, Successors
from ackproof.model.kernel.search import DEADLOCK
from ackproof.model.kernel.stepping import bits_of
from ackproof.model.lower.compile import Kernel, compile_kernel
from ackproof.model.plain import PlainMachine, State
from ackproof.spec.model import MODEL as CONFIRMS

from tests.model import liveness_models as live
from tests.model import mailroom
from tests.models import dining, two_phase_commit
from tests.pipeline.searches import bound_of, model_of

Row = tuple[int, ...]

MODELS: tuple[tuple[Model, str], ...] = (
    (two_phase_commit.MODEL, "rm3"),
    (dining.MODEL, "seats3"),
    (mailroom.MODEL, "small"),
    (CONFIRMS, "tiny"),
)


class Known:
    """A program, compiled, with every state and step that plain Python finds."""

    def __init__(self, bound: Bound, most: int = 1000) -> None:
        self.bound = bound
        self.kernel: Kernel = compile_kernel(bound)
        self.batches = Batches(Code.of(self.kernel))
        self.states: list[State] = []
        self.steps: dict[Row, list[tuple[int, Row]]] = {}
        with PlainMachine(bound) as machine:
            known = {machine.initial()}
            waiting = [machine.initial()]
            for state in waiting:
                if len(self.states) == most:
                    break
                self.states.append(state)
                steps = [s for s in machine.steps(state) if s.after is not None]
                self.steps[self.row(state)] = [(s.number, self.row(s.after)) for s in steps]
                for step in steps:
                    if step.after not in known:
                        known.add(step.after)
                        waiting.append(step.after)

    def row(self, state: State) -> Row:
        """Return a state as packed words."""
        return tuple(self.kernel.layout.pack(state))

    @property
    def packed(self) -> np.ndarray:
        """All states, packed."""
        return np.array([self.row(state) for state in self.states], np.uint64)


def rows(states: np.ndarray) -> list[Row]:
    """Return packed states as tuples."""
    return [tuple(row) for row in states.tolist()]


def assert_successors(known: Known, states: np.ndarray, found: list[Successors]) -> None:
    """Compare successors with those of plain Python."""
    asked = rows(states)
    expected = {after for row in asked for _, after in known.steps[row]}
    made = [row for some in found for row in rows(some.states)]
    if len(found) == 1:
        # In one batch nothing is found twice, and what is in the batch is not found at all.
        assert len(made) == len(set(made))
        assert set(made) == expected - set(asked)
    else:
        assert expected - set(asked) <= set(made) <= expected
    for some in found:
        links = zip(rows(some.states), some.sources, some.instances, strict=True)
        for after, source, instance in links:
            assert (int(instance), after) in known.steps[asked[source]]
    taken = Counter(known_action(known, n) for row in asked for n, _ in known.steps[row])
    counts = np.sum([some.counts for some in found], axis=0)
    names = [a.name for a in known.bound.actions]
    assert {n: c for n, c in zip(names, counts.tolist(), strict=False) if c} == dict(taken)


def known_action(known: Known, number: int) -> str:
    """Return the name of the action of an instance."""
    return known.bound.instances()[number].action.name


@pytest.mark.parametrize(("model", "instance"), MODELS)
def test_successors_are_those_of_plain_python(model: Model, instance: str) -> None:
    known = Known(bound_of(model, instance), most=300)
    states = known.packed
    for some in (states, states[::3], states[5:6], states[::-1][:100]):
        assert_successors(known, some, list(known.batches.successors(some)))


@pytest.mark.parametrize("room", [1 << 14, 1 << 15, 1 << 17])
def test_a_batch_that_takes_too_much_memory_is_halved(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Known(bound_of(two_phase_commit.MODEL, "rm4"))
    monkeypatch.setattr(batches, "_BATCH_BYTES", room)
    found = list(known.batches.successors(known.packed))
    assert len(found) > 1 or room == 1 << 17
    assert_successors(known, known.packed, found)


def test_sources_are_right_though_the_table_delays_states() -> None:
    # As many states as fill buckets, for which some have to wait for the next one.
    known = Known(bound_of(two_phase_commit.MODEL, "rm5"), most=3000)
    (found,) = known.batches.successors(known.packed)
    assert_successors(known, known.packed, [found])


def test_successors_that_are_in_the_batch_are_left_out() -> None:
    known = Known(bound_of(two_phase_commit.MODEL, "rm3"))
    (found,) = known.batches.successors(known.packed)
    assert found.states.shape == (0, known.kernel.words)
    assert found.counts.sum() == sum(map(len, known.steps.values()))


def test_no_states_have_no_successors() -> None:
    known = Known(bound_of(two_phase_commit.MODEL, "rm2"))
    assert list(known.batches.successors(known.packed[:0])) == []


def test_states_may_lie_apart_in_memory() -> None:
    known = Known(bound_of(two_phase_commit.MODEL, "rm3"))
    states = np.asfortranarray(known.packed)[::2]
    assert_successors(known, states, list(known.batches.successors(states)))


# -- every step --------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "instance"), MODELS)
def test_steps_are_all_those_of_plain_python(model: Model, instance: str) -> None:
    known = Known(bound_of(model, instance), most=200)
    made, sources, instances, _ = known.batches.steps(known.packed)
    asked = rows(known.packed)
    found = Counter(
        (asked[s], int(i), after)
        for after, s, i in zip(rows(made), sources, instances, strict=True)
    )
    steps = [(row, number, after) for row in asked for number, after in known.steps[row]]
    assert found == Counter(steps)


_BAD = '''
"""A count in which every second step is wrong."""
import sys
from typing import Annotated
from ackproof.lang import (
    Instance, Model, OrderedSort, Range, System, action, properties_in, require, step_property,
)


class Way(OrderedSort):
    """A way to count."""


class Bad(System):
    """Counts."""

    at: Annotated[int, Range(0, 9)]

    @action
    def up(self, way: Way) -> None:
        """Counts, in any way."""
        require(self.at < 9)
        assert self.at != 7
        self.at = self.at + 1


@step_property
def Odd(before: Bad, after: Bad) -> bool:
    """What comes next is odd."""
    return not (after.at == 2 or after.at == 4 or after.at == 6 or after.at == 8)


MODEL = Model(
    "bad", Bad, properties_in(sys.modules[__name__]), (Instance("only", "", {Way: 40}),),
    deadlock_free=True,
)
'''


def test_records_of_what_is_wrong_are_all_there(tmp_path: Path) -> None:
    known = Known(bound_of(model_of(_BAD, tmp_path)))
    bits = {name: bit for bit, name in known.kernel.tables.step_bits.items()}
    odd, failed = 1 << bits["Odd"], 1 << bits["NoAssertionFails"]
    asked = np.array([known.row((at,)) for at in (2, 3, 7)], np.uint64)
    _, _, _, records = known.batches.steps(asked)
    assert sorted((row, way, bits_of(masks)) for row, way, *masks in records.tolist()) == sorted(
        [(1, way, odd) for way in range(40)] + [(2, way, failed) for way in range(40)]
    )


def test_more_that_is_wrong_than_there_is_room_for_is_not_forgotten(tmp_path: Path) -> None:
    known = Known(bound_of(model_of(_BAD, tmp_path)))
    (found,) = known.batches.successors(known.packed)
    names = known.kernel.tables.step_bits
    broken = {name for bit, name in names.items() if found.broken >> bit & 1}
    assert broken == {"Odd", "NoAssertionFails"}


def test_a_state_without_steps_is_a_deadlock() -> None:
    bound = bound_of(live.KETTLE, properties=["NoDeadlock"])
    known = Known(bound)
    bit = next(b for b, name in known.kernel.tables.step_bits.items() if name == "NoDeadlock")
    ends = [row for row, steps in known.steps.items() if not steps]
    _, _, _, records = known.batches.steps(np.array(ends, np.uint64))
    assert len(ends) > 0
    assert [(row, way, bits_of(masks)) for row, way, *masks in records.tolist()] == [
        (i, DEADLOCK, 1 << bit) for i in range(len(ends))
    ]
    (found,) = known.batches.successors(np.array(ends, np.uint64))
    assert (found.broken, len(found.states)) == (1 << bit, 0)


# -- properties --------------------------------------------------------------------------------


@pytest.mark.parametrize("look", [1, 7, 4096])
def test_properties_of_states_are_those_of_plain_python(
    look: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Known(bound_of(mailroom.MODEL, "pair"), most=800)
    monkeypatch.setattr(stepping, "_LOOK", look)
    seen, false = known.batches.inspect(known.packed)
    tables = known.kernel.tables
    by_name = {p.name: p for p in known.bound.properties}
    with PlainMachine(known.bound) as machine:
        for bit, name in tables.state_bits.items():
            holds = [machine.holds(by_name[name], state) for state in known.states]
            assert [bits_of(masks) >> bit & 1 == 0 for masks in false] == holds
        for bit, name in tables.seen_bits.items():
            if not by_name[name].of_steps:
                witnessed = any(machine.holds(by_name[name], state) for state in known.states)
                assert bool(seen >> bit & 1) == witnessed
    assert (false != 0).any()


def test_properties_of_runs_are_those_of_plain_python() -> None:
    known = Known(bound_of(live.PETERSON, "await"))
    (prop,) = known.bound.properties
    with PlainMachine(known.bound) as machine:
        holds = [machine.holds(prop, state) for state in known.states]
    assert (known.batches.falsify(known.packed) == 0).tolist() == holds
    assert set(holds) == {True, False}
    assert known.batches.falsify(known.packed[:0]).tolist() == []


def test_where_there_are_no_properties_of_runs_none_is_false() -> None:
    known = Known(bound_of(two_phase_commit.MODEL, "rm2"))
    assert not known.batches.falsify(known.packed).any()


def many_witnesses(count: int) -> str:
    """Return a model with so many properties, of which every third is reached."""
    head = """
import sys
from typing import Annotated
from ackproof.lang import (
    Instance, Model, Range, System, action, properties_in, reachable, require
)


class Many(System):
    \"\"\"Counts.\"\"\"

    at: Annotated[int, Range(0, 250)]

    @action
    def up(self) -> None:
        \"\"\"Counts by three.\"\"\"
        require(self.at < 240)
        self.at = self.at + 3

"""
    body = "".join(
        f"@reachable\ndef At{n}(s: Many) -> bool:\n    '''Is there.'''\n    return s.at == {n}\n\n"
        f"@reachable\ndef To{n}(before: Many, after: Many) -> bool:\n"
        f"    '''Goes there.'''\n    return after.at == {n}\n\n"
        for n in range(count)
    )
    return (
        head
        + body
        + (
            "MODEL = Model('many', Many, properties_in(sys.modules[__name__]), "
            "(Instance('only', '', {}),))\n"
        )
    )


def test_more_witnesses_than_fit_a_word_are_told_apart(tmp_path: Path) -> None:
    known = Known(bound_of(model_of(many_witnesses(70), tmp_path)))
    assert known.batches.code.seen_words == 3
    bits = known.kernel.tables.seen_bits
    state = known.packed[20:22]  # 60 and 63
    seen, _ = known.batches.inspect(state)
    assert {name for bit, name in bits.items() if seen >> bit & 1} == {"At60", "At63"}
    (found,) = known.batches.successors(state)
    assert {name for bit, name in bits.items() if found.seen >> bit & 1} == {"To63", "To66"}


# -- another process ---------------------------------------------------------------------------


def test_code_says_all_that_another_process_needs() -> None:
    bound = bound_of(live.PETERSON, "await")
    kernel = compile_kernel(bound)
    code = Code.of(kernel)
    assert (code.words, code.fanout) == (kernel.words, kernel.fanout)
    assert code.of_runs
    assert not Code.of(compile_kernel(bound_of(two_phase_commit.MODEL, "rm2"))).of_runs
    again = Batches(Code(**vars(code)))
    states = np.array(kernel.initials, np.uint64)
    for one, other in product([Batches(code)], [again]):
        (a,), (b,) = one.successors(states), other.successors(states)
        assert rows(a.states) == rows(b.states)
