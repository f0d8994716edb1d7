"""Translated classes that are kept between runs, so that a program that runs them starts at once.

To translate a system takes a second, and to run the module that came of it a hundredth of that.  So
the module is kept, compiled, under a digest of all that it was made of.  What its names mean is
kept beside it, as references to the modules where that is defined.
"""

from __future__ import annotations

import marshal
import pickle
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Protocol

from ackproof.lang.process import Process
from ackproof.model.cache import Cache, digest, sources

__all__ = ["Made", "kept_classes", "loaded"]

#: What the entries are called in the cache.
_KIND = "translations"

_Classes = Mapping[type[Process], type[Process]]


class Made(Protocol):
    """What a translation has made: `ackproof.model.native.translate.Translation`."""

    @property
    def code(self) -> CodeType:
        """Return the module, compiled."""

    @property
    def names(self) -> Mapping[str, Any]:
        """Return what the names in it mean."""

    @property
    def classes(self) -> _Classes:
        """Return the classes of the module, by those that they extend."""


def loaded(
    code: CodeType, names: Mapping[str, Any], classes: Iterable[type[Process]]
) -> dict[type[Process], type[Process]]:
    """Run the code of a module; return its classes, by those that they extend."""
    module = ModuleType("ackproof_native")
    vars(module).update(names)
    # The code was made by the translation, of methods that are imported.
    exec(code, vars(module))
    return {cls: vars(module)[cls.__name__] for cls in classes}


def kept_classes(
    translate: Callable[[], Made], manner: str, made_of: tuple[Path, ...], cache: Cache | None
) -> _Classes:
    """Return the classes of a translation; from the cache, if they are there.

    Args:
        translate: makes them.
        manner: how, other words for other arguments.
        made_of: the source files, or folders of them, of the system and of what it is written in.
        cache: where they are kept; without it, they are made.
    """
    if cache is None:
        return translate().classes
    key = digest(manner, sources(Path(__file__).parent, *made_of))
    found = cache.get(_KIND, key)
    if found is not None:
        code, names, classes = pickle.loads(found)
        return loaded(marshal.loads(code), names, classes)
    made = translate()
    parts = (marshal.dumps(made.code), dict(made.names), tuple(made.classes))
    cache.put(_KIND, key, pickle.dumps(parts))
    return made.classes
