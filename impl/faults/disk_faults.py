"""What can be asked to go wrong with the disk.

This is a part of `ackproof.impl.faults.faults`, which says which steps of the specification it is.
"""

from __future__ import annotations

from typing import Any

from ackproof.impl.faults.fault_target import FaultGroup, FaultTarget
from ackproof.impl.faults.trigger import Trigger, trigger_for
from ackproof.impl.machines.publication import content_of
from ackproof.impl.steps.scheduler import Action, Step
from ackproof.impl.storage.journal import Batch

__all__ = ["DiskFaults"]


class DiskFaults(FaultGroup):
    """The faults of the disk.

    Attributes:
        withheld: batches that are on the disk, while no commit may return.
    """

    def __init__(self, broker: FaultTarget) -> None:
        super().__init__(broker)
        self.withheld: list[Batch] = []
        self._failing: list[Trigger] = []

    def hold_fsync(self) -> None:
        """From now on no commit returns: nothing persistent is confirmed, publishers wait."""
        self._broker.journal.held = True
        self._note("hold_fsync")

    def release_fsync(self) -> None:
        """Commits return again, those that were held first."""
        broker = self._broker
        broker.journal.held = False
        self._note("release_fsync")
        withheld, self.withheld = self.withheld, []
        for batch in withheld:
            broker.steps.disk.committed(batch)
        if broker.steps.disk.batch is not None:
            broker.steps.context.scheduler.offer(Step(Action.COMMIT, None, None))

    def fail_writes(self, /, n: int | None = 1, **about: Any) -> None:
        """Let the disk refuse the next commits; each is tried again a second later.

        Args:
            n: how many times in a row; None for every time, until the faults are cleared.
            about: only commits that have such a publish, see
                `ackproof.impl.faults.trigger.Trigger`; what is counted are commits.

        Raises:
            ValueError: something is of the wrong type, or out of range.
            TypeError: there is nothing of that name to choose by.
        """
        self._failing.append(self._armed("fail_writes", trigger_for(n, about), **about))

    def write_fails(self, batch: Batch) -> bool:
        """Tell whether the commit of a batch is to fail, and count it."""
        if not self._failing:
            return False
        messages = [content_of(placed.msg) for _, placed in batch.messages]
        struck = any(
            (not one.chooses or any(map(one.about, messages))) and one.due()
            for one in self._failing
        )
        self._failing = [one for one in self._failing if not one.spent]
        if struck:
            self._note("fail_writes")
        return struck
