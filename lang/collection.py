"""Work in which the garbage collector has nothing to do but look.

Reading a specification makes some hundred thousand objects, nearly all of which stay.  The
collector looks at them again and again as they come, which takes a fifth of the time, and more in
a process that holds much else.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_collection"]


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
