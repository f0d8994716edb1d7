"""The judgement: a judge for each channel of all connections that were seen.

A channel is known from its channel.open on.  Events of a channel are numbered, and a number that is
missing is a gap, so what a recording lacks is no violation.  An event that comes again, because it
was recorded twice, is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ackproof.conform.events import Event, Kind
from ackproof.conform.judge import ChannelJudge
from ackproof.conform.judging.facts import NUMBER
from ackproof.conform.judging.stream import AGAIN, FOLLOWS_GAP, GAPS, KNOWN, expect
from ackproof.conform.violations import Violation

__all__ = ["Judgement"]


class _Channel:
    """The judge of a channel, and what is known of its numbers."""

    __slots__ = ("judge", "known")

    def __init__(self) -> None:
        self.judge = ChannelJudge(known=False)
        self.known: Any = np.zeros(KNOWN, np.int64)


class Judgement:
    """Judges events of any number of channels, which may be interleaved.

    Attributes:
        events: how many there were.
        gaps: how many times events of a channel were missing, its beginning included.
        violations: what was found, the first of each channel that was opened.
    """

    def __init__(self) -> None:
        self.events = self.gaps = 0
        self.violations: list[Violation] = []
        self._channels: dict[tuple[str, int], _Channel] = {}
        self._ended = 0

    @property
    def channels(self) -> int:
        """Return how many channels there were."""
        return len(self._channels) + self._ended

    def take(self, event: Event) -> Violation | None:
        """Take the next event of a channel; return a violation that begins with it."""
        channel = self._channels.get((event.connection, event.channel))
        if channel is None:
            channel = self._channels[event.connection, event.channel] = _Channel()
        known, judge = channel.known, channel.judge
        gaps = int(known[GAPS])
        follows = expect(known, event.number, NUMBER[event.kind])
        self.gaps += int(known[GAPS]) - gaps
        if follows == AGAIN:
            return None
        self.events += 1
        if follows == FOLLOWS_GAP:
            judge.take(Event(Kind.GAP, connection=event.connection, channel=event.channel))
        violation = judge.take(event)
        if violation is not None:
            self.violations.append(violation)
        return violation

    def forget(self, connection: str) -> None:
        """A connection has ended: its judges have nothing more to say."""
        for channel in [c for c in self._channels if c[0] == connection]:
            del self._channels[channel]
            self._ended += 1
