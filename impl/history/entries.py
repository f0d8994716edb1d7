"""Entries: what has happened, as plain facts in their order.

An entry is a kind, a number that counts the entries, and what else is to be said, all of it fit for
JSON.  How many are kept may be limited.  The oldest are forgotten then, but nothing that the check
has to know: that is made as the entries come (`ackproof.impl.history.history_check`).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ackproof.impl.history.history_check import Check

__all__ = ["Entries", "Entry"]

_LOG = logging.getLogger("ackproof.history")

#: Entries that a complaint is told with, at most.
_STORY = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened.

    Attributes:
        number: counts the entries, from 1.
        kind: what happened.
        facts: to whom, and what else there is to know.
    """

    number: int
    kind: str
    facts: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        return {"number": self.number, "kind": self.kind, **self.facts}

    def __str__(self) -> str:
        place = [f"{name} {self.facts[name]}" for name in _PLACE if name in self.facts]
        said = [f"{name}={_shown(v)}" for name, v in self.facts.items() if name not in _PLACE]
        where = f"{', '.join(place)}: " if place else ""
        return " ".join([f"{self.number:>5}  {where}{self.kind.replace('_', ' ')}", *said])


_PLACE = ("connection", "channel")


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


class Entries:
    """The entries that were taken down, and what is known to be wrong with them.

    Args:
        recording: take it down; otherwise all that is counted is connections.
        limit: how many entries are kept, the latest; None for all.

    Attributes:
        recording: as above.
        entries: those that are kept.
        check: what is known to be wrong.
    """

    def __init__(self, *, recording: bool = False, limit: int | None = None) -> None:
        self.recording = recording
        self.entries: deque[Entry] = deque(maxlen=limit)
        self.check = Check()
        self._last = 0
        self._connections = 0

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def of(self, *kinds: str) -> list[Entry]:
        """Return the entries of these kinds."""
        return [entry for entry in self.entries if entry.kind in kinds]

    def since(self, number: int, limit: int) -> list[Entry]:
        """Return entries that came after the one of this number, so many at most."""
        first = self._last - len(self.entries)
        start = max(0, number - first)
        return list(islice(self.entries, start, start + limit))

    def next_connection(self) -> int:
        """Return the number of a new connection."""
        self._connections += 1
        return self._connections

    def note(self, kind: str, **facts: Any) -> None:
        """Take down that something has happened."""
        if not self.recording:
            return
        self._last += 1
        entry = Entry(self._last, kind, facts)
        self.entries.append(entry)
        _LOG.debug("%s", entry)
        self.check.take(kind, facts, self._story)

    def _story(self, concerns: Callable[[dict[str, Any]], bool]) -> str:
        """Tell the latest entries that concern a complaint."""
        told = [str(entry) for entry in self.entries if concerns(entry.facts)]
        return "\n".join(told[-_STORY:])
