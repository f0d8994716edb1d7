"""What a worker process has loaded stays, and is not looked through for garbage after each task.

PySpark collects garbage between two tasks, and a collection looks at every object that there is.
NumPy, Arrow and the compiled kernel bring a hundred thousand of them, none of which ever becomes
garbage: to look at them takes thirty times as long as all else that a short task costs.  So they
are put where the collector does not look, once the first tasks have loaded them.
"""

from __future__ import annotations

import gc

__all__ = ["keep_what_is_loaded"]

#: In so many tasks a process loads what it needs; one of them may do what the one before did not.
_TASKS = 3

_kept = 0


def keep_what_is_loaded() -> None:
    """Do so; to be called at the beginning of a task, in the process of a worker."""
    global _kept
    if _kept < _TASKS:
        gc.freeze()
        _kept += 1
