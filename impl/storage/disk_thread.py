"""A thread that works for an event loop, one thing after another.

What the disk takes long for happens here, and the loop goes on meanwhile.  It is an executor with
less between the loop and the thread, since whoever waits for one commit after another waits for
that each time.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue

__all__ = ["DiskThread", "raised_by"]

_Work = Callable[[], None]
_Done = Callable[[Exception | None], None]


class DiskThread:
    """Does work in the order in which it is given; begins with the first."""

    def __init__(self) -> None:
        self._given: SimpleQueue[tuple[_Work, _Done] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def do(self, work: _Work, done: _Done) -> None:
        """Do something.

        Args:
            work: called in the thread.
            done: called in the event loop afterwards, with what was raised, or None.
        """
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(
                target=self._run, args=(loop,), name="ackproof-disk", daemon=True
            )
            self._thread.start()
        self._given.put((work, done))

    async def wait(self, work: _Work = lambda: None) -> None:
        """Do something, and wait for it and all that was given before.

        Raises:
            Exception: what the work has raised.
        """
        ended: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        self.do(work, ended.set_result)
        error = await ended
        if error is not None:
            raise error

    def stop(self) -> None:
        """End when all is done that was given."""
        self._given.put(None)
        if self._thread is not None:
            self._thread.join()

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        while (given := self._given.get()) is not None:
            work, done = given
            loop.call_soon_threadsafe(done, raised_by(work))
            del given, work, done  # or they live until there is something else to do


def raised_by(work: Callable[[], None]) -> Exception | None:
    """Do something, and return what it has raised, or None."""
    try:
        work()
    except Exception as raised:
        return raised
    return None
