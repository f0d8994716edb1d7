"""A queue as the broker holds it: the spec's machine, and what it does not need to know.

`QueueProcess` knows which messages are ready, which are with consumers, which confirms are owed,
and how far each message has come on its way to the disk.  It knows them by id.  A queue without
mirrors has one process, and one name does for both; of one with mirrors, this is one of its
processes (`ackproof.impl.machines.replicas`).

The contents are kept here, of everything that is in the queue: `contents`.  Those that the disk has
are in memory as well, and are read from there when the broker starts.  `buffered` are the messages
that the disk has not been given; that is the memory that dies with the queue's process.

`expiries` says when the time of a message is over, in seconds since 1970, if it does not live for
ever.  `senders` says for each message that is still to be confirmed which channel published it
under which number (the message-id-to-channel table of rule B2.2).  `borrowers` are the channels
that may hold something unacknowledged of this queue.

After every step of the machine that makes messages disappear, `forget` makes the contents
disappear of which the machine knows no more.  That the machine is asked, each time, is the point.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from ackproof.impl.machines.lengths import LengthLimit
from ackproof.impl.machines.publishing import PublishingChannel
from ackproof.impl.machines.ranks import Ranks
from ackproof.impl.machines.subscriptions import Subscriptions
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.tables import Table
from ackproof.spec.lang import OrderedSet
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Level, Msg, Queue, Replica, Status

if TYPE_CHECKING:
    from ackproof.impl.machines.consuming import ConsumingChannel
    from ackproof.impl.machines.replicas import Record

__all__ = ["HostedQueue"]


class HostedQueue:
    """One queue of the broker.

    Attributes:
        vhost: name of the virtual host that it is in.
        number: names the queue on the disk; never used again.
        durable: as it was declared; whether the machine stores messages is the machine's constant.
        key: names the queue's process to the spec's machines.
        owner: the connection it is exclusive to, if it is.
        arguments: as they were given when it was declared.
        watchers: the channels that will hear of its death, in the order in which they came.
        landed: messages that the disk has, as the queue has not yet noticed.
        consumers: those that are started, and whose turn it is.
        limit: how long it may become.
        ranks: its priorities; None if it has none.
        lease: seconds that it may be unused; None for ever.
        last_used: when somebody used it last, in seconds since 1970.
        dead_letter_exchange: where it publishes what it gives up; None to drop that.
        replica: which of the node's stores it uses, from 0.
        record: the other processes of the same queue; None if it is not mirrored.
        recorded: if it is dead, the disk knows who leads instead.
        slow: it takes no step of a mirror.
        given_up: the node that clients are connected to has given up that of the process.
    """

    def __init__(
        self,
        name: str,
        number: int,
        *,
        durable: bool,
        vhost: str = "/",
        auto_delete: bool = False,
        owner: object | None = None,
        arguments: Table | None = None,
    ) -> None:
        self.name = name
        self.vhost = vhost
        self.number = number
        self.key = cast(Replica, f"q{number}")
        self.durable = durable
        self.auto_delete = auto_delete
        self.owner = owner
        self.arguments = arguments or {}
        # An exclusive queue goes with its connection, so nothing in it outlives the broker.
        self.machine = QueueProcess(
            of=cast(Queue, self.key), durable=durable and owner is None, marking=True
        )
        self.machine.ready = OrderedSet()
        most = self.arguments.get("x-max-priority")
        self.ranks = None if most is None else Ranks(most)
        self.limit = LengthLimit(self.machine, self.arguments)
        self.dead_letter_exchange: str | None = self.arguments.get("x-dead-letter-exchange")
        self._ttl = _seconds(self.arguments.get("x-message-ttl"))
        self.lease = _seconds(self.arguments.get("x-expires"))
        self.last_used = 0.0
        self.contents: dict[Msg, Message] = {}
        self.expiries: dict[Msg, float] = {}
        self.buffered: dict[Msg, None] = {}
        single = self.arguments.get("x-single-active-consumer") is True
        self.consumers = Subscriptions(single=single)
        self.borrowers: dict[ConsumingChannel, None] = {}
        self.senders: dict[Msg, tuple[PublishingChannel, Msg]] = {}
        self.watchers: dict[PublishingChannel, None] = {}
        self.landed: list[Msg] = []
        self.replica = 0
        self.record: Record | None = None
        self.recorded = True
        self.slow = False
        self.given_up = False

    def __str__(self) -> str:
        return f"queue '{self.name}' in vhost '{self.vhost}'"

    def siblings(self) -> set[Replica]:
        """Return the processes of the same queue, this one included (D1.1)."""
        return {self.key} if self.record is None else self.record.keys

    @property
    def running(self) -> bool:
        """Tell whether the queue has its process."""
        return self.machine.status == Status.RUNNING

    def lifetime(self, message: Message) -> float | None:
        """Return how many seconds a message may be here; None for ever (B4.1)."""
        own = _seconds(message.expiration)
        if own is None or self._ttl is None:
            return self._ttl if own is None else own
        return min(own, self._ttl)

    def keep(self, msg: Msg, message: Message) -> None:
        """Keep the content of a message that the machine has just accepted."""
        self.contents[msg] = message
        if self.machine.store.level[msg] == Level.BUFFERED:
            self.buffered[msg] = None

    def part_with(self, msg: Msg) -> bool:
        """Drop the content of a message that has left; tell whether the disk was given it.

        The machine would remember for ever that the message was handed out; nobody asks any more.
        """
        message = self.contents.pop(msg)
        self.machine.delivered.discard(msg)
        self.expiries.pop(msg, None)
        if msg in self.buffered:
            del self.buffered[msg]
            return False
        return message.persistent and self.machine.durable

    def forget(self) -> None:
        """Drop what the machine has forgotten: all that it does not hold, or owe a confirm for."""
        machine = self.machine
        level = machine.store.level
        held = machine.holds()
        self.contents = {m: c for m, c in self.contents.items() if m in held or m in level}
        self.buffered = {m: None for m in self.buffered if level[m] == Level.BUFFERED}
        self.expiries = {m: due for m, due in self.expiries.items() if m in self.contents}
        owed = machine.awaiting | machine.outbox | machine.refused
        self.senders = {m: s for m, s in self.senders.items() if m in owed}

    def hand_over(self) -> list[tuple[Msg, Message]]:
        """Give the buffer to the disk: from now on it survives this queue's process (C3).

        Returns:
            The messages with their contents, oldest first.
        """
        given = [(msg, self.contents[msg]) for msg in self.buffered]
        for msg, _ in given:
            self.machine.store.write(msg)
        self.buffered.clear()
        return given

    def recover(self) -> None:
        """Start again from what the files hold (C5.1)."""
        self.machine.recover()
        self.machine.ready = OrderedSet(self.machine.ready)
        self.limit.recount(self.contents)

    def restore(self, messages: Mapping[Msg, Message], expiries: Mapping[Msg, float]) -> None:
        """Become the queue that was found on the disk, by the steps that a life of it takes (C5.1).

        Everything on the disk was put and synced, then the node went down, then it came back.
        """
        if self.ranks is None:
            self.contents = dict(messages)
        else:
            self.contents = {self.ranks.rank(msg, one): one for msg, one in messages.items()}
        self.expiries = dict(expiries)
        for msg in self.contents:
            self.machine.store.put(msg, False)
            self.machine.store.sync(msg)
        self.machine.crash()
        self.recover()


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
