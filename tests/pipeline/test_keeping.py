"""What the first tasks of a process have loaded is not looked through for garbage any more."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import gc
from ackproof.pipeline.keeping import keep_what_is_loaded
loaded, counts = [], []
for task in range(5):
    keep_what_is_loaded()
    counts.append(gc.get_freeze_count())
    loaded.append([[] for _ in range(1000)])
print([count - counts[0] >= 1000 * task for task, count in enumerate(counts)])
"""


def test_what_the_first_tasks_load_is_kept_and_what_later_ones_make_is_not() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[True, True, True, False, False]\n", "")
