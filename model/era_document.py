"""The JSON document of the table of eras, as types: they make it, and its JSON Schema.

`ackproof.model.era_table` fills them in.  The format is versioned by `SCHEMA`.
"""

from __future__ import annotations

from typing import Annotated, Any

from ackproof.lang.properties import CLAIMS
from ackproof.model.document import Count, Expectation, one_of, schema_of
from ackproof.model.outcome import Limit
from msgspec import UNSET, Meta, Struct, UnsetType

__all__ = [
    "SCHEMA",
    "BrokenOn",
    "EraCell",
    "EraColumn",
    "EraDocument",
    "EraRow",
    "EraRun",
    "Steps",
    "schema",
]

SCHEMA = "ackproof/eras/2"


class EraColumn(Struct, frozen=True, forbid_unknown_fields=True):
    """An era."""

    name: Annotated[str, Meta(description="what it is called")]
    model: Annotated[str, Meta(description="the name of the model")]
    claim: Annotated[
        str | None, Meta(description="the design's claim; null for the base specification")
    ]
    source: Annotated[
        str | None, Meta(description="where it comes from; null for the base specification")
    ]
    expectations: Annotated[list[Expectation], Meta(description="what is expected of it")]
    surprises: Annotated[
        list[str],
        Meta(description="what is not as the era says, without an expectation about it"),
    ]


class BrokenOn(Struct, frozen=True, forbid_unknown_fields=True):
    """An instance on which a property breaks."""

    instance: Annotated[str, Meta(description="where")]
    steps: Annotated[Count, Meta(description="length of the shortest run that breaks it there")]


class Steps(Struct, frozen=True, forbid_unknown_fields=True):
    """Steps of a run."""

    path: Annotated[list[Count], Meta(description="as numbers of action instances")]
    trace: Annotated[list[str], Meta(description="in words")]


class EraCell(Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a property in an era, and where it breaks, the shortest run."""

    era: Annotated[str, Meta(description="the column")]
    result: Annotated[
        str,
        one_of(
            *("breaks", "holds", "reached", "never", "vacuous", "open"),
            description="breaks: some run makes it false, and only then the other fields are "
            "there; holds: in the whole state space of some instance, and nowhere broken; reached, "
            "never: likewise, of a situation; vacuous: no instance lets it say anything; open: a "
            "search stopped before this was decided",
        ),
    ]
    broken: Annotated[
        list[BrokenOn] | UnsetType,
        Meta(description="every instance where it breaks, the one with the fewest steps first"),
    ] = UNSET
    path: Annotated[
        list[Count] | UnsetType,
        Meta(
            description="the shortest run, as numbers of action instances; with the digest's "
            "program, they say it all"
        ),
    ] = UNSET
    trace: Annotated[
        list[str] | UnsetType, Meta(description="the same run, its steps in words")
    ] = UNSET
    cycle: Annotated[
        Steps | UnsetType | None,
        Meta(
            description="for what must happen: the steps that happen over and over after the path, "
            "none where the run stays; null for all else"
        ),
    ] = UNSET


class EraRow(Struct, frozen=True, forbid_unknown_fields=True):
    """A property."""

    name: Annotated[str, Meta(description="the property")]
    kind: Annotated[str, one_of(*CLAIMS, "built-in")]
    doc: Annotated[str, Meta(description="what it claims")]
    cells: Annotated[list[EraCell], Meta(description="one for each era")]


class EraRun(Struct, frozen=True, forbid_unknown_fields=True):
    """The search of an era on an instance."""

    era: Annotated[str, Meta(description="which era")]
    instance: Annotated[str, Meta(description="which instance")]
    digest: Annotated[str, Meta(description="hash of everything that the state space depends on")]
    states: Annotated[Count, Meta(description="distinct states")]
    levels: Annotated[
        Count,
        Meta(description="levels of the breadth-first search, the initial state's included"),
    ]
    limit: Annotated[Limit | None, Meta(description="why the search stopped early")]
    same_as: Annotated[
        str | None,
        Meta(
            description="the era whose search this is, to the letter; null if it was searched "
            "itself"
        ),
    ]
    cached: Annotated[
        str | None,
        Meta(
            description="when the search was made, in UTC, if its outcome was taken from the "
            "cache; else null",
        ),
    ]


class EraDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """What `ackproof eras --json` prints: which property holds in which era."""

    schema: Annotated[str, one_of(SCHEMA, description="the version of this format")]
    exit_code: Annotated[
        int,
        one_of(0, 1, 3, description="0 as the eras expect, 1 something is not, 3 incomplete"),
    ]
    eras: Annotated[list[EraColumn], Meta(description="the columns")]
    properties: Annotated[list[EraRow], Meta(description="the rows")]
    runs: Annotated[list[EraRun], Meta(description="every era on every instance")]


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a document."""
    return schema_of(EraDocument, SCHEMA)
