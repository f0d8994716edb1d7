"""The audit: recordings judged and counted, as one document.

Each channel is judged by itself, and the account is of all recordings together.  The types of this
module are the document, and its JSON Schema; the format is versioned by `SCHEMA`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from ackproof.conform.account import Account, Bounds
from ackproof.conform.judgement import Judgement
from ackproof.conform.recording import read
from ackproof.conform.violations import Violation
from ackproof.model.document import Count, one_of, schema_of
from msgspec import Meta, Struct

__all__ = ["SCHEMA", "AuditDocument", "Confirms", "Found", "Messages", "Range", "audit", "schema"]

SCHEMA = "ackproof/audit/1"

#: The percentiles of the time from a publish to its confirm.
_PERCENTILES = (50, 95, 99, 100)
_MILLISECONDS = 1000


class Found(Struct, frozen=True, forbid_unknown_fields=True):
    """A violation: the first event of a channel that the specification does not explain."""

    recording: Annotated[str, Meta(description="the file")]
    connection: Annotated[str, Meta(description="the connection, as the recording calls it")]
    channel: Annotated[Count, Meta(description="the number of the channel")]
    number: Annotated[Count, Meta(description="which event of the channel it is, from 1")]
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
            "events are missing, or there are none",
        ),
    ]
    recordings: Annotated[list[str], Meta(description="the files")]
    events: Annotated[Count, Meta(description="events, those that were recorded twice once")]
    channels: Annotated[Count, Meta(description="channels")]
    gaps: Annotated[Count, Meta(description="times that events of a channel were missing")]
    violations: list[Found]
    messages: Messages
    confirms: Confirms


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    return schema_of(AuditDocument, SCHEMA)


def audit(paths: Iterable[Path], drained: bool = False) -> AuditDocument:
    """Judge recordings.

    Args:
        paths: the files, whose connections are different ones.
        drained: in the end all queues were empty, and all consumers were recorded.

    Raises:
        RecordingError: a file is no recording.
    """
    account = Account()
    found: list[Found] = []
    names: list[str] = []
    events = channels = gaps = 0
    for path in paths:
        name = str(path)
        names.append(name)
        judgement = Judgement(lambda event, name=name: account.take(name, event))  # type: ignore[misc]
        for event in read(path):
            judgement.take(event)
        found += [_found(name, violation) for violation in judgement.violations]
        events += judgement.events
        channels += judgement.channels
        gaps += judgement.gaps
    messages = _messages(account, drained)
    verdict = "explained"
    if found or messages.lost.least:
        verdict = "violated"
    elif gaps or not events:
        verdict = "incomplete"
    code = {"explained": 0, "violated": 1, "incomplete": 3}[verdict]
    counts = (events, channels, gaps)
    return AuditDocument(SCHEMA, code, verdict, names, *counts, found, messages, _confirms(account))


def _found(recording: str, violation: Violation) -> Found:
    event = violation.event
    return Found(
        recording=recording,
        connection=event.connection,
        channel=event.channel,
        number=event.number,
        event=str(event.kind),
        property=violation.name,
        rules=list(violation.rules),
        why=violation.why,
    )


def _range(bounds: Bounds) -> Range:
    return Range(*bounds)


def _messages(account: Account, drained: bool) -> Messages:
    unseen = account.sum("unseen")
    return Messages(
        published=account.published,
        confirmed=account.acked,
        nacked=account.nacked,
        unsettled=account.unsettled(),
        returned=account.returned,
        deliveries=account.deliveries,
        redelivered=account.redelivered,
        strangers=account.strangers(),
        delivered=_range(account.sum("seen")),
        lost=_range(unseen if drained else Bounds(0, unseen.most)),
        duplicated=_range(account.sum("duplicated")),
    )


def _confirms(account: Account) -> Confirms:
    latency = {}
    if account.latencies:
        times = np.percentile(np.asarray(account.latencies), _PERCENTILES) * _MILLISECONDS
        latency = {str(p): round(float(t), 3) for p, t in zip(_PERCENTILES, times, strict=True)}
    return Confirms(
        frames=account.covered.total(),
        largest=max(account.covered, default=0),
        window=account.widest,
        latency=latency,
    )
