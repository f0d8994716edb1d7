"""Brokers that live shortly: each a process of its own, forked from one that has imported it all.

What takes a broker long to start is Python reading its modules.  The process that runs this file
does that once.  For each line that it is sent, an object of JSON with options, it forks, and the
child is then what `ackproof serve --port 0 --data DIRECTORY` is with these options.  The child says
its process id and, when it is ready, the line that says so; after its death the parent says how it
ended.

    python -m tests.impl.forked_brokers
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from ackproof.cli.serving import run
from ackproof.impl.options import Options

__all__ = ["Lives"]

_ROOT = Path(__file__).parents[2]


class Lives:
    """A context manager that starts one broker after another; at the end none is left."""

    def __init__(self) -> None:
        self._pid: int | None = None

    def __enter__(self) -> Lives:
        self._mother = subprocess.Popen(
            [sys.executable, "-m", "tests.impl.forked_brokers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=_ROOT,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        self._mother.kill()
        self._mother.communicate()

    def start(self, directory: Path, **options: int) -> int:
        """Start a broker with options; return its port."""
        assert self._mother.stdin is not None
        line = json.dumps({"directory": str(directory), **options})
        print(line, file=self._mother.stdin, flush=True)
        self._pid = int(self._line())
        ready = self._line()
        assert ready.startswith("ackproof broker ready on 127.0.0.1:"), ready
        return int(ready.split(",")[0].rsplit(":", 1)[1])

    def kill(self) -> None:
        """Kill the broker, if one lives."""
        if self._pid is not None:
            os.kill(self._pid, signal.SIGKILL)

    def ended(self) -> int:
        """Wait for the broker's death; return its exit code, which is negative for a signal."""
        code = int(self._line().removeprefix("ended "))
        self._pid = None
        return code

    def _line(self) -> str:
        assert self._mother.stdout is not None
        return self._mother.stdout.readline().strip()


def _live(directory: str, **options: Any) -> None:
    print(os.getpid(), flush=True)
    run(Options(Path(directory), **options))


def _main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _live(**json.loads(line))
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(f"ended {os.waitstatus_to_exitcode(status)}", flush=True)


if __name__ == "__main__":
    _main()
