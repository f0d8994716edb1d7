"""Wrong input: what the command says, and that it says it once.

Whatever a user can get wrong ends as one message on standard error and exit code 2: where it is,
what is wrong, what to do instead.  A traceback is for defects of this program, and even those are
reported in a line first.
"""

from __future__ import annotations

import difflib
import errno
import functools
import linecache
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ParamSpec, TypeVar

from ackproof.cli.extras import missing_extra

__all__ = [
    "INCOMPLETE",
    "INTERNAL",
    "WRONG_INPUT",
    "InputError",
    "choose",
    "clean_exit",
    "located",
    "no_python",
    "refused_by_system",
]

P = ParamSpec("P")
T = TypeVar("T")

WRONG_INPUT = 2
INCOMPLETE = 3
#: A defect of this program (EX_SOFTWARE of sysexits.h).
INTERNAL = 70


class InputError(Exception):
    """Something the user gave that cannot be worked with; the text says what to do instead."""


def located(text: str) -> Path | str:
    """Return what names a place: a path, or an address such as s3://bucket/found as it is."""
    return text if "://" in text else Path(text)


#: More names than this are not listed where some are alike.
_MOST_NAMES = 100


def choose(kind: str, name: str, known: Iterable[str], *, short: bool = False) -> str:
    """Return `name` if it is known; with `short`, also what alone begins with it.

    Raises:
        InputError: it is not; the message names the closest, and all of them if they are few.
    """
    names = list(known)
    longer = [n for n in names if n.startswith(name)]
    if name in names or (short and len(longer) == 1):
        return name if name in names else longer[0]
    if short and name and len(longer) > 1:
        raise InputError(
            f"{name!r} is the beginning of several: {', '.join(longer)}\n"
            "  instead: write more of it"
        )
    by_lower = {n.lower(): n for n in names}
    close = [by_lower[n] for n in difflib.get_close_matches(name.lower(), by_lower, n=_MOST_NAMES)]
    hint = f"; did you mean {close[0]}?" if close else ""
    shown = names if len(names) <= _MOST_NAMES or not close else close
    rest = f", … of {len(names)}" if len(shown) < len(names) else ""
    raise InputError(
        f"there is no {kind} {name!r}{hint}\n"
        f"  instead: use one of: {', '.join(shown) or 'none is known'}{rest}"
    )


def no_python(path: Path, error: SyntaxError | ValueError) -> str:
    """Say where a file is not Python."""
    if not isinstance(error, SyntaxError) or error.lineno is None:
        return f"{path} is not Python: {error}"
    line = (error.text or linecache.getline(str(path), error.lineno)).rstrip()
    number = str(error.lineno)
    caret = " " * max((error.offset or 1) - 1, 0) + "^"
    return (
        f"{path}:{number}:{error.offset or 1}: this is not Python: {error.msg}\n"
        f"  {number} | {line}\n"
        f"  {' ' * len(number)} | {caret}\n"
        "  instead: correct the syntax; python -m py_compile shows the same place"
    )


def clean_exit(command: Callable[P, int]) -> Callable[P, None]:
    """Make a command end with its result as exit code, and every error in one message."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        sys.exit(_guarded(command, *args, **kwargs))

    run.__annotations__ = {**command.__annotations__, "return": None}
    return run


def _guarded(command: Callable[P, int], *args: P.args, **kwargs: P.kwargs) -> int:
    try:
        return _told(command, *args, **kwargs)
    except KeyboardInterrupt:
        return _say("interrupted before there was anything to report", INCOMPLETE)


def _told(command: Callable[P, int], *args: P.args, **kwargs: P.kwargs) -> int:
    try:
        code = command(*args, **kwargs)
        sys.stdout.flush()
        return code
    except InputError as error:
        return _say(f"error: {error}", WRONG_INPUT)
    except MemoryError as error:
        return _say(
            f"error: {error or 'out of memory'}\n  instead: give a smaller --memory", WRONG_INPUT
        )
    except BrokenPipeError:
        # Whoever read the output has seen enough.
        drop_output()
        return 0
    except OSError as error:
        return refused_by_system(error)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError):
            missing = missing_extra(error, command.__name__)
            if missing is not None:
                return _say(f"error: {missing}", WRONG_INPUT)
        from ackproof.lang.errors import (
            BindError,
            SpecError,
        )  # a broker starts without the language

        if isinstance(error, SpecError | BindError):
            return _say(f"error: {error}", WRONG_INPUT)
        if os.environ.get("ACKPROOF_TRACEBACK"):
            raise
        if isinstance(error, SyntaxError) and error.filename and os.path.isfile(error.filename):
            # Somebody is at work on a file of the specification.
            return _say(f"error: {no_python(Path(error.filename).resolve(), error)}", WRONG_INPUT)
        return _say(
            f"internal error: {type(error).__name__}: {error}\n"
            "this is a defect of ackproof; with ACKPROOF_TRACEBACK=1 it shows where",
            INTERNAL,
        )


#: What to do where the system refuses, by what it says; most of what it says is about room.
_REMEDY = "make room for it, or ask for less of it, and try again"
_REMEDIES = {
    errno.ENOENT: "name a file or a folder that is there, or make it",
    errno.ENOTDIR: "name a file in a folder that is one",
    errno.EISDIR: "name a file, and no folder",
    errno.EACCES: "name one that you may use, or have its permissions changed",
    errno.EPERM: "name one that you may use, or have its permissions changed",
}


def refused_by_system(error: OSError) -> int:
    """Say that the system refused to read, write or start something; return the exit code."""
    what = error.filename
    if error.errno == errno.ENOSPC and what is None:
        drop_output()
        what = "the output cannot be written"
    return _say(
        f"error: {what or 'the system refuses'}: {error.strerror or error}\n"
        f"  instead: {_REMEDIES.get(error.errno or 0, _REMEDY)}",
        WRONG_INPUT,
    )


def drop_output() -> None:
    """Send what is still to be written to nowhere: it cannot be written any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str, code: int) -> int:
    print(text, file=sys.stderr)
    return code
