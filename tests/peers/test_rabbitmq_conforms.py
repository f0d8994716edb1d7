"""A real RabbitMQ conforms, but for what is known; each known fault is found by its program.

What is known has to do with queues that are deleted and declared again, with limits of channels
that have consumers already, and with channels that are closed for an error.  Programs without these
break nothing.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from ackproof.conform.kit.campaign import Campaign
from ackproof.conform.kit.drawing import draw
from ackproof.conform.kit.operations import Do, Operation, read_program
from ackproof.conform.kit.running import Setting, run
from ackproof.conform.kit.url import parse

from bench.rabbitmq.faults import NodeControl
from bench.rabbitmq.node import Node
from tests.exploring import examples, seeds

pytestmark = pytest.mark.peer

_ROUNDS = 10
KEPT = Path(__file__).resolve().parents[2] / "docs" / "examples" / "rabbitmq"

#: What RabbitMQ 3.10 does with each program that is kept.
SHOWN = {
    "cancelled-and-served": set(),
    "consumer-of-the-next-queue": {"F3.3"},
    "crash-while-asked": {"ClosedWithCause"},
    "deleted-before-commit": set(),
    "dropped-at-restart": {"ConfirmedSurvives"},
    "false-ack": set(),
    "lost-consumer-ack": set(),
    "over-the-limit": {"SharedPrefetchRespected"},
    "wrong-message": {"AckMeansAccepted", "F3.3"},
}


@pytest.fixture
def setting(node: Node) -> Setting:
    """How to reach it, and to make it fail."""
    return Setting(parse(f"amqp://127.0.0.1:{node.port}"), NodeControl(node))


def harmless(program: list[Operation]) -> list[Operation]:
    """Leave out of a program what RabbitMQ is known to stumble over."""
    kept = [operation for operation in program if operation.do not in (Do.DELETE, Do.WRONG)]
    return [msgspec.structs.replace(operation, shared=False) for operation in kept]


def test_random_programs_conform(setting: Setting) -> None:
    acked = 0
    for seed in seeds(25):
        result = run(harmless(draw(seed)), setting)
        assert (seed, result.findings, result.incomplete) == (seed, [], "")
        acked += result.counts["acked"]
    assert acked > examples(25)


def test_what_is_suspended_answers_when_it_goes_on(setting: Setting) -> None:
    asked = [
        Operation(Do.DECLARE, queue="q1"),
        Operation(Do.CONFIRM),
        Operation(Do.FAULT, fault="suspend_node"),
        Operation(Do.PUBLISH, queue="q1", persistent=True),
        Operation(Do.FAULT, fault="resume_node"),
        Operation(Do.FAULT, fault="suspend_queue", queue="q1"),
        Operation(Do.PUBLISH, queue="q1", persistent=True),
        Operation(Do.SETTLE),
    ]
    result = run(asked, setting)
    assert (result.findings, result.incomplete, result.counts["acked"]) == ([], "", 2)


@pytest.mark.parametrize("name", SHOWN)
def test_a_program_that_is_kept_shows_what_it_is_kept_for(setting: Setting, name: str) -> None:
    campaign, program = Campaign(setting), read_program(KEPT / f"{name}.jsonl")
    for _ in range(_ROUNDS):  # what RabbitMQ does hangs on which of its processes is faster
        campaign.perform(program, 20)
        if SHOWN[name] <= set(campaign.violated):
            break
    assert set(campaign.violated) == SHOWN[name]


def test_every_program_that_is_kept_is_tried() -> None:
    assert {path.stem for path in KEPT.glob("*.jsonl")} == set(SHOWN)
