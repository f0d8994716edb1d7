"""Relevance: which variables a formula reads, and which a step may write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ackproof.lang import ir

__all__ = ["paths_in", "paths_written"]

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


def paths_written(body: Iterable[ir.Stmt]) -> frozenset[Path]:
    """Return the paths of the variables that statements write to, whatever branch is taken."""
    every = (node for stmt in body for node in ir.walk(stmt))
    found = frozenset(_path(node.place) for node in every if isinstance(node, ir.AnyWrite))
    assert () not in found, "what is written lies in the system itself"
    return found


def _path(place: ir.Expr) -> Path:
    """Return the path of a variable; nothing for a field of a record."""
    path: list[str] = []
    at = place
    while isinstance(at, ir.Field | ir.Index):
        if isinstance(at, ir.Field):
            path.append(at.name)
        at = at.obj
    return tuple(reversed(path)) if isinstance(at, ir.Root) else ()
