"""The store: how far each message of a queue has come on its way to the disk.

A persistent message in a durable queue has two parts on disk: an entry in the queue's index, and a
body, which is embedded in that entry or lies in a store that all queues of a node share (C1.1,
C1.2).  Both pass through the same three places: memory of the process (`BUFFERED`), memory of the
kernel after write(2) (`WRITTEN`), the disk after fsync(2) (`SYNCED`).  `Files` has these places.

Usually one level is kept for the two, the lesser one, as the message is no safer than that: one
step of this machine is the last of several calls, the one that brings the slower part up.  Where
bodies lie `apart`, `level` is that of the entry, and `Bodies` has that of the body, which all
queues share that have the message.

One fsync covers a whole file.  Here it is one step for each message, in any order: index and body
live in different files, so the order in which *messages* become safe is not the order in which
they came (C2.4), and an fsync over several is several of these steps in a row with nothing visible
between them.

The store answers for what it was asked to confirm, `unconfirmed` (UC in RabbitMQ), by moving
it to `confirmed` (C), from where the queue drains it.  Confirmed is the message whose level became
`SYNCED` (C2.4, C2.5), and whose body is known to be (`stored`, MOD in RabbitMQ, C2.2), or which
left the queue before that (C2.3, C4): a message that was consumed, dropped or expired needs no
disk any more.  What lies in `confirmed` is a callback on its way to the queue process: if that
process dies, it is lost.

A removal has to reach the disk too, and nobody waits for that (C5.2).  Where `lazy` says so, what
was removed stays in the files for a while, as `leaving`, and is back after a crash.

What survives (C5): a crash of the process, and of its node, spares what the kernel has; a power
failure spares what is synced; and who ends in an orderly way leaves all synced.  The kernel may
have written back more than it was asked to; such a message is one that was synced, and whose
callback was lost.
"""

from __future__ import annotations

from ackproof.lang import Const, Map, Option, Process, Set, handler, helper, require
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.sorts import Level, Msg, Replica

__all__ = ["Bodies", "Files", "Mailbox", "Store"]


class Files(Process):
    """Files of a node: how far what was written has come on its way to the disk (C3, C5)."""

    level: Map[Msg, Level]

    @handler
    def write(self, msg: Msg) -> None:
        """Hand what is buffered to the kernel; nothing is promised by that (C3)."""
        require(self.level[msg] == Level.BUFFERED)
        self.level[msg] = Level.WRITTEN

    @handler
    def sync(self, msg: Msg) -> None:
        """What was written is on the disk (C3.1, C3.3, C3.4).

        An fsync writes what is still buffered, so `write` need not have come before.
        """
        require(self.level[msg] == Level.BUFFERED or self.level[msg] == Level.WRITTEN)
        self.level[msg] = Level.SYNCED

    @handler
    def save(self) -> None:
        """Whoever has the files open ends in an orderly way, and leaves them complete (B8.5)."""
        for msg in set(self.level):
            self.level[msg] = Level.SYNCED

    @handler
    def crash(self) -> None:
        """Whoever had the files open dies, and what was buffered with them (C5, row 1 and 2)."""
        for msg in set(self.level):
            if self.level[msg] == Level.BUFFERED:
                self.level[msg] = Level.ABSENT

    @handler
    def lose_power(self) -> None:
        """The machine goes down: only what is synced is there afterwards (C5, row 3)."""
        for msg in set(self.level):
            if self.level[msg] != Level.SYNCED:
                self.level[msg] = Level.ABSENT


