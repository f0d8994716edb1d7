"""The steps between queues and the disk: a commit begins and returns, and queues learn of it.

Where the scheduler has no say in commits there is no store here, and who commits by the clock says
when one has returned.
"""

from __future__ import annotations

from collections.abc import Callable

from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.context import Context, Part
from ackproof.impl.steps.observing import observed
from ackproof.impl.steps.scheduler import Action
from ackproof.impl.storage.journal import Batch
from ackproof.lang import require
from ackproof.spec.sorts import Level

__all__ = ["Disk"]


class Disk(Part):
    """Commits, and what queues learn of them.

    Attributes:
        store: commits a batch and tells whether it could; None if commits are not steps.
        batch: what was given to the disk by the step `write`, until its `commit`.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.store: Callable[[Batch], bool] | None = None
        self.batch: Batch | None = None

    @observed
    def write(self) -> None:
        """The queues give the disk what they have buffered: a commit begins (C3)."""
        require(self.store is not None and self.journal.pending)
        self.batch = self.journal.take()
        self.context.offer(Action.COMMIT, None)

    @observed
    def commit(self) -> None:
        """The commit that has begun returns, or fails."""
        require(self.store is not None and self.batch is not None and not self.journal.held)
        assert self.store is not None
        assert self.batch is not None
        batch, self.batch = self.batch, None
        if self.store(batch):
            self.committed(batch)

    def committed(self, batch: Batch) -> None:
        """The disk has what was in a batch."""
        try:
            for observer in self.observers:
                observer.committed(batch)
        finally:  # or nothing would ever be committed again
            for queue in self.journal.committed(batch):
                self.landed(queue)

    def landed(self, queue: HostedQueue) -> None:
        """A commit has returned: the spec's `sync` is possible for what was in it."""
        self.context.offer(Action.SYNC, None, queue)

    @observed
    def sync(self, queue: HostedQueue) -> None:
        """What landed is synced, one message after another with nothing between (C2.4, C3.1).

        Or some of it now and some later, as the scheduler says.  A message that was removed while
        it was being written has nothing left to sync.
        """
        require(queue.running and bool(queue.landed) and not queue.slow)
        store = queue.machine.store
        landed = (
            queue.landed if self.context.faults is None else self.context.faults.free(queue.landed)
        )
        require(bool(landed))
        chosen = list(self.context.scheduler.some(landed))
        for msg in chosen:
            if store.level[msg] is not Level.ABSENT:
                self.system.sync(msg, queue.key)
        if len(chosen) == len(queue.landed):
            queue.landed.clear()
        else:
            queue.landed = [msg for msg in queue.landed if msg not in chosen]
            self.context.offer(Action.SYNC, None, queue)

    @observed
    def drain(self, queue: HostedQueue) -> None:
        """A queue learns what its store has confirmed, and casts the confirms (B6.1)."""
        require(not queue.slow)
        self.system.drain(queue.key)
