"""The JSON document of a kill matrix, as types: they make it, and its JSON Schema.

The format is versioned by `SCHEMA`.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from ackproof.model.document import Count, one_of, schema_of
from ackproof.model.mutation.judging import Fate
from ackproof.model.mutation.matrix import Entry, Matrix
from msgspec import Meta, Struct

__all__ = ["SCHEMA", "MutantEntry", "MutationDocument", "document", "schema"]

SCHEMA = "ackproof/mutation/1"

_Text = Annotated[str, Meta(min_length=1)] | None


class Killer(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that notices a mutant."""

    property: Annotated[str, Meta(description="its name; or that of what never comes up any more")]
    steps: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="length of the shortest run that breaks it; null if no run does"),
    ]


class MutantEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A mutant, and what became of it."""

    place: Annotated[str, Meta(description="the class and the method, `Channel.settle`")]
    kind: Annotated[str, Meta(description="what the method is: action, fault, handler, helper …")]
    where: Annotated[str, Meta(description="the file and the line")]
    what: Annotated[str, Meta(description="the mistake")]
    fate: Annotated[str, one_of(*(fate.value for fate in Fate), description="what became of it")]
    instance: Annotated[_Text, Meta(description="the smallest one that notices it; else null")]
    killers: Annotated[list[Killer], Meta(description="all that notice it there, the first first")]
    searched: Annotated[list[str], Meta(description="the instances on which it was searched")]
    other_states_on: Annotated[
        list[str], Meta(description="those where it came to other states or steps than the base")
    ]
    problem: Annotated[_Text, Meta(description="why the front end does not take it; else null")]
    explanation: Annotated[_Text, Meta(description="why it is no mistake, if the model says so")]


class Totals(Struct, frozen=True, forbid_unknown_fields=True):
    """How many mutants of a class had each fate."""

    owner: Annotated[str, Meta(description="the class")]
    killed: Count
    survived: Count
    unchanged: Count
    unreached: Count
    rejected: Count
    explained: Annotated[Count, Meta(description="how many of them the model explains")]


class Notices(Struct, frozen=True, forbid_unknown_fields=True):
    """How many mutants a property notices."""

    name: Annotated[str, Meta(description="of the property, or of what never comes up any more")]
    first: Annotated[Count, Meta(description="by the shortest run of all that notice it")]
    at_all: Count
    alone: Annotated[Count, Meta(description="as the only one")]


class MutationDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """What `ackproof mutate --json` prints."""

    schema: Annotated[str, one_of(SCHEMA, description="the version of this format")]
    exit_code: Annotated[
        int,
        one_of(0, 1, 3, description="0 all noticed or explained, 1 something is not, 3 stopped"),
    ]
    model: Annotated[str, Meta(description="the name of the model")]
    mutants: Annotated[Count, Meta(description="how many there are")]
    judged: Annotated[Count, Meta(description="how many were looked at")]
    states: Annotated[
        Count, Meta(description="how many states of the base were to be spent on each")
    ]
    entries: Annotated[list[MutantEntry], Meta(description="those that were looked at")]
    totals: list[Totals]
    properties: list[Notices]
    stale_explanations: Annotated[
        list[str], Meta(description="explanations of mutants that there are not")
    ]


def document(matrix: Matrix) -> dict[str, Any]:
    """Return a kill matrix as a JSON document."""
    found = MutationDocument(
        schema=SCHEMA,
        exit_code=matrix.exit_code,
        model=matrix.model.name,
        mutants=len(matrix.mutants),
        judged=len(matrix.entries),
        states=matrix.states,
        entries=[_entry(entry) for entry in matrix.entries],
        totals=[
            Totals(owner, **{n: counts[n] for n in (*(f.value for f in Fate), "explained")})
            for owner, counts in matrix.totals().items()
        ],
        properties=[Notices(n.name, n.first, n.at_all, n.alone) for n in matrix.by_property()],
        stale_explanations=matrix.stale,
    )
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return plain


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a document."""
    return schema_of(MutationDocument, SCHEMA)


def _entry(entry: Entry) -> MutantEntry:
    verdict, mutant = entry.verdict, entry.mutant
    return MutantEntry(
        place=mutant.place.name,
        kind=mutant.place.kind,
        where=mutant.where,
        what=mutant.what,
        fate=verdict.fate.value,
        instance=verdict.instance or None,
        killers=[Killer(name, steps or None) for name, steps in verdict.killers],
        searched=list(verdict.searched),
        other_states_on=list(verdict.other),
        problem=verdict.problem or None,
        explanation=entry.explanation or None,
    )