class Store(Files):
    """Index and message store of one queue (C1-C5)."""

    lazy: Const[bool] = False  # whether removals take their time to reach the disk
    apart: Const[bool] = False  # whether bodies lie in the store that all queues share

    stored: Set[Msg]  # those to be confirmed whose body is on the disk
    leaving: Set[Msg]
    marked: Set[Msg]  # those that were set aside, whether or not they are there still (Q12.2)
    unconfirmed: Set[Msg]
    confirmed: Set[Msg]

    @helper
    def needs_no_body(self, msg: Msg) -> bool:
        """Tell whether a body that lies apart has no entry here (C5.1)."""
        return self.apart and self.level[msg] == Level.ABSENT

    @handler
    def put(self, msg: Msg, confirming: bool) -> None:
        """Take a message into the buffers; remember whether it must be confirmed (C2.1, C3.1)."""
        self.level[msg] = Level.BUFFERED
        if confirming:
            self.unconfirmed.add(msg)

    @handler
    def sync(self, msg: Msg) -> None:
        """The message is on the disk, and confirmed if its body is (C2.4, C2.5, C3.3)."""
        super().sync(msg)
        if msg in self.stored or not self.apart:
            self.confirm(msg)

    @handler
    def hear_of_body(self, msg: Msg) -> None:
        """The shared store says that a body is on the disk (C2.2, C2.7)."""
        if msg in self.unconfirmed:
            self.stored.add(msg)
            if self.level[msg] == Level.SYNCED:
                self.confirm(msg)

    @handler
    def remove(self, msg: Msg) -> None:
        """Forget a message; if its write was pending, confirm it without one (C2.3, C4.1, C4.2)."""
        written = self.level[msg] == Level.WRITTEN or self.level[msg] == Level.SYNCED
        if self.lazy and written:
            self.leaving.add(msg)
        else:
            self.level[msg] = Level.ABSENT
        self.confirm(msg)

    @handler
    def mark(self, msg: Msg) -> None:
        """Note that a message is set aside: it is not handed out after the next start (Q12.4)."""
        self.marked.add(msg)

    @handler
    def forget(self, msg: Msg) -> None:
        """The removal of a message has reached the disk, too (C5.2)."""
        require(msg in self.leaving)
        self.leaving.discard(msg)
        self.level[msg] = Level.ABSENT

    @handler
    def confirm(self, msg: Msg) -> None:
        """Confirm what must be confirmed; anything else has no effect (C2.6, C2.7, INV-C3)."""
        if msg in self.unconfirmed:
            self.unconfirmed.discard(msg)
            self.stored.discard(msg)
            self.confirmed.add(msg)

    @handler
    def drained(self) -> None:
        """The queue has taken everything that was confirmed (C2.6)."""
        self.confirmed.clear()

    @handler
    def save(self) -> None:
        """The process ends in an orderly way: what was removed is gone for good (B8.5, C5)."""
        super().save()
        for msg in set(self.leaving):
            self.level[msg] = Level.ABSENT

    @handler
    def crash(self) -> None:
        """The process dies: its buffers and its callbacks die with it (C5, row 1 and 2)."""
        super().crash()
        self.leaving.clear()
        self.silence()

    @handler
    def lose_power(self) -> None:
        """The machine goes down under the process (C5, row 3)."""
        super().lose_power()
        self.leaving.clear()
        self.silence()

    @handler
    def wipe(self) -> None:
        """The queue is deleted, and its files with it (B8.5)."""
        self.level.clear()
        self.leaving.clear()
        self.silence()

    @handler
    def silence(self) -> None:
        """There is no process any more that could be told of anything (C5)."""
        self.unconfirmed.clear()
        self.stored.clear()
        self.confirmed.clear()

    @handler
    def miss(self, msgs: Set[Msg]) -> None:
        """Entries whose body is nowhere are dropped at the next start (C5.1)."""
        for msg in msgs:
            self.level[msg] = Level.ABSENT


class Bodies(Files):
    """The store of bodies that all queues of a node share (C1.2, C3.1, C3.2).

    It has a body once, and does not lose it as long as some queue refers to it.  Who writes one
    that is there already adds a reference, and is told when it is on the disk, as whoever wrote it
    first.
    """

    referring: Map[Msg, Set[Replica]]
    waiting: Map[Msg, Set[Replica]]  # those to be told that a body is on the disk

    @handler
    def keep(self, msg: Msg, replica: Replica) -> None:
        """A process has a body written, or refers to it, and waits for the disk (C3.1, C3.2)."""
        if self.level[msg] == Level.ABSENT:
            self.level[msg] = Level.BUFFERED
        self.referring[msg].add(replica)
        if self.level[msg] != Level.SYNCED:
            self.waiting[msg].add(replica)

    @handler
    def sync(self, msg: Msg) -> None:
        """A body is on the disk, and all who wait for that are told (C2.2, C3.1)."""
        super().sync(msg)
        self.waiting[msg].clear()

    @handler
    def release(self, msg: Msg, replica: Replica) -> None:
        """A process refers to a body no more, and waits for nothing (C4.1)."""
        self.referring[msg].discard(replica)
        self.waiting[msg].discard(replica)

    @handler
    def collect(self, msg: Msg) -> None:
        """A body that nobody refers to goes (C5.1)."""
        require(self.level[msg] != Level.ABSENT and not self.referring[msg])
        self.level[msg] = Level.ABSENT

    @handler
    def forget(self, msg: Msg, replica: Replica) -> None:
        """A process is gone, and is told nothing any more (C5)."""
        self.waiting[msg].discard(replica)


class Mailbox(Process):
    """What is on its way from a process to its store, where that takes its time (C2.1, O1)."""

    writes: Set[Msg]
    order: Arrivals

    @helper
    def next_write(self) -> Option[Msg]:
        """Return the message that the store takes next (O1)."""
        return self.order.first(self.writes)

    @handler
    def send(self, msg: Msg) -> None:
        """The process sends a message to its store (C2.1)."""
        self.order.arrive(msg, set(self.writes))
        self.writes.add(msg)

    @handler
    def take(self, msg: Msg) -> None:
        """The store takes a message from its mailbox (E1.3)."""
        self.writes.discard(msg)
        self.order.leave({msg})

    @handler
    def vanish(self) -> None:
        """The process is gone, and what it had sent with it (E1.4)."""
        self.writes.clear()
        self.order.keep(set())
