"""The report of a campaign: one document, and as JUnit for whatever collects results of tests.

The types of this module are the document, and its JSON Schema; the format is versioned by `SCHEMA`.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from ackproof.conform.kit.campaign import Campaign, Violated
from ackproof.conform.kit.ledger import RULES
from ackproof.conform.violations import RULES as JUDGED
from ackproof.model.document import Count, one_of, schema_of
from msgspec import Meta, Struct

__all__ = ["SCHEMA", "Broken", "ConformDocument", "Incomplete", "document", "junit", "schema"]

SCHEMA = "ackproof/conform/1"


class Broken(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule that the broker has broken."""

    rule: Annotated[str, Meta(description="the property, or the rule, where no property says it")]
    rules: Annotated[list[str], Meta(description="the rules that the property states, if known")]
    why: Annotated[str, Meta(description="what was seen when the program was run")]
    seed: Annotated[int, Meta(description="seed of that run; of a replay, which run it was")]
    run: Annotated[Count, Meta(description="which run that was, from 1")]
    runs: Annotated[Count, Meta(description="in how many runs it was seen")]
    operations: Annotated[Count, Meta(description="operations of the program of that run")]
    program: Annotated[list[Any], Meta(description="a small program that shows it")]
    file: Annotated[str, Meta(description="where that is kept; empty if it is not")]


class Incomplete(Struct, frozen=True, forbid_unknown_fields=True):
    """A run that could not be brought to its end."""

    seed: Annotated[int, Meta(description="its seed")]
    why: Annotated[str, Meta(description="what came in between")]


class ConformDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """What `ackproof conform --json` prints."""

    schema: Annotated[str, one_of(SCHEMA, description="the version of this format")]
    exit_code: Annotated[int, one_of(0, 1, 3, description="the exit code of the command")]
    verdict: Annotated[
        str,
        one_of(
            *("conforms", "violated", "incomplete"),
            description="conforms: nothing was found that the specification does not explain; "
            "violated: something was; incomplete: nothing was, and runs could not be brought to "
            "their end, it was interrupted, or there were none",
        ),
    ]
    broker: Annotated[str, Meta(description="its address")]
    runs: Annotated[Count, Meta(description="programs that were run")]
    seconds: Annotated[float, Meta(description="how long that took, minimising included")]
    operations: Annotated[
        dict[str, int], Meta(description="what the programs had in them, how often")
    ]
    seen: Annotated[
        dict[str, int],
        Meta(description="what came of it: messages by what became of them, deliveries, events"),
    ]
    interrupted: Annotated[bool, Meta(description="it was ended before its time")]
    violations: list[Broken]
    incomplete: list[Incomplete]


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    return schema_of(ConformDocument, SCHEMA)


def document(
    campaign: Campaign, broker: str, seconds: float, files: dict[str, str]
) -> ConformDocument:
    """Return what a campaign has shown.

    Args:
        campaign: it.
        broker: the address, as it may be shown.
        seconds: how long it took.
        files: where the programs of violations are kept, by rule.
    """
    verdict = "conforms"
    if campaign.violated:
        verdict = "violated"
    elif campaign.incomplete or campaign.interrupted or not campaign.ran:
        verdict = "incomplete"
    return ConformDocument(
        schema=SCHEMA,
        exit_code={"conforms": 0, "violated": 1, "incomplete": 3}[verdict],
        verdict=verdict,
        broker=broker,
        runs=len(campaign.ran),
        seconds=round(seconds, 1),
        operations=dict(sorted(campaign.operations.items())),
        seen={name: count for name, count in sorted(campaign.counts.items()) if count},
        interrupted=campaign.interrupted,
        violations=[_broken(v, files) for v in campaign.violated.values()],
        incomplete=[Incomplete(ran.seed, ran.result.incomplete) for ran in campaign.incomplete],
    )


def _broken(violated: Violated, files: dict[str, str]) -> Broken:
    name = violated.finding.name
    return Broken(
        rule=name,
        rules=list({**JUDGED, **RULES}.get(name, ())),
        why=violated.finding.why,
        seed=violated.seed,
        run=violated.at,
        runs=violated.runs,
        operations=violated.original,
        program=[msgspec.to_builtins(operation) for operation in violated.program],
        file=files.get(name, ""),
    )


def junit(campaign: Campaign) -> bytes:
    """Return a campaign as JUnit's XML: a test case for each run, with what it has broken."""
    failed = [ran for ran in campaign.ran if ran.result.findings]
    skipped = [r for r in campaign.ran if r.result.incomplete and not r.result.findings]
    suite = ET.Element(
        "testsuite",
        name="ackproof conform",
        tests=str(len(campaign.ran)),
        failures=str(len(failed)),
        errors="0",
        skipped=str(len(skipped)),
        time=f"{sum(ran.seconds for ran in campaign.ran):.3f}",
    )
    for ran in campaign.ran:
        name, took = f"seed {ran.seed}", f"{ran.seconds:.3f}"
        case = ET.SubElement(suite, "testcase", classname="ackproof.conform", name=name, time=took)
        found = ran.result.findings
        if found:
            text = "\n".join(f"{finding.name}: {finding.why}" for finding in found)
            _add(
                case, "failure", found[0].name, [*text.splitlines(), *_programs(campaign, ran.seed)]
            )
        elif ran.result.incomplete:
            _add(case, "skipped", ran.result.incomplete, [])
    written: bytes = ET.tostring(suite, encoding="utf-8", xml_declaration=True)
    return written


def _add(case: ET.Element, kind: str, message: str, lines: Iterable[str]) -> None:
    ET.SubElement(case, kind, message=_printable(message)).text = _printable("\n".join(lines))


def _programs(campaign: Campaign, seed: int) -> Iterable[str]:
    for violated in campaign.violated.values():
        if violated.seed == seed:
            yield f"a small program that breaks {violated.finding.name}:"
            yield from (f"  {operation}" for operation in violated.program)


def _printable(text: str) -> str:
    """Return text without what XML has no room for; brokers may say anything."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
