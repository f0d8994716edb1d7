"""Checking again whenever a file is saved that the check depends on.

Each check is a process of its own, so that it reads everything anew, whatever was imported by
whom; what has not changed it finds in the cache.  The files are those that the command line names,
the modules beside them that they import, found without running anything, and the specification
itself.  They are looked at a few times a second.  A check that is still at work when one of them
changes is interrupted: its answer would be about what is no longer there.

Many editors write a file in several steps, or put another one in its place.  So a change counts
once the files look the same twice in a row, and all that the command line names are there.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from modulefinder import ModuleFinder
from pathlib import Path

from ackproof.cli.inputs import INCOMPLETE

__all__ = ["sources_of", "watch"]

#: The option that asks for this; a check that is started here is not to do the same.
_OPTION = "--watch"

#: The package of this program.
_OWN = "ackproof"

#: Seconds between two looks at the files.
_PAUSE = 0.2

#: What empties a terminal, and takes the cursor to its top.
_EMPTY = "\x1b[2J\x1b[3J\x1b[H"

#: Python tells bytecode by the second and the length of its source, and saving is faster.
_FRESH = {"PYTHONDONTWRITEBYTECODE": "1"}

#: What files look like: when each was written and how long it is, None for one that is not there.
_Look = dict[Path, tuple[int, int] | None]


def watch(named: Sequence[str], clear: bool) -> int:
    """Check as the command line says, again whenever a file changes, until Ctrl-C.

    Args:
        named: the designs that the command line names; those that are files are looked at.
        clear: whether to empty the screen before each check.

    Returns:
        the exit code of the last check.
    """
    # A check is in a group of its own, and hears of the end by this process only.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    files = [Path(text) for text in named if _is_path(text)]
    looks = _Looks(files)
    while True:
        if clear:
            print(_EMPTY, end="", flush=True)
        if looks.news:
            _say(f"{looks.news} has changed")
        check = subprocess.Popen(_command(), process_group=0, env=os.environ | _FRESH)
        try:
            while check.poll() is None and not looks.changed():
                time.sleep(_PAUSE)
            if check.poll() is None:
                _interrupt(check)
            else:
                _say("watching; Ctrl-C ends it")
                while not looks.changed():
                    time.sleep(_PAUSE)
        except KeyboardInterrupt:
            return _end(check)


def _say(text: str) -> None:
    print(f"\n{time.strftime('%H:%M:%S')}  {text}\n", file=sys.stderr, flush=True)


def _is_path(text: str) -> bool:
    return os.sep in text or text.endswith(".py") or Path(text).exists()


def _command() -> list[str]:
    """Return the command line of this process, without the option."""
    here = sys.path[0] in ("", os.getcwd())
    arguments = [a for a in sys.argv[1:] if a != _OPTION]
    # Modules in the working directory are found by a check where they would be found here.
    return [sys.executable, *([] if here else ["-P"]), "-m", "ackproof.cli", *arguments]


def _interrupt(check: subprocess.Popen[bytes]) -> int:
    """Interrupt a check, which then says how far it came; return its exit code."""
    if check.poll() is None:
        check.send_signal(signal.SIGINT)
    return check.wait()


def _end(check: subprocess.Popen[bytes]) -> int:
    """Interrupt a check, and end it at once if that takes somebody too long."""
    try:
        return _interrupt(check)
    except KeyboardInterrupt:
        check.kill()
        check.wait()
        return INCOMPLETE


class _Looks:
    """What the files looked like when they were looked at.

    Args:
        named: the files that the command line names.
    """

    def __init__(self, named: Sequence[Path]) -> None:
        self._named = named
        self._checked = self._last = self._look()
        #: The name of a file that changed.
        self.news = ""

    def changed(self) -> bool:
        """Tell whether the files are others than at the last change, and have come to rest."""
        now = {file: _stat(file) for file in self._checked}
        at_rest, self._last = now == self._last, now
        if now == self._checked or not at_rest or any(now[file] is None for file in self._named):
            return False
        self.news = next(file.name for file, look in now.items() if look != self._checked[file])
        self._checked = self._last = now | self._look()
        return True

    def _look(self) -> _Look:
        files = dict.fromkeys(self._named)
        for file in self._named:
            files |= dict.fromkeys(sources_of(file))
        files |= dict.fromkeys(_specification())
        return {file: _stat(file) for file in files}


def _stat(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _specification() -> list[Path]:
    package = find_spec(f"{_OWN}.spec")
    folders = package.submodule_search_locations if package else None
    return [file for folder in folders or () for file in sorted(Path(folder).rglob("*.py"))]


def sources_of(file: Path) -> list[Path]:
    """Return a file, and those of the modules beside it or on the user's path that it imports.

    Where a module is missing or is no Python yet, that is where it would be.
    """
    folders = [str(file.resolve().parent), *filter(_is_users, sys.path)]
    finder = ModuleFinder(path=folders, excludes=[_OWN])
    try:
        finder.run_script(str(file))
    except (OSError, SyntaxError, ValueError):
        return [file]
    places = (getattr(module, "__file__", None) for module in finder.modules.values())
    found = [Path(place) for place in places if place]
    for name in finder.badmodules:
        if name.partition(".")[0] == _OWN:
            continue
        place = Path(folders[0], *name.split("."))
        found += [place.with_suffix(".py"), place / "__init__.py"]
    return list(dict.fromkeys([file, *found]))


def _is_users(folder: str) -> bool:
    """Tell whether a folder of modules is the user's, and not of what is installed."""
    place = Path(folder).resolve()
    installed = {Path(p).resolve() for p in (sys.prefix, sys.base_prefix)}
    return place.is_dir() and not installed & {place, *place.parents}
