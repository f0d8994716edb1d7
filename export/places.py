"""Places in a text for another checker: which process an expression is, which variable is written.

A process is no value there: what it has is a variable of the whole system, and a family of
processes is an index of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from ackproof.lang import ir
from ackproof.lang.types import FamilyT, ProcT, RecordT

__all__ = ["Place", "VarPath", "place_of", "variable_of", "variables_written"]

#: The names that lead to a variable.
VarPath = tuple[str, ...]

K = TypeVar("K")


@dataclass(frozen=True)
class Place(Generic[K]):
    """A process, or a family of processes: the root, the way to it, and which members."""

    root: str
    path: VarPath = ()
    keys: tuple[K, ...] = ()


def place_of(
    e: ir.Expr, values: Mapping[str, object], key: Callable[[ir.Expr], K]
) -> Place[K] | None:
    """Return the process, or family of processes, that an expression is, if it is one.

    Args:
        e: the expression.
        values: what names stand for.
        key: writes the element whose member of a family is meant.
    """
    match e:
        case ir.Root(name=name):
            return Place(name)
        case ir.Var(name=name):
            found = values[name]
            return found if isinstance(found, Place) else None
        case ir.Field(obj=obj, name=name) if isinstance(e.type, ProcT | FamilyT):
            owner = place_of(obj, values, key)
            assert owner is not None
            return replace(owner, path=(*owner.path, name))
        case ir.Index(obj=obj, key=at) if isinstance(e.type, ProcT | FamilyT):
            family = place_of(obj, values, key)
            assert family is not None
            return replace(family, keys=(*family.keys, key(at)))
    return None


def variables_written(body: Iterable[ir.Stmt], values: Mapping[str, object]) -> Iterator[VarPath]:
    """Yield the variables that statements write; see `variable_of`."""
    for stmt in body:
        for node in ir.walk(stmt):
            if isinstance(node, ir.AnyWrite):
                yield variable_of(node.place, values)


def variable_of(place: ir.Expr, values: Mapping[str, object]) -> VarPath:
    """Return the names that lead to the variable that a place lies in.

    Args:
        place: the place.
        values: what names stand for, processes among it.
    """
    match place:
        case ir.Index(obj=obj):
            return variable_of(obj, values)
        case ir.Field(obj=obj) if isinstance(obj.type, RecordT):
            return variable_of(obj, values)
        case ir.Field(obj=obj, name=name):
            return (*variable_of(obj, values), name)
        case ir.Var(name=name):
            process = values[name]
            assert isinstance(process, Place)
            return process.path
        case ir.Root():
            return ()
    raise AssertionError(f"{place!r} is no place")
