"""A scenario, played: each fault is asked for when its moment has come.

While a fault is *due*, connections process no input (`ackproof.impl.session.frame_dispatch`): so it
happens after what it was recorded after, and before what came next, and what was said until then is
written.  Nobody is kept waiting for a moment that has not come: a client that does something else
than the recorded one is served, and what was not played is told by name.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ackproof.impl.scenario.progress import Progress
from ackproof.impl.scenario.scenario import Fault, Scenario

__all__ = ["Player"]

_LOG = logging.getLogger(__name__)

#: Asks for a fault, by its name.
Ask = Callable[[str, Mapping[str, Any]], Awaitable[None]]


class Player:
    """Plays a scenario.

    Args:
        scenario: what is played.
        progress: how far the connections are.
        ask: asks for a fault.
    """

    def __init__(self, scenario: Scenario, progress: Progress, ask: Ask) -> None:
        self._progress = progress
        self._ask = ask
        self._left = list(enumerate(scenario.faults, 1))
        self._left.reverse()
        self._failed: list[str] = []

    @property
    def due(self) -> bool:
        """Tell whether the moment of the next fault has come."""
        return bool(self._left) and not self._left[-1][1].missing(self._progress)

    @property
    def over(self) -> bool:
        """Tell whether there is nothing more to be played."""
        return not self._left

    async def play(self) -> None:
        """Ask for the faults that are due.

        One that takes its time, as a restart, breaks all connections; nobody gets ahead of it.
        """
        while self.due:
            number, fault = self._left.pop()
            try:
                await self._ask(fault.name, fault.arguments)
            except Exception as error:
                why = error.args[0] if isinstance(error, LookupError) and error.args else error
                self._fail(number, fault, str(why))

    def stop(self) -> None:
        """Ask for nothing more after what is asked for now."""
        self._left.clear()

    def _fail(self, number: int, fault: Fault, why: str) -> None:
        _LOG.error("scenario, fault %d, %s, cannot be played: %s", number, fault, why)
        self._failed.append(f"fault {number} of the scenario, {fault}: {why}")

    def forget(self) -> None:
        """Forget what could not be played."""
        self._failed.clear()

    def unplayed(self) -> list[str]:
        """Return what could not be played, and what has not come to it: where, and why."""
        waiting = [
            f"fault {number} of the scenario, {fault}: "
            f"{'; '.join(fault.missing(self._progress)) or 'its moment has come just now'}"
            for number, fault in reversed(self._left)
        ]
        return self._failed + waiting
