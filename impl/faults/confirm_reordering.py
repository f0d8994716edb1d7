"""Settling publishes in another order than they came, as queues and disks may.

A channel has settled a message when the last of its queues has confirmed it.  Which queue is first,
and of which message the disk tells first, the specification leaves open (C2.4, O4).  So the order
is made there, and not where the channel tells: a message that was chosen is not synced, and what
its queues have cast does not arrive, until all that were chosen have been published.  Then each is
let go when the one before it was told.

What one queue has cast arrives in that order, all that is under way at once (A8.5, O1).  Therefore
a message that its queue does not have to store brings along what the queue has confirmed before
it, and one ack may be for both.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ackproof.impl.machines.publication import content_of
from ackproof.spec.sorts import Msg

if TYPE_CHECKING:
    from ackproof.impl.faults.trigger import Trigger
    from ackproof.impl.machines.channels import PublishingChannel
    from ackproof.impl.machines.queue_processes import HostedQueue

__all__ = ["Held", "Order", "Reordering", "permutation"]

#: In which order publishes are to be settled: by name, or by their places from 1.
Order = str | list[int] | tuple[int, ...]

_ORDERS = ("reversed", "drawn")


class Held(NamedTuple):
    """A publish whose confirm waits, and the queues it went to."""

    msg: Msg
    queues: tuple[HostedQueue, ...]


class Reordering:
    """Some publishes of one channel, and the order in which they are settled.

    Args:
        trigger: which publishes, and how many.
        order: their places, from 0, in the order of settling.

    Attributes:
        channel: that of the first of them; None until that is published.
    """

    def __init__(self, trigger: Trigger, order: Sequence[int]) -> None:
        self.channel: PublishingChannel | None = None
        self._trigger = trigger
        self._order = order
        self._published: list[Held] = []
        self._waiting: dict[Msg, Held] = {}  # those that are not told
        self._kept: set[Msg] = set()  # those whose turn has not come
        self._current: Held | None = None

    def take(self, channel: PublishingChannel, held: Held) -> bool:
        """Keep a publish if it is one of them; tell whether it is."""
        if self.channel not in (None, channel) or not self._trigger.strikes(content_of(held.msg)):
            return False
        self.channel = channel
        self._published.append(held)
        self._waiting[held.msg] = held
        self._kept.add(held.msg)
        return True

    @property
    def complete(self) -> bool:
        """Tell whether all of them were published."""
        return self._trigger.spent

    def keeps(self, msg: Msg) -> bool:
        """Tell whether a message must not be synced yet."""
        return msg in self._kept

    def stops(self, cast: Collection[Msg]) -> bool:
        """Tell whether what a queue has cast must not arrive yet."""
        due = self._current is not None and self._current.msg in cast
        return not due and any(msg in self._kept for msg in cast)

    def settled(self, msgs: Iterable[Msg]) -> list[Held]:
        """These were told; return those that are let go now."""
        going = []
        for msg in msgs:
            held = self._waiting.pop(msg, None)
            if held is not None and held.msg in self._kept:
                self._kept.discard(held.msg)
                going.append(held)
        return going + self.proceed()

    def proceed(self) -> list[Held]:
        """Let go of the next one, if all are there and the one before it was told."""
        if not self.complete:
            return []
        self._current = next(iter(self.turns), None)
        if self._current is None or self._current.msg not in self._kept:
            return []
        self._kept.discard(self._current.msg)
        return [self._current]

    def end(self) -> list[Held]:
        """Let go of all of them."""
        going = [held for held in self._published if held.msg in self._kept]
        self._kept.clear()
        self._waiting.clear()
        return going

    @property
    def turns(self) -> list[Held]:
        """Return those that are not told, in the order in which they will be."""
        turns = [self._published[place] for place in self._order]
        return [held for held in turns if held.msg in self._waiting]

    @property
    def over(self) -> bool:
        """Tell whether all of them were told."""
        return self.complete and not self._waiting


def permutation(order: Order, n: int, seed: int) -> list[int]:
    """Return places from 0 in the order that was asked for.

    Args:
        order: `reversed`, `drawn`, or the places from 1.
        n: how many there are.
        seed: what is drawn by.

    Raises:
        ValueError: it is no order of so many.
    """
    if order == "reversed":
        return list(reversed(range(n)))
    if order == "drawn":
        return random.Random(seed).sample(range(n), n)
    given = order if isinstance(order, list | tuple) else ()
    places = [place for place in given if type(place) is int]
    if len(given) != n or set(places) != set(range(1, n + 1)):
        raise ValueError(
            f"order is {order!r}; it must be {', '.join(_ORDERS)}, or the numbers from 1 to {n} "
            "in the order in which those publishes are to be settled"
        )
    return [place - 1 for place in places]
