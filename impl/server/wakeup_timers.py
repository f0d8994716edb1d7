"""Coming back to the broker when something is due although nobody has sent anything.

Two things are: what expires, or is asked for by another clock of the broker, and what a scheduler
has held back for input that does not come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ackproof.impl.broker import Broker

__all__ = ["WakeupTimers"]

#: Seconds that a scheduler may hold something back for later input.
_HELD_BACK = 0.005


class WakeupTimers:
    """The timers of a broker.

    Args:
        broker: says what is due, and when.
        wake: called when something is.
    """

    def __init__(self, broker: Broker, wake: Callable[[], None]) -> None:
        self._broker = broker
        self._wake = wake
        self._due: float | None = None
        self._expiring: asyncio.TimerHandle | None = None
        self._held_back: asyncio.TimerHandle | None = None

    def arrange(self) -> None:
        """The broker has done something: see what is due next."""
        if self._broker.waiting and self._held_back is None:
            loop = asyncio.get_running_loop()
            self._held_back = loop.call_later(_HELD_BACK, self._let_go)
        due = self._broker.due
        if due == self._due:
            return
        if self._expiring is not None:
            self._expiring.cancel()
            self._expiring = None
        self._due = due
        if due is not None:
            wait = max(0.0, due - self._broker.steps.context.timers.clock())
            self._expiring = asyncio.get_running_loop().call_later(wait, self._expire)

    def _expire(self) -> None:
        self._due = self._expiring = None
        self._wake()

    def _let_go(self) -> None:
        self._held_back = None
        self._wake()

    def stop(self) -> None:
        """Come back no more."""
        for timer in (self._expiring, self._held_back):
            if timer is not None:
                timer.cancel()
