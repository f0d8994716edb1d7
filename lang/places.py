"""Places: chains of fields and entries that start at a process, and what they have in common."""

from __future__ import annotations

from collections.abc import Iterator

from ackproof.lang import ir
from ackproof.lang.ir import Expr, Node
from ackproof.lang.types import MapT, SeqT, SetT

__all__ = ["aliases", "is_rooted", "keys_of", "overlap", "path_of", "reads"]


def path_of(place: Expr) -> str:
    """Return the names on the way to a place, keys left out: `queues.store.level`.

    Places never change, so each remembers its path.
    """
    known: str | None = place.__dict__.get("_path")
    if known is None:
        known = place.__dict__["_path"] = _path(place)
    return known


def _path(place: Expr) -> str:
    names = []
    while isinstance(place, ir.Field | ir.Index):
        if isinstance(place, ir.Field):
            names.append(place.name)
        place = place.obj
    return ".".join(reversed(names))


def overlap(a: str, b: str) -> bool:
    """Tell whether one path leads through the other."""
    return a == b or a.startswith(b + ".") or b.startswith(a + ".")


def is_rooted(place: Expr) -> bool:
    """Tell whether an expression is a place in the state."""
    while isinstance(place, ir.Field | ir.Index):
        place = place.obj
    return isinstance(place, ir.Root)


def keys_of(place: Expr) -> Iterator[Expr]:
    """Yield the keys on the way to a place."""
    while isinstance(place, ir.Field | ir.Index):
        if isinstance(place, ir.Index):
            yield place.key
        place = place.obj


def aliases(expr: Expr, lets: dict[str, Expr] | None = None) -> Iterator[Expr]:
    """Yield the places whose very set (map, sequence) an expression may come out as in Python."""
    lets = lets or {}
    match expr:
        case ir.Support():
            yield from aliases(expr.map, lets)
        case ir.Ite():
            yield from aliases(expr.then, lets)
            yield from aliases(expr.orelse, lets)
        case ir.Let():
            yield from aliases(expr.body, {**lets, expr.name: expr.value})
        case ir.Var() if expr.name in lets:
            yield from aliases(lets[expr.name], lets)
        case _ if isinstance(expr.type, SetT | MapT | SeqT) and is_rooted(expr):
            yield expr


def reads(node: Node) -> Iterator[Expr]:
    """Yield the places that an expression reads, the longest chains only."""
    if isinstance(node, ir.Field | ir.Index) and is_rooted(node):
        yield node
        for key in keys_of(node):
            yield from reads(key)
        return
    for child in ir.children(node):
        yield from reads(child)
