"""Likeness: by what it is known, in this process and in others, that two bodies say the same.

A typed expression shows itself as text for readers (see `ir`): without its types, and so that a
constant looks like a variable of that name.  Here a body is spelled with the kind of each of its
nodes and all that makes it differ from others, types with what they are made of included, and a
digest is made of that.  Bodies that are equal have the same one, and where they stand is no part of
it.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any

from ackproof.lang.ir import Expr, Stmt
from ackproof.lang.kept import once
from ackproof.lang.program import PropertyDecl
from ackproof.lang.types import Type

__all__ = ["likeness", "spelled", "stated"]


def likeness(body: tuple[Stmt, ...] | Expr) -> str:
    """Return a digest of statements or of an expression: what says something else has another."""
    return once(_likeness, body)


def _likeness(body: tuple[Stmt, ...] | Expr) -> str:
    return hashlib.sha256(_spelled(body).encode()).hexdigest()


def stated(prop: PropertyDecl) -> tuple[str, ...]:
    """Return what a property is called and says; two with the same are judged alike."""
    event = "" if prop.event is None else f"{prop.event.name} {spelled(prop.event.type)}"
    of = (*prop.of, *(f"{p.name} {spelled(p.type)}" for p in prop.asked))
    return (prop.name, prop.kind, *prop.roots, event, *of, *map(likeness, prop.parts))


@lru_cache(maxsize=4096)
def spelled(t: Type) -> str:
    """Return a type with all that it is made of: the members of an enum, the fields of a record."""
    return _parts(t)


def _spelled(part: Any) -> str:
    if isinstance(part, tuple):
        return f"[{' '.join(map(_spelled, part))}]"
    if isinstance(part, Type):
        return spelled(part)
    return _parts(part) if is_dataclass(part) else repr(part)


def _parts(of: Any) -> str:
    """Return the kind of something, and all by which it differs from others of that kind."""
    inner = (_spelled(getattr(of, f.name)) for f in fields(of) if f.compare)
    return f"({type(of).__name__} {' '.join(inner)})"
