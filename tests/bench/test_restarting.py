"""A queue that begins again with more than its limit: what is done, and what agrees with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ackproof.conform.kit.operations import Do, read_program

from bench.rabbitmq.model import ModelStep, ModelTrace, Question
from bench.rabbitmq.restarting import LIMIT, MESSAGES, RESTARTING, Restarted, agreement

PROGRAM = Path("docs/examples/rabbitmq/dropped-at-restart.jsonl")
LOST = Restarted((MESSAGES,) * 3, (MESSAGES - 1,) * 3, ())
KEPT = replace(LOST, left=(MESSAGES,) * 3)
HOLDS = ModelTrace(Question("era", "overfull", "P"), True, 99, (), None, None)
BREAKS = replace(HOLDS, steps=(ModelStep("restart", {}, False, False, (), {}),))


def test_the_queue_is_that_of_the_program_that_the_kit_has_found() -> None:
    program = read_program(PROGRAM)
    declared = next(one for one in program if one.do is Do.DECLARE)
    published = [one for one in program if one.do is Do.PUBLISH]
    assert declared.limit == LIMIT
    assert declared.overflow.value == "reject-publish"
    assert len(published) == MESSAGES
    assert all(one.persistent for one in published)


def test_only_in_the_control_nothing_ends() -> None:
    assert [e.name for e in RESTARTING if e.end is None] == ["ge2-control"]


@pytest.mark.parametrize("seen", [LOST, KEPT], ids=["lost", "kept"])
@pytest.mark.parametrize("model", [HOLDS, BREAKS], ids=["holds", "breaks"])
def test_a_loss_agrees_with_a_counterexample_only(seen: Restarted, model: ModelTrace) -> None:
    assert agreement(seen, model).agrees == ((seen is LOST) == model.violated)


def test_once_otherwise_is_a_difference() -> None:
    said = str(agreement(replace(LOST, left=(1, 1, 2)), BREAKS))
    assert said.startswith("differs: what was acked: the model says lost")
    assert "lost in 2 queues, kept in 1 queues" in said


def test_what_was_never_acked_shows_nothing() -> None:
    said = str(agreement(replace(LOST, acked=(2, 2, 1)), BREAKS))
    assert "the messages: rule A8 says acked, all of them, RabbitMQ 5 of 6 acked" in said
