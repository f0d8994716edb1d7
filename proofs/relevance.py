"""Relevance: which variables matter to a property, nearest first.

What a property reads matters most.  Next comes what decides the values that steps give to that:
what is assigned, the conditions on the way, and the guard of the step.  And so on, until nothing is
new.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from ackproof.lang import ir
from ackproof.lang.program import Program, PropertyDecl, Variable

__all__ = ["influences", "paths_in", "rings"]

Path = tuple[str, ...]
_Names = dict[str, frozenset[Path]]


def rings(program: Program, properties: Iterable[PropertyDecl]) -> Iterator[list[Variable]]:
    """Yield the variables that properties read, and each time those that these depend on, too."""
    depends = influences(program)
    reached: set[Path] = set().union(*(paths_in(p.body, {}) for p in properties))
    size = -1
    while len(reached) > size:
        yield [v for v in program.variables if v.path in reached]
        size = len(reached)
        reached |= {other for path in list(reached) for other in depends.get(path, ())}


def influences(program: Program) -> Mapping[Path, set[Path]]:
    """Return for each variable those on which the values depend that steps give to it."""
    found: dict[Path, set[Path]] = defaultdict(set)
    for action in program.actions:
        _visit(action.body, frozenset(), {}, found)
    return found


def _visit(
    body: Sequence[ir.Stmt], under: frozenset[Path], names: _Names, found: dict[Path, set[Path]]
) -> None:
    """Note what statements depend on that are taken under conditions of some variables."""
    names = dict(names)
    for stmt in body:
        assert isinstance(stmt, ir.AnyStmt)
        match stmt:
            case ir.Local():
                names[stmt.name] = paths_in(stmt.value, names)
            case ir.Require() | ir.Assert():
                under |= paths_in(stmt.cond, names)
            case ir.If():
                inner = under | paths_in(stmt.cond, names)
                _visit(stmt.then, inner, names, found)
                _visit(stmt.orelse, inner, names, found)
            case ir.For():
                domain = paths_in(stmt.binder.domain, names)
                _visit(stmt.body, under | domain, {**names, stmt.binder.name: domain}, found)
            case ir.Assign() | ir.SetAdd() | ir.SetDiscard() | ir.Push() | ir.Pop():
                own = _path(stmt.place)
                values = (n for n in ir.children(stmt) if n is not stmt.place)
                keys = (n for n in ir.children(stmt.place) if isinstance(stmt.place, ir.Index))
                used = (paths_in(n, names) for n in (*values, *keys))
                found[own] |= under.union(*used) - {own}
            case ir.Emit() | ir.Call():
                pass
            case _:
                assert_never(stmt)


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
