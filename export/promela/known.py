"""Requirements that are known to hold: they are left out, so that guards stay short.

A step requires what it needs, and so does each handler that it calls; much of that was asked
before, by a requirement or by an `if`.  A fact is known until something is written that it speaks
of.  What a local name stands for is put in its place, as long as the value would be the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ackproof.lang import ir
from ackproof.lang.inline import substitute
from ackproof.lang.ir import Expr, Stmt
from ackproof.lang.places import is_rooted, overlap, path_of
from ackproof.lang.types import BOOL, ProcT

__all__ = ["conjuncts", "without_known"]

#: The places that an expression reads, as `path_of` names them.
_Reads = frozenset[str]


def without_known(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Return the statements of a step without what is required though it is known to hold."""
    return tuple(_block(body, _Known()))


def conjuncts(cond: Expr) -> Iterator[Expr]:
    """Yield the parts of a condition that all have to hold, in order."""
    if isinstance(cond, ir.And):
        for arg in cond.args:
            yield from conjuncts(arg)
    else:
        yield cond


@dataclass
class _Known:
    """What is known at a point: facts, and what local names stand for, with what they read."""

    facts: dict[Expr, _Reads] = field(default_factory=dict)
    names: dict[str, tuple[Expr, _Reads]] = field(default_factory=dict)

    def copy(self) -> _Known:
        """Return the same, for a branch."""
        return _Known(dict(self.facts), dict(self.names))

    def meant(self, e: Expr) -> Expr:
        """Return an expression in which local names are what they stand for."""
        found = {name: value for name, (value, _) in self.names.items() if name in e.names}
        return substitute(e, roots={}, names=found) if found else e

    def learn(self, cond: Expr) -> None:
        """Note that a condition holds."""
        for part in conjuncts(self.meant(cond)):
            reads = _reads(part)
            if reads is not None:
                self.facts[part] = reads

    def forget(self, written: Iterable[str | None]) -> None:
        """Note that places have been written; None is any place."""
        paths = list(written)
        self.facts = {e: r for e, r in self.facts.items() if not _touched(r, paths)}
        self.names = {n: (e, r) for n, (e, r) in self.names.items() if not _touched(r, paths)}


def _touched(reads: _Reads, written: list[str | None]) -> bool:
    return any(path is None or overlap(path, one) for path in written for one in reads)


def _reads(e: Expr) -> _Reads | None:
    """Return the places that an expression reads, None if that is not plain."""
    found = set()
    for node in ir.walk(e):
        if isinstance(node, ir.Field) and isinstance(node.obj.type, ProcT):
            if not is_rooted(node):
                return None
            found.add(path_of(node))
    return frozenset(found)


def _written(body: Iterable[Stmt]) -> Iterator[str | None]:
    """Yield the places that statements write, None for one that is not plain."""
    for stmt in body:
        for node in ir.walk(stmt):
            if isinstance(node, ir.AnyWrite):
                yield path_of(node.place) if is_rooted(node.place) else None


def _block(body: Iterable[Stmt], known: _Known) -> Iterator[Stmt]:
    for stmt in body:
        match stmt:
            case ir.Require(cond=cond):
                parts = [p for p in conjuncts(cond) if known.meant(p) not in known.facts]
                if parts:
                    yield replace(stmt, cond=_all(parts))
                    known.learn(cond)
            case ir.If(cond=cond, then=then, orelse=orelse):
                one, other = known.copy(), known.copy()
                one.learn(cond)
                parts = list(cond.args) if isinstance(cond, ir.Or) else [cond]
                for part in parts:
                    other.learn(_opposite(part))
                yield replace(
                    stmt, then=tuple(_block(then, one)), orelse=tuple(_block(orelse, other))
                )
                known.forget(_written([stmt]))
            case ir.For(body=inside):
                known.forget(_written([stmt]))
                yield replace(stmt, body=tuple(_block(inside, known.copy())))
            case ir.Local(name=name, value=value):
                yield stmt
                meant = known.meant(value)
                reads = _reads(meant)
                if reads is not None and not isinstance(value.type, ProcT):
                    known.names[name] = meant, reads
            case _:
                yield stmt
                known.forget(_written([stmt]))


def _all(parts: list[Expr]) -> Expr:
    return parts[0] if len(parts) == 1 else ir.And(tuple(parts), type=BOOL)


def _opposite(e: Expr) -> Expr:
    return e.arg if isinstance(e, ir.Not) else ir.Not(e, type=BOOL)
