"""States are told apart by all their bits, and each has its place in one order."""

from __future__ import annotations

import numpy as np
import pytest
from ackproof.pipeline import ordering
from ackproof.pipeline.ordering import distinct, fingerprints, first_of, parts_of
from hypothesis import given
from hypothesis import strategies as st

#: Few different words, so that states are often equal, or nearly so.
WORDS = st.sampled_from([0, 1, 2, 1 << 63, (1 << 64) - 1])


@st.composite
def packed(draw: st.DrawFn, least: int = 0) -> np.ndarray:
    """Draw packed states of one to three words."""
    words = draw(st.integers(1, 3))
    rows = draw(st.lists(st.tuples(*[WORDS] * words), min_size=least, max_size=40))
    return np.array(rows, np.uint64).reshape(-1, words)


def least_numbers(states: np.ndarray, numbers: np.ndarray) -> dict[tuple[int, ...], int]:
    """Return each state with the least of its numbers, by Python."""
    found: dict[tuple[int, ...], int] = {}
    for state, number in zip(map(tuple, states.tolist()), numbers.tolist(), strict=True):
        found[state] = min(number, found.get(state, number))
    return found


def some_states(count: int, words: int, seed: int = 0) -> np.ndarray:
    """Return random states."""
    chance = np.random.default_rng(seed)
    return chance.integers(0, 1 << 64, (count, words), np.uint64)


@given(states=packed(), data=st.data(), bits=st.sampled_from([0, 1, 4, 64]))
def test_each_state_is_kept_once_with_its_least_number(
    states: np.ndarray, data: st.DataObject, bits: int
) -> None:
    numbers = np.array(
        data.draw(st.lists(st.integers(-1, 9), min_size=len(states), max_size=len(states))),
        np.int64,
    )
    with pytest.MonkeyPatch.context() as patched:
        mask = np.uint64((1 << 64) - (1 << 64 - bits))
        patched.setattr(ordering, "fingerprints", lambda states: fingerprints(states) & mask)
        found = distinct(states, numbers)
    assert len(found) == len(found.states)
    assert least_numbers(found.states, found.numbers) == least_numbers(states, numbers)
    assert len({tuple(state) for state in found.states.tolist()}) == len(found)
    assert (found.prints == fingerprints(found.states) & mask).all()
    assert (found.prints[1:] >= found.prints[:-1]).all()


@given(states=packed(), data=st.data())
def test_the_order_does_not_depend_on_who_came_first(
    states: np.ndarray, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(states))))
    numbers = np.arange(len(states), dtype=np.int64)
    first = distinct(states, numbers)
    second = distinct(states[list(order)], numbers[list(order)])
    assert (first.states == second.states).all()
    assert (first.numbers == second.numbers).all()


def test_some_of_the_states_stay_in_their_order() -> None:
    found = distinct(some_states(100, 2), np.arange(100))
    kept = found.numbers % 3 == 0
    some = found.where(kept)
    assert len(some) == 34
    assert (some.prints == fingerprints(some.states)).all()
    assert (some.numbers == found.numbers[kept]).all()


@pytest.mark.parametrize("words", [1, 2, 5])
def test_a_fingerprint_depends_on_every_bit(words: int) -> None:
    state = some_states(1, words)
    flipped = np.repeat(state, 64 * words, axis=0)
    for bit in range(64 * words):
        flipped[bit, bit // 64] ^= np.uint64(1) << np.uint64(bit % 64)
    changed = fingerprints(flipped) ^ fingerprints(state)
    counts = np.array([int(bits).bit_count() for bits in changed.tolist()])
    assert counts.min() > 8
    assert 28 < counts.mean() < 36


def test_a_fingerprint_depends_on_the_order_of_the_words() -> None:
    states = some_states(1000, 2)
    assert (fingerprints(states) != fingerprints(states[:, ::-1])).all()


def test_fingerprints_of_counters_do_not_collide() -> None:
    counters = np.arange(1 << 16, dtype=np.uint64).reshape(-1, 1)
    for shift in (0, 20, 48):
        assert len(np.unique(fingerprints(counters << np.uint64(shift)))) == 1 << 16


def test_fingerprints_leave_the_states_alone() -> None:
    states = some_states(10, 3)
    before = states.copy()
    fingerprints(states)
    assert (states == before).all()


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 16, 1000, (1 << 16) - 1])
def test_parts_are_ranges_of_fingerprints_of_about_one_size(parts: int) -> None:
    prints = np.sort(fingerprints(some_states(64 * 1024, 1)))
    found = parts_of(prints, parts).astype(np.int64)
    assert (np.diff(found) >= 0).all()
    assert found.min() >= 0
    assert found.max() < parts
    if parts <= 16:
        sizes = np.bincount(found, minlength=parts)
        assert sizes.min() > 0.9 * len(prints) / parts


@pytest.mark.parametrize("parts", [1, 2, 7, (1 << 16) - 1])
def test_the_least_and_the_largest_fingerprint_have_a_part(parts: int) -> None:
    ends = np.array([0, (1 << 64) - 1], np.uint64)
    assert parts_of(ends, parts).tolist() == [0, parts - 1]


@given(parts=st.integers(1, 65_535), data=st.data())
def test_a_part_begins_where_the_one_before_ends(parts: int, data: st.DataObject) -> None:
    part = data.draw(st.integers(0, parts - 1))
    first = first_of(part, parts)
    assert parts_of(np.array([first]), parts) == [part]
    if part:
        assert parts_of(np.array([first - np.uint64(1)]), parts) == [part - 1]
