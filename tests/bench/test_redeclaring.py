"""A queue that is declared again: what is sent, and what agrees with it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pamqp import commands

from bench.rabbitmq.model import ModelStep, ModelTrace, Question
from bench.rabbitmq.redeclaring import (
    REDECLARING,
    Redeclared,
    agreement,
    burst_of,
)
from tests.bench.test_listing import SEEN

NACKED = Redeclared(2, (("nack", "nack"),) * 3, 0, SEEN)
ACKED = replace(NACKED, fates=(("ack", "ack"),) * 3)
HOLDS = ModelTrace(Question("era", "redeclared", "P"), True, 99, (), None, None)
BREAKS = replace(HOLDS, steps=(ModelStep("flush", {}, False, False, (), {}),))


@pytest.mark.parametrize("experiment", REDECLARING, ids=lambda e: e.name)
def test_the_last_message_is_for_a_queue_that_refuses_everything(experiment: object) -> None:
    sent = burst_of(next(e for e in REDECLARING if e is experiment), "q")
    kinds = [type(one) for one in sent]
    declared = next(one for one in sent if isinstance(one, commands.Queue.Declare))
    assert declared.arguments == {"x-max-length": 0, "x-overflow": "reject-publish"}
    assert kinds.index(commands.Queue.Declare) < len(kinds) - 3
    assert isinstance(sent[-3], commands.Basic.Publish)


def test_only_the_control_has_no_queue_before() -> None:
    deletes = {
        e.name: any(isinstance(one, commands.Queue.Delete) for one in burst_of(e, "q"))
        for e in REDECLARING
    }
    assert deletes == {e.name: e.again for e in REDECLARING}
    assert [name for name, deleted in deletes.items() if not deleted] == ["ge1-control"]


@pytest.mark.parametrize("seen", [NACKED, ACKED], ids=["nacked", "acked"])
@pytest.mark.parametrize("model", [HOLDS, BREAKS], ids=["holds", "breaks"])
def test_a_false_ack_agrees_with_a_counterexample_only(seen: Redeclared, model: ModelTrace) -> None:
    assert agreement(seen, model).agrees == ((seen is ACKED) == model.violated)


def test_once_otherwise_is_a_difference() -> None:
    mixed = replace(ACKED, fates=(("ack", "ack"), ("ack", "nack")))
    said = str(agreement(mixed, BREAKS))
    assert said.startswith("differs: the message for the queue that refuses: the model says acked")
    assert "1 times acked, 1 times nacked" in said


def test_a_message_that_is_in_a_queue_after_all_is_a_difference() -> None:
    assert not agreement(replace(ACKED, held=1), BREAKS).agrees
