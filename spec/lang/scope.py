"""Scopes: what names mean while a function body is read, and how a refusal is raised there.

A scope knows the function's file, its global names, its parameters and locals, the process that
`self` is, and what is known not to be None at this point (`facts`): after `x is not None and`,
an option is its value, which is also how a type checker reads it.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ackproof.spec.lang import ir
from ackproof.spec.lang.errors import SpecError
from ackproof.spec.lang.ir import Expr, Span
from ackproof.spec.lang.process import Process
from ackproof.spec.lang.source import span_at
from ackproof.spec.lang.types import Type

__all__ = ["Registry", "Scope", "known_after"]


class Registry:
    """The process classes of a system, with the classes that play them under a design."""

    def __init__(self, replaced: dict[type[Process], type[Process]]) -> None:
        self.replaced = replaced
        self.classes: dict[str, type[Process]] = {}

    def player(self, cls: type[Process]) -> type[Process]:
        """Return the class that plays `cls`: itself, or a design's subclass."""
        return self.replaced.get(cls, cls)

    def add(self, cls: type[Process]) -> type[Process]:
        """Enter a process class under its own name and return the class that plays it."""
        player = self.player(cls)
        self.classes[cls.__name__] = player
        return player


@dataclass
class Scope:
    """What names mean at one point of a function body."""

    file: str
    names: dict[str, Any]
    registry: Registry
    roots: dict[str, Expr] = field(default_factory=dict)
    bound: dict[str, Expr] = field(default_factory=dict)
    facts: frozenset[str] = frozenset()
    owner: type[Process] | None = None
    stack: tuple[Callable[..., Any], ...] = ()
    counter: list[int] = field(default_factory=lambda: [0])

    def span(self, node: ast.AST) -> Span:
        """Return where a syntax node stands."""
        return span_at(self.file, node)

    def refuse(self, node: ast.AST, problem: str, instead: str) -> NoReturn:
        """Refuse a piece of source."""
        raise SpecError(self.span(node), problem, instead)

    def fresh(self, name: str) -> str:
        """Return a name that occurs nowhere else in this body."""
        self.counter[0] += 1
        return f"{name.split('.')[0]}.{self.counter[0]}"

    def lookup(self, node: ast.Name) -> Expr | object:
        """Return the expression bound to a name, or the Python object it means.

        Raises:
            SpecError: the name means nothing.
        """
        if node.id in self.bound:
            return self.bound[node.id]
        if node.id in self.roots:
            return self.roots[node.id]
        if node.id in self.names:
            return self.names[node.id]
        builtins = {
            "set": set,
            "len": len,
            "min": min,
            "max": max,
            "all": all,
            "any": any,
            "sorted": sorted,
            "bool": bool,
            "super": super,
        }
        if node.id in builtins:
            return builtins[node.id]
        self.refuse(
            node,
            f"the name `{node.id}` is not defined here",
            "define or import it at the top of the module, or declare it on the process",
        )

    @contextmanager
    def knowing(self, facts: frozenset[str]) -> Iterator[None]:
        """Add facts for the length of a `with` block."""
        before = self.facts
        self.facts = before | facts
        try:
            yield
        finally:
            self.facts = before

    @contextmanager
    def binding(self, names: dict[str, Expr]) -> Iterator[None]:
        """Bind names for the length of a `with` block."""
        before = dict(self.bound)
        self.bound.update(names)
        try:
            yield
        finally:
            self.bound = before


def known_after(cond: Expr, outcome: bool) -> frozenset[str]:
    """Return what is known not to be None once `cond` came out as `outcome`.

    Expressions are named by their printed form.
    """
    if isinstance(cond, ir.IsNone):
        return frozenset() if outcome else frozenset({repr(cond.arg)})
    if isinstance(cond, ir.Not):
        return known_after(cond.arg, not outcome)
    if isinstance(cond, ir.And if outcome else ir.Or):
        assert isinstance(cond, ir.And | ir.Or)
        return frozenset().union(*(known_after(a, outcome) for a in cond.args))
    if isinstance(cond, ir.Eq) and outcome:
        sides = (cond.left, cond.right)
        if any(isinstance(s, ir.Some) for s in sides):
            return frozenset(repr(s) for s in sides if not isinstance(s, ir.Some))
    return frozenset()


def enum_member(value: object) -> enum.Enum | None:
    """Return `value` if it is the member of an enum."""
    return value if isinstance(value, enum.Enum) else None


def describe(t: Type) -> str:
    """Return a type in words a user wrote."""
    return repr(t)
