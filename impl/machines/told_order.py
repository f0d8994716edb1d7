"""The order of what a master tells a mirror: as it was told.

The specification remembers for each message which ones of other channels came before it
(`Arrivals`).  A program puts what is told at the end of a list, and what is heard is at its front.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from ackproof.lang import Option, Set
from ackproof.spec.network import Announcements
from ackproof.spec.sorts import Msg

__all__ = ["ToldOrder"]


class ToldOrder(Announcements):
    """Which message a mirror learns of next (D1.4)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._told: dict[Msg, int] = {}
        self._count = count()

    def before(self, one: Msg, other: Msg) -> bool:
        """Tell whether one of two messages was told of before the other (D1.4)."""
        return self._told[one] < self._told[other]

    def first(self, among: Set[Msg]) -> Option[Msg]:
        """Return the message that was told of first; it is all of those that have a place."""
        return next(iter(self._told), None)

    def arrive(self, msg: Msg, present: Set[Msg]) -> None:
        """A mirror is told of a message (D2.1)."""
        self._told.pop(msg, None)
        self._told[msg] = next(self._count)

    def leave(self, msgs: Set[Msg]) -> None:
        """A mirror has learnt of messages."""
        for msg in msgs:
            self._told.pop(msg, None)

    def keep(self, present: Set[Msg]) -> None:
        """Of all that was told only this is still on its way (D1.3)."""
        self._told = {msg: place for msg, place in self._told.items() if msg in present}
