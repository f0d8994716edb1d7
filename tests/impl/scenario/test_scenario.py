"""A scenario as a document: what it says when it is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.limits import Limits
from ackproof.impl.node import known_faults
from ackproof.impl.options import Options
from ackproof.impl.scenario.scenario import Scenario, ScenarioError, read_scenario
from ackproof.impl.staging.scenario_options import fitted


def with_fault(**said: Any) -> dict[str, Any]:
    """Return a document with a fault that is right, and then a fault."""
    return {"scenario": 1, "faults": [{"fault": "nack_next"}, said]}


def at(sent: object) -> dict[str, Any]:
    """Return a document with a fault that comes after something was sent."""
    return with_fault(fault="heal", after={"1": {"sent": sent}})


@pytest.mark.parametrize(
    ("document", "error"),
    [
        ([], "the document is no object; it may have scenario, options, faults"),
        ({}, 'the document says "scenario": null; it must be 1'),
        ({"scenario": True}, 'the document says "scenario": true; it must be 1'),
        ({"scenario": 2}, 'the document says "scenario": 2; it must be 1'),
        ({"scenario": 1, "faults": {}}, "the document: faults must be a list"),
        ({"scenario": 1, "fault": []}, 'the document: there is no field "fault"; there are'),
        (with_fault(), 'fault 2: there is no fault ""; there are block, '),
        (with_fault(fault="nak_next"), 'fault 2: there is no fault "nak_next"; did you mean nack_'),
        (with_fault(fault=1), "fault 2: fault must be a text"),
        (
            with_fault(fault="crash_queue", arguments={}),
            "fault 2: crash_queue: missing a required argument: 'name'; it takes name",
        ),
        (
            with_fault(fault="nack_next", arguments={"self": 1}),
            "fault 2: nack_next: got an unexpected argument 'self'; it may take n, exch",
        ),
        (
            with_fault(fault="heal", after={"first": {}}),
            'fault 2: after names the connection "first"; give its number, from 1',
        ),
        (with_fault(fault="heal", after={"0": {}}), 'the connection "0"; give its number, from 1'),
        (with_fault(fault="heal", after={"1": []}), "fault 2, connection 1 is no object"),
        (at(3), "fault 2, connection 1: sent must be an object"),
        (
            at({"queue.declar": 1}),
            'fault 2, connection 1, sent: there is no "queue.declar" to count; did you mean queue.',
        ),
        (at({"basic.ack": 0}), "sent: basic.ack is 0; give how often, a number from 1"),
        (at({"basic.ack": True}), "sent: basic.ack is true; give how often, a number from 1"),
        (at({"basic.ack": 2**63}), "give how often"),
        (
            with_fault(fault="heal", after={"1": {"heard": {"basic.ack": 1}}}),
            'heard: there is no "basic.ack" to count',
        ),
    ],
)
def test_a_document_that_is_none_is_refused_by_the_number_of_the_fault(
    document: object, error: str
) -> None:
    with pytest.raises(ScenarioError) as refused:
        Scenario.from_json(document, known_faults())
    assert error in str(refused.value)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b'{"scenario": 1,\n "faults": [\n}', "scenario.json, line 3: no JSON, Expecting value"),
        (b'{"scenario": NaN}', "scenario.json is no JSON: NaN is not a number of JSON"),
        (b"\xff", "scenario.json is no JSON: 'utf-8' codec"),
        (b"[" * 100_000, "scenario.json is no JSON: "),
        (b"[]", "scenario.json: the document is no object"),
    ],
)
def test_a_file_that_has_none_is_refused_by_its_name_and_line(
    tmp_path: Path, text: bytes, error: str
) -> None:
    file = tmp_path / "scenario.json"
    file.write_bytes(text)
    with pytest.raises(ScenarioError) as refused:
        read_scenario(file, known_faults())
    assert error in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"cannot read the scenario .*none: No such file"):
        read_scenario(tmp_path / "none", known_faults())


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sede": 1}, "there is no 'sede'; there are seed, replicas"),
        ({"seed": "1"}, "seed cannot be '1'"),
        ({"seed": True}, "seed cannot be True"),
        ({"immediate": 1}, "immediate cannot be 1"),
        ({"replicas": 99}, "replicas is 99; it must be from 1 to 9"),
        ({"vhosts": [1]}, "vhosts must be names, not \\[1\\]"),
        ({"limits": {"queue": 1}}, "there is no limit 'queue'; there are connections"),
        ({"limits": {"queues": "1"}}, "the limit queues cannot be '1'"),
        ({"limits": {"queues": 0}}, "queues is 0; it must be 1 or more"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(options: dict[str, Any], error: str) -> None:
    with pytest.raises(ScenarioError, match=f"the scenario, options: {error}"):
        fitted(Options(), Scenario(options))


def test_options_are_those_of_the_scenario_where_nothing_else_was_asked_for() -> None:
    scenario = Scenario({"seed": 5, "limits": {"queues": 9}})
    assert fitted(Options(host="::1"), scenario) == Options(
        host="::1", seed=5, limits=Limits(queues=9)
    )
    assert fitted(Options(seed=5), scenario).seed == 5
