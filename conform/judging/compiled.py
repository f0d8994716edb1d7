"""Compiling: functions of numbers and arrays become machine code, which is kept.

Compiling all of the judge takes some seconds, so its machine code lies in the user's cache.  The
folder there has a digest of all sources that may be compiled in its name: a function that another
one calls is compiled into it, and is to be compiled again when either was changed.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

__all__ = ["compiled", "kept"]

F = TypeVar("F", bound=Callable[..., Any])

#: Where functions are that are compiled, and with them those that they call.
_SOURCES = Path(__file__).resolve().parent


def compiled(function: F) -> F:
    """Compile a function into those that call it."""
    made: Any = numba.njit(nogil=True)(function)
    return cast(F, made)


def kept(function: F) -> F:
    """Compile a function that Python calls when it is first called, and keep its machine code."""
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, _folder()
    try:
        made: Any = numba.njit(cache=True, nogil=True)(function)
    finally:
        config.CACHE_DIR = before
    return cast(F, made)


@cache
def _folder() -> str:
    digest = hashlib.sha256()
    for path in sorted(_SOURCES.glob("*.py")):
        digest.update(path.read_bytes())
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "ackproof" / f"judge-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return tempfile.mkdtemp(prefix="ackproof-")
    return str(folder)
