"""Output in small pieces with time between them, as a bad network delivers it.

It is asked for as a fault; otherwise nothing goes this way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["Trickle"]


class Trickle:
    """What waits to be written, piece by piece.

    Args:
        write: writes a piece.
        over: called when all is written.
    """

    def __init__(self, write: Callable[[bytes], None], over: Callable[[], None]) -> None:
        self._write = write
        self._over = over
        self._rest = bytearray()
        self._pace = (1, 0.0)
        self._timer: asyncio.TimerHandle | None = None

    @property
    def size(self) -> int:
        """Return how many bytes are left."""
        return len(self._rest)

    @property
    def pending(self) -> bool:
        """Tell whether there is something left."""
        return bool(self._rest)

    def send(self, data: bytes, pace: tuple[int, float]) -> None:
        """Write this after what is there: in pieces of so many bytes, so many seconds apart."""
        self._rest += data
        self._pace = pace
        if self._timer is None:
            self._next()

    def change(self, pace: tuple[int, float] | None) -> None:
        """Go on at another pace from now on; or write all that is left, if None."""
        if not self._rest or pace == self._pace:
            return
        self._pace = pace or (len(self._rest), 0.0)
        if self._timer is not None:
            self._timer.cancel()
        self._next()

    def stop(self) -> None:
        """Write nothing more."""
        self._rest.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _next(self) -> None:
        self._timer = None
        size, seconds = self._pace
        piece = bytes(self._rest[:size])
        del self._rest[:size]
        self._write(piece)
        if self._rest:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._next)
        else:
            self._over()
