"""Scopes: what names mean while a function body is read, and how a diagnostic is made there.

A scope knows the function's file, its global names, its parameters and locals, the process that
`self` is, and what is known not to be None at this point (`facts`): after `x is not None and`,
an option is its value, which is also how a type checker reads it.

Facts are the printed forms of expressions.  What is written to meanwhile is forgotten: a fact about
a variable does not outlive a write to a variable of that name, in whatever process or entry, nor
a call or an event, after which anything may have been written.  A block that ends gives back the
facts it was entered with, except those that were forgotten in it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ackproof.lang import ir
from ackproof.lang.annotations import declared
from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Expr, Span
from ackproof.lang.kept import Answering
from ackproof.lang.process import Mark, Process, System, keys_of, mark_of
from ackproof.lang.source import span_at

__all__ = ["UNKNOWN", "Registry", "Scope", "assigned_names", "known_after"]

#: What a name stands for that has no meaning before a specification runs.
UNKNOWN = object()

#: The class that defines a method, the method, and what it is marked as; None each if none does.
Found = tuple[type | None, Any, Mark | None]


class Registry(Answering):
    """The process classes of a system, with the classes that play them under a design.

    What a body is read as depends on a design by what is asked here, and by nothing else; so each
    question is put as narrowly as it can be.
    """

    def __init__(self, replaced: dict[type[Process], type[Process]]) -> None:
        super().__init__()
        self.replaced = replaced
        self.classes: dict[str, type[Process]] = {}

    def add(self, cls: type[Process]) -> type[Process]:
        """Enter a process class under its own name and return the class that plays it."""
        player = self.player(cls)
        self.classes[cls.__name__] = player
        return player

    def player(self, cls: type[Process]) -> type[Process]:
        """Return the class that plays `cls`: itself, or a design's subclass."""
        return self.replaced.get(cls, cls)

    def original(self, cls: type[Process]) -> type[Process]:
        """Return the class that `cls` plays: itself, or what a design has it replace."""
        return next((one for one, player in self.replaced.items() if player is cls), cls)

    def brings(self, cls: type[Process], owner: type) -> bool:
        """Tell whether a design has brought a method of a player, by the class that defines it."""
        return owner not in self.original(cls).__mro__

    # -- what is asked while a body is read -----------------------------------------------------

    def brought(self, process: str, owner: type) -> bool:
        """Tell whether a design has brought a method of a process, by the class that defines it."""
        return self.ask(_brought, process, owner)

    def hint(self, process: str, name: str) -> Any:
        """Return the annotation of a variable of a process, or None if it is not declared."""
        return self.ask(_hint, process, name)

    def keys(self, process: str) -> Mapping[str, Any]:
        """Return the sorts of the keys that a process declares, by name."""
        return self.ask(_keys, process)

    def has(self, process: str, name: str) -> bool:
        """Tell whether the class that plays a process has an attribute."""
        return self.ask(_has, process, name)

    def method(self, process: str, name: str, after: type | None = None) -> Found:
        """Return which class defines a method of a process, the method, and what it is marked as.

        Args:
            process: the name of the process.
            name: the name of the method.
            after: the class behind which Python looks for it: the one that writes `super()`.
        """
        return self.ask(_method, process, name, after)

    def name_of(self, cls: type[Process]) -> str:
        """Return the name under which a process class is entered.

        A class that plays another one goes by the name of that, and one that is only extended by
        the name of who extends it: what is said of a base class is said of the class that does.
        """
        return self.ask(_name_of, cls)


def _brought(registry: Registry, process: str, owner: type) -> bool:
    return registry.brings(registry.classes[process], owner)


def _hint(registry: Registry, process: str, name: str) -> Any:
    return declared(registry.classes[process]).get(name)


def _keys(registry: Registry, process: str) -> Mapping[str, Any]:
    cls: Any = registry.classes[process]
    # An answer is kept, for other processes, too; and a view cannot be.
    return dict(keys_of(cls))


def _has(registry: Registry, process: str, name: str) -> bool:
    return hasattr(registry.classes[process], name)


def _method(registry: Registry, process: str, name: str, after: type | None) -> Found:
    order = registry.classes[process].__mro__
    for cls in order if after is None else order[order.index(after) + 1 :]:
        if name in vars(cls):
            return cls, vars(cls)[name], mark_of(vars(cls)[name])
    return None, None, None


def _name_of(registry: Registry, cls: type[Process]) -> str:
    own = registry.original(cls).__name__
    if registry.classes.get(own) is cls:
        return own
    known = registry.classes.items() if cls not in (Process, System) else ()
    return next((n for n, player in known if issubclass(player, cls)), cls.__name__)


