"""What a client does and sees, as far as an explanation needs to know of it.

Three things are kept apart, since a client knows the order within each of them only:

* *inputs*: what it sends on its publishing channel, without waiting;
* *frames*: what it gets on that channel, in order;
* *operations*: what it, or the test, does beside that and waits for: a message got from a queue, a
  queue deleted, crashed, purged, the disk held.

An operation begins after all frames that were read before it, and is over before what is sent
after it.  In between it may come before or after anything, as the frames of two channels may be
written in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from ackproof.lang import Event

from tests.explain.operations import Operation

__all__ = ["ENDING", "Close", "Closed", "Fate", "Frame", "Input", "Publish", "Seen", "Simple"]


class Fate(Enum):
    """What the test has asked to happen to a publish.

    `REFUSED`: its queues refuse it.  `FATAL`: they crash as they have taken it in.  `FINAL`: they
    are deleted then.  `MUTING`: its channel tells nothing from then on.  `EXPIRING`: it has no
    time, so it expires as soon as it is the head of a queue.
    """

    REFUSED = "refused"
    FATAL = "fatal"
    FINAL = "final"
    MUTING = "muting"
    EXPIRING = "expiring"


#: Fates by which queues end as they have taken a message in.
ENDING = frozenset({Fate.FATAL, Fate.FINAL})


@dataclass(frozen=True)
class Publish:
    """basic.publish, which the client counts as `msg`; `tx` if it is part of a transaction."""

    msg: int
    queues: frozenset[str]
    mandatory: bool
    persistent: bool
    tx: bool = False
    fate: Fate | None = None


@dataclass(frozen=True)
class Simple:
    """A method with the action of the same meaning: `select`, `tx_select`, `tx_commit`, …"""

    action: str


@dataclass(frozen=True)
class Close:
    """The channel is closed, and opened again."""


class Closed(Event):
    """channel.close-ok: what is read after it is of another channel."""


Input = Publish | Simple | Close
Frame = Event


@dataclass
class Seen:
    """Everything so far, in three lists, with what is known of the order between them.

    Attributes:
        after: for each input, how many operations were over when it was sent.
        known: for each input, how many frames had been read when it was sent.
        since: for each operation, how many inputs had certainly been taken, and how many frames
            had been read, when it began.
        fates: what is to happen to which message, if anything is.
        log: all of it, in the order in which the client noticed.
    """

    inputs: list[Input] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    known: list[int] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    since: list[tuple[int, int]] = field(default_factory=list)
    fates: dict[int, Fate] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)

    def sent(self, one: Input) -> None:
        """Something was sent on the publishing channel."""
        self.inputs.append(one)
        self.known.append(len(self.frames))
        if isinstance(one, Publish) and one.fate is not None:
            self.fates[one.msg] = one.fate
        self.after.append(len(self.operations))
        self.log.append(f"sent     {one}")

    def read(self, one: Frame) -> None:
        """A frame was read from the publishing channel."""
        self.frames.append(one)
        self.log.append(f"read     {one}")

    def did(self, one: Operation, taken: int, read: int) -> None:
        """Something else was done, which began after so many inputs and frames."""
        self.operations.append(one)
        self.since.append((taken, read))
        self.log.append(f"did      {one}")
