"""The disks of a node: one database, or one for each replica.

The first is the node's own.  It has everything that there is besides messages, the record of each
mirrored queue among it: the number of the process that led last.  It also has the messages of those
processes that use it, as each of the others has.  A process has a number that no other has, so that
its messages are found wherever they are.

A batch is divided among the databases, and has returned when all of them have.  The node may end
between two of them; then nothing of the batch has been confirmed, but what was before must not be
lost, and another process may lead from this batch on.  So the order is that of a move: first the
others get what is new, then the first learns who leads, and only then does anything of a process
that is gone go.  A batch that was refused comes again; the shares that were taken by then are
passed over.

When a node starts, the messages of all but those that led are erased: mirrors begin anew (C5.4).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ackproof.impl.storage.disk import Disk, DiskError
from ackproof.impl.storage.journal import Batch
from ackproof.impl.storage.stored import Stored

__all__ = ["Disks", "open_disks"]

_FOLDER = "replica-"


class Disks:
    """The databases of a node with mirrored queues.

    Args:
        directory: where they lie, those after the first in folders of their own; None to keep
            everything in memory.
        count: how many replicas there are.

    Raises:
        DiskError: one of them cannot be used.
    """

    def __init__(self, directory: Path | None, count: int) -> None:
        folders = [None if directory is None else directory / f"{_FOLDER}{n}" for n in range(count)]
        self._disks = [Disk(directory), *map(Disk, folders[1:])]
        self._batch: Batch | None = None
        self._done = 0

    def recover(self) -> Stored:
        """Return everything that is here; what only mirrors had is erased (C5.4)."""
        stored = self._disks[0].recover()
        found = {queue.number: queue for queue in stored.queues}
        for replica, disk in enumerate(self._disks):
            messages = disk.entries()
            for number in found.keys() & messages.keys():
                found[number] = replace(found[number], messages=messages[number], replica=replica)
            disk.erase_all_but(found)
        return replace(stored, queues=list(found.values()))

    def commit(self, batch: Batch) -> None:
        """Make a batch durable in all databases.

        Raises:
            sqlite3.Error: one of them has refused; the batch has to be tried again.
        """
        if batch is not self._batch:
            self._batch, self._done = batch, 0
        for replica, share in _shares(batch, len(self._disks))[self._done :]:
            if share:
                self._disks[replica].commit(share)
                batch.leave_out(share.unstorable)
            self._done += 1
        self._batch = None

    def erase(self) -> None:
        """Remove everything; the first goes first, as what it does not know nobody finds.

        Raises:
            DiskError: one of them cannot be written.
        """
        self._batch = None
        for disk in self._disks:
            disk.erase()

    def close(self) -> None:
        """Close the databases; they can be opened again at once."""
        for disk in self._disks:
            disk.close()


def _shares(batch: Batch, count: int) -> list[tuple[int, Batch]]:
    """Divide a batch among so many databases; return whose share each is, in their order."""
    entering = [(replica, _entering(batch, replica)) for replica in range(count)]
    leaving = [(replica, _leaving(batch, replica)) for replica in range(1, count)]
    first = entering[0][1]
    first.created = batch.created
    first.topology = batch.topology
    first.records, first.anew = batch.records, batch.anew
    first.deleted = batch.deleted
    return [*entering[1:], entering[0], *leaving]


def _entering(batch: Batch, replica: int) -> Batch:
    """Return what comes to the processes of a replica, and what they have done with."""
    return Batch(
        messages=[one for one in batch.messages if one[0].replica == replica],
        removed=[one for one in batch.removed if one[0].replica == replica],
        moved=[one for one in batch.moved if one[0].replica == replica],
    )


def _leaving(batch: Batch, replica: int) -> Batch:
    """Return those processes of a replica that are gone."""
    return Batch(deleted=[queue for queue in batch.deleted if queue.replica == replica])


def open_disks(directory: Path | None, replicas: int) -> Disk | Disks:
    """Open what a node with so many replicas keeps its data in.

    Raises:
        DiskError: it cannot be used, or was used with more replicas.
    """
    if directory is not None:
        there = [n for n in range(1, 10) if (directory / f"{_FOLDER}{n}").exists()]
        if there and there[-1] >= replicas:
            raise DiskError(
                f"{directory} has data of {there[-1] + 1} replicas, and a queue may be led by any "
                f"of them; start it with --replicas {there[-1] + 1}"
            )
    return Disk(directory) if replicas == 1 else Disks(directory, replicas)
