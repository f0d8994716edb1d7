"""A search that is held after each level finds what a search in one go finds, and can go on."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest
from ackproof.lang.binding import Bound
from ackproof.model.kernel import by_level, control
from ackproof.model.kernel.by_level import LevelSearch, Taken
from ackproof.model.kernel.engine import explore, model_of
from ackproof.model.kernel.tasks import NoRoom
from ackproof.model.lower import layout
from ackproof.model.lower.compile import Kernel, compile_kernel
from ackproof.spec.model import MODEL as CONFIRMS

from tests.model.kernel.test_collapse import WORDS, dealt
from tests.models import two_phase_commit
from tests.pipeline.searches import bound_of

Rows = set[tuple[int, ...]]

PLENTY = 1 << 30

BOUNDS = {
    "commit": bound_of(two_phase_commit.MODEL, "rm4"),
    "confirms": bound_of(CONFIRMS, "tiny"),
}


@pytest.fixture(params=BOUNDS)
def bound(request: pytest.FixtureRequest) -> Bound:
    return BOUNDS[request.param]


@pytest.fixture(params=["states", "keys"])
def kernel(bound: Bound, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """A program whose states are held, or whose states have three words and are held as keys."""
    if request.param == "keys":
        monkeypatch.setattr(layout, "_place", dealt)
    return compile_kernel(bound)


def begun(kernel: Kernel, workers: int, limit: int = PLENTY) -> LevelSearch:
    """Return a search that has its initial states."""
    search = LevelSearch(model_of(kernel, kernel.words == WORDS), workers, limit)
    initials = np.array(kernel.initials, np.uint64)
    search.give(initials, np.arange(len(initials)), waiting=True)
    return search


def rows(search: LevelSearch) -> Rows:
    """Return the last level."""
    return {tuple(row) for share in search.shares() for row in share.states.tolist()}


def levels(search: LevelSearch) -> Iterator[tuple[Taken, Rows]]:
    """Go on to the end; yield each level with the steps that led to it."""
    while True:
        taken = search.step()
        yield taken, rows(search)
        if not search.shares() or not rows(search):
            return


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_levels_are_those_of_a_search_in_one_go(bound: Bound, kernel: Kernel, workers: int) -> None:
    expected = explore(bound)
    with begun(kernel, workers) as search:
        found = list(levels(search))
        assert search.states == expected.states
    assert (len(kernel.initials), *(len(row) for _, row in found if row)) == expected.level_sizes
    counts = np.sum([taken.counts for taken, _ in found], axis=0)
    names = [a.name for a in bound.actions]
    assert dict(zip(names, counts.tolist(), strict=True)) == dict(expected.per_action)


@pytest.mark.parametrize("given", [3, 1 << 16])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_goes_on_with_what_another_has_found(
    kernel: Kernel, workers: int, given: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_level, "_GIVEN", given)
    with begun(kernel, 1) as search:
        whole = [rows(search), *(found for _, found in levels(search))]
    for after in range(1, len(whole) - 1):
        with LevelSearch(model_of(kernel, kernel.words == WORDS), workers, PLENTY) as search:
            for number, level in enumerate(whole[:after], start=1):
                states = np.array(sorted(level), np.uint64)
                numbers = np.arange(len(states)) + 7
                search.give(states, numbers, waiting=number == after)
            kept = {
                int(entry): tuple(state)
                for share in search.shares()
                for entry, state in zip(share.entries, share.states.tolist(), strict=True)
            }
            assert kept == {n + 7: row for n, row in enumerate(sorted(whole[after - 1]))}
            assert [found for _, found in levels(search)] == whole[after:]


@pytest.mark.parametrize("workers", [1, 2])
def test_entries_name_a_state_of_the_level_before_and_the_step_from_it(
    kernel: Kernel, workers: int
) -> None:
    from ackproof.model.kernel.batches import Batches, Code

    batches = Batches(Code.of(kernel))
    with begun(kernel, workers) as search:
        for _ in range(6):
            before = [(share.first, share.states.copy()) for share in search.shares()]
            search.step()
            for share in search.shares():
                for state, entry in zip(share.states, share.entries.tolist(), strict=True):
                    number, instance = entry >> control.INSTANCE_BITS, entry & control.INSTANCE_MASK
                    first, known = before[number % workers]
                    source = known[number // workers - first]
                    made, _, instances, _ = batches.steps(source[None])
                    assert (made[instances == instance] == state).all(axis=1).any()


@pytest.mark.parametrize("workers", [1, 2])
def test_the_log_is_of_one_level(workers: int) -> None:
    kernel = compile_kernel(bound_of(two_phase_commit.MODEL, "rm6"))
    with begun(kernel, workers) as search:
        for _ in range(12):
            search.step()
            logged = sum(
                worker.block[control.COUNT] - worker.block[control.LOGGED]
                for worker in search.team.workers
            )
            assert logged == len(rows(search))
        tables = sum(worker.block[control.BUCKETS] * 64 for worker in search.team.workers)
        assert tables < search.bytes < tables + 80 * len(rows(search)) + 80 * 12_000


@pytest.mark.parametrize("workers", [1, 2])
def test_what_does_not_fit_is_refused_however_it_comes(workers: int) -> None:
    kernel = compile_kernel(bound_of(two_phase_commit.MODEL, "rm6"))
    with begun(kernel, 1) as search:
        list(levels(search))
        total = search.states
    with begun(kernel, workers, limit=1 << 18) as search, pytest.raises(NoRoom):
        list(levels(search))
    states = np.arange(total, dtype=np.uint64)[:, None] | np.uint64(1 << 63)
    with LevelSearch(model_of(kernel), workers, 1 << 18) as search, pytest.raises(NoRoom):
        search.give(states, np.arange(total), waiting=False)


def test_an_interruption_ends_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = compile_kernel(bound_of(two_phase_commit.MODEL, "rm9"))
    with begun(kernel, 2) as search:
        monkeypatch.setattr(by_level, "wait", interrupt_after(search))
        with pytest.raises(KeyboardInterrupt):
            list(levels(search))
        assert search.team.is_stopped
        assert search.states < 10_340_352
    assert threading.active_count() < 20


def interrupt_after(search: LevelSearch) -> object:
    """Return a `wait` that is interrupted once there are some thousand states."""
    real = by_level.wait

    def wait(pending: object, seconds: float) -> object:
        if search.states > 5_000:
            raise KeyboardInterrupt
        return real(pending, seconds)  # type: ignore[arg-type]

    return wait
