"""Work in a thread of its own, where Ctrl-C does not reach it, while another waits where it does.

An interruption that arrives in the middle of a call to the JVM leaves the connection in a state
that nobody knows.  So calls that take long are made aside, and the thread that is interrupted is
one that only waits.  It decides what becomes of the call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Aside"]

T = TypeVar("T")


class Aside(Generic[T]):
    """A call that runs in a thread of its own, from now on."""

    def __init__(self, call: Callable[[], T]) -> None:
        """Start a call."""
        self._call = call
        self._results: list[T] = []
        self._errors: list[BaseException] = []
        # A join that is interrupted takes its thread for dead; an event does not.
        self._ended = threading.Event()
        threading.Thread(target=self._run, name="ackproof aside", daemon=True).start()

    def _run(self) -> None:
        try:
            self._results.append(self._call())
        except BaseException as error:
            self._errors.append(error)
        finally:
            self._ended.set()

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return not self._ended.is_set()

    def wait(self, seconds: float) -> None:
        """Return when the call has ended, or after so many seconds."""
        self._ended.wait(seconds)

    def result(self) -> T:
        """Wait for the end of the call; return what it returns, and raise what it raises."""
        while self.running:
            # By steps, for not every platform interrupts a wait without an end.
            self._ended.wait(1.0)
        if self._errors:
            raise self._errors[0]
        return self._results[0]
