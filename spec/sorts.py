"""What the specification speaks of: messages, queues, and a few small enumerations.

A specification says *that* there are messages and queues; an instance says how many, and a
program that runs the machines natively brings its own.  Nothing here behaves.

Three numbers are easily confused in AMQP, and the rules keep them apart (0.3):

* the *sequence number* counts the publishes of one channel in confirm mode, from 1;
* the *message id* names one publish for every queue and store that it reaches;
* the *consumer delivery tag* counts deliveries, in another space altogether (L6.16).

This part of the specification has one publishing channel, so one sort, `Msg`, serves as the first
two: the message with sequence number 3 is message 3 everywhere.  A program with many channels
gives the channel its sequence numbers and the queue and the store its message ids, and keeps the
table between them; no machine looks across.
"""

from __future__ import annotations

from enum import Enum

from ackproof.spec.lang import OrderedSort, Sort

__all__ = ["Level", "Msg", "Queue", "Reason", "Status"]


class Msg(OrderedSort):
    """A message published in confirm mode; ordered by publishing, numbered from 1 (A4.3)."""


class Queue(Sort, prefix="q"):
    """The name of a queue; also the one process that is responsible for it."""


class Reason(Enum):
    """Why a queue process is gone, as the channel that monitors it learns (A9).

    `NORMAL`: the queue was deleted (A9.3).  `BENIGN`: nobody was there to ask, or the node of the
    queue is gone (noproc, noconnection, nodedown, shutdown); losing a whole node is benign.
    `ABNORMAL`: the process crashed.
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
    """Whether a queue has its process: running, down until it is restarted, or deleted."""

    RUNNING = "running"
    DOWN = "down"
    DELETED = "deleted"
