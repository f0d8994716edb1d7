"""The JSON document of a simulation, as types: they make it, and its JSON Schema.

The format is versioned by `SCHEMA`.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from ackproof.model.document import (
    Beginning,
    Count,
    Explained,
    Seconds,
    Step,
    explained,
    one_of,
    schema_of,
)
from ackproof.model.document import beginning as beginning_of
from ackproof.model.document import steps as steps_of
from ackproof.model.simulation import Simulation
from ackproof.model.trace import Trace
from msgspec import Meta, Struct

__all__ = ["SCHEMA", "SimulationDocument", "document", "schema"]

SCHEMA = "ackproof/simulation/2"


class Found(Struct, frozen=True, forbid_unknown_fields=True):
    """A run that breaks a property."""

    property: Annotated[str, Meta(description="the name of the property")]
    doc: Annotated[str, Meta(description="what it claims")]
    steps: Annotated[
        Count,
        Meta(
            description="length of the trace; no step can be left out, but another may be shorter"
        ),
    ]
    reason: Annotated[str | None, Meta(description="for a built-in property: what failed")]
    explanation: Explained | None
    beginning: Annotated[
        list[Beginning],
        Meta(description="which initial state the run begins in: what may start with anything"),
    ]
    trace: Annotated[list[Step], Meta(description="the steps from the initial state")]


class Names(Struct, frozen=True, forbid_unknown_fields=True):
    """What came up, and what did not."""

    met: Annotated[list[str], Meta(description="those that came up in some walk")]
    not_met: Annotated[list[str], Meta(description="those that came up in none")]
    off: Annotated[list[str], Meta(description="those that cannot come up on this instance")]


class SimulationDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """What `ackproof simulate --json` prints."""

    schema: Annotated[str, one_of(SCHEMA, description="the version of this format")]
    exit_code: Annotated[
        int, one_of(1, 3, description="1 if a property is false, else 3: walks do not see all")
    ]
    model: Annotated[str, Meta(description="the name of the model")]
    design: Annotated[str | None, Meta(description="the name of the design, if there was one")]
    instance: Annotated[str, Meta(description="the name of the instance")]
    seed: Annotated[int, Meta(description="with it the same walks are walked again")]
    walks: Annotated[Count, Meta(description="walks that were begun")]
    longest: Annotated[Count, Meta(description="steps that a walk had at most")]
    ended: Annotated[Count, Meta(description="walks that came to where nothing changes any more")]
    steps: Annotated[Count, Meta(description="steps that were taken")]
    looked_at: Annotated[
        Count, Meta(description="steps whose properties were looked at, taken or not")
    ]
    taken: Annotated[dict[str, Count], Meta(description="steps that were taken, by action")]
    actions: Names
    situations: Annotated[Names, Meta(description="`@reachable` situations")]
    unjudged: Annotated[list[str], Meta(description="properties of runs, which no walk can break")]
    violations: Annotated[list[Found], Meta(description="what is false, the shortest run first")]
    seconds: Annotated[Seconds, Meta(description="time that the walks took")]
    interrupted: Annotated[bool, Meta(description="whether somebody ended them")]


def document(found: Simulation) -> dict[str, Any]:
    """Return the document of a simulation, as JSON data."""
    walked = found.walked
    made = SimulationDocument(
        schema=SCHEMA,
        exit_code=found.exit_code,
        model=found.bound.program.name,
        design=found.design,
        instance=found.bound.instance.name,
        seed=walked.seed,
        walks=walked.walks,
        longest=found.length,
        ended=walked.ended,
        steps=walked.steps,
        looked_at=walked.looked_at,
        taken=dict(walked.taken),
        actions=_names(found.actions, "taken", "never taken"),
        situations=_names(found.situations, "reached", "not reached"),
        unjudged=found.unjudged,
        violations=[_found(trace) for trace in found.traces],
        seconds=walked.seconds,
        interrupted=walked.interrupted,
    )
    data: dict[str, Any] = msgspec.to_builtins(made)
    return data


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    return schema_of(SimulationDocument, SCHEMA)


def _names(said: dict[str, list[str]], met: str, not_met: str) -> Names:
    return Names(said.get(met, []), said.get(not_met, []), said.get("off", []))


def _found(trace: Trace) -> Found:
    return Found(
        property=trace.property,
        doc=trace.doc,
        steps=len(trace.steps),
        reason=trace.reason or None,
        explanation=explained(trace.explanation) if trace.explanation else None,
        beginning=beginning_of(trace),
        trace=steps_of(trace.steps),
    )
