"""What is going on, on standard error, in a line that changes.

On a terminal the line is kept up to date; elsewhere it is written every few seconds, and not at all
where everything is done within two.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.live import Live

__all__ = ["Ticker"]

#: Seconds of silence, and seconds between two lines, where there is no terminal.
_SILENCE, _PAUSE = 2.0, 5.0

#: Seconds between two changes of the line on a terminal.
_FRAME = 0.1


class Ticker:
    """Shows what is going on; call it with each line."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._live: Live | None = None
        self._next = time.monotonic() + _SILENCE

    def __enter__(self) -> Ticker:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(
                self._line, console=Console(stderr=True), auto_refresh=False, transient=True
            )
            self._live.start(refresh=True)
            self._next = 0.0
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, line: str) -> None:
        """Show a line, unless the last is too new to be replaced."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_FRAME if self._live is not None else _PAUSE)
        if self._live is None:
            print(line, file=sys.stderr, flush=True)
            return
        from rich.text import Text

        self._live.update(Text(line, overflow="ellipsis", no_wrap=True), refresh=True)
