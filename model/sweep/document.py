"""The JSON document of a sweep, as types: they make it, and its JSON Schema.

The format is versioned by `SCHEMA`.  What breaks is there as the result of a check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from ackproof.model.document import Count, Result, Value, document_results, one_of, schema_of
from ackproof.model.report import Report
from ackproof.model.sweep.looking import Fate
from ackproof.model.sweep.plan import Entry, Row, Sweep
from msgspec import Meta, Struct

__all__ = ["SCHEMA", "SweepDocument", "document", "schema"]

SCHEMA = "ackproof/sweep/2"


class Changed(Struct, frozen=True, forbid_unknown_fields=True):
    """A constant that is not as usual."""

    constant: Annotated[str, Meta(description='its name, "Class.name"')]
    of: Annotated[
        list[Value], Meta(description="the elements of the process that has it; empty: of all")
    ]
    value: Value


class Broken(Struct, frozen=True, forbid_unknown_fields=True):
    """A property that is violated."""

    property: str
    steps: Annotated[Count, Meta(description="length of the shortest run there")]


class Looked(Struct, frozen=True, forbid_unknown_fields=True):
    """An instance that was begun."""

    name: Annotated[str, Meta(description="what it is called in this sweep")]
    growth: Annotated[Count, Meta(description="steps from the smallest instance")]
    sizes: Annotated[dict[str, Count], Meta(description="elements of each sort")]
    constants: list[Changed]
    faults: Annotated[list[str], Meta(description="those that may happen, once each")]
    fate: Annotated[str, one_of(*(fate.value for fate in Fate), description="what became of it")]
    same_as: Annotated[
        str | None, Meta(description="an earlier one that comes to the same code; else null")
    ]
    states: Annotated[Count, Meta(description="distinct states, as far as it was searched")]
    broken: list[Broken]
    problem: Annotated[str | None, Meta(description="why it cannot be searched; else null")]


class Line(Struct, frozen=True, forbid_unknown_fields=True):
    """The instances of one growth with so many faults together."""

    growth: Count
    faults: Count
    finished: Count
    same: Annotated[Count, Meta(description="that come to the code of an earlier one")]
    as_base: Annotated[Count, Meta(description="on which the design changes nothing")]
    cut: Annotated[Count, Meta(description="with more states than one may have")]
    broken: Count
    refused: Annotated[Count, Meta(description="that the engine has no room for")]
    skipped: Annotated[
        Count, Meta(description="not begun, for they grew from one that was cut or is broken")
    ]
    not_begun: Annotated[
        Count, Meta(description="not begun, for all states were spent; there may be more")
    ]
    states: Count


class SweepDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """What `ackproof check --sweep STATES --json` prints."""

    schema: Annotated[str, one_of(SCHEMA, description="the version of this format")]
    exit_code: Annotated[
        int,
        one_of(0, 1, 3, description="0 nothing breaks, 1 something does, 3 nothing was finished"),
    ]
    model: Annotated[str, Meta(description="the name of the model")]
    design: Annotated[str | None, Meta(description="the name of the design; null for none")]
    budget: Annotated[Count, Meta(description="states that could be spent")]
    spent: Annotated[
        Count, Meta(description="states that were, and some for each that is as the base")
    ]
    share: Annotated[Count, Meta(description="states that one instance may have")]
    whole: Annotated[
        Count, Meta(description="so many growths were looked at to the end, from the first on")
    ]
    senseless: Annotated[
        Count, Meta(description="shapes that the model's assumptions have left out")
    ]
    interrupted: bool
    never: Annotated[
        list[str],
        Meta(description="actions and situations that instances have room for, and none has met"),
    ]
    table: list[Line]
    instances: Annotated[list[Looked], Meta(description="those that were begun, in order")]
    results: Annotated[
        list[Result], Meta(description="the first instance for each property that breaks, checked")
    ]


def document(
    sweep: Sweep, design: str | None, reports: Sequence[Report], exit_code: int
) -> dict[str, Any]:
    """Return a sweep as a JSON document."""
    found = SweepDocument(
        schema=SCHEMA,
        exit_code=exit_code,
        model=sweep.growth.model.name,
        design=design,
        budget=sweep.budget,
        spent=sweep.spent,
        share=sweep.share,
        whole=sweep.whole,
        senseless=sweep.senseless,
        interrupted=sweep.interrupted,
        never=sweep.never,
        table=[_line(row) for row in sweep.rows],
        instances=[_looked(entry) for entry in sweep.entries],
        results=document_results(reports),
    )
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return plain


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a document."""
    return schema_of(SweepDocument, SCHEMA)


def _line(row: Row) -> Line:
    return Line(**vars(row))


def _looked(entry: Entry) -> Looked:
    candidate, found = entry.candidate, entry.found
    return Looked(
        name=candidate.name,
        growth=candidate.growth,
        sizes=dict(candidate.shape.sizes),
        constants=[
            Changed(name, list(keys), sorted(value) if isinstance(value, frozenset) else value)
            for (name, keys), value in candidate.shape.values
        ],
        faults=list(candidate.faults),
        fate=found.fate.value,
        same_as=entry.same or None,
        states=found.states,
        broken=[Broken(b.property, b.steps) for b in found.broken],
        problem=found.problem or None,
    )
