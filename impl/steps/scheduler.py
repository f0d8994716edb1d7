"""Which enabled step of the specification runs next.

The specification leaves that open: between two steps anything may interleave (rule O4), and every
order is a behaviour of the broker.  The broker therefore does not run steps where it discovers
that they are possible.  It *offers* them, and a scheduler decides.

An offer is a hint and not a promise.  By the time it is taken something else may have made the
step impossible; then the step's `require` says so, nothing has happened, and whatever makes it
possible again will offer it again.  The same offer twice is one offer.

`Eager` does what a user expects: everything at once, in the order in which a message travels.  It
lets the channels hear what queues have confirmed, and tell their publishers, only when there is
nothing else to do, as a channel whose mailbox is empty does (A10.2); that is what makes one ack
cover many messages.

`Seeded` draws, in `ackproof.impl.steps.seeded`.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ackproof.spec.sorts import Msg

if TYPE_CHECKING:
    from ackproof.impl.machines.channels import PublishingChannel
    from ackproof.impl.machines.queue_processes import HostedQueue

__all__ = ["TELLING", "Action", "Eager", "Scheduler", "Step"]


class Action(IntEnum):
    """The actions of `ackproof.spec.system` that happen by themselves, as a message meets them.

    `WRITE` and `COMMIT` are the two ends of a transaction on the disk.  They are offered only if
    the scheduler has the say in commits (`Scheduler.commits`).
    """

    FOLLOW = 0
    DELIVER = 1
    WRITE = 2
    COMMIT = 3
    SYNC = 4
    DRAIN = 5
    CONFIRM_ARRIVES = 6
    REJECT_ARRIVES = 7
    DOWN_ARRIVES = 8
    PROMOTE = 9
    SYNCHRONISE = 10
    FORGET_SENDER = 11
    RESTART = 12
    SERVE = 13
    FLUSH = 14
    COMPLETE = 15
    NOTICE = 16
    ESTRANGE = 17
    HALT = 18
    PAUSE = 19

    __hash__ = int.__hash__  # an action is looked up very often, and this is not done in Python


#: By these steps channels hear of what is settled, and tell it.
TELLING = {Action.CONFIRM_ARRIVES, Action.FLUSH, Action.COMPLETE}

#: A channel is forgotten after all that: of what it has sent, most that can be kept is kept.
_OF_MIRRORS = {Action.FOLLOW, Action.PROMOTE, Action.SYNCHRONISE}
_OF_MIRRORS |= {Action.NOTICE, Action.ESTRANGE, Action.HALT, Action.PAUSE}


class Step(NamedTuple):
    """An action with its arguments."""

    action: Action
    channel: PublishingChannel | None
    queue: HostedQueue | None


class Scheduler(Protocol):
    """Chooses among the steps it was offered.

    Attributes:
        commits: the scheduler chooses when the disk commits, and not the clock.
        portion: messages that one step of a queue hands out, one after another, at most.
        tells_first: what is settled is told before the next method is processed (A10.2).
        tells_last: until there is no input, nothing is chosen of what settles and tells.
    """

    commits: bool
    portion: int
    tells_first: bool
    tells_last: bool

    def offer(self, step: Step) -> None:
        """Note that a step may be possible now."""

    def take(self, idle: bool) -> Step | None:
        """Choose the next step and forget its offer; None to wait for more input.

        Args:
            idle: there is no more input for now.
        """

    def some(self, landed: list[Msg]) -> Iterable[Msg]:
        """Choose those of the messages that landed that are synced now, at least one (C2.4)."""

    def token(self) -> str:
        """Return 22 characters for a name that a client has left to the broker."""

    @property
    def waiting(self) -> bool:
        """Tell whether something is held back for later input, which may not come."""


class Eager:
    """Everything at once: the earliest station of a message first, telling last."""

    commits = False
    portion = 64
    tells_first = tells_last = True

    def __init__(self) -> None:
        # What only mirrors do has one place, so that it costs little where there are none.
        mirrors: OrderedDict[Step, None] = OrderedDict()
        self._offers = tuple(mirrors if a in _OF_MIRRORS else OrderedDict() for a in Action)
        others = [action for action in Action if action not in _OF_MIRRORS]
        self._all = (mirrors, *(self._offers[a] for a in others))
        before_telling = (self._offers[a] for a in others if a not in TELLING)
        self._before_telling = (mirrors, *before_telling)

    def offer(self, step: Step) -> None:
        """Note that a step may be possible now."""
        self._offers[step.action][step] = None

    def take(self, idle: bool) -> Step | None:
        """Choose the oldest offer of the earliest action; those of telling only when idle."""
        for offers in self._all if idle else self._before_telling:
            if offers:
                return offers.popitem(last=False)[0]
        return None

    def some(self, landed: list[Msg]) -> Iterable[Msg]:
        """Choose all of them."""
        return landed

    def token(self) -> str:
        """Return a name that nobody can guess."""
        return secrets.token_urlsafe(16)

    @property
    def waiting(self) -> bool:
        """Nothing is held back."""
        return False
