"""A scenario, written down while it happens.

The moment of a fault is what the connections have sent and heard since the moment before it.  Of
what a client has sent, and of what it was answered, the last is told, since all else came before
that; and what the broker has said by itself.

A file has the whole document after each fault, so that a run that ends badly is there, too.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ackproof.impl.scenario.progress import UNASKED, Progress
from ackproof.impl.scenario.scenario import FORMAT, Fault, Moment, Scenario

__all__ = ["Recorder"]

_LOG = logging.getLogger(__name__)

#: Faults that are taken down, at most.
_MOST = 10_000


class Recorder:
    """Takes faults down.

    Args:
        progress: how far the connections are.
        options: of the broker.
        file: where the scenario is written as well; None for nowhere.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(
        self, progress: Progress, options: Mapping[str, Any], file: Path | None = None
    ) -> None:
        self._progress = progress
        self._options = options
        self._faults: list[Fault] = []
        self._told: dict[int, tuple[dict[str, int], dict[str, int]]] = {}
        self._file = None if file is None else _ScenarioFile(file, options)

    @property
    def scenario(self) -> Scenario:
        """Return what was taken down so far."""
        return Scenario(self._options, tuple(self._faults))

    def moment(self) -> tuple[Moment, ...]:
        """Return what has happened since the moment before, as moments of connections."""
        moments = []
        for number, counts in self._progress:
            sent, heard = self._told.get(number, ({}, {}))
            moment = Moment(
                number,
                _more(counts.sent, sent, (counts.last,)),
                _more(counts.heard, heard, (counts.answer, *UNASKED)),
            )
            if moment.sent or moment.heard:
                moments.append(moment)
        return tuple(moments)

    def take(self, name: str, arguments: Mapping[str, Any], moment: tuple[Moment, ...]) -> None:
        """Take down that a fault was asked for, and at which moment."""
        if len(self._faults) >= _MOST:
            return
        fault = Fault(name, arguments, moment)
        self._faults.append(fault)
        if len(self._faults) == _MOST:
            _LOG.warning("a scenario has %d faults at most: later ones are not recorded", _MOST)
        self._told = {n: (dict(one.sent), dict(one.heard)) for n, one in self._progress}
        if self._file is not None:
            self._file.add(fault)

    def close(self) -> None:
        """Write no more."""
        if self._file is not None:
            self._file.close()


def _more(
    counts: Mapping[str, int], before: Mapping[str, int], names: Iterable[str | None]
) -> dict[str, int]:
    """Return what has these names and was counted since."""
    return {
        name: counts[name]
        for name in names
        if name is not None and counts[name] > before.get(name, 0)
    }


class _ScenarioFile:
    """A document that grows: what ends it is overwritten by the next fault, and written again."""

    _END = "\n]}\n"

    def __init__(self, file: Path, options: Mapping[str, Any]) -> None:
        self._file = file.open("w", encoding="utf-8")
        head = json.dumps({"scenario": FORMAT, "options": dict(options)})
        self._file.write(f'{head[:-1]}, "faults": [')
        self._end = self._file.tell()
        self._first = True
        self._finish()

    def add(self, fault: Fault) -> None:
        """Write a fault, on a line of its own; one that JSON cannot say is left out."""
        try:
            line = json.dumps(fault.as_json())
            self._file.seek(self._end)
            self._file.write(("" if self._first else ",") + f"\n  {line}")
            self._end = self._file.tell()
            self._first = False
            self._finish()
        except (TypeError, ValueError, OSError) as error:
            _LOG.error("the scenario lacks %s, which cannot be written: %s", fault, error)

    def _finish(self) -> None:
        self._file.write(self._END)
        self._file.flush()

    def close(self) -> None:
        """Write no more."""
        self._file.close()
