"""A child process, timed from outside, with what it printed and when.

Wall time runs from before the process is started until after it is gone, so it holds everything a
user waits for.  Peak memory is the operating system's figure for the process (`ru_maxrss`); it is
never below what the parent held when it started the child.
"""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Failed", "Finished", "Missing", "run"]


class Missing(Exception):
    """A program that is to be measured is not installed."""


class Failed(Exception):
    """A program did not do what it was measured for."""


@dataclass(frozen=True)
class Finished:
    """A process that has ended.

    Args:
        seconds: wall time.
        cpu: processor time, of its own and of children that it has waited for.
        peak: bytes of resident memory at the peak.
        status: the exit status, negative for a signal.
        lines: what it printed, each line with the seconds since the start.
    """

    seconds: float
    cpu: float
    peak: int
    status: int
    lines: tuple[tuple[float, str], ...]

    @property
    def text(self) -> str:
        """Everything that was printed."""
        return "\n".join(line for _, line in self.lines)

    def at(self, part: str) -> float:
        """Return when the first line that contains `part` was printed.

        Raises:
            Failed: there is no such line.
        """
        for seconds, line in self.lines:
            if part in line:
                return seconds
        raise Failed(f"the output has no line with {part!r}:\n{self.text}")


def run(command: list[str], folder: Path, accepted: tuple[int, ...] = (0,)) -> Finished:
    """Run a command to its end, in a folder.

    Raises:
        Missing: there is no such program.
        Failed: the exit status is not an accepted one.
    """
    started = time.perf_counter()
    try:
        child = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except FileNotFoundError as error:
        raise Missing(f"{command[0]} is not installed") from error
    assert child.stdout is not None
    with child.stdout:
        lines = tuple((time.perf_counter() - started, line.rstrip("\n")) for line in child.stdout)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    ended = Finished(seconds, cpu, usage.ru_maxrss * 1024, child.returncode, lines)
    if ended.status not in accepted:
        raise Failed(f"{' '.join(command)} ended with status {ended.status}:\n{ended.text}")
    return ended
