"""Work in several processes, a piece at a time, and what comes back, in order.

To compile a design takes longer than to search it, and Python compiles one at a time in a process.

A process is started afresh and loads what it needs by its name, as this one did; nothing is
inherited, so it makes no difference what this process has loaded or which threads it runs.  The
pieces may as well run on other machines (`ackproof.pipeline.farm`).
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from ackproof.cli.inputs import InputError
from ackproof.model.pools import Piece, Pool
from ackproof.model.resources import default_memory

if TYPE_CHECKING:
    from rich.status import Status

__all__ = ["ProcessPool", "run_in", "up_to_interruption"]

#: Seconds between two lines on standard error where that is no terminal.
_PAUSE = 30.0

T = TypeVar("T")


def run_in(pool: Pool, work: Callable[..., T], pieces: Sequence[Piece], noun: str) -> Iterator[T]:
    """Yield what a function returns for each piece, in order, and tell how far they are.

    An interruption ends all work, and what is finished up to the first that is not has been
    yielded.

    Args:
        pool: where the pieces run.
        work: called with the arguments of a piece, in some process.
        pieces: what it is called with.
        noun: what the pieces are called.

    Raises:
        InputError: a process was ended.
    """
    with _Line(len(pieces), noun) as line:
        for number, found in enumerate(up_to_interruption(pool.run(work, pieces, noun)), start=1):
            line.tell(number)
            yield found


def up_to_interruption(found: Iterator[T]) -> Iterator[T]:
    """Yield what is found until somebody interrupts it: what is finished is shown."""
    with suppress(KeyboardInterrupt):
        yield from found


class ProcessPool:
    """Processes of this machine, started for the pieces that are there.

    Args:
        processes: how many run at once.
    """

    #: Instances of a sweep are so quickly searched that a process takes longer to start.
    few = 3

    def __init__(self, processes: int) -> None:
        self._processes = processes

    def memory(self, limit: int | None) -> int:
        """Return the bytes that a piece may take; see `Pool`."""
        return (limit or default_memory()) // self._processes

    def run(self, work: Callable[..., T], pieces: Sequence[Piece], noun: str) -> Iterator[T]:
        """Yield what a function returns for each piece, in order; see `Pool`.

        Raises:
            InputError: a process was ended.
        """
        processes = min(self._processes, len(pieces))
        spawning = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(processes, spawning, _begin)
        try:
            found = [pool.submit(work, *piece.arguments) for piece in pieces]
            for future in found:
                yield future.result()
        except BrokenProcessPool:
            raise InputError(
                f"a process that checked {noun} was ended from outside, perhaps for its memory\n"
                "  instead: give --workers 1, or less --memory"
            ) from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()


def _begin() -> None:
    """Leave interruptions to the process that has started this one, and end when it ends.

    Killed, it tells nobody, and all that it has asked for would be worked off for no one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    """Wait for the process that has started this one, and end."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class _Line:
    """Tells how many pieces are finished: in a line on a terminal, else in one now and then."""

    def __init__(self, pieces: int, noun: str) -> None:
        self._pieces = pieces
        self._noun = noun
        self._status: Status | None = None
        self._said = time.monotonic()

    def __enter__(self) -> _Line:
        if sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("")
            self._status.start()
            self.tell(0)
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def tell(self, finished: int) -> None:
        """Tell how many are finished; that all are, what comes next tells."""
        text = f"{finished} of {self._pieces} {self._noun}"
        if self._status is not None:
            self._status.update(text)
        elif finished < self._pieces and time.monotonic() - self._said >= _PAUSE:
            self._said = time.monotonic()
            print(text, file=sys.stderr, flush=True)
