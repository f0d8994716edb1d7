"""Relevance: which variables a formula reads."""

from __future__ import annotations

from collections.abc import Mapping

from ackproof.lang import ir

__all__ = ["paths_in"]

Path = tuple[str, ...]


def paths_in(node: ir.Node, names: Mapping[str, frozenset[Path]]) -> frozenset[Path]:
    """Return the paths of the variables that an expression reads, by way of locals, too."""
    found: set[Path] = set()
    for one in ir.walk(node):
        if isinstance(one, ir.Var):
            found |= names.get(one.name, frozenset())
        elif isinstance(one, ir.Field) and (path := _path(one)):
            found.add(path)
    return frozenset(found)


def _path(place: ir.Expr) -> Path:
    """Return the path of a variable; nothing for a field of a record."""
    path: list[str] = []
    at = place
    while isinstance(at, ir.Field | ir.Index):
        if isinstance(at, ir.Field):
            path.append(at.name)
        at = at.obj
    return tuple(reversed(path)) if isinstance(at, ir.Root) else ()
