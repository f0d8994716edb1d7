"""Experiments that are done on several releases: which there are, and how one is shown."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from bench.rabbitmq.model import ModelStep, ModelTrace, Question
from bench.rabbitmq.restarting import MESSAGES, Restarted, Restarting, agreement
from bench.releases import BUGS, Bug, Outcome, as_json, right, show
from tests.bench.test_listing import SEEN

BREAKS = ModelTrace(
    Question("eras.of_it", "overfull", "P"),
    accidents=True,
    states=99,
    steps=(ModelStep("restart", {}, False, False, (), {}),),
    lasting=None,
    reason=None,
)
LOST = Restarted((MESSAGES,) * 3, (MESSAGES - 1,) * 3, SEEN)


@pytest.fixture
def outcome() -> Outcome:
    """One experiment that agrees."""
    bug: Bug[Any, Any] = Bug(
        "G-X",
        (Restarting("gx", "a title", "it crashes"),),
        lambda experiment, release: BREAKS,
        lambda experiment, node: LOST,
        agreement,
    )
    node: Any = None
    (found,) = bug.outcomes("4.3.6", node)
    return found


def test_every_bug_has_experiments_with_a_control_that_come_first() -> None:
    assert [bug.number for bug in BUGS] == ["G-E1", "G-E2"]
    for bug in BUGS:
        first, *others = (experiment.name for experiment in bug.experiments)
        assert first.endswith("-control")
        assert others
        assert not any(name.endswith("-control") for name in others)


def test_what_was_seen_is_told_from_what_was_done() -> None:
    assert right(SEEN) == ["publish", "→ ack 151"]


def test_the_two_sides_are_shown_with_what_they_agree_on(outcome: Outcome) -> None:
    text = io.StringIO()
    show(outcome, Console(file=text, width=110))
    said = text.getvalue()
    assert "G-X, a title  (gx)" in said
    assert "the model, as of_it" in said
    assert "P on overfull is false" in said
    assert "agrees: the messages: 6 of 6 acked" in said


def test_a_program_gets_the_same(outcome: Outcome) -> None:
    document = as_json(outcome, "4.3.6")
    assert document["agrees"] is True
    assert document["rabbitmq"] == "4.3.6"
    assert document["observation"]["left"] == LOST.left
    assert document["model"]["violated"] is True
