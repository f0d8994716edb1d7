"""The document of an audit: its types, its JSON Schema, and how a verdict follows from counts.

Whoever has judged and counted, in one process or on a cluster, says so in this form, and draws the
same conclusions from it.  The format is versioned by `SCHEMA`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from ackproof.conform.account import Bounds
from ackproof.conform.violations import Violation
from ackproof.model.document import Count, one_of, schema_of
from msgspec import Meta, Struct

__all__ = [
    "SCHEMA",
    "AuditDocument",
    "Confirms",
    "Found",
    "Messages",
    "Range",
    "Seen",
    "concluded",
    "found_of",
    "latency_of",
    "lost_of",
    "ranks_of",
    "schema",
]

SCHEMA = "ackproof/audit/2"

#: The percentiles of the time from a publish to its confirm.
_PERCENTILES = (50, 95, 99, 100)
_MILLISECONDS = 1000


class Found(Struct, frozen=True, forbid_unknown_fields=True):
    """A violation: the first event of a channel that the specification does not explain."""

    recording: Annotated[str, Meta(description="the file")]
    connection: Annotated[str, Meta(description="the connection, as the recording calls it")]
    channel: Annotated[Count, Meta(description="the number of the channel")]
    number: Annotated[Count, Meta(description="which event of the channel it is, from 1")]
    time: Annotated[
        float, Meta(description="seconds since 1970 when it was seen, by the clock of the observer")
    ]
    event: Annotated[str, Meta(description="its kind")]
    property: Annotated[
        str, Meta(description="the property that it breaks, or the rule, where no property says it")
    ]
    rules: Annotated[list[str], Meta(description="the rules that the property states")]
    why: Annotated[str, Meta(description="what is wrong with it")]


class Range(Struct, frozen=True, forbid_unknown_fields=True):
    """A number that may not be known exactly, since messages may look alike."""

    least: Annotated[Count, Meta(description="so many at least")]
    most: Annotated[Count, Meta(description="so many at most")]


class Messages(Struct, frozen=True, forbid_unknown_fields=True):
    """What became of messages, across channels."""

    published: Annotated[Count, Meta(description="messages that were published")]
    confirmed: Annotated[Count, Meta(description="of these acked or committed, returned or not")]
    nacked: Annotated[Count, Meta(description="of these nacked")]
    unsettled: Annotated[Count, Meta(description="of these, of which the publisher heard nothing")]
    returned: Annotated[Count, Meta(description="returns")]
    deliveries: Annotated[Count, Meta(description="times that a message was handed out")]
    redelivered: Annotated[Count, Meta(description="of these marked as redelivered")]
    strangers: Annotated[Count, Meta(description="of these, of what was not seen published")]
    delivered: Annotated[Range, Meta(description="messages that were delivered at least once")]
    lost: Annotated[
        Range,
        Meta(
            description="messages that were confirmed, not returned, and never delivered; without "
            "--drained they may be in a queue still, so none is lost for certain"
        ),
    ]
    duplicated: Annotated[
        Range,
        Meta(description="deliveries of a queue that were not the first, and not marked either"),
    ]


class Confirms(Struct, frozen=True, forbid_unknown_fields=True):
    """What operators look at."""

    frames: Annotated[Count, Meta(description="acks and nacks")]
    largest: Annotated[Count, Meta(description="most messages that one of them settled")]
    window: Annotated[
        Count, Meta(description="most messages of a channel that waited at the same time")
    ]
    latency: Annotated[
        dict[str, float],
        Meta(description="milliseconds from publish to confirm, by percentile; empty without any"),
    ]


class AuditDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """What `ackproof audit --json` prints."""

    schema: Annotated[str, one_of(SCHEMA, description="the version of this format")]
    exit_code: Annotated[int, one_of(0, 1, 3, description="the exit code of the command")]
    verdict: Annotated[
        str,
        one_of(
            *("explained", "violated", "incomplete"),
            description="explained: the specification explains every channel; violated: it does "
            "not, or messages are lost for certain; incomplete: it explains what is there, and "
            "events are missing or were left out, or there are none",
        ),
    ]
    recordings: Annotated[list[str], Meta(description="the files")]
    events: Annotated[Count, Meta(description="events, those that were recorded twice once")]
    channels: Annotated[Count, Meta(description="channels")]
    gaps: Annotated[Count, Meta(description="times that events of a channel were missing")]
    quarantined: Annotated[
        Count,
        Meta(
            description="records that are no event, and files that are no recording, left out; "
            "always 0 without a cluster, where the first of them is an error"
        ),
    ]
    violations: list[Found]
    messages: Messages
    confirms: Confirms


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    return schema_of(AuditDocument, SCHEMA)


class Seen(Struct, frozen=True):
    """How much was audited: events, channels, gaps, and what was left out."""

    events: int
    channels: int
    gaps: int
    quarantined: int = 0


def concluded(
    recordings: list[str], seen: Seen, found: list[Found], messages: Messages, confirms: Confirms
) -> AuditDocument:
    """Return the document of an audit, with the verdict that follows from what was found.

    Violations are in the order in which they were seen, recording by recording.
    """
    order = {name: number for number, name in enumerate(recordings)}
    found = sorted(
        found, key=lambda f: (order[f.recording], f.time, f.connection, f.channel, f.number)
    )
    verdict = "explained"
    if found or messages.lost.least:
        verdict = "violated"
    elif seen.gaps or seen.quarantined or not seen.events:
        verdict = "incomplete"
    code = {"explained": 0, "violated": 1, "incomplete": 3}[verdict]
    counts = (seen.events, seen.channels, seen.gaps, seen.quarantined)
    return AuditDocument(SCHEMA, code, verdict, recordings, *counts, found, messages, confirms)


def found_of(recording: str, violation: Violation) -> Found:
    """Return a violation as the document has it."""
    event = violation.event
    return Found(
        recording=recording,
        connection=event.connection,
        channel=event.channel,
        number=event.number,
        time=event.time,
        event=str(event.kind),
        property=violation.name,
        rules=list(violation.rules),
        why=violation.why,
    )


def lost_of(unseen: Bounds, drained: bool) -> Range:
    """Return how many messages are lost, of so many that were confirmed and not delivered."""
    return Range(unseen.least if drained else 0, unseen.most)


def ranks_of(count: int) -> list[int]:
    """Return the ranks, from 0, of the values that the percentiles of so many lie between."""
    places = [(count - 1) * p // 100 for p in _PERCENTILES] if count else []
    return sorted({rank for place in places for rank in (place, min(place + 1, count - 1))})


def latency_of(count: int, seconds: Callable[[int], float]) -> dict[str, float]:
    """Return the percentiles of so many times, in milliseconds.

    Args:
        count: how many there are.
        seconds: returns the one of a rank, of those that `ranks_of` names.
    """
    found = {}
    for p in _PERCENTILES if count else ():
        place, beyond = divmod((count - 1) * p, 100)
        low, high = seconds(place), seconds(min(place + 1, count - 1))
        found[str(p)] = round((low + (high - low) * beyond / 100) * _MILLISECONDS, 3)
    return found
