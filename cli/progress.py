"""How far a search is, on standard error.

On a terminal one line is kept up to date:

    core  1,204,118 states  612,000/s  queue 88,310  level 19  61 MiB  41 %, 3 s left

`states` are the distinct ones so far, `queue` those that wait to be expanded, `level` how many
steps deep the search is (the initial state is level 1), then the memory that the search holds.  If
the instance's number of states is known, what is left is an estimate from it; otherwise the line
says `narrowing` once far fewer states wait than did at the widest point, for then the end is near.
Where standard error is no terminal, the same line appears every few seconds, and not at all for a
search that is done within two.

A search on a cluster tells of each level when it is finished, and each has a line that stays:

    core  level 19  88,310 new  1,204,118 states  41,000/s  2.2 s  41 %

`new` are the states that were found on the level, `states` those of all levels; the rate and the
time are the level's own.
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

__all__ = ["Watch", "level_line", "progress_line"]

#: Seconds of silence, and seconds between two lines, where there is no terminal.
_SILENCE, _PAUSE = 2.0, 5.0


class Watch:
    """Shows the progress of one search; call it with each `Progress`.

    Args:
        label: what is searched.
        known: the number of states that the instance is known to have.
        in_levels: whether it is called once for each level, which then has a line of its own.
    """

    def __init__(self, label: str, known: int | None, *, in_levels: bool = False) -> None:
        self.label = label
        self.known = known
        self.in_levels = in_levels
        self.terminal = sys.stderr.isatty() and not in_levels
        self._live: Live | None = None
        self._last = 0.0 if in_levels else _SILENCE - _PAUSE
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
        if self.in_levels:
            self._tell_level(progress)
            return
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

    def _tell_level(self, progress: Progress) -> None:
        """Write the line of a level; what has no new states is none."""
        if progress.queue:
            seconds = progress.seconds - self._last
            print(
                level_line(self.label, progress, self.known, seconds), file=sys.stderr, flush=True
            )
            self._last = progress.seconds


def level_line(label: str, p: Progress, known: int | None, seconds: float) -> str:
    """Return the line that tells of a level that is finished.

    `known` is the number of states that the instance is known to have; `seconds` is the time that
    the level took.
    """
    rate = p.queue / seconds if seconds > 0 else 0.0
    parts = [
        label,
        f"level {p.levels}",
        f"{p.queue:,} new",
        f"{p.states:,} states",
        f"{rate:,.0f}/s",
        f"{seconds:.1f} s",
    ]
    if known:
        parts.append(f"{min(100 * p.states // known, 100)} %")
    return "  ".join(parts)


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
