"""Measures that are learnt from steps are what no cycle of these steps changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ackproof.model.components import components
from ackproof.pipeline.measures import Measure, changes, classes_of, learnt

from tests.exploring import chance, examples


def states_of(*rows: Any) -> Any:
    """Return packed states."""
    return np.array(rows, np.uint64)


def drawn(name: str, words: int) -> tuple[Any, Any]:
    """Draw states of few bits, and steps between them most of which set bits."""
    rng = chance(name)
    states = states_of(*([rng.randrange(64) for _ in range(words)] for _ in range(40)))
    states = np.unique(states, axis=0)
    rows = np.arange(len(states))
    pairs = [(a, b) for a in rows for b in rows if (states[a] & ~states[b]).any() == 0 and a != b]
    back = [(rng.randrange(len(rows)), rng.randrange(len(rows))) for _ in range(rng.randrange(4))]
    return states, np.array([*pairs, *back], np.int64).reshape(-1, 2)


@pytest.mark.parametrize("words", [1, 3])
def test_all_states_of_a_cycle_are_of_one_class(words: int) -> None:
    for number in range(examples(20)):
        states, steps = drawn(f"measures {words} {number}", words)
        before, after = states[steps[:, 0]], states[steps[:, 1]]
        measures = learnt(before, after)
        _, wrong = changes(measures, before, after)
        assert not wrong.any(), "that is no measure of the steps that taught it"
        steps = steps[np.argsort(steps[:, 0], kind="stable")]
        starts = np.searchsorted(steps[:, 0], np.arange(len(states) + 1)).astype(np.int32)
        _, component = components(starts, steps[:, 1].astype(np.int32))
        classes = classes_of(measures, states)
        for found in np.unique(component):
            assert len(set(classes[component == found].tolist())) == 1
        assert len(set(classes.tolist())) > 1, "nothing was learnt"


def test_bits_that_are_only_set_and_bits_that_are_only_cleared_are_a_measure() -> None:
    before, after = states_of([0b0001, 8], [0b0110, 8]), states_of([0b0011, 0], [0b0111, 0])
    assert learnt(before, after) == (Measure((0b0011, 0), (0, 8)),)


def test_what_is_handed_to_and_fro_and_lost_at_last_is_counted() -> None:
    before, after = states_of([0b01], [0b10], [0b01], [0b10]), states_of([0b10], [0b01], [0], [0])
    assert learnt(before, after) == (Measure((0,), (0,), -1),)
    assert learnt(before[:2], after[:2]) == ()


def test_of_a_step_the_first_measure_counts_that_it_changes() -> None:
    measures = Measure((1,), (0,)), Measure((2,), (0,))
    before = states_of([0b00], [0b01], [0b10], [0b10], [0b00])
    after = states_of([0b01], [0b00], [0b00], [0b01], [0b100])
    right, wrong = changes(measures, before, after)
    assert right.tolist() == [True, False, False, True, False]
    assert wrong.tolist() == [False, True, True, False, False]


def test_classes_are_told_apart_by_what_measures_are_about_and_by_nothing_else() -> None:
    states = states_of([0b001], [0b101], [0b010], [0b110])
    one, _, two, _ = classes_of((Measure((0b001,), (0b010,)),), states).tolist()
    assert classes_of((Measure((0b001,), (0b010,)),), states).tolist() == [one, one, two, two]
    assert one != two
    counted = classes_of((Measure((0,), (0,), 1),), states).tolist()
    assert (counted[0] == counted[2], counted[1] == counted[3]) == (True, True)
    assert counted[0] != counted[1]
