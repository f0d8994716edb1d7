"""A survey goes on after a violation and decides every property, in both engines alike."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import pytest
from ackproof.lang import (
    Instance,
    Map,
    Model,
    OrderedSort,
    Range,
    System,
    action,
    invariant,
    properties_in,
    reachable,
    require,
    step_property,
)
from ackproof.lang.binding import bind
from ackproof.model.check import check
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.outcome import Limit, Outcome
from ackproof.model.plain_search import explore as explore_plain
from ackproof.model.verdict import Verdict

from tests.model import mailroom


class Lamp(OrderedSort):
    """A lamp."""


class Stairs(System):
    """Lamps that are turned up one by one, and break when they are turned too far."""

    level: Map[Lamp, Annotated[int, Range(0, 3)]]

    @action
    def turn_up(self, lamp: Lamp) -> None:
        """Turn a lamp up."""
        self.level[lamp] += 1

    @action
    def check(self, lamp: Lamp) -> None:
        """Look at a lamp; it must not be very bright while the first one is dark."""
        require(self.level[lamp] == 3)
        assert self.level[Lamp.first()] > 0


@invariant
def NoneIsOn(s: Stairs) -> bool:
    """False after a step."""
    return all(s.level[n] == 0 for n in Lamp)


@step_property
def NoneGetsBright(before: Stairs, after: Stairs) -> bool:
    """False after three steps."""
    return all(after.level[n] < 3 or before.level[n] == 3 for n in Lamp)


@invariant
def NotAllAreBright(s: Stairs) -> bool:
    """False in the last state only."""
    return not all(s.level[n] == 3 for n in Lamp)


@invariant
def LevelsAreFew(s: Stairs) -> bool:
    """True."""
    return all(s.level[n] <= 3 for n in Lamp)


@reachable
def AllAreBright(s: Stairs) -> bool:
    """Reached in the last state only."""
    return all(s.level[n] == 3 for n in Lamp)


MODEL = Model(
    "stairs",
    Stairs,
    properties_in(sys.modules[__name__]),
    (Instance("two", "two lamps", {Lamp: 2}), Instance("four", "four lamps", {Lamp: 4})),
)
TWO, FOUR = MODEL.instances


def summary(outcome: Outcome) -> dict[str, Any]:
    return {
        "states": outcome.states,
        "generated": outcome.generated,
        "levels": outcome.level_sizes,
        "per action": dict(outcome.per_action),
        "violations": {name: len(path) for name, path in outcome.violations.items()},
        "witnessed": outcome.witnessed,
        "limit": outcome.limit,
        "exhausted": outcome.exhausted,
    }


def test_a_survey_finds_the_shortest_path_to_each_violation_at_its_own_depth() -> None:
    outcome = explore_plain(bind(MODEL, TWO), survey=True)
    assert {name: len(path) for name, path in outcome.violations.items()} == {
        "NoneIsOn": 1,
        "NoneGetsBright": 3,
        "StepsAreDefined": 4,
        "NoAssertionFails": 4,
        "NotAllAreBright": 6,
    }
    assert (outcome.states, outcome.levels, outcome.exhausted) == (16, 7, True)


def test_without_a_survey_the_search_ends_with_the_first_level_that_breaks_something() -> None:
    outcome = explore_plain(bind(MODEL, TWO))
    assert set(outcome.violations) == {"NoneIsOn"}
    assert not outcome.exhausted


@pytest.mark.parametrize("instance", MODEL.instances, ids=lambda i: i.name)
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("depth", [None, 1, 2, 4, 7])
def test_the_kernel_surveys_what_plain_python_surveys(
    instance: Instance, workers: int, depth: int | None
) -> None:
    bound = bind(MODEL, instance)
    compiled = explore_compiled(bound, workers=workers, max_depth=depth, survey=True)
    assert summary(compiled) == summary(explore_plain(bound, max_depth=depth, survey=True))


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("instance", mailroom.MODEL.instances, ids=lambda i: i.name)
def test_a_mail_room_is_surveyed_alike(instance: Instance, workers: int) -> None:
    bound = bind(mailroom.MODEL, instance)
    plain = summary(explore_plain(bound, survey=True))
    assert plain["exhausted"]
    assert summary(explore_compiled(bound, workers=workers, survey=True)) == plain


@pytest.mark.parametrize("engine", ["plain", "kernel"])
def test_a_report_of_a_survey_leaves_nothing_open(engine: Any) -> None:
    report = check(MODEL, TWO, engine=engine, survey=True)
    assert (report.verdict, report.complete) == (Verdict.VIOLATED, True)
    assert report.results() == {
        "NoneIsOn": "violated",
        "NoneGetsBright": "violated",
        "NotAllAreBright": "violated",
        "LevelsAreFew": "holds",
        "AllAreBright": "witnessed",
        "NoAssertionFails": "violated",
        "StepsAreDefined": "violated",
    }
    assert {t.property: len(t.steps) for t in report.traces} == {
        name: len(path) for name, path in report.outcome.violations.items()
    }


def test_a_survey_cut_short_leaves_open_what_was_not_violated() -> None:
    report = check(MODEL, TWO, engine="plain", survey=True, max_depth=3)
    assert report.outcome.limit is Limit.DEPTH
    assert (report.verdict, report.complete) == (Verdict.VIOLATED, False)
    assert report.results()["LevelsAreFew"] == "open"
