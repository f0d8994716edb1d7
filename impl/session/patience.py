"""How long a client may keep a delivery that it does not settle (F3.4).

A delivery that has not been settled for too long ends its channel, and goes back to its queue with
all others.  As in RabbitMQ that is looked at now and then, and the oldest one counts; so a channel
is ended somewhat later than it could be, never earlier.

What is remembered is not when each delivery was made, of which there may be very many, but some
*marks*: by this time, all up to this tag had been made.
"""

from __future__ import annotations

from collections import deque

__all__ = ["Patience"]

#: Parts into which the time is divided: so often it is looked whether it is over.
_PARTS = 60


class Patience:
    """The patience of the broker with one channel.

    Args:
        timeout: seconds for which a delivery may be unsettled.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._marks: deque[tuple[float, int]] = deque()

    @property
    def tried(self) -> bool:
        """Tell whether something may be unsettled, and it has to be looked at again."""
        return bool(self._marks)

    @property
    def next(self) -> float:
        """Return when to look again, by the clock; it must be `tried`."""
        first, last = self._marks[0][0], self._marks[-1][0]
        over = first + self._timeout
        soon = last + self._timeout / _PARTS
        return min(soon, over) if over > last else soon

    def look(self, now: float, last: int, oldest: int | None) -> bool:
        """Look at the oldest delivery that is unsettled.

        Args:
            now: seconds since 1970.
            last: the tag of the latest delivery.
            oldest: its own tag; None if there is none.

        Returns:
            Whether it has been unsettled for too long.
        """
        if oldest is None:
            self._marks.clear()
            return False
        self._marks.append((now, last))
        while len(self._marks) > 1 and self._marks[1][0] + self._timeout <= now:
            self._marks.popleft()
        when, tag = self._marks[0]
        return when + self._timeout <= now and oldest <= tag
