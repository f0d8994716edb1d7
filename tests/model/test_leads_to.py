"""What is asked for is answered, or a fair run is shown on which it never is."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from ackproof.lang import (
    Design,
    Instance,
    Model,
    OrderedSort,
    Set,
    System,
    action,
    eventually,
    leads_to,
    properties_in,
    require,
)
from ackproof.lang.binding import bind
from ackproof.lang.errors import BindError
from ackproof.model.check import Engine, check
from ackproof.model.report import Report
from ackproof.model.trace import ReplayError, replay
from ackproof.model.verdict import Verdict

ENGINES: tuple[tuple[Engine, int], ...] = (("plain", 1), ("kernel", 1), ("kernel", 2))


class Caller(OrderedSort):
    """Somebody who calls, or never does."""


class Desk(System):
    """A desk that takes calls down, and rings back.  A call is over once it is taken down."""

    called: Set[Caller]
    calling: Set[Caller]
    noted: Set[Caller]
    rung: Set[Caller]

    @action
    def call(self, who: Caller) -> None:
        """Somebody calls who has not done so yet."""
        require(who not in self.called)
        self.called.add(who)
        self.calling.add(who)

    @action(fair="weak")
    def take_down(self, who: Caller) -> None:
        """The call is over, and on the list."""
        require(who in self.calling)
        self.calling.discard(who)
        self.noted.add(who)

    @action(fair="weak")
    def ring_back(self, who: Caller) -> None:
        """Who is on the list gets an answer."""
        require(who in self.noted)
        self.noted.discard(who)
        self.rung.add(who)


class Forgetful(Desk):
    """A desk that takes nothing down."""

    @action(fair="weak")
    def take_down(self, who: Caller) -> None:
        require(who in self.calling)
        self.calling.discard(who)


class Rude(Desk):
    """A desk that never rings the first one back."""

    @action(fair="weak")
    def ring_back(self, who: Caller) -> None:
        require(who != Caller.first())
        super().ring_back(who)


class Chatty(Desk):
    """A desk that everybody has to call."""

    @action(fair="weak")
    def call(self, who: Caller) -> None:
        super().call(who)


@leads_to
def CallsAreAnswered(s: Desk, who: Caller) -> tuple[bool, bool]:
    """Who calls is rung back."""
    return who in s.calling, who in s.rung


@leads_to
def AnsweredAtOnce(s: Desk, who: Caller) -> tuple[bool, bool]:
    """What is true together with its answer asks for nothing."""
    if who in s.rung:
        return True, True
    return False, False


@eventually
def EverybodyIsRung(s: Desk, who: Caller) -> bool:
    """False: nobody has to call."""
    return who in s.rung


@eventually
def NobodyWaits(s: Desk, who: Caller) -> bool:
    """True of a desk that forgets, for who hangs up waits no more."""
    return who not in s.calling or who in s.rung


DESK = Model(
    "desk",
    Desk,
    properties_in(sys.modules[__name__]),
    (Instance("two", "two callers", {Caller: 2}), Instance("one", "one", {Caller: 1})),
)


def design_of(cls: type[Desk]) -> Design:
    return Design(cls.__doc__ or "", replace=(cls,))


def report_of(design: Design | None, *names: str, engine: Engine, workers: int = 1) -> Report:
    instance = DESK.instances[0]
    return check(
        DESK, instance, design, engine=engine, workers=workers, properties=names, survey=True
    )


@pytest.mark.parametrize(("engine", "workers"), ENGINES)
def test_who_asks_is_answered_though_nobody_has_to_ask(engine: Engine, workers: int) -> None:
    names = ("CallsAreAnswered", "EverybodyIsRung", "AnsweredAtOnce")
    results = report_of(None, *names, engine=engine, workers=workers).results()
    assert {results[f"CallsAreAnswered[{n}]"] for n in (1, 2)} == {"holds"}
    assert {results[f"EverybodyIsRung[{n}]"] for n in (1, 2)} == {"violated"}
    assert not {results[f"AnsweredAtOnce[{n}]"] for n in (1, 2)} - {"holds", "vacuous"}


def test_a_design_that_only_makes_a_step_fair_is_verified_where_that_mends_something() -> None:
    instance, chatty = DESK.instances[0], design_of(Chatty)
    found = check(DESK, instance, chatty, properties=["EverybodyIsRung"])
    assert found.verdict is Verdict.VERIFIED
    found = check(DESK, instance, chatty, properties=["CallsAreAnswered"])
    assert found.verdict is Verdict.UNCHANGED


@pytest.mark.parametrize(("engine", "workers"), ENGINES)
def test_what_is_asked_for_once_is_owed_though_nobody_asks_any_more(
    engine: Engine, workers: int
) -> None:
    design = design_of(Forgetful)
    report = report_of(design, "CallsAreAnswered", "NobodyWaits", engine=engine, workers=workers)
    assert {report.results()[f"NobodyWaits[{n}]"] for n in (1, 2)} == {"holds"}
    first, second = report.traces
    assert (first.property, second.property) == ("CallsAreAnswered[1]", "CallsAreAnswered[2]")
    assert [step.text for step in first.steps] == ["call(who=1)", "take_down(who=1)"]
    assert first.cycle == ()
    assert first.reason == "the trigger is true after 1 step, and the answer never comes"


@pytest.mark.parametrize(("engine", "workers"), ENGINES)
def test_each_element_is_owed_its_own_answer(engine: Engine, workers: int) -> None:
    report = report_of(design_of(Rude), "CallsAreAnswered", engine=engine, workers=workers)
    assert report.results()["CallsAreAnswered[2]"] == "holds"
    assert [trace.property for trace in report.traces] == ["CallsAreAnswered[1]"]


@pytest.mark.parametrize(("engine", "workers"), ENGINES)
def test_to_ask_costs_no_state(engine: Engine, workers: int) -> None:
    design = design_of(Forgetful)
    asked, plainly = (
        report_of(design, name, engine=engine, workers=workers).outcome
        for name in ("CallsAreAnswered", "NobodyWaits")
    )
    assert asked.states == plainly.states
    assert asked.level_sizes == plainly.level_sizes


def test_a_run_on_which_nobody_asks_is_no_counterexample() -> None:
    (trace, _) = report_of(design_of(Forgetful), "CallsAreAnswered", engine="plain").traces
    call, take_down = trace.path
    bound, name = trace.bound, "CallsAreAnswered[1]"
    assert replay(bound, name, [call, take_down]).reason == trace.reason
    with pytest.raises(ReplayError, match="it is not asked for, or it is answered"):
        replay(bound, name, [])
    with pytest.raises(ReplayError, match="must happen and never does"):
        replay(bound, name, [call])


def test_a_trigger_is_part_of_what_was_checked() -> None:
    one = bind(DESK, DESK.instances[1], properties=["CallsAreAnswered"])
    (prop,) = one.properties
    assert prop.trigger is not None
    other = replace(one, properties=(replace(prop, trigger=prop.body),))
    assert one.digest() != other.digest()


def test_the_first_element_of_an_empty_sort_is_no_trigger() -> None:
    nobody = Instance("nobody", "no caller", {Caller: 0})
    with pytest.raises(BindError, match=r"the property FirstIsRung asks for Caller.first\(\)"):
        bind(replace(DESK, properties=properties_in(FirstIsRung)), nobody)


@leads_to
def FirstIsRung(s: Desk) -> tuple[bool, bool]:
    """Asked of the first caller, if there is one."""
    return Caller.first() in s.calling, not s.calling


class Idle(System):
    """A system that has nobody to call it."""

    on: bool

    @action
    def switch(self) -> None:
        """On or off."""
        self.on = not self.on


@leads_to
def AnybodyAtAll(s: Idle) -> tuple[bool, bool]:
    """True in a world of one."""
    return all(a == b for a in Caller for b in Caller), s.on or not s.on


def test_a_sort_that_only_a_trigger_speaks_of_has_a_size() -> None:
    instances = (Instance("one", "one", {Caller: 1}), Instance("none", "no size", {}))
    model = Model("idle", Idle, properties_in(AnybodyAtAll), instances)
    assert bind(model, instances[0]).properties
    with pytest.raises(BindError, match="gives no size for the sort Caller"):
        bind(model, instances[1])
