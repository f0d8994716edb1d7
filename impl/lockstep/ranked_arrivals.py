"""The order of a queue that may have priorities, as the specification remembers it.

The specification has no priorities.  What it says of a queue holds of one with priorities if
messages of a higher one count as having come before those of a lower one.
"""

from __future__ import annotations

from typing import Any

from ackproof.lang import Option, Set
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.sorts import Msg

__all__ = ["RankedArrivals"]


class RankedArrivals(Arrivals):
    """Who came before whom, where some go first.

    Attributes:
        ranks: how far below the highest priority messages are.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.ranks: dict[Msg, int] = {}

    def _rank(self, msg: Msg) -> int:
        return self.ranks.get(msg, 0)

    def before(self, one: Msg, other: Msg) -> bool:
        """Tell whether one of two messages that are present stands before the other (INV-B4)."""
        if self._rank(one) != self._rank(other):
            return self._rank(one) < self._rank(other)
        return super().before(one, other)

    def first(self, among: Set[Msg]) -> Option[Msg]:
        """Return the first of some messages that are present; None if there are none (INV-B4)."""
        lowest = min(map(self._rank, among), default=0)
        return super().first({m for m in among if self._rank(m) == lowest})
