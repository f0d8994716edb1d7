"""Which place a path or an address names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from ackproof.pipeline.places import LocalPlace, Place

__all__ = ["is_address", "placed"]


def is_address(text: str) -> bool:
    """Tell whether a text names a place by an address, and not by a path."""
    return "://" in text


def placed(where: Place | Path | str) -> Place:
    """Return a place by its path or its address.

    Raises:
        StoreFailed: there is no such kind of store, or its address is wrong.
    """
    if isinstance(where, Path):
        return LocalPlace(where)
    if not isinstance(where, str):
        return where
    if where.startswith("file://"):
        return LocalPlace(unquote(urlsplit(where).path))
    if not is_address(where):
        return LocalPlace(where)
    # Arrow's stores are loaded only where there is one.
    from ackproof.pipeline.objects import ObjectPlace

    return ObjectPlace.at(where)
