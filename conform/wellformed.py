"""What makes an event one: said once, for whoever reads recordings, and however.

A line is an event if its fields are of their types, and what it says can be: a kind that there is,
a channel that AMQP can number, a number from 1, nothing negative.  What else an event says is for
the judge.
"""

from __future__ import annotations

import math

import msgspec
from ackproof.conform.events import Event, Kind

__all__ = ["Malformed", "of_line", "wrong_with"]

_KINDS = frozenset(Kind)
_CHANNELS = 1 << 16
#: Numbers of events fit into a column of 64 bits.
_NUMBERS = 1 << 63
#: Tags have 64 bits on the wire, and what a prefetch counts has as many as a number of an event.
_TAGS = 1 << 64

_DECODER = msgspec.json.Decoder(Event)


class Malformed(ValueError):
    """Something is no event; the text says why."""


def of_line(line: bytes) -> Event:
    """Return the event that a line of a recording is.

    Raises:
        Malformed: it is none.
    """
    try:
        event = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(f"{error}; is it a recording?") from None
    wrong = wrong_with(event)
    if wrong:
        raise Malformed(wrong)
    return event


def wrong_with(event: Event) -> str:
    """Return why no event of a recording is like this; nothing if one may be."""
    if event.kind not in _KINDS:
        return f"no event is of kind {event.kind!r}; there are {', '.join(Kind)}"
    if not 0 <= event.channel < _CHANNELS:
        return f"there is no channel {event.channel}; they are numbered from 0 to {_CHANNELS - 1}"
    if not 0 < event.number < _NUMBERS:
        return f"no event has the number {event.number}; those of a channel are numbered from 1"
    if not math.isfinite(event.time):
        return f"no event is seen at {event.time}; give seconds since 1970"
    if not (0 <= event.tag < _TAGS and 0 <= event.prefetch < _NUMBERS):
        return (
            f"no method has the tag {event.tag} or the prefetch {event.prefetch}; "
            "give 0 or more, in 64 bits at most"
        )
    return ""
