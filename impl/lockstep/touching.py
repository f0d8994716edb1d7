"""Which invariants an action may make false: those that read a variable that it writes.

Both are read from the typed program, in which the action's steps, the handlers that it calls and
those that observe its events are one body.  A variable is one of all processes of a class, so
whichever of them an action writes to, all that reads any of them is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from ackproof.lang import ir
from ackproof.lang.ir import Expr, Node
from ackproof.lang.program import Program
from ackproof.lang.types import ProcT
from ackproof.model.cache import default_cache
from ackproof.spec.model import MODEL

__all__ = ["touched", "written"]

#: A variable: the class of its process, and its name.
Variable: TypeAlias = tuple[str, str]


@cache
def _program() -> Program:
    from ackproof.model.programs import program_of  # reads the specification, if it is not kept

    return program_of(MODEL, None, default_cache())


@cache
def written(action: str) -> frozenset[Variable]:
    """Return the variables that an action of the system may write to."""
    bodies = [a.body for a in _program().actions if a.name == action]
    assert bodies, f"{action} is an action of the system"
    nodes = (node for body in bodies for stmt in body for node in ir.walk(stmt))
    return frozenset(_variable(node.place) for node in nodes if isinstance(node, ir.AnyWrite))


@cache
def touched(action: str) -> frozenset[str]:
    """Return the names of the invariants that read what an action of the system may write to."""
    return frozenset(name for name, read in _invariants() if read & written(action))


@cache
def _invariants() -> tuple[tuple[str, frozenset[Variable]], ...]:
    found = (p for p in _program().properties if p.kind == "invariant")
    return tuple((p.function, frozenset(_read(p.body))) for p in found)


def _read(body: Node) -> Iterator[Variable]:
    for node in ir.walk(body):
        if isinstance(node, ir.Field) and isinstance(node.obj.type, ProcT):
            yield node.obj.type.name, node.name


def _variable(place: Expr) -> Variable:
    """Return the variable that a place is, or is in."""
    while isinstance(place, ir.Index):
        place = place.obj
    assert isinstance(place, ir.Field)
    assert isinstance(place.obj.type, ProcT), "a record is written as a whole"
    return place.obj.type.name, place.name
