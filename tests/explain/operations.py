"""What a client, or the test, does beside publishing, and waits for: the operations.

What the client does: it gets messages, settles them, purges and deletes queues.  The rest are
accidents, which the test has asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Alarm",
    "Crash",
    "Cut",
    "Delete",
    "Fail",
    "Get",
    "Heal",
    "Hold",
    "Kill",
    "Notice",
    "Operation",
    "Part",
    "Pause",
    "Purge",
    "Release",
    "Restart",
    "Revive",
    "Settle",
]


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
    """From now on a step is not taken: `sync`, or all that tells a publisher: `flush`.

    Or none of the steps of a mirror, by its name, as long as that does not lead.
    """

    step: str


@dataclass(frozen=True)
class Release:
    """It is taken again."""

    step: str


@dataclass(frozen=True)
class Fail:
    """The disk was asked to refuse something, which it may tell by an alarm."""


@dataclass(frozen=True)
class Alarm:
    """The broker is short of something, and stops reading from who publishes; or it is over."""

    on: bool


@dataclass(frozen=True)
class Cut:
    """The connection broke when a publish was settled, and the client connected again.

    Attributes:
        msg: the publish.
        told: whether that was told before.
        sent: how many inputs there were; what was not taken by then never is.
        following: the number of the next message.
    """

    msg: int
    told: bool
    sent: int
    following: int


@dataclass(frozen=True)
class Kill:
    """The node of one process of a mirrored queue was killed."""

    queue: str
    replica: str


@dataclass(frozen=True)
class Revive:
    """A process has joined those of a mirrored queue."""

    queue: str
    replica: str


@dataclass(frozen=True)
class Part:
    """The network fell apart, with these nodes on the other side from the client's."""

    nodes: frozenset[str]


@dataclass(frozen=True)
class Notice:
    """Each side has given up the other one."""


@dataclass(frozen=True)
class Heal:
    """The network is whole again."""


@dataclass(frozen=True)
class Pause:
    """The client's node has paused and, the network being whole, started again.

    Attributes:
        sent: how many inputs there were; what was not taken by then never is.
        following: the number of the next message.
    """

    sent: int
    following: int


@dataclass(frozen=True)
class Restart:
    """The node was killed and started again, and the client connected again.

    Attributes:
        sent: how many inputs there were; what was not taken by then never is.
        following: the number of the next message.
    """

    sent: int
    following: int


Operation = (
    Get
    | Settle
    | Purge
    | Delete
    | Crash
    | Hold
    | Release
    | Fail
    | Alarm
    | Cut
    | Kill
    | Revive
    | Restart
    | Part
    | Notice
    | Heal
    | Pause
)