@dataclass
class Scope:
    """What names mean at one point of a function body.

    Args:
        file: where the function is written.
        names: what its global names mean.
        registry: the process classes of the system.
        own: the names that the function assigns; they never mean anything global.
        roots: the processes that names stand for.
        bound: parameters, locals and bound variables.
        facts: what is known not to be None.
        owner: the class that the function is a method of.
        stack: the helpers that are being inlined.
        claim: the property that is being read, if it claims something of a design.
    """

    file: str
    names: dict[str, Any]
    registry: Registry
    own: frozenset[str] = frozenset()
    roots: dict[str, Expr] = field(default_factory=dict)
    bound: dict[str, Expr] = field(default_factory=dict)
    facts: frozenset[str] = frozenset()
    owner: type[Process] | None = None
    stack: tuple[Callable[..., Any], ...] = ()
    claim: str = ""
    counter: list[int] = field(default_factory=lambda: [0])
    comprehensions: int = 0
    _forgotten: list[str | None] = field(default_factory=list)

    def span(self, node: ast.AST) -> Span:
        """Return where a syntax node stands."""
        return span_at(self.file, node)

    def error(self, node: ast.AST, problem: str, instead: str) -> SpecError:
        """Return the diagnostic for a piece of source."""
        return SpecError(self.span(node), problem, instead)

    def fresh(self, name: str) -> str:
        """Return a name that occurs nowhere else in this body."""
        self.counter[0] += 1
        return f"{name.split('.')[0]}.{self.counter[0]}"

    def lookup(self, node: ast.Name) -> Expr | object:
        """Return the expression bound to a name, or the Python object it means.

        Raises:
            SpecError: the name means nothing here.
        """
        name = node.id
        if name in self.bound:
            return self.bound[name]
        if name in self.own:
            raise self.error(
                node,
                f"the local `{name}` may have no value here",
                "give it a value on every way that leads here, in both branches of an `if`",
            )
        if name in self.roots:
            return self.roots[name]
        found: object = self.names.get(name, getattr(builtins, name, UNKNOWN))
        if found is not UNKNOWN:
            return found
        raise self.error(
            node,
            f"the name `{name}` is not defined here",
            "define or import it at the top of the module, or declare it on the process",
        )

    def static(self, node: ast.expr) -> object:
        """Return the Python object that a global name or an attribute of a module means.

        Anything else is `UNKNOWN`.
        """
        if isinstance(node, ast.Name):
            found = self.lookup(node)
            return UNKNOWN if isinstance(found, Expr) else found
        if isinstance(node, ast.Attribute):
            module = self.static(node.value) if _is_path(node.value) else UNKNOWN
            if isinstance(module, type(ast)):
                return getattr(module, node.attr, UNKNOWN)
        return UNKNOWN

    # -- facts ----------------------------------------------------------------------------------

    def forget(self, variable: str | None = None) -> None:
        """Forget what is known of a state variable, or of all of them."""
        self._forgotten.append(variable)
        self.facts = _without(self.facts, [variable])

    @contextmanager
    def knowing(self, facts: frozenset[str] = frozenset()) -> Iterator[None]:
        """Add facts for the length of a `with` block."""
        before, position = self.facts, len(self._forgotten)
        self.facts = before | facts
        try:
            yield
        finally:
            self.facts = _without(before, self._forgotten[position:])

    @contextmanager
    def binding(self, names: dict[str, Expr] | None = None) -> Iterator[None]:
        """Bind names for the length of a `with` block."""
        before = dict(self.bound)
        self.bound.update(names or {})
        try:
            yield
        finally:
            self.bound = before


def _is_path(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _without(facts: frozenset[str], variables: Iterable[str | None]) -> frozenset[str]:
    """Return the facts that do not speak of state variables with these names."""
    for variable in variables:
        shown = "(field " if variable is None else f" {variable})"
        facts = frozenset(f for f in facts if shown not in f)
    return facts


def known_after(cond: Expr, outcome: bool) -> frozenset[str]:
    """Return what is known not to be None once `cond` came out as `outcome`."""
    match cond:
        case ir.IsNone(arg):
            return frozenset() if outcome else frozenset({repr(arg)})
        case ir.Not(arg):
            return known_after(arg, not outcome)
        case ir.And(args) if outcome:
            return frozenset().union(*(known_after(a, True) for a in args))
        case ir.Or(args) if not outcome:
            return frozenset().union(*(known_after(a, False) for a in args))
        case ir.Eq(left, right) if outcome:
            known = [side for side in (left, right) if not isinstance(side, ir.Some)]
            return frozenset(map(repr, known)) if len(known) < 2 else frozenset()
    return frozenset()


@cache
def assigned_names(function: ast.FunctionDef) -> frozenset[str]:
    """Return the names that a function assigns outside of its comprehensions."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        for child in ast.iter_child_nodes(node):
            if not (isinstance(node, ast.comprehension) and child is node.target):
                visit(child)

    for statement in function.body:
        visit(statement)
    return frozenset(found)
