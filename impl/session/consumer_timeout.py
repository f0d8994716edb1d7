"""How long a client may keep a delivery that it does not settle (F3.4).

A delivery that has not been settled for too long ends its channel, and goes back to its queue with
all others.  As in RabbitMQ that is looked at now and then, and the oldest one counts; so a channel
is ended somewhat later than it could be, never earlier.

What is remembered is not when each delivery was made, of which there may be very many, but some
*marks*: by this time, all up to this tag had been made.
"""

from __future__ import annotations

from collections import deque

__all__ = ["ConsumerTimeout"]

#: Parts into which the time is divided: so often it is looked whether it is over.
_PARTS = 60


class ConsumerTimeout:
    """The consumer timeout of one channel.

    Args:
        timeout: seconds for which a delivery may be unsettled.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._marks: deque[tuple[float, int]] = deque()

    @property
    def pending(self) -> bool:
        """Tell whether something may be unsettled, and it has to be looked at again."""
        return bool(self._marks)

    @property
    def next_check(self) -> float:
        """Return when to look again, by the clock; it must be `pending`."""
        first, last = self._marks[0][0], self._marks[-1][0]
        over = first + self._timeout
        soon = last + self._timeout / _PARTS
        return min(soon, over) if over > last else soon

    def expired(self, now: float, last: int, oldest: int | None) -> bool:
        """Tell whether the oldest delivery that is unsettled has been so for too long.

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
