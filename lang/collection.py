"""Work in which the garbage collector has nothing to do but look.

Reading a specification makes some hundred thousand objects, nearly all of which stay.  The
collector looks at them again and again as they come, which takes a fifth of the time, and more in
a process that holds much else.  Reading therefore goes without it.  What is searched, written and
proved afterwards makes many objects, too, and few that only a collector frees: a process that does
this has it look seldom.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collect_seldom", "without_collection"]

#: After how many new objects the collector looks at these, after how many such looks it looks at
#: what was left by them, and after how many of those at everything.  Python has 700, 10 and 10.
_SELDOM = (50_000, 20, 50)


def collect_seldom() -> None:
    """Have the collector look seldom from now on, and never at what there is already."""
    gc.freeze()
    gc.set_threshold(*_SELDOM)


@contextmanager
def without_collection() -> Iterator[None]:
    """Collect no garbage for the length of a `with` block, or of a function that this decorates."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
