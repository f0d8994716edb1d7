"""Storing: what queues have written, how it becomes safe, and how queues hear of that.

A persistent message in a durable queue goes to the disk in steps of its own, `write`, `sync`, and
when it has left the queue, `forget`; whatever the store has confirmed is drained at once (B6.1).

Where bodies lie apart (`Store.apart`), entry and body get there each for itself, in either order,
and the message is confirmed when both are there (C2.2, C2.4).  A body that several queues have is
written once: `sync_body` tells all who have waited for it, and who comes later need not wait
(C3.2).  It stays as long as an entry in the index of some queue refers to it.  An entry whose body
is lost is dropped when its queue starts again (C5.1); here, in the step in which the process ends.
"""

from __future__ import annotations

from ackproof.lang import action, handler, require
from ackproof.spec.flow import Flow
from ackproof.spec.sorts import Level, Msg, Replica, Status

__all__ = ["Storing"]


class Storing(Flow):
    """Messages reach the disk (C1-C5)."""

    # -- entries, and messages as a whole -------------------------------------------------------

    @handler
    def send_to_store(self, msg: Msg, replica: Replica) -> None:
        """A process sends a persistent message to its store (C2.1)."""
        if msg in self.persistent and self.replicas[replica].durable:
            self.pay_store(msg, replica)
            if self.replicas[replica].store.apart:
                self.bodies.keep(msg, replica)
                if self.bodies.level[msg] == Level.SYNCED:
                    self.replicas[replica].store.hear_of_body(msg)

    @action
    def write(self, msg: Msg, replica: Replica) -> None:
        """A buffer is handed to the kernel, if the store has taken it (C3)."""
        require(msg not in self.mailboxes[replica].writes)
        require(self.replicas[replica].status == Status.RUNNING)
        self.replicas[replica].store.write(msg)

    @action(fair="weak")
    def sync(self, msg: Msg, replica: Replica) -> None:
        """A message reaches the disk, if the store has taken it (C3.1, C3.3, B6.3)."""
        require(msg not in self.mailboxes[replica].writes)
        require(self.replicas[replica].status == Status.RUNNING)
        self.replicas[replica].store.sync(msg)

    @action(fair="weak")
    def forget(self, msg: Msg, replica: Replica) -> None:
        """The removal of a message reaches the disk (C5.2)."""
        require(self.replicas[replica].status == Status.RUNNING)
        self.replicas[replica].store.forget(msg)
        self.release_body(msg, replica)
        self.replicas[replica].displace({msg})

    @action(fair="weak")
    def drain(self, replica: Replica) -> None:
        """A process learns what its store has confirmed, and casts the confirms (B6.1)."""
        require(bool(self.replicas[replica].store.confirmed))
        self.replicas[replica].drain()

    # -- bodies that queues share ---------------------------------------------------------------

    @action
    def write_body(self, msg: Msg) -> None:
        """The shared store hands a body to the kernel (C3)."""
        self.bodies.write(msg)

    @action(fair="weak")
    def sync_body(self, msg: Msg) -> None:
        """A body reaches the disk, and all who wait for it are told (C2.2, C3.1)."""
        told = set(self.bodies.waiting[msg])
        self.bodies.sync(msg)
        for replica in told:
            self.replicas[replica].store.hear_of_body(msg)

    @action(fair="weak")
    def collect_body(self, msg: Msg) -> None:
        """The shared store removes a body that nobody refers to (C5.1)."""
        self.bodies.collect(msg)

    @handler
    def release_body(self, msg: Msg, replica: Replica) -> None:
        """A queue needs a body no more, unless its index still has the entry (C4.1, C5.2)."""
        if self.replicas[replica].store.needs_no_body(msg):
            self.bodies.release(msg, replica)

    @handler
    def part_from_bodies(self, replica: Replica) -> None:
        """A process has ended: entries without a body go, and do not refer to any (C5.1)."""
        if self.replicas[replica].store.apart:
            entries = set(self.replicas[replica].store.level)
            lost = {m for m in entries if self.bodies.level[m] == Level.ABSENT}
            self.replicas[replica].store.miss(lost)
            self.replicas[replica].displace(lost)
            for msg in Msg:
                self.bodies.forget(msg, replica)
                if msg not in entries - lost:
                    self.bodies.release(msg, replica)
