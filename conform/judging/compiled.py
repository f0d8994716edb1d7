"""Compiling: functions of numbers and arrays become machine code, which is kept.

Compiling all of the judge takes some seconds, so its machine code lies in the user's cache, beside
what else is kept there (`ackproof.model.cache`).  The folder has a digest of all sources that may
be compiled in its name: a function that another one calls is compiled into it, and is to be
compiled again when either was changed.

Compiled code counts who refers to an array, with an instruction that all processors wait for.
Where views are made for each event, that takes longer than all else.  An array that is `lent` is
not counted: whoever has called keeps it as long as the call lasts.

A number that stands in the source is a type of its own for numba, so that a function would be
compiled for each number that it is called with.  Here it is compiled once, for any number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from ackproof.model.cache import default_cache
from numba.core import types
from numba.extending import intrinsic

__all__ = ["compiled", "kept", "lent"]

F = TypeVar("F", bound=Callable[..., Any])

#: Where functions are that are compiled, and with them those that they call.
_SOURCES = tuple(Path(__file__).resolve().parents[1] / name for name in ("judging", "scanning"))


def compiled(function: F) -> F:
    """Compile a function into those that call it."""
    made: Any = numba.njit(nogil=True)(function)
    return cast(F, _once(made))


def kept(function: F) -> F:
    """Compile a function that Python calls when it is first called, and keep its machine code."""
    folder = _folder()
    if folder is None:
        return compiled(function)
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, folder
    try:
        made: Any = numba.njit(cache=True, nogil=True)(function)
    finally:
        config.CACHE_DIR = before
    return cast(F, _once(made))


#: What counts who refers to an array.
_COUNTED = cast(Any, types.MemInfoPointer)(types.voidptr)


def _lent(typing: Any, array: Any) -> Any:
    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        same = context.make_array(kind)(context, builder, value=args[0])
        same.meminfo = context.get_constant_null(_COUNTED)
        same.parent = context.get_constant_null(types.pyobject)
        return same._getvalue()

    return array(array), written


#: Return an array, of which nobody counts who refers to it or to views of it.
lent = cast(Callable[[Any], Any], intrinsic(_lent))


def _once(dispatcher: Any) -> Any:
    """Have a function compiled for the types of numbers, and not for numbers themselves."""
    found, plain = dispatcher.get_call_template, cast(Any, types.unliteral)

    def template(args: Sequence[Any], kws: Mapping[str, Any]) -> Any:
        return found(tuple(map(plain, args)), {name: plain(kws[name]) for name in kws})

    dispatcher.get_call_template = template
    return dispatcher


@cache
def _folder() -> str | None:
    """Return where machine code is kept; None if nothing is to be kept."""
    store = default_cache()
    if store is None:
        return None
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(path for folder in _SOURCES for path in folder.glob("*.py")):
        digest.update(path.read_bytes())
    folder = store.folder / f"judge-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return str(folder)
