"""A queue as the broker holds it: the spec's machine, and what it does not need to know.

`QueueProcess` knows which messages are ready, which confirms are owed, and how far each message has
come on its way to the disk.  It knows them by id.  A queue of this broker has no mirrors, so it has
one process, and one name does for both.  Kept here are the contents, one of two ways:

* `buffered`: the store of the queue has the message in its buffer, and the disk has not been given
  it.  This is the memory that dies with the queue's process.
* `volatile`: the store will never have it, since the message or the queue is transient.

Contents that the disk was given are not kept in memory.  `senders` says for each message that is
still to be confirmed which channel published it under which number (the message-id-to-channel
table of rule B2.2).

After every step of the machine that makes messages disappear, `forget` makes the contents
disappear of which the machine knows no more.  That the machine is asked, each time, is the point.
"""

from __future__ import annotations

from typing import cast

from ackproof.impl.content import Message
from ackproof.impl.publishing import PublishingChannel
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Level, Msg, Queue, Replica, Status

__all__ = ["HostedQueue"]


class HostedQueue:
    """One queue of the broker.

    Attributes:
        number: names the queue on the disk; never used again.
        durable: as it was declared; whether the machine stores messages is the machine's constant.
        key: names the queue's process to the spec's machines.
        owner: the connection it is exclusive to, if it is.
        watchers: the channels that will hear of its death, in the order in which they came.
        landed: messages that the disk has, as the queue has not yet noticed.
    """

    def __init__(
        self,
        name: str,
        number: int,
        *,
        durable: bool,
        auto_delete: bool = False,
        owner: object | None = None,
    ) -> None:
        self.name = name
        self.number = number
        self.key = cast(Replica, f"q{number}")
        self.durable = durable
        self.auto_delete = auto_delete
        self.owner = owner
        # An exclusive queue goes with its connection, so nothing in it outlives the broker.
        self.machine = QueueProcess(of=cast(Queue, self.key), durable=durable and owner is None)
        self.buffered: dict[Msg, Message] = {}
        self.volatile: dict[Msg, Message] = {}
        self.senders: dict[Msg, tuple[PublishingChannel, Msg]] = {}
        self.watchers: dict[PublishingChannel, None] = {}
        self.landed: list[Msg] = []

    @property
    def running(self) -> bool:
        """Tell whether the queue has its process."""
        return self.machine.status == Status.RUNNING

    def keep(self, msg: Msg, message: Message) -> None:
        """Keep the content of a message that the machine has just accepted."""
        if self.machine.store.level[msg] == Level.BUFFERED:
            self.buffered[msg] = message
        else:
            self.volatile[msg] = message

    def forget(self) -> None:
        """Drop what the machine has forgotten: all that it does not hold, or owe a confirm for."""
        machine = self.machine
        level = machine.store.level
        self.buffered = {m: c for m, c in self.buffered.items() if level[m] == Level.BUFFERED}
        self.volatile = {m: c for m, c in self.volatile.items() if m in machine.ready}
        owed = machine.awaiting | machine.outbox
        self.senders = {m: s for m, s in self.senders.items() if m in owed}

    def hand_over(self) -> list[tuple[Msg, Message]]:
        """Give the buffer to the disk: from now on it survives this queue's process (C3).

        Returns:
            The messages with their contents, oldest first.
        """
        given = list(self.buffered.items())
        for msg, _ in given:
            self.machine.store.write(msg)
        self.buffered.clear()
        return given

    def restore(self, messages: list[Msg]) -> None:
        """Become the queue that was found on the disk, by the steps that a life of it takes (C5.1).

        Everything on the disk was put and synced, then the node went down, then it came back.
        """
        for msg in messages:
            self.machine.store.put(msg, False)
            self.machine.store.sync(msg)
        self.machine.crash()
        self.machine.recover()
