"""Any order that the specification allows, drawn by a seed.

Whenever the broker may take a step, one is drawn from all that are on offer.  As long as more
input may follow at once, *stop for now* is drawn with them, so that input may come before any of
them.  When there is none, everything is taken, in an order that is drawn, but a flush may be
held back a few times: then one ack may cover what comes later.  A commit has two steps, its
beginning (the spec's `write`, for each message in it) and its return; both are drawn like any
other, and are taken in the broker's thread.  Of the messages that a commit has brought to the disk,
some are synced before others.

**What is promised.**  The broker says the same bytes for the same seed and the same input, where
the input is what each connection sends and *when*: what has been received each time the broker
looks.  Two kinds of clients make that the same each time, whatever the machine does:

* one without sockets, which hands over its input piece by piece;
* one that sends as long as it likes and the broker owes it nothing, and then, once something is
  owed, waits until the broker has said it all.  However the network cuts such input into pieces,
  nothing is drawn between two pieces of one frame, and when everything owed has been said no
  step is left on offer.  Connections may take turns in this.

A client that goes on sending while confirms are outstanding, or two that do not wait for each
other, still see a behaviour of the specification, but the moment at which their bytes arrive is
chosen by the machine and not by the seed.  Neither does the seed choose what depends on the clock:
heartbeats, expiry, and how long a flush is held back.
"""

from __future__ import annotations

import base64
import random
from collections import Counter
from collections.abc import Iterable

from ackproof.impl.steps.scheduler import Action, Step
from ackproof.spec.sorts import Msg

__all__ = ["Seeded"]

#: How probable it is that a flush is held back when there is no more input.
_HOLDING = 0.3
#: How many times a flush is held back, at most.
_MOMENTS = 2


class Seeded:
    """Draws from all offers; the same seed and the same input give the same steps.

    Args:
        seed: any integer; it is printed by what fails, to be given again.
        commits: commits are among the steps; otherwise they happen by time.
    """

    portion = 1
    tells_first = tells_last = False

    def __init__(self, seed: int, *, commits: bool = True) -> None:
        self.seed = seed
        self.commits = commits
        self._random = random.Random(seed)
        # Names have a generator of their own, so that they do not depend on the schedule.
        self._names = random.Random(seed)
        self._offers: list[Step] = []
        self._offered: set[Step] = set()
        self._held: list[Step] = []
        self._moments: Counter[Step] = Counter()

    def offer(self, step: Step) -> None:
        """Note that a step may be possible now."""
        if step not in self._offered:
            self._offered.add(step)
            self._offers.append(step)

    def take(self, idle: bool) -> Step | None:
        """Draw the next step; or draw to stop, if there may be more input."""
        while self._offers:
            number = self._random.randrange(len(self._offers) + (not idle))
            if number == len(self._offers):
                return None
            step = self._offers.pop(number)
            if idle and self._holds_back(step):
                self._held.append(step)
                continue
            self._offered.discard(step)
            self._moments.pop(step, None)
            return step
        self._offers, self._held = self._held, self._offers
        return None

    def _holds_back(self, step: Step) -> bool:
        if step.action is not Action.FLUSH or self._moments[step] == _MOMENTS:
            return False
        self._moments[step] += 1
        return self._random.random() < _HOLDING

    def some(self, landed: list[Msg]) -> Iterable[Msg]:
        """Draw how many are synced now, and which."""
        return self._random.sample(landed, self._random.randint(1, len(landed)))

    def token(self) -> str:
        """Return a name as long as others, which the seed determines."""
        return base64.urlsafe_b64encode(self._names.randbytes(16)).rstrip(b"=").decode()

    @property
    def waiting(self) -> bool:
        """Tell whether something is held back for later input, which may not come."""
        return bool(self._offers)
