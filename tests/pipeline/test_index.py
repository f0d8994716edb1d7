"""What was seen is found again, in runs that are few and do not change."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from ackproof.pipeline.index import (
    Run,
    extended,
    fresh,
    read_run,
    read_table,
    write_run,
    write_table,
)
from ackproof.pipeline.ordering import distinct, fingerprints
from ackproof.pipeline.places import LocalPlace
from hypothesis import given
from hypothesis import strategies as st

State = tuple[int, ...]

#: States of two words, of which many are drawn twice.
STATES = st.sets(st.tuples(st.integers(0, 3), st.sampled_from([1, 1 << 63])), max_size=8)
BITS = st.sampled_from([0, 1, 3, 64])


def prints_of(states: np.ndarray, bits: int) -> np.ndarray:
    """Return fingerprints of which only so many bits are left."""
    return fingerprints(states) & np.uint64((1 << 64) - (1 << 64 - bits))


def array_of(states: list[State]) -> np.ndarray:
    """Return states as packed words."""
    return np.array(states, np.uint64).reshape(-1, 2)


def run_of(states: set[State], bits: int = 64) -> Run:
    """Return states as a run."""
    packed = array_of(sorted(states))
    prints = prints_of(packed, bits)
    order = np.argsort(prints, kind="stable")
    return Run.of(prints[order], packed[order])


def states_of(run: Run) -> list[State]:
    """Return the states in a run."""
    return [tuple(map(int, row)) for row in zip(*run.words, strict=True)]


@given(inside=STATES, asked=st.lists(st.sampled_from(range(8)), max_size=12), bits=BITS)
def test_the_row_of_a_state_is_where_it_is(inside: set[State], asked: list[int], bits: int) -> None:
    run = run_of(inside, bits)
    states = [(number // 2, (1, 1 << 63)[number % 2]) for number in asked]
    packed = array_of(states)
    rows = run.rows_of(prints_of(packed, bits), packed)
    held = states_of(run)
    for state, row in zip(states, rows.tolist(), strict=True):
        assert (held[row] == state) if row >= 0 else state not in inside
        assert (row >= 0) == (state in inside)


@given(first=STATES, second=STATES, bits=BITS)
def test_two_runs_make_one_that_is_sorted(first: set[State], second: set[State], bits: int) -> None:
    run = run_of(first, bits).merged(run_of(second - first, bits))
    assert sorted(states_of(run)) == sorted(first | second)
    assert (run.prints[1:] >= run.prints[:-1]).all()
    assert (run.prints == prints_of(np.stack(run.words, axis=1), bits)).all()


@given(runs=st.lists(STATES, max_size=4), asked=STATES, bits=BITS)
def test_fresh_is_what_no_run_has(runs: list[set[State]], asked: set[State], bits: int) -> None:
    states = array_of(sorted(asked))
    new = fresh((run_of(run, bits) for run in runs), prints_of(states, bits), states)
    left = {state for state, kept in zip(sorted(asked), new, strict=True) if kept}
    assert left == asked - set().union(*runs)


@given(sizes=st.lists(st.integers(1, 10_000), max_size=60))
def test_there_are_few_runs_and_a_state_is_seldom_copied(sizes: list[int]) -> None:
    runs: list[int] = []
    copied, total = 0, 0
    for size in sizes:
        taken = extended(runs, size)
        moved = sum(runs[len(runs) - taken :])
        runs = [*runs[: len(runs) - taken], moved + size]
        copied, total = copied + moved, total + size
        assert sum(runs) == total
        assert len(runs) <= 1 + math.log2(total)
    assert copied <= total * (2 + 2 * math.log2(max(2, total)))


@pytest.mark.parametrize(
    ("sizes", "fresh", "taken"),
    [([], 5, 0), ([10], 5, 1), ([11], 5, 0), ([100, 11], 5, 0), ([30, 10], 5, 2), ([31, 10], 5, 1)],
)
def test_a_run_takes_in_those_that_are_not_much_larger(
    sizes: list[int], fresh: int, taken: int
) -> None:
    assert extended(sizes, fresh) == taken


# -- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 1000])
@pytest.mark.parametrize("words", [1, 2, 16])
def test_a_run_is_read_as_it_was_written(count: int, words: int, tmp_path: Path) -> None:
    states = np.random.default_rng(1).integers(0, 1 << 64, (count, words), np.uint64)
    found = distinct(states, np.arange(count))
    run = Run.of(found.prints, found.states)
    path = LocalPlace(tmp_path / "deep" / "run.arrow")
    stored = write_run(path, run)
    again = read_run(path, stored.seal)
    assert len(again) == count
    assert (again.prints == run.prints).all()
    assert (np.stack(again.words) == np.stack(run.words)).all()
    assert (again.rows_of(found.prints, found.states) == np.arange(count)).all()
    assert [file.name for file in path.parent.iterdir()] == ["run.arrow"]


def test_a_run_is_read_where_it_lies(tmp_path: Path) -> None:
    path = LocalPlace(tmp_path / "run")
    run = read_run(path, write_run(path, run_of({(1, 1), (2, 1)})).seal)
    assert not run.prints.flags.owndata
    assert not run.prints.flags.writeable


def test_a_run_that_is_read_outlives_its_file(tmp_path: Path) -> None:
    path = LocalPlace(tmp_path / "run")
    run = read_run(path, write_run(path, run_of({(1, 1), (2, 1)})).seal)
    write_run(path, run_of({(3, 1)}))
    path.unlink()
    assert sorted(states_of(run)) == [(1, 1), (2, 1)]


def test_a_table_keeps_its_names_and_types(tmp_path: Path) -> None:
    columns = {"a": np.arange(3)[::-1], "b": np.array([True, False, True])}
    path = LocalPlace(tmp_path / "table")
    assert read_table(path, write_table(path, columns).seal).to_pydict() == {
        "a": [2, 1, 0],
        "b": [True, False, True],
    }
