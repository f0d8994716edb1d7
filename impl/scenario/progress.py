"""How far each connection is: what its client has sent, and what it has heard.

A moment of a run is told without a clock: connection 1 has sent its third `basic.publish`, and two
of its publishes are settled.  So here is counted, for each connection by its number:

==========  =======================================================================================
sent        methods by name, when they were processed; a `basic.publish` with its content; `end`,
            when the client is gone
heard       methods by name; for `basic.ack` and `basic.nack`, as `confirms`, the publishes that
            they settle, since how many are settled by one frame may differ from run to run
==========  =======================================================================================

Of a connection that has ended long ago nobody asks any more: the latest are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pamqp import commands

__all__ = ["CONFIRMS", "END", "HEARD", "SENT", "UNASKED", "Progress"]

#: What the client's last word is called, and the publishes that are settled.
END, CONFIRMS = "end", "confirms"
#: Connections that are kept after their end.
_ENDED_MAX = 1_000


def _name(method: str) -> str:
    """Return how the protocol writes the name of a method: Basic.GetOk is basic.get-ok."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", method).lower()


_METHODS = {
    index: _name(str(method.__dict__["name"])) for index, method in commands.INDEX_MAPPING.items()
}
_SETTLING = (commands.Basic.Ack.index, commands.Basic.Nack.index)

#: What can be counted of a client, and of a broker.
SENT = (*sorted(_METHODS.values()), END)
HEARD = (*sorted(set(_METHODS.values()) - {"basic.ack", "basic.nack"}), CONFIRMS)

#: What a broker says by itself, at a moment that the client has not chosen.
UNASKED = (
    CONFIRMS,
    "basic.deliver",
    "basic.return",
    "basic.cancel",
    "connection.blocked",
    "connection.unblocked",
    "channel.close",
    "connection.close",
)

#: Where a frame says which method it is, and which channel; the tag of what is settled follows.
_CHANNEL, _INDEX, _TAG, _MULTIPLE = slice(1, 3), slice(7, 11), slice(11, 19), 19


@dataclass
class _Settled:
    """The publishes of a channel that are settled: all up to one, and some above."""

    through: int = 0
    above: set[int] = field(default_factory=set)

    def settle(self, tag: int, multiple: bool) -> int:
        """Settle a publish, or all up to it; return how many that are."""
        before = self.through + len(self.above)
        if multiple:
            self.through = max(self.through, tag)
            self.above = {one for one in self.above if one > self.through}
        else:
            self.above.add(tag)
        while self.through + 1 in self.above:
            self.through += 1
            self.above.remove(self.through)
        return self.through + len(self.above) - before


@dataclass
class Counts:
    """What was counted of one connection.

    Attributes:
        sent: by its client.
        heard: by its client.
        last: what that has sent last; none if it has sent nothing.
        answer: what it was answered last; none if it was not.
    """

    sent: Counter[str] = field(default_factory=Counter)
    heard: Counter[str] = field(default_factory=Counter)
    last: str | None = None
    answer: str | None = None
    _settled: dict[bytes, _Settled] = field(default_factory=dict)

    def hear(self, frame: bytes) -> None:
        """Count the method that a frame has."""
        index = int.from_bytes(frame[_INDEX], "big")
        if index in _SETTLING:
            channel = self._settled.setdefault(frame[_CHANNEL], _Settled())
            tag, multiple = int.from_bytes(frame[_TAG], "big"), bool(frame[_MULTIPLE] & 1)
            self.heard[CONFIRMS] += channel.settle(tag, multiple)
        elif index in _METHODS:
            if index == commands.Channel.OpenOk.index:
                self._settled.pop(frame[_CHANNEL], None)  # its publishes are counted anew
            name = _METHODS[index]
            self.heard[name] += 1
            if name not in UNASKED:
                self.answer = name


class Progress:
    """How far the connections are, by their numbers."""

    def __init__(self) -> None:
        self._counts: dict[int, Counts] = {}
        self._ended: dict[int, None] = {}

    def __iter__(self) -> Iterator[tuple[int, Counts]]:
        return iter(self._counts.items())

    def of(self, connection: int) -> Counts:
        """Return what was counted of a connection; of one that is not known, nothing was."""
        return self._counts.get(connection) or Counts()

    def sent(self, connection: int, index: int) -> None:
        """A method of a client, by its index, was processed."""
        if index in _METHODS:
            self._send(connection, _METHODS[index])

    def heard(self, connection: int, frame: bytes) -> None:
        """A client is told something; if that has content, the first frame has the method."""
        if frame[:1] == b"\x01" and connection:
            self._counts.setdefault(connection, Counts()).hear(frame)

    def ended(self, connection: int) -> None:
        """A client is gone, whoever has ended it."""
        if connection not in self._counts or connection in self._ended:
            return
        self._send(connection, END)
        self._ended[connection] = None
        if len(self._ended) > _ENDED_MAX:
            oldest = next(iter(self._ended))
            del self._ended[oldest], self._counts[oldest]

    def _send(self, connection: int, name: str) -> None:
        counts = self._counts.setdefault(connection, Counts())
        counts.sent[name] += 1
        counts.last = name
