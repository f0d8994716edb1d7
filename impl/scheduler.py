"""Which enabled step of the specification runs next.

The specification leaves that open: between two steps anything may interleave (rule O4), and every
order is a behaviour of the broker.  The broker therefore does not run steps where it discovers
that they are possible.  It *offers* them, and a scheduler decides.

An offer is a hint and not a promise.  By the time it is taken something else may have made the
step impossible; then the step's `require` says so, nothing has happened, and whatever makes it
possible again will offer it again.  The same offer twice is one offer.

`Eager` does what a user expects: everything at once, in the order in which a message travels.  It
lets the channels tell their publishers only when there is nothing else to do, as a channel whose
mailbox is empty does (A10.2); that is what makes one ack cover many messages.  A scheduler that
draws from all offers by a seeded generator satisfies the same protocol.
"""

from __future__ import annotations

from collections import OrderedDict
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from ackproof.impl.hosted import HostedQueue
    from ackproof.impl.publishing import PublishingChannel

__all__ = ["Action", "Eager", "Scheduler", "Step"]


class Action(IntEnum):
    """The actions of `ackproof.spec.system` that happen by themselves, as a message meets them."""

    DELIVER = 0
    SYNC = 1
    DRAIN = 2
    CONFIRM_ARRIVES = 3
    DOWN_ARRIVES = 4
    RESTART = 5
    FLUSH = 6


class Step(NamedTuple):
    """An action with its arguments."""

    action: Action
    channel: PublishingChannel | None
    queue: HostedQueue | None


class Scheduler(Protocol):
    """Chooses among the steps it was offered."""

    def offer(self, step: Step) -> None:
        """Note that a step may be possible now."""

    def take(self, idle: bool) -> Step | None:
        """Choose the next step and forget its offer; None to wait for more input.

        Args:
            idle: there is no more input for now.
        """


class Eager:
    """Everything at once: the earliest station of a message first, telling last."""

    def __init__(self) -> None:
        self._offers: tuple[OrderedDict[Step, None], ...] = tuple(OrderedDict() for _ in Action)

    def offer(self, step: Step) -> None:
        """Note that a step may be possible now."""
        self._offers[step.action][step] = None

    def take(self, idle: bool) -> Step | None:
        """Choose the oldest offer of the earliest action; flushes only when idle."""
        for offers in self._offers if idle else self._offers[: Action.FLUSH]:
            if offers:
                return offers.popitem(last=False)[0]
        return None
