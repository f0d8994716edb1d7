"""What RabbitMQ did is compared with what the model says, point by point."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.rabbitmq.agreement import compare
from bench.rabbitmq.frames import Frame
from bench.rabbitmq.model import ModelStep, ModelTrace, Question
from bench.rabbitmq.observation import Observation

ACKED = Frame("ack", 150, multiple=True)
LATER = Frame("ack", 151)

FINE = Observation("control", 150, (ACKED, LATER), LATER, 151, 0, False, None, ())
SILENT = replace(FINE, frames=(LATER,), unconfirmed=150, promoted=True)
CRASHED = replace(
    FINE,
    frames=(Frame("nack", 1, multiple=True), Frame("nack", 150, multiple=True)),
    later=None,
    queue_length=0,
    promoted=True,
    crash="{badmatch,true} in rabbit_mirror_queue_master:discard/4",
)


def step(action: str, *, fails: bool = False, **changes: object) -> ModelStep:
    places = {name.replace("__", "[r1]."): value for name, value in changes.items()}
    arguments = {"msg": 1} if action == "publish" else {}
    return ModelStep(action, arguments, action == "lose_node", fails, (), places)


PUBLISHED = (step("publish"), step("master_tells", replicas__ready=[1]), step("lose_node"))
PROMOTED = (*PUBLISHED, step("promote", replicas__promoted=True))

HOLDS = ModelTrace(Question("era", "promotion", "P"), False, 99, (), None, None)
NEVER = replace(HOLDS, accidents=True, steps=(*PROMOTED, step("deliver")))
FAILS = replace(NEVER, steps=(*PROMOTED, step("deliver", fails=True)), reason="assert fresh")


@pytest.mark.parametrize(
    ("seen", "model"), [(FINE, HOLDS), (SILENT, NEVER), (CRASHED, FAILS)], ids=["fine", "d1", "d5"]
)
def test_what_the_model_says_agrees(seen: Observation, model: ModelTrace) -> None:
    agreement = compare(seen, model)
    assert agreement.agrees
    assert str(agreement).startswith("agrees: the messages: 150 ")


@pytest.mark.parametrize("seen", [FINE, SILENT, CRASHED], ids=["fine", "d1", "d5"])
@pytest.mark.parametrize("model", [HOLDS, NEVER, FAILS], ids=["fine", "d1", "d5"])
def test_each_observation_agrees_with_one_answer(seen: Observation, model: ModelTrace) -> None:
    right = {id(FINE): HOLDS, id(SILENT): NEVER, id(CRASHED): FAILS}[id(seen)]
    assert compare(seen, model).agrees == (model is right)


def test_a_difference_says_what_either_side_says() -> None:
    said = str(compare(FINE, NEVER))
    assert said.startswith("differs: the messages: the model says never settled, RabbitMQ 150 ack")


def test_each_point_says_whether_the_model_or_a_rule_has_the_answer() -> None:
    by = {point.about: point.by for point in compare(CRASHED, FAILS).points}
    assert by["the queue"] == "the model"
    assert by["the messages"] == "rule A9"


@pytest.mark.parametrize(
    ("seen", "about"),
    [
        (replace(SILENT, frames=(Frame("ack", 1), LATER)), "the messages"),
        (replace(SILENT, unconfirmed=149), "the channel waits"),
        (replace(SILENT, crash="a crash"), "the queue"),
        (replace(SILENT, later=Frame("nack", 151)), "a later message"),
        (replace(SILENT, queue_length=150), "and yet"),
        (replace(SILENT, promoted=False), "and yet"),
    ],
)
def test_every_point_can_differ(seen: Observation, about: str) -> None:
    differing = [point.about for point in compare(seen, NEVER).points if not point.agrees]
    assert about in differing


def test_a_crash_after_which_something_is_acked_differs() -> None:
    acked = replace(CRASHED, frames=(Frame("ack", 1), Frame("nack", 150, multiple=True)))
    assert not compare(acked, FAILS).agrees


def test_a_model_whose_promoted_process_has_nothing_differs_from_a_full_queue() -> None:
    empty = replace(NEVER, steps=(*NEVER.steps, step("drop", replicas__ready=[])))
    assert not compare(SILENT, empty).agrees
