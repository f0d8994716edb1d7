"""The model is asked by the command line, and its answer is read from the report."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ackproof.model.check import check
from ackproof.model.document import document

from bench.process import Failed
from bench.rabbitmq.model import Question, ask, era_of, read_trace
from tests.bench.eras.forgetful import design
from tests.bench.relay import MODEL

RELAY = "tests.bench.relay"
FORGETFUL = Question(f"{RELAY[:-6]}.eras.forgetful", "promotion", "EveryPublishSettles", RELAY)
STRICT = Question(f"{RELAY[:-6]}.eras.strict", "promotion", "NoAssertionFails", RELAY)


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return document([check(MODEL, MODEL.instances[0], design, engine="plain")])


def test_a_counterexample_has_its_steps_in_order() -> None:
    model = ask(FORGETFUL, accidents=True)
    assert model.violated
    actions = [step.action for step in model.steps]
    assert actions == ["publish", "master_tells", "lose_node", "promote", "deliver"]
    assert [step.action for step in model.steps if step.fault] == ["lose_node"]


def test_what_is_never_settled_is_in_the_queue_of_the_promoted_process() -> None:
    model = ask(FORGETFUL, accidents=True)
    assert model.published() == {1}
    assert model.settled() == {}
    assert model.held_by_promoted() == {1}


def test_without_accidents_the_property_holds() -> None:
    for question in (FORGETFUL, STRICT):
        model = ask(question, accidents=False)
        assert not model.violated
        assert model.states > 1


def test_an_assertion_that_fails_is_quoted() -> None:
    model = ask(STRICT, accidents=True)
    assert model.fails
    assert model.reason is not None
    assert "assert msg not in self.ready" in model.reason


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (Question(f"{RELAY}.absent", "promotion", "EveryPublishSettles", RELAY), "absent"),
        (Question(FORGETFUL.design, "demotion", "EveryPublishSettles", RELAY), "demotion"),
        (Question(FORGETFUL.design, "promotion", "EveryPublishSettle", RELAY), "Settle"),
    ],
    ids=["design", "instance", "property"],
)
def test_a_name_that_is_not_there_is_told(question: Question, said: str) -> None:
    with pytest.raises(Failed, match=said):
        ask(question, accidents=True)


def test_a_question_that_stays_open_is_no_answer(report: dict[str, Any]) -> None:
    undecided = copy.deepcopy(report)
    for known in undecided["results"][0]["properties"]:
        known["result"] = "open"
    with pytest.raises(Failed, match="leaves EveryPublishSettles on promotion open"):
        read_trace(undecided, FORGETFUL, accidents=True)


def test_a_frame_that_the_client_sees_is_read(report: dict[str, Any]) -> None:
    acked = copy.deepcopy(report)
    last = acked["results"][0]["violations"][0]["trace"][-1]
    last["events"] = [{"event": "Ack", "tag": 1, "multiple": True}]
    model = read_trace(acked, FORGETFUL, accidents=True)
    assert [str(frame) for frame in model.steps[-1].frames] == ["ack 1 multiple"]
    assert model.settled() == {1: "ack"}


def test_a_step_reads_as_words(report: dict[str, Any]) -> None:
    model = read_trace(report, FORGETFUL, accidents=True)
    assert str(model.steps[0]) == "publish: msg 1, not persistent"
    assert str(model.steps[2]) == "lose node"


@pytest.mark.parametrize(
    ("version", "era"),
    [
        ("3.10.8", "rabbitmq_3_10"),
        ("4.0.5", "rabbitmq_4_0"),
        ("4.2.1", "rabbitmq_4_0"),
        ("4.3.6", "rabbitmq_4_3"),
        ("5.1", "rabbitmq_4_3"),
    ],
)
def test_each_version_is_compared_with_its_era(version: str, era: str) -> None:
    assert era_of(version) == f"ackproof.spec.eras.{era}"


@pytest.mark.parametrize("version", ["3.9.29", "3.12.14"])
def test_a_version_that_nothing_is_known_of_is_refused(version: str) -> None:
    with pytest.raises(Failed, match=f"no era of RabbitMQ {version}"):
        era_of(version)
