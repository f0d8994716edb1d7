"""Specifications that tests write: their text is put into a file, and that is imported."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from typing import Any

from ackproof.lang import Model

__all__ = ["load", "module_of"]

_NUMBERS = itertools.count()


def load(path: Path, name: str) -> Any:
    """Import a file as a module of that name."""
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


def module_of(source: str, folder: Path) -> Model:
    """Write a specification to a file and import it."""
    name = f"written_spec_{next(_NUMBERS)}"
    path = folder / f"{name}.py"
    path.write_text(source)
    model: Model = load(path, name).MODEL
    return model
