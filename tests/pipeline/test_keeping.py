"""What the tasks of a process have loaded is not looked through for garbage any more."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import gc
from ackproof.pipeline.keeping import keep_what_is_loaded
counts, made = [], []
for task in range(9):
    keep_what_is_loaded()
    counts.append(gc.get_freeze_count())
    made.append([[] for _ in range(1000)])
    if task == 5:
        import decimal
print([after - before >= 1000 for before, after in zip(counts, counts[1:])])
"""


def test_what_a_task_loads_is_kept_and_what_others_make_is_not() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{[False] * 5 + [True] + [False] * 2}\n", "")
