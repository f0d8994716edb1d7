"""What can be asked to go wrong as a publisher is told what is settled: not now, or otherwise.

This is a part of `ackproof.impl.faults.faults`, which says which steps of the specification it is.
"""

from __future__ import annotations

from typing import Any, Literal

from ackproof.impl.faults.confirm_reordering import Order, Reordering, permutation
from ackproof.impl.faults.fault_target import FaultGroup
from ackproof.impl.faults.trigger import trigger_for

__all__ = ["ConfirmFaults"]

#: Publishes that may be held to be settled in another order.
_REORDERED_MAX = 1000
_SECONDS_MAX = 3600


class ConfirmFaults(FaultGroup):
    """The faults of confirms, and of what answers a commit."""

    def withhold_confirms(self) -> None:
        """Let no channel tell its publisher anything, as the partition guard does (A12)."""
        self._watched_triggers().guarded = True
        self._note("withhold_confirms")

    def delay_confirms(
        self, /, n: int | None = 1, seconds: float | None = None, **about: Any
    ) -> None:
        """Let the channel of the next publishes tell its publisher nothing, until released.

        Args:
            n: of how many publishes.
            seconds: after which it is released; None for `release_confirms` to do it.
            about: which, see `ackproof.impl.faults.trigger.Trigger`.

        Raises:
            ValueError: something is of the wrong type, or out of range.
            TypeError: there is nothing of that name to choose by.
        """
        timed = seconds is None or (type(seconds) in (int, float) and 0 <= seconds <= _SECONDS_MAX)
        if not timed:
            raise ValueError(f"seconds is {seconds!r}; it must be from 0 to {_SECONDS_MAX}")
        trigger = self._armed("delay_confirms", trigger_for(n, about), **about)
        self._watched_triggers().delaying.append((trigger, seconds))

    def reorder_confirms(
        self, /, n: int = 2, order: Order = "reversed", seed: int = 0, **about: Any
    ) -> None:
        """Settle the next publishes of one channel in another order than they came.

        None of them is settled before the last one was published.  Then each is told when the one
        before it was, as far as their queues can do that: those that a disk must have are settled
        in any order, and of others those in the same queue together.  `release_confirms` ends it.

        Args:
            n: how many publishes, from 2 to 1,000, that are routed to a queue in confirm mode.
            order: `reversed`, `drawn`, or their numbers from 1 in the order of settling.
            seed: what is drawn by.
            about: which, see `ackproof.impl.faults.trigger.Trigger`.

        Raises:
            ValueError: something is of the wrong type, or out of range.
            TypeError: there is nothing of that name to choose by.
        """
        trigger = trigger_for(n, {"seed": seed, **about})
        if n is None or not 2 <= n <= _REORDERED_MAX:
            raise ValueError(f"n is {n!r}; it must be from 2 to {_REORDERED_MAX}")
        order_of_them = permutation(order, n, seed)
        self._armed("reorder_confirms", trigger, **about)
        self._watched_triggers().reordering.append(Reordering(trigger, order_of_them))

    def release_confirms(self) -> None:
        """Let all channels tell again; what is settled by now is told together."""
        self._note("release_confirms")
        self._triggers.release()

    def drop_connection(
        self,
        /,
        when: Literal["before_confirm", "after_confirm"] = "before_confirm",
        n: int | None = 1,
        **about: Any,
    ) -> None:
        """Break the connection of the next publishes, when they are settled.

        Args:
            when: before the publisher is told, or after that has been written.
            n: how many times.
            about: which publishes, see `ackproof.impl.faults.trigger.Trigger`.

        Raises:
            ValueError: there is no such moment, or something is of the wrong type or out of range.
            TypeError: there is nothing of that name to choose by.
        """
        moments = ("before_confirm", "after_confirm")
        if when not in moments:
            raise ValueError(f"when is {when!r}; it must be one of {', '.join(moments)}")
        written = when == "after_confirm"
        trigger = self._armed("drop_connection", trigger_for(n, about), **about)
        self._watched_triggers().cuts.waiting.append((trigger, written))
