"""Modules beside a user's file: it imports them as a script does, and two of one name are refused.

Python knows a module by its name only: whoever imports `spec` gets the first one that was imported,
from whichever folder.  A second file from another folder would be run with the first one's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from ackproof.cli.inputs import InputError

__all__ = ["modules_beside"]

#: The modules that were imported from beside a file, with the folder that they are in.
_BESIDE: dict[str, Path] = {}


@contextmanager
def modules_beside(file: Path) -> Iterator[None]:
    """Have a file's folder on the path in a `with` block.

    Raises:
        InputError: a module from there has the name of one from beside another file.
    """
    folder = file.resolve().parent
    others = {name: m for name, m in sys.modules.items() if _is_another(name, folder)}
    for name in others:
        del sys.modules[name]
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        both = [name for name in others if name in sys.modules]
        for name in sys.modules.keys() - before:
            if _is_in(sys.modules[name], folder):
                _BESIDE.setdefault(name, folder)
        sys.modules.update(others)
    if both:
        raise InputError(
            f"{file} imports {both[0]} from {folder}, and an earlier file has imported one of that "
            f"name from {_BESIDE[both[0]]}; Python has room for one\n"
            "  instead: give the files one at a time, or the modules different names"
        )


def _is_another(name: str, folder: Path) -> bool:
    """Tell whether a module is from beside another file, while there is one of its name here."""
    home, top = _BESIDE.get(name), name.partition(".")[0]
    here = (folder / f"{top}.py").exists() or (folder / top).is_dir()
    return home is not None and home != folder and here


def _is_in(module: ModuleType, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).resolve().is_relative_to(folder)
