"""What of a region may be stayed in is told without keeping a step, and nothing wrong is said."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from ackproof.lang import Design, Model, action, require
from ackproof.lang.binding import Bound
from ackproof.model.beginnings import initial_states
from ackproof.model.fairness import fairness_of
from ackproof.model.kernel import control, graph_task, region
from ackproof.model.kernel.engine import explore
from ackproof.model.kernel.memory import words_at
from ackproof.model.kernel.region import left_over
from ackproof.model.kernel.runs import Runs
from ackproof.model.kernel.search import search
from ackproof.model.kernel.tasks import NoRoom, Question, Tasks
from ackproof.model.kernel.worker import Model as Compiled
from ackproof.model.kernel.worker import Team
from ackproof.model.lower.compile import Kernel, compile_kernel
from ackproof.model.outcome import Limit
from ackproof.model.plain import PlainMachine, State
from ackproof.model.plain_liveness import Graph, fair_states
from ackproof.spec.model import MODEL as CONFIRMS
from ackproof.spec.sorts import Replica
from ackproof.spec.system import Confirms

from tests.exploring import seeds
from tests.model import liveness_models as live
from tests.model.random_graphs import random_walk
from tests.pipeline.searches import bound_of, model_of

Found = TypeVar("Found")

WORKERS = (1, 2)
_UNLIMITED = 1 << 40

RUNS: tuple[tuple[Model, str, Design | None], ...] = (
    (live.PETERSON, "await", None),
    (live.PETERSON, "busy", live.GOING),
    (live.DINING, "seats4", live.MOVING),
    (live.DINING, "seats4", live.PATIENT),
    (live.LINE, "values2", None),
    (live.LINE, "values2", live.UNLUCKY),
    (live.LAMPS, "lamps3", None),
    (CONFIRMS, "tiny", None),
)


class StaysDown(Confirms):
    """A queue that has crashed is not started again."""

    @action(fair="weak")
    def restart(self, replica: Replica) -> None:
        """It never is."""
        require(False)


STAYS_DOWN = Design(claim="Nobody comes back.", replace=(StaysDown,))


def of_runs(bound: Bound) -> tuple[Bound, Kernel]:
    """Return a program with its properties of runs alone, and what is compiled of it."""
    runs = replace(bound, properties=tuple(p for p in bound.properties if p.kind == "eventually"))
    return runs, compile_kernel(runs)


def known(model: Model, instance: str, design: Design | None = None) -> tuple[Bound, Kernel]:
    """Return a program of a model, with its properties of runs alone, and compiled."""
    return of_runs(bound_of(model, instance, design))


def compiled(kernel: Kernel) -> Compiled:
    """Return a kernel as the search takes it, without what looks at single states."""
    return Compiled(
        kernel.words, kernel.fanout, kernel.expand, falsify=kernel.falsify, owner=kernel
    )


def ask(bound: Bound, kernel: Kernel, workers: int, see: Callable[[Tasks], Found]) -> Found:
    """Return what is seen by the tasks of a question about all properties, after a search."""
    question = Question(
        model=compiled(kernel),
        wanted=sum(1 << bit for bit in kernel.tables.run_bits),
        instances=len(bound.instances()),
        fair=fairness_of(bound).any,
    )
    found: list[Found] = []

    def then(team: Team) -> None:
        with Tasks(team, question) as tasks:
            found.append(see(tasks))

    search(question.model, kernel.initials, workers=workers, survey=True, then=then)
    return found[0]


def marked(tasks: Tasks, kernel: Kernel) -> set[State]:
    """Return the states that have marks, as plain Python knows them."""
    found, words, per = set(), kernel.words, graph_task.GROUP_SLOTS
    blocks = words_at(tasks.tasks[0][graph_task.MARKS], len(tasks.tasks))
    for index, task in enumerate(tasks.tasks):
        slots = task[graph_task.SLOTS]
        table = words_at(tasks.team.workers[index].block[control.TABLE], words * slots)
        marks = words_at(blocks[index], graph_task.GROUP_WORDS * (slots // per))
        for slot in range(slots):
            if marks[graph_task.GROUP_WORDS * (slot // per)] >> slot % per & 1:
                packed = [w & (1 << 64) - 1 for w in table[words * slot : words * (slot + 1)]]
                found.add(kernel.layout.unpack(packed))
    return found


def stayed_in(bound: Bound) -> tuple[set[State], set[State]]:
    """Return the states of which plain Python says that a fair run can stay there, and all."""
    fairness = fairness_of(bound)
    with PlainMachine(bound) as machine:
        steps: dict[State, list[tuple[int, State]]] = {}
        waiting = list(initial_states(bound))
        for state in waiting:
            if state not in steps:
                made = [(s.number, s.after) for s in machine.steps(state) if s.after is not None]
                steps[state] = [(n, after) for n, after in made if after != state]
                waiting += [after for _, after in made]
        found: set[State] = set()
        for prop in bound.properties:
            false = [state for state in steps if not machine.holds(prop, state)]
            found |= set(fair_states(Graph(false, steps.__getitem__, fairness)))
        return found, set(steps)


def agree(bound: Bound, kernel: Kernel, workers: int) -> None:
    """Compare what is left with what a fair run can stay in: it must not be less."""
    fair, every = stayed_in(bound)

    def left(tasks: Tasks) -> set[State]:
        count, _ = left_over(tasks, _UNLIMITED)
        found = marked(tasks, kernel)
        assert len(found) == count
        return found

    found = ask(bound, kernel, workers, left)
    assert fair <= found <= every


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize(("model", "instance", "design"), RUNS)
def test_nothing_is_taken_away_that_a_fair_run_can_stay_in(
    model: Model, instance: str, design: Design | None, workers: int
) -> None:
    agree(*known(model, instance, design), workers)


@pytest.mark.parametrize("seed", seeds(40))
def test_nothing_is_taken_away_from_random_walks(seed: int, tmp_path: Path) -> None:
    bound = bound_of(model_of(random_walk(seed).source(), tmp_path))
    agree(*of_runs(bound), workers=1 + seed % 2)


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize(("model", "instance", "design"), RUNS)
def test_what_a_small_sample_teaches_is_held_against_every_step(
    model: Model,
    instance: str,
    design: Design | None,
    workers: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(region, "SAMPLE", 1)
    monkeypatch.setattr(region, "LARGER", 3)
    agree(*known(model, instance, design), workers)


@pytest.mark.parametrize(("patience", "samples"), [(1, [1, 3]), (2, [1, 1, 3]), (99, [1, 1])])
def test_who_has_learnt_what_is_wrong_learns_from_that_and_then_from_a_larger_sample(
    patience: int, samples: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(region, "SAMPLE", 1)
    monkeypatch.setattr(region, "PATIENCE", patience)
    monkeypatch.setattr(region, "LARGER", 3)
    asked: list[int] = []
    learn = region._Learning.learn
    monkeypatch.setattr(
        region._Learning, "learn", lambda self, sample: (asked.append(sample), learn(self, sample))
    )
    ask(*known(CONFIRMS, "small"), 1, lambda tasks: left_over(tasks, _UNLIMITED))
    assert asked[: len(samples)] == samples


# -- what it is for --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("instance", "workers"),
    # Two workers draw a sample of `promotion` that does not show everything.
    [*itertools.product(["fanout", "power", "fanout_mirrors"], WORKERS), ("promotion", 1)],
)
def test_what_holds_of_a_specification_is_shown_without_keeping_a_step(
    instance: str, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("steps are kept")

    bound, kernel = known(CONFIRMS, instance)
    assert ask(bound, kernel, workers, lambda tasks: left_over(tasks, _UNLIMITED)[0]) == 0
    monkeypatch.setattr("ackproof.model.kernel.area.Area", fail)
    outcome = explore(bound, workers=workers, kernel=kernel)
    assert (outcome.limit, dict(outcome.violations)) == (None, {})


@pytest.mark.parametrize(("instance", "design"), [("tiny", None), ("tiny", STAYS_DOWN)])
def test_properties_that_are_not_shown_together_are_asked_one_by_one(
    instance: str, design: Design | None
) -> None:
    bound, kernel = known(CONFIRMS, instance, design)
    runs = Runs(bound, kernel.tables.run_bits, {}, kernel.initials, _UNLIMITED)
    held: list[bool] = []
    model = compiled(kernel)
    search(model, kernel.initials, survey=True, then=lambda team: held.append(runs.holds(team)))
    assert ask(bound, kernel, 1, lambda tasks: left_over(tasks, _UNLIMITED)[0]) > 0
    assert held == [design is None]
    assert bool(explore(bound, kernel=kernel).violations) is (design is not None)


def test_it_takes_a_dozen_bytes_for_each_state() -> None:
    bound, kernel = known(CONFIRMS, "trio")
    silent = replace(bound, properties=())
    more = explore(bound, kernel=kernel).memory - explore(silent).memory
    assert 0 <= more <= 12 * explore(bound, kernel=kernel).states


@pytest.mark.parametrize("workers", WORKERS)
def test_what_has_no_room_is_not_decided(workers: int) -> None:
    bound, kernel = known(CONFIRMS, "small")
    left, taken = ask(bound, kernel, workers, lambda tasks: left_over(tasks, _UNLIMITED))
    assert ask(bound, kernel, workers, lambda tasks: left_over(tasks, taken)) == (left, taken)
    with pytest.raises(NoRoom):
        ask(bound, kernel, workers, lambda tasks: left_over(tasks, taken - 1))


@pytest.mark.parametrize("workers", WORKERS)
def test_what_is_stopped_is_no_answer(workers: int) -> None:
    bound, kernel = known(live.LINE, "values2", live.UNLUCKY)
    model = compiled(kernel)
    runs = Runs(bound, kernel.tables.run_bits, {}, kernel.initials, _UNLIMITED)

    def then(team: Team) -> None:
        team.stop()
        runs.check(team)

    search(model, kernel.initials, workers=workers, then=then)
    assert (runs.limit, runs.paths) == (Limit.INTERRUPTED, {})
