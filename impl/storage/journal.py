"""What the disk still has to be told, gathered into batches.

One commit at a time is on its way to the disk.  What happens meanwhile waits in the journal and
becomes the next batch: that is group commit, and the slower the disk, the larger the batches.  The
journal decides nothing about messages: a batch takes what the queues have in their buffers, which
is the spec's step `write` for each, and when the commit has returned the queues are told what
landed, which enables the spec's step `sync`.

A batch that fails is tried again, before anything newer.  Until it succeeds nothing in it is
synced, so nothing in it is confirmed, and publishers wait.

A disk that is full is *relieved* by consumers, who must not wait for publishers: what has left its
queue since then goes before the batch that has failed, and what that batch would have entered for
nothing it enters no more.  Mirrors are not relieved like that, as their databases take a batch one
after another.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from ackproof.impl.access.directory import Record
from ackproof.impl.machines.publication import content_of, without_content
from ackproof.impl.machines.queue_processes import HostedQueue, Placed
from ackproof.impl.topology.definitions import Change
from ackproof.spec.sorts import Msg

__all__ = ["Batch", "Journal"]

_LOG = logging.getLogger(__name__)


#: Messages from which on a batch takes in no further queue.
_MOST = 4_000
#: Messages up to which a batch is small, and bytes up to which each of them is.
_FEW, _LITTLE = 8, 1 << 14


@dataclass
class Batch:
    """What one commit makes durable; order within it does not matter.

    Attributes:
        created: queues to be entered.
        messages: new messages, with the queue that each stands in.
        removed: messages that left their queue.
        moved: messages that the disk has, and where they stand now.
        deleted: queues to be removed, with all that stands in them.
        topology: exchanges and bindings to be entered and removed.
        records: users, permissions and virtual hosts that have changed.
        anew: records that are there already are removed first.
        waiting: to be called when the commit has returned.
        unstorable: messages that the disk can never take, and has left out.
    """

    created: list[HostedQueue] = field(default_factory=list)
    messages: list[tuple[HostedQueue, Placed]] = field(default_factory=list)
    removed: list[tuple[HostedQueue, Msg]] = field(default_factory=list)
    moved: list[tuple[HostedQueue, Msg, int]] = field(default_factory=list)
    deleted: list[HostedQueue] = field(default_factory=list)
    topology: Change = field(default_factory=Change)
    records: list[Record] = field(default_factory=list)
    anew: bool = False
    waiting: list[Callable[[], None]] = field(default_factory=list)
    unstorable: list[tuple[HostedQueue, Placed]] = field(default_factory=list)

    def leave_out(self, messages: list[tuple[HostedQueue, Placed]]) -> None:
        """Leave out messages that the disk can never take; who published them is to be told."""
        self.messages = [one for one in self.messages if one not in messages]
        self.unstorable += messages

    @property
    def is_small(self) -> bool:
        """Tell whether this is little for a disk: some messages at most, and none of them large."""
        entered, rest = self.messages, (self.removed, self.moved, self.records)
        if len(entered) > _FEW or any(len(some) > _FEW for some in rest):
            return False
        if self.created or self.deleted or self.topology:
            return False
        return all(len(content_of(placed.msg).body) <= _LITTLE for _, placed in entered)

    def __bool__(self) -> bool:
        queues = self.created or self.messages or self.removed or self.deleted
        return bool(queues or self.moved or self.topology or self.waiting or self.records)


class Journal:
    """The next batch, the batch on its way, and the queues with something in their buffers.

    Attributes:
        held: no batch is given out for now.
        relieves: what has left its queue may go before a batch that has failed.
        gathered: messages that have come into buffers since a batch was given out.
    """

    def __init__(self) -> None:
        self.held = False
        self.relieves = True
        self.gathered = 0
        self._next = Batch()
        self._failed: Batch | None = None
        self._committing = False
        self._dirty: dict[HostedQueue, None] = {}

    def created(self, queue: HostedQueue) -> None:
        """A durable queue was declared."""
        self._next.created.append(queue)

    def buffered(self, queue: HostedQueue) -> None:
        """A queue has something in its buffer."""
        self._dirty[queue] = None
        self.gathered += 1

    def removed(self, queue: HostedQueue, msg: Msg) -> None:
        """A message that the disk was given has left its queue."""
        self._next.removed.append((queue, without_content(msg)))

    def moved(self, queue: HostedQueue, msg: Msg, place: int) -> None:
        """A message that the disk was given stands at another place."""
        self._next.moved.append((queue, without_content(msg), place))

    def deleted(self, queue: HostedQueue) -> None:
        """A durable queue was deleted."""
        self._dirty.pop(queue, None)
        self._next.deleted.append(queue)

    def changed(self, durable: Change) -> None:
        """Something durable of a topology has changed."""
        self._next.topology.add(durable)

    def recorded(self, records: list[Record], *, anew: bool = False) -> None:
        """Users, permissions or virtual hosts have changed; or nothing was known of them before."""
        self._next.records += records
        self._next.anew |= anew

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call back when all that was said so far is on the disk."""
        self._next.waiting.append(callback)

    @property
    def pending(self) -> bool:
        """Tell whether a batch could be taken now."""
        waiting = self._failed is not None or self._dirty or self._next
        return not self._committing and not self.held and bool(waiting)

    def take(self) -> Batch:
        """Give out the next batch, for one attempt to commit it."""
        assert self.pending
        self._committing = True
        if self._failed is not None:
            relief = self._relief(self._failed) if self.relieves else None
            if relief is not None:
                return relief
            batch, self._failed = self._failed, None
            return batch
        batch, self._next = self._next, Batch()
        while self._dirty and not self._enough(batch):
            queue = next(iter(self._dirty))
            del self._dirty[queue]
            batch.messages += [(queue, placed) for placed in queue.hand_over()]
        self.gathered = max(0, self.gathered - len(batch.messages)) if self._dirty else 0
        if self._dirty:
            batch.waiting, self._next.waiting = [], batch.waiting
        return batch

    def _enough(self, batch: Batch) -> bool:
        """Tell whether the rest is for another batch, since nobody is served while one returns.

        What says which queues there are is not torn from what stands in them.
        """
        whole = batch.created or batch.deleted or batch.topology
        return len(batch.messages) >= _MOST and not whole

    @property
    def refused(self) -> bool:
        """Tell whether there is a batch that the disk has refused, and has not got yet."""
        return self._failed is not None

    def _relief(self, failed: Batch) -> Batch | None:
        """Return what makes room on the disk and can go before a batch that has failed, if any."""
        later = self._next
        created = set(failed.created)
        deleted = [queue for queue in later.deleted if queue not in created]
        gone = set(deleted)
        left = set(later.removed)
        entered = {(queue, without_content(placed.msg)) for queue, placed in failed.messages}
        failed.messages = [
            (queue, placed)
            for queue, placed in failed.messages
            if queue not in gone and (queue, without_content(placed.msg)) not in left
        ]
        removed = failed.removed + [one for one in later.removed if one not in entered]
        if not removed and not deleted:
            later.removed = []
            return None
        failed.removed, later.removed = [], []
        later.deleted = [queue for queue in later.deleted if queue in created]
        return Batch(removed=removed, deleted=deleted)

    def committed(self, batch: Batch) -> list[HostedQueue]:
        """The commit of a batch has returned; return the queues to which something landed."""
        self._committing = False
        landed: dict[HostedQueue, None] = {}
        for queue, placed in batch.messages:
            queue.landed.append(placed.msg)
            landed[queue] = None
        for callback in batch.waiting:
            try:
                callback()
            except Exception:
                _LOG.exception("internal error in one that waited for a commit; others go on")
        return list(landed)

    def failed(self, batch: Batch) -> None:
        """The disk has refused a batch; it will be given out again."""
        self._committing = False
        if self._failed is None:
            self._failed = batch
        else:  # not even what makes room could be written
            self._failed.removed = batch.removed
            self._next.deleted = batch.deleted + self._next.deleted
