"""Short ways to write what passes on a channel, and to judge it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec
from ackproof.conform.events import Event, Kind
from ackproof.conform.judge import ChannelJudge
from ackproof.conform.violations import Violation

#: How a channel in confirm mode begins.
CONFIRMING = [Event(Kind.SELECT), Event(Kind.SELECT_OK)]
#: How a transactional one does.
TRANSACTIONAL = [Event(Kind.TX_SELECT), Event(Kind.TX_SELECT_OK)]


def publish(number: int, mandatory: bool = True) -> Event:
    """A message that a number tells from others."""
    return Event(Kind.PUBLISH, mandatory=mandatory, digest=str(number))


def returned(number: int) -> Event:
    """That message, on its way back."""
    return Event(Kind.RETURN, digest=str(number))


def ack(tag: int, multiple: bool = False) -> Event:
    """basic.ack from the broker."""
    return Event(Kind.ACK, tag=tag, multiple=multiple)


def nack(tag: int, multiple: bool = False) -> Event:
    """basic.nack from the broker."""
    return Event(Kind.NACK, tag=tag, multiple=multiple)


def deliver(tag: int, consumer: str = "c") -> Event:
    """basic.deliver."""
    return Event(Kind.DELIVER, tag=tag, consumer=consumer)


def settle(tag: int, multiple: bool = False) -> Event:
    """basic.ack from the client."""
    return Event(Kind.CONSUMER_ACK, tag=tag, multiple=multiple)


def of(kind: str, **fields: object) -> Event:
    """Any other event."""
    return Event(kind, **fields)  # type: ignore[arg-type]


def numbered(events: list[Event]) -> list[Event]:
    """Events of one channel, with their numbers."""
    return [
        msgspec.structs.replace(event, connection="c1", channel=1, number=number)
        for number, event in enumerate(events, 1)
    ]


def judged(events: Iterable[Event], known: bool = True) -> Violation | None:
    """Return the first violation."""
    judge = ChannelJudge(known)
    for event in events:
        found = judge.take(event)
        if found is not None:
            return found
    return None


def name_of(events: Iterable[Event], known: bool = True) -> str | None:
    """Return what the first violation breaks."""
    found = judged(events, known)
    return None if found is None else found.name


def unsummed(path: Path) -> Path:
    """Make a recording in JSON Lines one without checksums, as somebody else may write it."""
    path.write_text(re.sub(r',"crc":[0-9]+}$', "}", path.read_text(), flags=re.MULTILINE))
    return path
