"""Collapsed states are the states, and whoever reads them from a table finds what is there."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from ackproof.lang import Design, Model
from ackproof.lang.binding import Bound
from ackproof.lang.types import Type
from ackproof.model.kernel import collapse, control
from ackproof.model.kernel.control import SIZE, VALUES
from ackproof.model.kernel.engine import explore
from ackproof.model.kernel.intrinsics import Shape
from ackproof.model.kernel.memory import words_at
from ackproof.model.kernel.search import search
from ackproof.model.kernel.worker import Team, Worker
from ackproof.model.lower import layout
from ackproof.model.lower.compile import compile_kernel
from ackproof.model.lower.layout import Piece, Slot
from ackproof.model.lower.leaves import Leaf
from ackproof.model.plain_search import explore as explore_plain
from numba import njit

from tests.exploring import seeds
from tests.model import liveness_models as live
from tests.model import test_leads_to as leading
from tests.model.kernel.rules import compile_rules
from tests.model.kernel.test_search import flips
from tests.model.random_graphs import random_walk
from tests.model.test_kernel_against_plain import summary
from tests.pipeline.searches import bound_of, model_of

WORDS = 3
SHAPE = Shape((0,) * WORDS, (0,))
_WORD = (1 << 64) - 1

#: A bit in each state, of twelve that lie in all three words.
SYSTEM = flips(12, stride=15, words=WORDS)

RUNS: tuple[tuple[Model, str, Design | None], ...] = (
    (live.PETERSON, "await", None),
    (live.DINING, "seats4", live.MOVING),
    (live.LINE, "values2", None),
    (live.LINE, "values2", live.UNLUCKY),
    (leading.DESK, "two", None),
    (leading.DESK, "two", leading.design_of(leading.Forgetful)),
    (leading.DESK, "two", leading.design_of(leading.Rude)),
)


def held(worker: Worker) -> dict[int, int]:
    """Return by their keys the states of three words in a worker's table, as Python reads them."""
    block = worker.block
    leaves, pairs = (
        words_at(block[part + VALUES], block[part + SIZE] + 1)
        for part in (control.LEAVES, control.PAIRS)
    )
    found = {}
    for key in filter(None, words_at(block[control.TABLE], 8 * block[control.BUCKETS] + 64)):
        others = pairs[key & 2**32 - 1]
        numbers = (key >> 32 & 2**31 - 1, others >> 32, others & 2**32 - 1)
        found[key] = sum((leaves[n] & _WORD) << 64 * i for i, n in enumerate(numbers))
    return found


@pytest.mark.parametrize("workers", [1, 2])
def test_each_key_in_a_table_is_that_of_one_state(workers: int) -> None:
    found: list[int] = []

    def look(team: Team) -> None:
        for worker in team.workers:
            found.extend(held(worker).values())

    model = replace(compile_rules(SYSTEM), collapsed=True)
    search(model, SYSTEM.rows(), workers=workers, then=look)
    bits = [1 << 15 * i for i in range(12)]
    every = {sum(b for i, b in enumerate(bits) if n >> i & 1) for n in range(1 << 12)}
    assert sorted(found) == sorted(state | 1 << 64 * WORDS - 1 for state in every)


@njit
def key_from(shape: Shape, block: int, state: int, key: int) -> int:
    """As `collapse.key_of`, for callers in Python."""
    return collapse.key_of(shape, block, state, key)


@njit
def state_from(shape: Shape, block: int, key: int, state: int) -> None:
    """As `collapse.state_of`, for callers in Python."""
    collapse.state_of(shape, block, key, state)


def test_a_state_gives_its_key_and_the_key_gives_it_back() -> None:
    space = (ctypes.c_int64 * (4 * WORDS))()
    given, made = ctypes.addressof(space), ctypes.addressof(space) + 16 * WORDS
    seen: list[int] = []

    def key_of(worker: Worker, state: int) -> int:
        for word in range(WORDS):
            space[word] = ctypes.c_int64(state >> 64 * word & _WORD).value
        key: int = key_from(SHAPE, worker.address, given, made)
        return key

    def look(team: Team) -> None:
        (worker,) = team.workers
        for key, state in held(worker).items():
            assert key_of(worker, state) == key
            space[0] = key
            state_from(SHAPE, worker.address, given, made)
            words = space[2 * WORDS : 3 * WORDS]
            assert sum((w & _WORD) << 64 * i for i, w in enumerate(words)) == state
            seen.append(state)
            # A word that no state has, in each place.
            assert not any(key_of(worker, state ^ 2 << 64 * word) for word in range(WORDS))

    search(replace(compile_rules(SYSTEM), collapsed=True), SYSTEM.rows(), then=look)
    assert len(seen) == 1 << 12


# -- with what reads tables ------------------------------------------------------------------------


def dealt(
    types: Mapping[Leaf, Type], widths: Mapping[Leaf, int], _: object
) -> tuple[dict[Leaf, Slot], int]:
    """Deal leaves out to three words in turn, so that small models have states of several words."""
    used = [0] * WORDS
    slots = {}
    for number, (leaf, width) in enumerate(widths.items()):
        word = number % WORDS
        slots[leaf] = Slot(types[leaf], (Piece(word, used[word], width),))
        used[word] += width
    assert max(used) < 64
    return slots, WORDS


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let states have three words."""
    monkeypatch.setattr(layout, "_place", dealt)


def agree(bound: Bound, workers: int) -> None:
    """Compare a search that holds keys with plain Python, properties of runs included."""
    kernel = compile_kernel(bound)
    found = explore(bound, workers=workers, survey=True, kernel=kernel, collapsed=True)
    plain = explore_plain(bound, survey=True)
    assert (kernel.words, found.engine) == (WORDS, "collapsed")
    assert summary(found) == summary(plain)
    cycles = {name: len(cycle) for name, cycle in found.cycles.items()}
    assert cycles == {name: len(cycle) for name, cycle in plain.cycles.items()}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("model", "instance", "design"), RUNS)
def test_properties_of_runs_are_judged_by_keys(
    model: Model, instance: str, design: Design | None, workers: int
) -> None:
    agree(bound_of(model, instance, design), workers)


@pytest.mark.parametrize("seed", seeds(40))
def test_random_walks_are_judged_by_keys(seed: int, tmp_path: Path) -> None:
    agree(bound_of(model_of(random_walk(seed).source(), tmp_path)), workers=1 + seed % 2)


def test_keys_take_less_memory_where_states_have_parts_in_common() -> None:
    bound = bound_of(live.DINING, "seats4", live.MOVING)
    kernel = compile_kernel(bound)
    states, keys = (explore(bound, kernel=kernel, collapsed=way).memory for way in (False, True))
    assert keys < states
