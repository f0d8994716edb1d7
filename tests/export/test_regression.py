"""A run that was a counterexample is one again, as long as the design is not mended."""

from __future__ import annotations

import pytest
from ackproof.cli.targets import base_target, load
from ackproof.export.regression import UnknownStep, search, take_again
from ackproof.model.trace import Trace, TraceStep

from tests.export.traces import for_ever, museum, staying
from tests.model.liveness_models import DINING, MOVING, PATIENT, PETERSON

DELETION = ("NackOnlyWithCause", "b10")


def texts(steps: tuple[TraceStep, ...]) -> list[str]:
    return [step.text for step in steps]


def deletion() -> Trace:
    return museum("b10", "NackOnlyWithCause")


def test_the_run_of_a_design_breaks_it_again() -> None:
    target = load("b10")
    told = take_again(
        target.model, target.design, "tiny", "NackOnlyWithCause", texts(deletion().steps)
    )
    assert told.startswith("NackOnlyWithCause is false after this run:")
    assert "delete_queue(queue=q1)" in told


def test_without_the_design_the_run_breaks_nothing() -> None:
    base = base_target().model
    assert take_again(base, None, "tiny", "NackOnlyWithCause", texts(deletion().steps)) == ""


def test_a_run_that_goes_on_for_ever_is_taken_again() -> None:
    trace = for_ever()
    steps, cycle, instance = texts(trace.steps), texts(trace.cycle or ()), trace.bound.instance.name
    assert take_again(DINING, MOVING, instance, trace.property, steps, cycle)
    assert take_again(DINING, PATIENT, instance, trace.property, steps, cycle) == ""
    stays = staying()
    again = take_again(
        PETERSON, None, stays.bound.instance.name, stays.property, texts(stays.steps), ()
    )
    assert "and there it stays" in again


def test_a_step_that_there_is_not_is_an_error_and_not_mended() -> None:
    target = load("b10")
    with pytest.raises(UnknownStep, match=r"there is no step delete_queue\(queue=q7\) on tiny"):
        take_again(target.model, target.design, "tiny", DELETION[0], ["delete_queue(queue=q7)"])


def test_an_instance_that_there_is_not_is_an_error() -> None:
    with pytest.raises(LookupError, match="has no instance 'enormous'"):
        search(base_target().model, None, "enormous", "NackOnlyWithCause")


def test_a_search_finds_any_other_run() -> None:
    target = load("b10")
    assert "delete_queue" in search(target.model, target.design, "tiny", "NackOnlyWithCause")
    assert search(target.model, None, "tiny", "NackOnlyWithCause") == ""
