"""What a worker process has loaded stays, and is not looked through for garbage after each task.

PySpark collects garbage between two tasks, and a collection looks at every object that there is.
NumPy, Arrow and the compiled kernel bring a hundred thousand of them, none of which ever becomes
garbage: to look at them takes thirty times as long as all else that a short task costs.  So they
are put where the collector does not look, each time that a task before has loaded something.
Which task that is hangs on the parts that a process is given: many have nothing to settle for a
while.
"""

from __future__ import annotations

import gc
import sys

__all__ = ["keep_what_is_loaded"]

#: How many modules were loaded when this was done last.
_kept = 0


def keep_what_is_loaded() -> None:
    """Do so; to be called at the beginning of a task, in the process of a worker."""
    global _kept
    if len(sys.modules) > _kept:
        gc.freeze()
        _kept = len(sys.modules)
