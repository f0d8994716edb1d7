"""One instance of a sweep is searched as far as it may be, and what breaks names its faults."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ackproof.lang import Design, handler
from ackproof.model.check import check_bound
from ackproof.model.outcome import Limit
from ackproof.model.report import Report
from ackproof.model.sweep.growth import Shape
from ackproof.model.sweep.looking import Candidate, Fate, Looking
from ackproof.spec.model import MODEL as CONFIRMS
from ackproof.spec.sorts import Msg
from ackproof.spec.store import Store

from tests.model.sweep.orchard import MODEL

GIB = 1 << 30
ONE = Shape((("Basket", 1), ("Apple", 1)))
TWO = (
    ONE.resized("Basket", 2)
    .changed(("Tree.beside", ("b1",)), "b2")
    .changed(("Tree.beside", ("b2",)), "b1")
)


class HastyStore(Store):
    """Confirms what is written."""

    @handler
    def write(self, msg: Msg) -> None:
        """Write, and say so."""
        super().write(msg)
        self.confirm(msg)


def looking(share: int, design: Design | None = None) -> Looking:
    return Looking(MODEL, design, None, "kernel", share, GIB, None)


def candidate(shape: Shape, *faults: str) -> Candidate:
    return Candidate("mine", 0, shape, faults)


def test_a_whole_search_is_finished_and_says_what_it_met() -> None:
    found = looking(100).look(candidate(ONE, "storm"))
    assert (found.fate, found.states, found.met) == (Fate.FINISHED, 4, {"pick", "storm"})


def test_what_has_more_states_than_it_may_have_is_cut() -> None:
    found = looking(3).look(candidate(ONE, "storm"))
    assert (found.fate, found.states) == (Fate.CUT, 3)


def test_a_search_that_somebody_else_interrupts_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any, **options: Any) -> Report:
        report = check_bound(*args, **options)
        return replace(report, outcome=replace(report.outcome, limit=Limit.INTERRUPTED))

    monkeypatch.setattr("ackproof.model.sweep.looking.check_bound", interrupted)
    with pytest.raises(KeyboardInterrupt):
        looking(100).look(candidate(ONE, "storm"))


def test_what_breaks_says_after_how_many_steps_and_with_which_faults() -> None:
    careless = TWO.changed(("Orchard.careful", ()), False)
    found = looking(100).look(candidate(careless, "storm", "hail"))
    assert found.fate is Fate.BROKEN
    assert [(b.property, b.steps, b.faults) for b in found.broken] == [("EachIsPickedOnce", 2, ())]


def test_faults_that_its_run_does_not_take_are_not_named() -> None:
    hasty, lost = Design("", replace=(HastyStore,)), ("ConfirmedSurvives",)
    look = Looking(CONFIRMS, hasty, lost, "kernel", 5_000, GIB, None).look
    on = ("ChannelId", "Node", "Consumer", "Tag", "Msg", "Queue", "Replica")
    found = look(candidate(Shape(tuple((n, 1) for n in on)), "crash_machine", "close"))
    assert found.broken[0].faults == (("crash_machine", 1),)


def test_what_cannot_be_bound_is_refused_with_its_reason() -> None:
    found = looking(100).look(candidate(ONE.changed(("Tree.ladder", ("b1",)), "BIRCH")))
    assert found.fate is Fate.REFUSED
    assert "Tree.ladder is 'BIRCH'" in found.problem


def test_where_a_design_changes_nothing_it_is_not_searched() -> None:
    found = looking(100, Design("", constants={"Tree.room": 2})).look(candidate(ONE))
    assert found.fate is Fate.AS_BASE
