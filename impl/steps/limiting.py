"""The steps of a queue with a length limit, as the broker takes them (B5).

The specification says whether a queue is full or too long, and what has to go.  What that means in
bytes, `ackproof.impl.machines.length_limit` has told its machine just before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import cast

from ackproof.impl.machines.consuming_machines import Loan
from ackproof.impl.machines.publication import content_of
from ackproof.impl.machines.queue_order import PlacedSet
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.steps.deadlettering import DeadLetteringSteps
from ackproof.impl.steps.x_death import Cause
from ackproof.spec.sorts import Msg

__all__ = ["LimitingSteps"]


@dataclass
class LimitingSteps(DeadLetteringSteps):
    """Full queues drop what has waited longest."""

    # -- what is too much -----------------------------------------------------------------------

    @contextmanager
    def _shortened(
        self, queue: HostedQueue, coming: Collection[Msg], *, new: bool
    ) -> Iterator[None]:
        """Messages come to a queue in a step, which drops what is over its limit (B5.2, B5.7).

        Args:
            queue: may have a limit.
            coming: those that come.
            new: they have never been there.
        """
        if not queue.limit.exists:
            yield
            return
        queue.limit.expect(coming)
        ready = cast(PlacedSet, queue.machine.ready)
        ready.note()
        try:
            yield
        finally:
            left = ready.noted()
        for msg in left:
            if queue.has(msg):
                continue  # a consumer has it
            if new and msg in coming:  # it has not counted yet, nor was the disk given it
                queue.limit.enters(content_of(msg))
                queue.buffered[msg] = None
            self.give_up(queue, content_of(msg), Cause.MAXLEN)
            self.drop(queue, msg)

    @contextmanager
    def _returned(self, loans: Iterable[Loan[HostedQueue]]) -> Iterator[None]:
        """Messages return to their places in a step, and a queue may have too many (B7.3)."""
        coming: dict[HostedQueue, list[Msg]] = {}
        for queue, msg in loans:
            coming.setdefault(queue, []).append(msg)
        with ExitStack() as stack:
            for queue, msgs in coming.items():
                stack.enter_context(self._shortened(queue, msgs, new=False))
            with super()._returned(loans):
                yield

    # -- leaving and coming back ----------------------------------------------------------------

    def take(self, queue: HostedQueue, msg: Msg) -> None:
        """What a client has does not count (B5.1)."""
        super().take(queue, msg)
        if queue.limit.exists:
            queue.limit.leaves(content_of(msg))

    def drop(self, queue: HostedQueue, msg: Msg) -> None:
        """A ready message leaves its queue unseen, and makes room (C4.4)."""
        super().drop(queue, msg)
        if queue.limit.exists:
            queue.limit.leaves(content_of(msg))

    def requeue(self, queue: HostedQueue, msg: Msg) -> None:
        """What comes back counts again (B7.3)."""
        super().requeue(queue, msg)
        if queue.limit.exists:
            queue.limit.enters(content_of(msg))
