"""A check gives the verdict that the search has earned, and no better one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from ackproof.lang.binding import Bound
from ackproof.lang.data import domain, domain_size
from ackproof.lang.errors import BindError
from ackproof.lang.model import Instance
from ackproof.lang.types import BOOL, EnumT, IntT, OptionT, RecordT, SetT, SortT, Type
from ackproof.model import check as check_module
from ackproof.model.check import ENGINES, Engine, check, explorer
from ackproof.model.outcome import Limit, Outcome
from ackproof.model.report import Report
from ackproof.model.trace import ReplayError
from ackproof.model.verdict import Verdict, worst

from tests.model import mailroom
from tests.model.lower import depot

SOUND = ["NothingIsLost", "BothStored"]
QUIET = Instance("quiet", "no fire", {mailroom.Letter: 1, mailroom.Box: 2})


def plain(instance: Instance, **options: Any) -> Report:
    return check(mailroom.MODEL, instance, engine="plain", **options)


def test_a_whole_state_space_without_violation_is_verified() -> None:
    report = plain(QUIET, properties=SOUND)
    assert (report.verdict, report.verdict.exit_code) == (Verdict.VERIFIED, 0)
    assert report.results() == {
        "NothingIsLost": "holds",
        "BothStored": "witnessed",
        "NoAssertionFails": "holds",
        "StepsAreDefined": "holds",
    }


def test_a_false_property_is_violated_and_the_rest_is_open() -> None:
    report = plain(mailroom.PAIR, properties=["NothingIsLost", "AllStored", "Impossible"])
    assert (report.verdict, report.verdict.exit_code) == (Verdict.VIOLATED, 1)
    assert report.results() == {
        "NothingIsLost": "violated",
        "AllStored": "violated",
        "Impossible": "open",
        "NoAssertionFails": "open",
        "StepsAreDefined": "open",
    }
    assert [t.property for t in report.traces] == list(report.outcome.violations)


def test_a_search_that_stops_at_a_depth_is_bounded() -> None:
    report = plain(QUIET, properties=SOUND, max_depth=2)
    assert (report.verdict, report.verdict.exit_code) == (Verdict.BOUNDED, 3)
    assert set(report.results().values()) == {"open"}
    assert report.unwitnessed == ()


def test_a_situation_that_is_never_reached_is_unwitnessed() -> None:
    report = plain(QUIET, properties=[*SOUND, "Impossible"])
    assert (report.verdict, report.verdict.exit_code) == (Verdict.UNWITNESSED, 3)
    assert report.unwitnessed == ("Impossible",)


def test_what_an_instance_says_it_lacks_need_not_come_up() -> None:
    tiny = replace(QUIET, faults={"flood": 1}, lacks=("Impossible", "flood"))
    report = plain(tiny, properties=[*SOUND, "Impossible"])
    assert report.verdict is Verdict.VERIFIED
    assert report.results()["Impossible"] == "lacking"


def test_an_instance_cannot_lack_what_the_model_does_not_have() -> None:
    with pytest.raises(BindError) as error:
        plain(replace(QUIET, lacks=("Impossble",)))
    assert str(error.value) == (
        "instance quiet: it lacks 'Impossble', which is neither a property nor an action of "
        "mail room; correct the name"
    )


def test_an_action_that_is_never_enabled_is_dead_and_a_fault_without_budget_is_off() -> None:
    dry = Instance("dry", "", {mailroom.Letter: 1, mailroom.Box: 1}, {"flood": 1, "burn": 0})
    report = plain(dry, properties=["NothingIsLost"])
    assert report.dead == ("flood",)
    assert report.off == ("burn", "strike")
    assert report.verdict is Verdict.UNWITNESSED


def test_an_engine_of_somebody_else_is_taken_as_it_is() -> None:
    asked: dict[str, Any] = {}

    def elsewhere(bound: Bound, **options: Any) -> Outcome:
        asked.update(options)
        return replace(explorer("plain")(bound, **options), engine="elsewhere")

    report = check(mailroom.MODEL, QUIET, properties=SOUND, engine=elsewhere, max_depth=2)
    assert (report.outcome.engine, report.verdict) == ("elsewhere", Verdict.BOUNDED)
    assert set(asked) == {"workers", "memory", "max_depth", "survey", "progress"}


@pytest.mark.parametrize("engine", ENGINES)
def test_parts_that_the_instance_leaves_out_are_off_and_not_missed(engine: Engine) -> None:
    report = check(depot.MODEL, depot.OFF, engine=engine)
    assert report.verdict is Verdict.VERIFIED
    assert (report.unwitnessed, report.dead) == ((), ())
    assert report.off == (
        *("insure", "claim", "load", "fire", "fraud", "ring", "answer", "break_in", "count"),
        *("Burnt", "PaidSomething"),
    )
    assert report.results() == {
        "ClaimedIsInsured": "vacuous",
        "StoredCameIn": "vacuous",
        "PaidOnce": "vacuous",
        "Burnt": "off",
        "PaidSomething": "off",
        "Full": "witnessed",
        "NoAssertionFails": "holds",
        "StepsAreDefined": "holds",
    }


def test_an_instance_may_say_that_it_lacks_what_is_off() -> None:
    report = check(depot.MODEL, replace(depot.OFF, lacks=("Burnt", "claim")), engine="plain")
    assert report.results()["Burnt"] == "off"
    assert report.verdict is Verdict.VERIFIED


@pytest.mark.parametrize(
    ("limit", "verdict"),
    [
        (Limit.DEPTH, Verdict.BOUNDED),
        (Limit.MEMORY, Verdict.TRUNCATED),
        (Limit.INTERRUPTED, Verdict.TRUNCATED),
    ],
)
def test_an_incomplete_search_is_never_verified(limit: Limit, verdict: Verdict) -> None:
    assert Verdict.of(outcome({}, limit), witnessed=True) is verdict
    assert verdict.exit_code == 3


@pytest.mark.parametrize("limit", [Limit.MEMORY, Limit.INTERRUPTED, Limit.SYMMETRY])
def test_where_all_states_were_seen_only_runs_are_undecided(limit: Limit) -> None:
    seen = replace(outcome({}, limit), exhausted=True)
    assert Verdict.of(seen, witnessed=True) is Verdict.UNDECIDED


def test_a_violation_counts_even_when_the_search_did_not_finish() -> None:
    assert Verdict.of(outcome({"P": ()}, Limit.MEMORY), witnessed=False) is Verdict.VIOLATED


def test_several_checks_end_with_the_worst_exit_code() -> None:
    assert [worst(c) for c in ([0, 0], [0, 3], [3, 1, 0], [])] == [0, 3, 1, 0]


def outcome(violations: Mapping[str, tuple[int, ...]], limit: Limit | None) -> Outcome:
    return Outcome(
        "kernel", 1, 1, 1, (1,), {"hand_in": 0}, violations, frozenset(), limit, 0.0, 0.0, 0
    )


def test_a_counterexample_that_plain_python_does_not_confirm_is_not_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lying = outcome({"NothingIsLost": (0,)}, None)
    monkeypatch.setattr(check_module, "explorer", lambda *_: lambda bound, **_: lying)
    with pytest.raises(ReplayError, match="not reproduced by plain Python"):
        check(mailroom.MODEL, mailroom.PAIR, properties=["NothingIsLost"])


def test_an_action_with_too_many_choices_is_refused_before_the_search() -> None:
    wide = Instance("wide", "", {mailroom.Letter: 2, mailroom.Box: 40})
    with pytest.raises(BindError) as error:
        plain(wide)
    assert str(error.value) == (
        "instance wide: there are too many ways to choose an action and its arguments, "
        "more than a thousand million for targets of hand_in alone, where 65,536 in all can be "
        "tried; make the sorts smaller"
    )


def test_a_sort_too_large_to_name_is_refused_before_the_search() -> None:
    huge = Instance("huge", "", {mailroom.Letter: 10**9, mailroom.Box: 1})
    with pytest.raises(BindError) as error:
        plain(huge)
    assert str(error.value) == (
        "instance huge: the size of Letter is 1,000,000,000, where 4,096 can be searched; "
        "make it smaller"
    )


COLOUR = EnumT("Colour", ("RED", "GREEN", "BLUE"))
LETTER = SortT("Letter", True)


@pytest.mark.parametrize(
    "t",
    [
        BOOL,
        COLOUR,
        IntT(-1, 3),
        LETTER,
        OptionT(COLOUR),
        SetT(LETTER),
        RecordT("Pair", (("a", BOOL), ("b", OptionT(LETTER)))),
    ],
    ids=repr,
)
def test_the_size_of_a_type_is_the_number_of_its_values(t: Type) -> None:
    elements = {"Letter": (1, 2, 3, 4)}
    assert domain_size(t, elements) == len(domain(t, elements))
