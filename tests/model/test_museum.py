"""An expectation comes true, or it does not, and what was found instead is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ackproof.lang.errors import BindError
from ackproof.lang.model import Breaks, Design, Holds
from ackproof.model import museum as museum_module
from ackproof.model.check import check
from ackproof.model.museum import Judgement, describe, judge, museum, museum_names
from ackproof.model.report import Report
from ackproof.spec.model import MODEL as CONFIRMS

from tests.model import mailroom
from tests.models import lock_server

SAME = Design(claim="nothing changes", constants={"Mailbox.lockable": True})


def judged(expectation: Breaks | Holds, **options: Any) -> Judgement:
    return judge(mailroom.MODEL, SAME, expectation, engine="plain", **options)


def test_a_property_that_breaks_after_the_stated_steps_comes_true() -> None:
    found = judged(Breaks("AllStored", "pair", 2))
    assert (found.came_true, found.found) == (True, "it breaks after 2 steps")


def test_a_property_that_breaks_after_other_steps_does_not() -> None:
    found = judged(Breaks("AllStored", "pair", 5))
    assert (found.came_true, found.found) == (False, "it breaks after 2 steps")


def test_a_property_that_breaks_later_than_others_is_checked_alone() -> None:
    found = judged(Breaks("ToldIsKept", "pair", 3))
    assert (found.came_true, list(found.report.outcome.violations)) == (True, ["ToldIsKept"])


def test_a_property_that_was_to_break_and_holds_does_not_come_true() -> None:
    found = judged(Breaks("NothingIsLost", "three", 4))
    assert (found.came_true, found.found) == (False, "StepsAreDefined breaks after 3 steps")


def test_a_property_that_holds_where_others_break_comes_true() -> None:
    assert judged(Holds("pair", "StepsAreDefined")).came_true
    assert not judged(Holds("three", "StepsAreDefined")).came_true
    found = judged(Holds("pair", "NoAssertionFails"), max_depth=1)
    assert (found.came_true, found.found) == (False, "the search stopped at its depth limit")


def test_that_everything_holds_fails_with_the_first_that_breaks() -> None:
    found = judged(Holds("small"))
    assert (found.came_true, found.found) == (False, "OneStampOnly breaks after 1 step")


def test_a_situation_that_is_never_reached_does_not_hold() -> None:
    found = judged(Holds("small", "Impossible"), properties=["Impossible"])
    assert (found.came_true, found.found) == (False, "it is never reached")
    assert judged(Holds("small", "BothStored"), properties=["BothStored"]).came_true


def test_one_search_serves_all_expectations_on_an_instance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched = []

    def counted(*args: Any, **options: Any) -> Report:
        searched.append(args)
        return check(*args, **options)

    monkeypatch.setattr(museum_module, "check", counted)
    reports: dict[str, Report] = {}
    for name in ("AllStored", "ReceiptsAreSafe"):
        assert judged(Breaks(name, "pair", 2), reports=reports).came_true
    assert len(searched) == 1


def test_a_property_is_checked_alone_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    def counted(*args: Any, **options: Any) -> Report:
        searched.append(options.get("properties"))
        return check(*args, **options)

    monkeypatch.setattr(museum_module, "check", counted)
    reports: dict[str, Report] = {}
    for expectation in (Breaks("ToldIsKept", "pair", 3), Breaks("ToldIsKept", "pair", 9)):
        judged(expectation, reports=reports)
    for expectation in (Breaks("NoDeadlock", "pair", 3), Holds("pair", "NoDeadlock")):
        judged(expectation, reports=reports)
    assert searched == [None, ["ToldIsKept"], ["NoDeadlock"]]


@pytest.mark.parametrize(
    ("expectation", "said"),
    [
        (
            Holds("giant"),
            "an expectation names the instance 'giant', which mail room does not "
            "have\n  instead: use one of: pair, small, three",
        ),
        (
            Breaks("Loyalty", "pair", 1),
            "an expectation names the property 'Loyalty', which mail "
            "room does not have\n  instead: use one of: ToldIsKept, AllStored, ReceiptsAreSafe, "
            "NeverTwoHeld, FirstComesLast, OneStampOnly, NothingIsLost, BothStored, Impossible, "
            "NoAssertionFails, StepsAreDefined, NoDeadlock",
        ),
    ],
)
def test_an_expectation_of_something_unknown_is_refused(
    expectation: Breaks | Holds, said: str
) -> None:
    with pytest.raises(BindError) as error:
        judged(expectation)
    assert str(error.value) == said


def test_expectations_are_described_in_words() -> None:
    assert describe(Breaks("P", "tiny", 1)) == "P breaks on tiny after 1 step"
    assert describe(Holds("tiny")) == "every property holds on tiny"
    assert describe(Holds("tiny", "P")) == "P holds on tiny"


def test_the_museum_holds_designs_that_each_expect_something() -> None:
    designs = museum(CONFIRMS)
    assert tuple(designs) == museum_names(CONFIRMS)
    assert {"ack_on_channel", "ack_on_queue", "ack_after_write"} <= set(designs)
    assert all(d.claim and d.source and d.expect for d in designs.values())


LOCKS = replace(lock_server.MODEL, designs="tests.models.lock_designs")


def test_every_model_may_have_a_museum() -> None:
    assert museum_names(LOCKS) == ("second_key", "tidy_release")
    assert museum_names(lock_server.MODEL) == ()
    for name, design in museum(LOCKS).items():
        for expectation in design.expect:
            found = judge(LOCKS, design, expectation, name=name, engine="plain")
            assert found.came_true, found.found
