"""An ITF file holds the states of a counterexample, and nothing is lost on the way."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ackproof.lang.types import MapT, OptionT, RecordT, SeqT, SetT, SortT, Type
from ackproof.model.check import check
from ackproof.model.itf import ACTION, PICKS, itf_trace
from ackproof.model.trace import Trace

from tests.model import mailroom
from tests.models import die_hard


@pytest.fixture(scope="module")
def trace() -> Trace:
    report = check(mailroom.MODEL, mailroom.PAIR, properties=["ToldIsKept"], engine="plain")
    return report.traces[0]


@pytest.fixture(scope="module")
def itf(trace: Trace) -> dict[str, Any]:
    written: dict[str, Any] = json.loads(json.dumps(itf_trace(trace)))
    return written


def read(value: Any, t: Type, default: Any) -> Any:
    """Return an ITF value as data, as somebody who knows only the format would read it."""
    if isinstance(t, OptionT):
        return None if value["tag"] == "None" else read(value["value"], t.inner, default)
    if isinstance(t, RecordT):
        assert list(value) == [n for n, _ in t.fields]
        return tuple(read(value[n], f, default) for n, f in t.fields)
    if isinstance(t, SetT):
        return frozenset(read(v, t.elem, default) for v in value["#set"])
    if isinstance(t, MapT):
        entries = [(read(k, t.key, default), read(v, t.value, default)) for k, v in value["#map"]]
        return frozenset(e for e in entries if e[1] != default(t.value))
    if isinstance(t, SeqT):
        return tuple(read(v, t.elem, default) for v in value)
    return int(value["#bigint"]) if isinstance(value, dict) else value


def test_every_state_can_be_read_back(trace: Trace, itf: dict[str, Any]) -> None:
    from ackproof.lang.data import default_data

    assert len(itf["states"]) == len(trace.states)
    for index, (written, state) in enumerate(zip(itf["states"], trace.states, strict=True)):
        assert written["#meta"]["index"] == index
        for loc, value in zip(trace.bound.locations, state, strict=False):
            found = written[loc.variable.name]
            for element, sort in zip(loc.elements, loc.variable.families, strict=True):
                keys = {read(k, SortT(sort.name, sort.ordered), None): v for k, v in found["#map"]}
                found = keys[element]
            expected = read(
                found, loc.variable.type, lambda t: default_data(t, trace.bound.elements)
            )
            assert expected == value


def test_its_variables_are_those_of_the_system_and_two_that_tell_the_step(
    itf: dict[str, Any],
) -> None:
    assert itf["vars"] == [
        "told",
        "clerk.following",
        "clerk.stamps",
        "clerk.boxes",
        "clerk.handled",
        "boxes.held",
        "boxes.shelf.stored",
        ACTION,
        PICKS,
    ]
    assert all(set(s) == {"#meta", *itf["vars"]} for s in itf["states"])
    assert itf["#meta"]["format"] == "ITF"


def test_every_kind_of_value_has_its_encoding(itf: dict[str, Any]) -> None:
    state = itf["states"][2]
    assert state["told"] == {"#set": [{"#bigint": "1"}]}
    assert state["clerk.handled"] == {"#bigint": "1"}
    assert state["clerk.following"] == {"tag": "Some", "value": {"#bigint": "2"}}
    assert state["clerk.stamps"] == {
        "#map": [
            [{"#bigint": "1"}, {"ink": "RED", "express": True}],
            [{"#bigint": "2"}, {"ink": "BLUE", "express": False}],
        ]
    }
    assert state["boxes.held"] == {
        "#map": [["box1", {"#set": [{"#bigint": "1"}]}], ["box2", {"#set": []}]]
    }


def test_each_state_tells_the_action_that_led_to_it(itf: dict[str, Any]) -> None:
    assert [s[ACTION] for s in itf["states"]] == ["init", "hand_in", "confirm", "burn"]
    none = {"tag": "None", "value": {"#tup": []}}
    assert itf["states"][0][PICKS] == {"letter": none, "targets": none, "box": none}
    assert itf["states"][1][PICKS] == {
        "letter": {"tag": "Some", "value": {"#bigint": "1"}},
        "targets": {"tag": "Some", "value": {"#set": ["box1"]}},
        "box": none,
    }


def test_a_failing_step_adds_no_state() -> None:
    report = check(mailroom.MODEL, mailroom.LARGE, properties=[], engine="plain")
    found = itf_trace(report.traces[0])
    assert [s[ACTION] for s in found["states"]] == ["init", "hand_in", "hand_in"]


def test_the_shortest_solution_of_die_hard_has_seven_states() -> None:
    report = check(die_hard.MODEL, die_hard.MODEL.instances[0], engine="plain")
    assert len(itf_trace(report.traces[0])["states"]) == 7


def test_the_meta_of_a_state_has_the_step_that_led_to_it(trace: Trace, itf: dict[str, Any]) -> None:
    metas = [state["#meta"] for state in itf["states"]]
    assert metas[0] == {"index": 0, "action": "init", "args": {}}
    assert [m["action"] for m in metas[1:]] == [s.instance.action.name for s in trace.steps]
    (hand_in, *_) = [m for m in metas if m["action"] == "hand_in"]
    assert set(hand_in["args"]) == {"letter", "targets"}
    assert [m["action"] for m in metas] == [s[ACTION] for s in itf["states"]]
