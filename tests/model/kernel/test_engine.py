"""The compiled engine says of every model exactly what the plain engine says."""

import _thread

import pytest
from ackproof.lang.binding import Bound, bind
from ackproof.model.kernel.engine import explore
from ackproof.model.outcome import Limit, Outcome, Progress
from ackproof.model.plain import PlainMachine, Step
from ackproof.model.plain_search import explore as explore_plainly

from tests.model.kernel.workshop import MODEL as WORKSHOP
from tests.models import alternating_bit, die_hard, dining, peterson, two_phase_commit

WORKERS = (1, 2, 3)
MODELS = [
    (module.MODEL, instance)
    for module in (alternating_bit, die_hard, dining, peterson, two_phase_commit)
    for instance in module.MODEL.instances
    if (instance.states or 0) <= 400
]
BIG = two_phase_commit.MODEL


def summary(outcome: Outcome) -> dict[str, object]:
    """All that has to be the same for every engine and any number of workers."""
    return {
        "states": outcome.states,
        "generated": outcome.generated,
        "level_sizes": outcome.level_sizes,
        "per_action": dict(outcome.per_action),
        "violations": {name: len(path) for name, path in outcome.violations.items()},
        "witnessed": outcome.witnessed,
        "limit": outcome.limit,
    }


def managers(count: int) -> Bound:
    """Two-phase commit with that many resource managers."""
    return bind(BIG, BIG.instances[count - 2])


@pytest.mark.parametrize(("model", "instance"), MODELS, ids=lambda value: value.name)
def test_classical_models_have_the_same_counts(model, instance) -> None:  # type: ignore[no-untyped-def]
    bound = bind(model, instance)
    expected = summary(explore_plainly(bound))
    for workers in WORKERS:
        assert summary(explore(bound, workers=workers)) == expected


@pytest.mark.parametrize("instance", WORKSHOP.instances, ids=lambda value: value.name)
@pytest.mark.parametrize("names", [None, [], ["FinishedIsKept", "EverythingIsFinished"]])
def test_a_violation_ends_the_search_where_the_plain_one_ends(instance, names) -> None:  # type: ignore[no-untyped-def]
    bound = bind(WORKSHOP, instance, properties=names)
    plain = explore_plainly(bound)
    assert plain.violations
    for workers in WORKERS:
        assert summary(explore(bound, workers=workers)) == summary(plain)


@pytest.mark.parametrize("depth", [1, 2, 3, 5, 8, 9])
def test_a_wanted_depth_ends_the_search_where_the_plain_one_ends(depth: int) -> None:
    bound = managers(2)
    expected = summary(explore_plainly(bound, max_depth=depth))
    for workers in WORKERS:
        assert summary(explore(bound, workers=workers, max_depth=depth)) == expected


@pytest.mark.parametrize("workers", WORKERS)
def test_a_path_is_one_that_plain_python_can_take(workers: int) -> None:
    bound = bind(WORKSHOP, WORKSHOP.instances[1])
    machine = PlainMachine(bound)
    violations = explore(bound, workers=workers).violations
    assert violations
    with machine:
        for name, path in violations.items():
            before = state = machine.initial()
            step: Step | None = None
            for number in path:
                assert step is None or step.broken is None
                step = machine.step(state, number)
                assert step is not None
                before, state = state, step.after or state
            prop = next((p for p in bound.properties if p.name == name), None)
            if prop is None:
                assert step is not None
                assert step.broken == name
            elif prop.of_steps:
                assert step is not None
                assert not all(machine.holds_on_step(prop, before, step))
            else:
                assert not machine.holds(prop, state)


def test_the_largest_published_counts_are_found_by_any_number_of_workers() -> None:
    outcomes = [explore(managers(7), workers=workers) for workers in WORKERS]
    assert {(o.states, o.generated, o.levels) for o in outcomes} == {(296_448, 2_744_706, 23)}
    assert len({o.level_sizes for o in outcomes}) == 1
    assert len({tuple(o.per_action.items()) for o in outcomes}) == 1


@pytest.mark.parametrize("workers", WORKERS)
def test_a_memory_limit_ends_the_search_and_is_said(workers: int) -> None:
    outcome = explore(managers(7), workers=workers, memory=2 << 20)
    assert outcome.limit is Limit.MEMORY
    assert outcome.memory <= 2 << 20
    assert outcome.states == sum(outcome.level_sizes) < 296_448


def test_an_interruption_ends_the_search_and_is_said() -> None:
    reports: list[Progress] = []

    def interrupt(progress: Progress) -> None:
        reports.append(progress)
        _thread.interrupt_main()

    outcome = explore(managers(9), progress=interrupt)
    report = reports[0]
    assert outcome.limit is Limit.INTERRUPTED
    assert 0 < report.states <= outcome.states == sum(outcome.level_sizes) < 10_340_352
    assert report.levels <= outcome.levels
    assert report.queue > 0
