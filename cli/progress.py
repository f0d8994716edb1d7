"""How far a search is, on standard error.

On a terminal one line is kept up to date:

    core  1,204,118 states  612,000/s  queue 88,310  level 19  61 MiB  41 %, 3 s left

`states` are the distinct ones so far, `queue` those that wait to be expanded, `level` how many
steps deep the search is (the initial state is level 1), then the memory that the search holds.  If
the instance's number of states is known, what is left is an estimate from it; otherwise the line
says `narrowing` once far fewer states wait than did at the widest point, for then the end is near.
Where standard error is no terminal, the same line appears every few seconds, and not at all for a
search that is done within two.
"""

from __future__ import annotations

import sys
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING

from ackproof.model.outcome import Progress
from ackproof.model.resources import show_size

if TYPE_CHECKING:
    from rich.live import Live

__all__ = ["Watch", "progress_line"]

#: Seconds of silence, and seconds between two lines, where there is no terminal.
_SILENCE, _PAUSE = 2.0, 5.0


class Watch:
    """Shows the progress of one search; call it with each `Progress`."""

    def __init__(self, label: str, known: int | None) -> None:
        self.label = label
        self.known = known
        self.terminal = sys.stderr.isatty()
        self._live: Live | None = None
        self._last = _SILENCE - _PAUSE
        self._widest = 0
        # A single report may fall between two levels, where few states wait.
        self._waiting: deque[int] = deque(maxlen=5)

    def __enter__(self) -> Watch:
        if self.terminal:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(
                f"{self.label}  compiling",
                console=Console(stderr=True),
                auto_refresh=False,
                transient=True,
            )
            self._live.start(refresh=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Show how far the search is."""
        self._waiting.append(progress.queue)
        self._widest = max(self._widest, progress.queue)
        narrowing = max(self._waiting) < self._widest / 2
        line = progress_line(self.label, progress, self.known, narrowing=narrowing)
        if self._live is not None:
            from rich.text import Text

            self._live.update(Text(line, overflow="ellipsis", no_wrap=True), refresh=True)
        elif progress.seconds - self._last >= _PAUSE:
            self._last = progress.seconds
            print(line, file=sys.stderr, flush=True)


def progress_line(label: str, p: Progress, known: int | None, *, narrowing: bool = False) -> str:
    """Return the line that tells how far a search is.

    `known` is the number of states that the instance is known to have; `narrowing` tells that far
    fewer states wait than did at the widest point.
    """
    rate = p.states / p.seconds if p.seconds > 0 else 0.0
    parts = [
        label,
        f"{p.states:,} states",
        f"{rate:,.0f}/s",
        f"queue {p.queue:,}",
        f"level {p.levels}",
        show_size(p.memory),
    ]
    if known and rate and p.states < known:
        left = (known - p.states) / rate
        parts.append(f"{100 * p.states // known} %, {left:,.0f} s left")
    elif narrowing:
        parts.append("narrowing")
    return "  ".join(parts)
