"""The scenario of a node: what is recorded of it, and what is played on it.

It watches the connections of the node (`ackproof.impl.session.watching`), and is told of each fault
that is asked for, by whomever.  What it plays it asks for like everybody, so a scenario that is
played is recorded, too, and is the same again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from ackproof.impl.options import Options
from ackproof.impl.scenario.player import Ask, Player
from ackproof.impl.scenario.progress import Progress
from ackproof.impl.scenario.recorder import Recorder
from ackproof.impl.scenario.scenario import Moment, Scenario, ScenarioError
from ackproof.impl.staging.scenario_options import differing, options_of

__all__ = ["ScenarioRun"]

_NOTHING = Scenario()


class ScenarioRun:
    """Records the faults of a node from its start, and plays those of a scenario.

    Args:
        options: of the node; they have the scenario that is played, and where to write one.
        ask: asks for a fault, by its name.

    Raises:
        OSError: the file that is to be written cannot be.
    """

    def __init__(self, options: Options, ask: Ask) -> None:
        self._options = options
        self._ask = ask
        self._task: asyncio.Task[None] | None = None
        self._stopped = False
        self._progress = Progress()
        self._recorder = Recorder(self._progress, options_of(options), options.record_scenario)
        self._player = Player(options.scenario or _NOTHING, self._progress, ask)

    # -- what connections tell ------------------------------------------------------------------

    @property
    def due(self) -> bool:
        """Tell whether a fault is to be asked for before any more input is processed."""
        return self._player.due

    def sent(self, connection: int, index: int) -> None:
        """A method of a client, by its index, was processed."""
        self._progress.sent(connection, index)

    def heard(self, connection: int, frame: bytes) -> None:
        """A client is told something."""
        self._progress.heard(connection, frame)

    def ended(self, connection: int) -> None:
        """A client is gone."""
        self._progress.ended(connection)

    # -- what the node tells --------------------------------------------------------------------

    @property
    def scenario(self) -> Scenario:
        """Return what was recorded so far."""
        return self._recorder.scenario

    def moment(self) -> tuple[Moment, ...]:
        """Return the moment that it is, for a fault that is asked for now."""
        return self._recorder.moment()

    def take(self, name: str, arguments: Mapping[str, Any], moment: tuple[Moment, ...]) -> None:
        """Take down that a fault was asked for, and at which moment."""
        self._recorder.take(name, arguments, moment)

    def look(self) -> None:
        """Something has happened, and what was said is written: play what is due, and soon."""
        if self._stopped or self._task is not None:
            return
        if not self._player.over and self._player.due:
            self._task = asyncio.get_running_loop().create_task(self._player.play())
            self._task.add_done_callback(self._played)

    def _played(self, _: asyncio.Task[None]) -> None:
        self._task = None
        self.look()  # it may have been another scenario's

    def play(self, scenario: Scenario, pump: Callable[[], None]) -> None:
        """Play a scenario from its beginning, on a node to which nobody has connected yet.

        Args:
            scenario: what is played; what was played before is not, any more.
            pump: lets the node have the effect of what is asked for at once.

        Raises:
            ScenarioError: somebody has, or the node has other options.
        """
        if any(True for _ in self._progress):
            raise ScenarioError(
                "there were connections, and a scenario counts them from the first; reset first"
            )
        other = differing(self._options, scenario)
        if other:
            raise ScenarioError(
                f"the scenario is for a broker with other options: {', '.join(other)}; start one "
                "with them, or with the scenario"
            )
        self._player.stop()
        self._player = Player(scenario, self._progress, self._ask)
        pump()

    def unplayed(self) -> list[str]:
        """Return what could not be played, or was not, in words."""
        return self._player.unplayed()

    def forget(self) -> None:
        """Forget what could not be played; what is still to come does."""
        self._player.forget()

    def stop(self) -> None:
        """Play and record no more."""
        self._stopped = True
        if self._task is not None:
            self._task.cancel()
        self._recorder.close()
