"""The reader: takes what a client sends off the socket, or leaves it there.

One process reads a connection.  It is the only one that can stop the publisher: what it does not
read stays in the socket, and the client's next write waits.  There are two reasons to stop (E4.1):

* an *alarm*: the cluster is short of memory or disk (E4.4);
* *credit*: the channel has given none, since something downstream is slow (E1.2).

With an alarm the reader stops at the next piece of content, not before: a connection that does not
publish is never blocked (E4.1).  Meanwhile it is *blocking*.  Credit is used up by publishing only,
so with it the reader is *blocked* at once.  A blocked reader reads nothing at all, be it publishes,
closes or acks of consumers (E4.2).  Nothing else stops: confirms flow, since the other direction
has a process of its own.

Only of an alarm the client is told, once, when it blocks, and again when it is over (E4.3).
"""

from __future__ import annotations

from enum import Enum

from ackproof.lang import Key, Process, handler, helper, require
from ackproof.spec.sorts import ChannelId
from ackproof.spec.wire import Blocked, Unblocked

__all__ = ["Reader", "ReaderState"]


class ReaderState(Enum):
    """Whether a connection is read (E4)."""

    RUNNING = "running"
    BLOCKING = "blocking"
    BLOCKED = "blocked"


class Reader(Process):
    """The reader of a publisher's connection (E4)."""

    channel: Key[ChannelId]

    state: ReaderState
    alarmed: bool
    told: bool

    @helper
    def reads(self) -> bool:
        """Tell whether anything is read: a method without content, at least (E4.2)."""
        return self.state != ReaderState.BLOCKED

    @helper
    def reads_content(self) -> bool:
        """Tell whether a publish is read (E4.1)."""
        return self.state == ReaderState.RUNNING

    @handler
    def sets_alarm(self) -> None:
        """An alarm is set: stop at the next content (E4.1); if blocked already, say why (E4.3)."""
        require(not self.alarmed)
        self.alarmed = True
        if self.state == ReaderState.RUNNING:
            self.state = ReaderState.BLOCKING
        elif self.state == ReaderState.BLOCKED:
            self.tell()

    @handler
    def meets_content(self) -> None:
        """The client publishes in spite of an alarm: stop in front of it (E4.1)."""
        require(self.state == ReaderState.BLOCKING)
        self.state = ReaderState.BLOCKED
        self.tell()

    @handler
    def tell(self) -> None:
        """Tell the client that an alarm blocks it (E4.3)."""
        self.told = True
        self.emit(Blocked(self.channel))

    @handler
    def clears_alarm(self, starved: bool) -> None:
        """All alarms are over: go on, unless it is `starved` of credit (E4.3)."""
        require(self.alarmed)
        self.alarmed = False
        if self.told:
            self.emit(Unblocked(self.channel))
        self.told = False
        if not starved:
            self.state = ReaderState.RUNNING

    @handler
    def starves(self) -> None:
        """The credit is used up: stop (E1.2, E4.1).  The client is not told (E4.3)."""
        self.state = ReaderState.BLOCKED

    @handler
    def revives(self) -> None:
        """There is credit again: go on, unless an alarm is set (E1.3, E4.1)."""
        if not self.alarmed:
            self.state = ReaderState.RUNNING
