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

from ackproof.spec.lang import Event

__all__ = [
    "Close",
    "Closed",
    "Crash",
    "Delete",
    "Frame",
    "Get",
    "Hold",
    "Input",
    "Operation",
    "Publish",
    "Purge",
    "Restart",
    "Seen",
    "Settle",
    "Simple",
]


@dataclass(frozen=True)
class Publish:
    """basic.publish, which the client counts as `msg`; `tx` if it is part of a transaction."""

    msg: int
    queues: frozenset[str]
    mandatory: bool
    persistent: bool
    tx: bool = False


@dataclass(frozen=True)
class Simple:
    """A method with the action of the same meaning: `select`, `tx_select`, `tx_commit`, …"""

    action: str


@dataclass(frozen=True)
class Close:
    """The channel is closed, and opened again."""


class Closed(Event):
    """channel.close-ok: what is read after it is of another channel."""


@dataclass(frozen=True)
class Get:
    """basic.get and its answer; `msg` None for basic.get-empty."""

    queue: str
    no_ack: bool
    msg: int | None
    redelivered: bool = False


@dataclass(frozen=True)
class Settle:
    """A delivered message is acknowledged (or thrown away), or put back."""

    msg: int
    queue: str
    requeue: bool


@dataclass(frozen=True)
class Purge:
    """queue.purge, and how many messages it says to have dropped."""

    queue: str
    count: int


@dataclass(frozen=True)
class Delete:
    """queue.delete, and how many messages were ready."""

    queue: str
    count: int | None


@dataclass(frozen=True)
class Crash:
    """The process of a queue was made to crash."""

    queue: str


@dataclass(frozen=True)
class Hold:
    """From now on the disk completes no fsync; or it does again."""

    held: bool


@dataclass(frozen=True)
class Restart:
    """The node was killed and started again, and the client connected again.

    Attributes:
        sent: how many inputs there were; what was not taken by then never is.
        following: the number of the next message.
    """

    sent: int
    following: int


Input = Publish | Simple | Close
Operation = Get | Settle | Purge | Delete | Crash | Hold | Restart
Frame = Event


@dataclass
class Seen:
    """Everything so far, in three lists, with what is known of the order between them.

    Attributes:
        after: for each input, how many operations were over when it was sent.
        since: for each operation, how many inputs had certainly been taken, and how many frames
            had been read, when it began.
        log: all of it, in the order in which the client noticed.
    """

    inputs: list[Input] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    since: list[tuple[int, int]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def sent(self, one: Input) -> None:
        """Something was sent on the publishing channel."""
        self.inputs.append(one)
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
