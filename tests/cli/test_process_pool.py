"""Work in several processes ends with whoever has asked for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ackproof.cli.process_pool import up_to_interruption

#: Two processes, of which each would sleep for long.
SLEEPING = """
import time
from ackproof.cli.process_pool import ProcessPool
from ackproof.model.pools import Piece
if __name__ == "__main__":
    pieces = [Piece("a nap", (600,)) for _ in range(4)]
    list(ProcessPool(2).run(time.sleep, pieces, "naps"))
"""


def children(process: int) -> set[int]:
    """The processes that a process has started to work for it."""
    of = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return {int(p) for p in of if b"spawn_main" in Path(f"/proc/{p}/cmdline").read_bytes()}


def is_there(process: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_processes_end_with_the_one_that_was_killed(how: signal.Signals, tmp_path: Path) -> None:
    script = tmp_path / "sleeping.py"
    script.write_text(SLEEPING)
    with subprocess.Popen([sys.executable, script]) as asking:
        try:
            until = time.monotonic() + 60
            while len(workers := children(asking.pid)) < 2 and time.monotonic() < until:
                time.sleep(0.1)
            assert len(workers) == 2
            time.sleep(2)  # until they have begun
        finally:
            os.kill(asking.pid, how)
    until = time.monotonic() + 30
    while any(map(is_there, workers)) and time.monotonic() < until:
        time.sleep(0.1)
    try:
        assert not any(map(is_there, workers))
    finally:
        for worker in filter(is_there, workers):
            os.kill(worker, signal.SIGKILL)


def test_what_is_finished_before_an_interruption_is_kept() -> None:
    def work() -> Iterator[int]:
        yield from (1, 2)
        raise KeyboardInterrupt

    assert list(up_to_interruption(work())) == [1, 2]
