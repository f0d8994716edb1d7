"""A report's JSON is what its schema says, and says what the check found."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec
import pytest
from ackproof.model.check import check
from ackproof.model.document import SCHEMA, Document, document, schema

from tests.model import mailroom
from tests.model.lower import depot
from tests.models import dining


def made(properties: list[str] | None, **options: Any) -> dict[str, Any]:
    report = check(mailroom.MODEL, mailroom.PAIR, properties=properties, engine="plain", **options)
    parsed: dict[str, Any] = json.loads(json.dumps(document([report])))
    return parsed


@pytest.fixture(scope="module")
def violated() -> dict[str, Any]:
    return made(["ToldIsKept", "Impossible"])


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["title"] == SCHEMA


def test_every_verdict_makes_a_valid_document(violated: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(schema())
    validator.validate(violated)
    validator.validate(made(["NothingIsLost"], max_depth=1))
    report = check(dining.MODEL, dining.MODEL.instances[0], engine="plain")
    expectation = {"text": "it holds", "came_true": True, "found": "it holds"}
    validator.validate(document([report], [expectation]))


def test_a_document_is_read_as_the_types_that_describe_it(violated: dict[str, Any]) -> None:
    found = msgspec.convert(violated, Document)
    assert found.results[0].violations[0].explanation is not None
    assert msgspec.to_builtins(found) == violated


def test_what_is_off_makes_a_valid_document() -> None:
    (result,) = document([check(depot.MODEL, depot.OFF, engine="plain")])["results"]
    jsonschema.Draft202012Validator(schema()).validate(document([]) | {"results": [result]})
    assert result["instance"]["sizes"] == {"Parcel": 2, "Van": 0}
    assert {"load", "fire", "Burnt"} <= set(result["off"])
    assert {p["result"] for p in result["properties"]} >= {"off", "vacuous"}


def test_a_field_that_the_schema_does_not_know_is_refused(violated: dict[str, Any]) -> None:
    extended = {**violated, "results": [{**violated["results"][0], "mood": "good"}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(extended, schema())


def test_it_carries_verdict_counts_and_the_instance(violated: dict[str, Any]) -> None:
    (result,) = violated["results"]
    assert (violated["schema"], violated["exit_code"]) == (SCHEMA, 1)
    assert (result["verdict"], result["limit"]) == ("violated", None)
    assert result["states"] == sum(result["level_sizes"])
    assert result["levels"] == len(result["level_sizes"])
    assert result["generated"] == result["transitions"] + 1
    assert sum(a["enabled"] for a in result["actions"]) == result["transitions"]
    assert result["instance"] == {
        "name": "pair",
        "purpose": "two boxes, two letters, one fire",
        "sizes": {"Letter": 2, "Box": 2},
        "faults": {"burn": 1},
        "constants": [
            {"name": "Mailbox.lockable", "of": ["box1"], "value": True},
            {"name": "Mailbox.lockable", "of": ["box2"], "value": True},
        ],
    }
    assert result["off"] == ["flood", "strike"]


def test_it_carries_the_trace_and_the_explanation(violated: dict[str, Any]) -> None:
    (violation,) = violated["results"][0]["violations"]
    assert (violation["property"], violation["steps"]) == ("ToldIsKept", 3)
    assert violation["file"].endswith("mailroom.py")
    assert violation["explanation"]["cases"][0]["values"]["s.boxes[b].held"] == "{}"
    first, second, third = violation["trace"]
    assert first["args"] == {"letter": 1, "targets": ["box1"]}
    assert {
        "place": "clerk.stamps",
        "ghost": False,
        "before": [],
        "after": [[1, {"ink": "RED", "express": True}]],
    } in first["changes"]
    assert second["events"] == [{"event": "Receipt", "letter": 1, "safe": False}]
    assert second["changes"] == [{"place": "told", "ghost": True, "before": [], "after": [1]}]
    assert (third["action"], third["kind"], third["fails"]) == ("burn", "fault", False)


def test_the_digest_tells_programs_apart(violated: dict[str, Any]) -> None:
    again = made(["ToldIsKept", "Impossible"])["results"][0]
    other = made(["ToldIsKept"])["results"][0]
    assert again["digest"] == violated["results"][0]["digest"] != other["digest"]
