"""What the specification speaks of: messages, queues, processes, and a few small enumerations.

A specification says *that* there are messages and queues; an instance says how many, and a
program that runs the machines natively brings its own.  Nothing here behaves.

Three numbers are easily confused in AMQP, and the rules keep them apart (0.3):

* the *sequence number* counts the publishes of one channel in confirm mode, from 1;
* the *message id* names one publish for every queue and store that it reaches;
* the *consumer delivery tag* counts deliveries, in another space altogether (L6.16).

A message belongs to the channel that it was published on, and is numbered there.  So one sort,
`Msg`, serves as the first two: within its channel a message is its sequence number, and with its
channel it is the message id.  Whoever has to answer for a message finds in it whom to answer (the
table from message id to channel of rule B2.2).
"""

from __future__ import annotations

from enum import Enum

from ackproof.lang import OrderedSort, OwnedSort, Sort

__all__ = [
    "Born",
    "ChannelId",
    "Consumer",
    "Level",
    "Msg",
    "Node",
    "Overflow",
    "Queue",
    "Reason",
    "Replica",
    "Seen",
    "Status",
    "Tag",
    "TxMode",
]


class ChannelId(OrderedSort, prefix="ch"):
    """A channel; each has a connection of its own (A1)."""


class Msg(OwnedSort[ChannelId]):
    """A message; it belongs to a channel, and is numbered there from 1 (A4.3)."""


class Queue(Sort, prefix="q"):
    """A queue, as bindings and publishers know it; whatever has its name after it is another."""


class Replica(OrderedSort, prefix="r"):
    """A process of a queue: its master, or one of its mirrors; ordered by age (D1.1).

    A process that has ended does not come back as a mirror: what starts on its node is another one,
    and younger than all others (D7.2).
    """


class Node(Sort, prefix="n"):
    """A node of the cluster; only partitions need to know them (A12)."""


class Consumer(OwnedSort[ChannelId]):
    """A consumer of a channel, started by basic.consume (F2.2); its channel goes through them."""


class Tag(OrderedSort):
    """A consumer delivery tag, counted on its channel from 1 (F1.1)."""


class Reason(Enum):
    """Why a queue process is gone, as the channel that monitors it learns (A9).

    `NORMAL`: the queue was deleted, and this was its master (A9.3).  `BENIGN`: a mirror has ended,
    nobody was there to ask, or the node of the queue is gone (noproc, noconnection, nodedown,
    shutdown); losing a whole node is benign.  `ABNORMAL`: the process crashed.
    """

    NORMAL = "normal"
    BENIGN = "benign"
    ABNORMAL = "abnormal"


class Level(Enum):
    """How far one message has come on its way to the disk (C1-C3).

    `BUFFERED` is memory of the process, `WRITTEN` is memory of the kernel, `SYNCED` is the disk.
    """

    ABSENT = "absent"
    BUFFERED = "buffered"
    WRITTEN = "written"
    SYNCED = "synced"


class Status(Enum):
    """Whether a process of a queue runs, is down, or the queue is deleted."""

    RUNNING = "running"
    DOWN = "down"
    DELETED = "deleted"


class Born(Enum):
    """What a process of a queue is at first: its master, a mirror, or not there yet (D1)."""

    MASTER = "master"
    MIRROR = "mirror"
    LATER = "later"


class Seen(Enum):
    """What a mirror knows of a message of which two copies come (D3, D4).

    `PUBLISHED`: the master's copy came, the channel's did not.  `CALLED`: both came, and the
    channel is owed a confirm.  `CONFIRMED`: the master's copy came and is on disk.  `DISCARDED`:
    the master has dealt with it and it is in no queue.  `REFUSED`: the master has refused it.
    """

    ABSENT = "absent"
    PUBLISHED = "published"
    CALLED = "called"
    CONFIRMED = "confirmed"
    DISCARDED = "discarded"
    REFUSED = "refused"


class Overflow(Enum):
    """What a full queue does with one message more (B5)."""

    DROP_HEAD = "drop-head"
    REJECT_PUBLISH = "reject-publish"


class Side(Enum):
    """A side of a partition, from where the channels are (D9)."""

    NEITHER = "neither"
    HERE = "here"
    THERE = "there"


class Method(Enum):
    """What a publisher may ask for and wait until it is answered (A1)."""

    SELECT = "confirm.select"
    TX_SELECT = "tx.select"
    COMMIT = "tx.commit"
    ROLLBACK = "tx.rollback"


class TxMode(Enum):
    """How a channel stands to transactions (A1, A13)."""

    NONE = "none"
    OPEN = "open"
    COMMITTING = "committing"
    FAILED = "failed"
