"""Discovery: which process classes a system consists of, and which classes play them.

The classes are those that the system's declarations lead to.  A design puts a subclass in the place
of one of them, wherever that is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ackproof.lang.annotations import declared
from ackproof.lang.classes import note
from ackproof.lang.errors import SpecError
from ackproof.lang.model import Design, Model
from ackproof.lang.process import Process
from ackproof.lang.scope import Registry
from ackproof.lang.source import class_span

__all__ = ["discover", "registry_of"]


def registry_of(model: Model, design: Design | None) -> Registry:
    """Return the registry of a model's processes, with a design's classes in their places.

    Raises:
        SpecError: a class of the design takes no place, or one that is taken.
    """
    known = _below(model.system, {})
    replaced: dict[type[Process], type[Process]] = {}
    for cls in design.replace if design else ():
        base = next((b for b in cls.__mro__[1:] if b in known), None)
        if base is None or cls in known:
            raise SpecError(
                class_span(cls),
                f"`{cls.__name__}` takes the place of no process of the model {model.name}",
                _extensible(cls, known),
            )
        if base in replaced:
            raise SpecError(
                class_span(cls),
                f"`{cls.__name__}` and `{replaced[base].__name__}` both take the place of "
                f"{base.__name__}",
                "make them one class",
            )
        replaced[base] = cls
    return Registry(replaced)


def _extensible(cls: type[Process], known: Iterable[type[Process]]) -> str:
    """Return which process a class may extend: the one that is used for what it extends, if any."""
    meant = next((k for k in known for base in cls.__bases__ if issubclass(k, base)), None)
    if meant is not None and meant is not cls and cls.__bases__ != (Process,):
        base = cls.__bases__[0].__name__
        return f"extend {meant.__module__}.{meant.__name__}, which is used as a {base}"
    return f"extend one of: {', '.join(sorted(c.__name__ for c in known))}"


def _below(cls: type[Process], found: dict[type[Process], None]) -> dict[type[Process], None]:
    found[cls] = None
    for part in _parts(cls):
        if part not in found:
            _below(part, found)
    return found


def _parts(cls: type[Process]) -> Iterator[type[Process]]:
    hint: Any
    for hint in declared(cls).values():
        for part in (hint, *getattr(hint, "__args__", ())):
            if isinstance(part, type) and issubclass(part, Process):
                yield part


def discover(
    cls: type[Process], registry: Registry, above: tuple[type[Process], ...] = ()
) -> list[type[Process]]:
    """Return the process classes of a system, root first, each entered in the registry.

    Raises:
        SpecError: a process contains itself, or a class is not plain.
    """
    if cls in above:
        raise SpecError(
            class_span(cls),
            f"`{cls.__name__}` contains itself",
            "refer to another process by an element of its sort",
        )
    known = registry.classes.get(cls.__name__)
    note(cls)
    player = registry.add(cls)
    if player is not cls:
        note(player)
    found = [cls] if known is None else []
    for part in _parts(player):
        found += discover(registry.original(part), registry, (*above, cls))
    return found
