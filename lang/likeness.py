"""Likeness: by what it is known, in this process and in others, that two bodies say the same.

A typed expression shows itself as text without its types (see `ir`), which follow from the
declarations that it speaks of.  Two systems may declare otherwise what has one name.  So the text
of a body and the types of all its parts, with what these are made of, are put into a digest.  Where
a body stands is no part of it.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any

from ackproof.lang.ir import Expr, Stmt, walk
from ackproof.lang.kept import once
from ackproof.lang.program import PropertyDecl
from ackproof.lang.types import Type

__all__ = ["likeness", "spelled", "stated"]


def likeness(body: tuple[Stmt, ...] | Expr) -> str:
    """Return a digest of statements or of an expression: what says something else has another."""
    return once(_likeness, body)


def _likeness(body: tuple[Stmt, ...] | Expr) -> str:
    nodes = (n for part in (body if isinstance(body, tuple) else (body,)) for n in walk(part))
    types = (spelled(n.type) for n in nodes if isinstance(n, Expr))
    return hashlib.sha256("\n".join([repr(body), *types]).encode()).hexdigest()


def stated(prop: PropertyDecl) -> tuple[str, ...]:
    """Return what a property is called and says; two with the same are judged alike."""
    event = "" if prop.event is None else f"{prop.event.name} {spelled(prop.event.type)}"
    return (prop.name, prop.kind, *prop.roots, event, *map(likeness, prop.parts))


@lru_cache(maxsize=4096)
def spelled(t: Type) -> str:
    """Return a type with all that it is made of: the members of an enum, the fields of a record."""
    return _spelled(t)


def _spelled(part: Any) -> str:
    if isinstance(part, tuple):
        return f"[{' '.join(map(_spelled, part))}]"
    if not is_dataclass(part):
        return repr(part)
    inner = (_spelled(getattr(part, f.name)) for f in fields(part))
    return f"({type(part).__name__} {' '.join(inner)})"
