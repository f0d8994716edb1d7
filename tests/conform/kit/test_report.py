"""What a campaign has shown is one document, and JUnit's XML beside it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter

import jsonschema
import msgspec
from ackproof.conform.kit.campaign import Campaign, Ran, Violated
from ackproof.conform.kit.ledger import Finding
from ackproof.conform.kit.operations import Do, Operation
from ackproof.conform.kit.report import document, junit, schema
from ackproof.conform.kit.running import Result, Setting
from ackproof.conform.kit.url import parse

LOST = Finding("AckMeansAccepted", "message 1 is <nowhere>\x00")
SMALL = [Operation(Do.PUBLISH, queue="q1")]


def campaign(*results: Result) -> Campaign:
    """A campaign with these results, by seeds from 5 on."""
    made = Campaign(Setting(parse("amqp://127.0.0.1")))
    made.ran = [Ran(seed, 3, result, 0.25) for seed, result in enumerate(results, 5)]
    made.counts = Counter(acked=2, nacked=0)
    for ran in made.ran:
        for finding in ran.result.findings:
            made.violated[finding.name] = Violated(finding, ran.seed, 2, SMALL, 3)
    return made


GOOD, BAD, HALF = Result(), Result([LOST]), Result(incomplete="no answer")


def test_the_verdict_is_the_worst_that_was_seen() -> None:
    cases = {
        "conforms": (GOOD, GOOD),
        "violated": (GOOD, BAD, HALF),
        "incomplete": (GOOD, HALF),
    }
    codes = {"conforms": 0, "violated": 1, "incomplete": 3}
    for verdict, results in cases.items():
        found = document(campaign(*results), "amqp://b", 1.0, {})
        assert (found.verdict, found.exit_code) == (verdict, codes[verdict])


def test_without_a_run_nothing_is_verified() -> None:
    assert document(campaign(), "amqp://b", 0.0, {}).exit_code == 3


def test_the_document_is_as_its_schema_says() -> None:
    found = document(campaign(GOOD, BAD, HALF), "amqp://b", 1.0, {LOST.name: "f.jsonl"})
    built = msgspec.to_builtins(found)
    jsonschema.validate(built, schema())
    (violation,) = built["violations"]
    assert (violation["rule"], violation["seed"], violation["file"]) == (LOST.name, 6, "f.jsonl")
    assert violation["rules"] == ["INV-A11"]
    assert violation["program"] == [{"do": "publish", "queue": "q1"}]
    assert built["seen"] == {"acked": 2}
    assert built["incomplete"] == [{"seed": 7, "why": "no answer"}]


def test_junit_has_a_case_for_each_run() -> None:
    suite = ET.fromstring(junit(campaign(GOOD, BAD, HALF)))
    counts = {name: suite.get(name) for name in ("tests", "failures", "skipped", "time")}
    assert counts == {"tests": "3", "failures": "1", "skipped": "1", "time": "0.750"}
    good, bad, half = suite
    assert (good.get("name"), list(good)) == ("seed 5", [])
    assert bad[0].get("message") == "AckMeansAccepted"
    assert bad[0].text is not None
    assert "message 1 is <nowhere>?" in bad[0].text
    assert "1.1 publish queue=q1" in bad[0].text
    assert half[0].tag == "skipped"
