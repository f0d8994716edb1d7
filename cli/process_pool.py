"""Work in several processes, a piece at a time, and what comes back, in order.

To compile a design takes longer than to search it, and Python compiles one at a time in a process.

A process is started afresh and loads what it needs by its name, as this one did; nothing is
inherited, so it makes no difference what this process has loaded or which threads it runs.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any, TypeVar

from ackproof.cli.inputs import InputError

if TYPE_CHECKING:
    from rich.status import Status

__all__ = ["in_processes"]

T = TypeVar("T")


def in_processes(
    work: Callable[..., T], pieces: Sequence[tuple[Any, ...]], processes: int, noun: str
) -> Iterator[T]:
    """Yield what a function returns for each piece, in order.

    An interruption ends all processes, and what is finished up to the first that is not has been
    yielded.

    Args:
        work: called with the arguments in a piece, in some process.
        pieces: what it is called with.
        processes: how many run at once.
        noun: what the pieces are called.

    Raises:
        InputError: a process was ended.
    """
    spawning = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, spawning, signal.signal, (signal.SIGINT, signal.SIG_IGN))
    try:
        found = [pool.submit(work, *piece) for piece in pieces]
        with _Line(len(pieces), noun) as line:
            for number, future in enumerate(found):
                line.tell(number)
                yield future.result()
    except KeyboardInterrupt:
        pass  # what is finished is shown
    except BrokenProcessPool:
        raise InputError(
            f"a process that checked {noun} was ended from outside, perhaps for its memory\n"
            "  instead: give --workers 1, or less --memory"
        ) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()


class _Line:
    """A line on a terminal that tells how many pieces are finished."""

    def __init__(self, pieces: int, noun: str) -> None:
        self._pieces = pieces
        self._noun = noun
        self._status: Status | None = None

    def __enter__(self) -> _Line:
        if sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("")
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def tell(self, finished: int) -> None:
        """Tell how many are finished."""
        if self._status is not None:
            self._status.update(f"{finished} of {self._pieces} {self._noun}")
