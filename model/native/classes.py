"""Places in the methods of a specification: what `self.casts[channel].publishes` is.

A method speaks of the process that it runs on, of its parts and theirs, and of their variables.
Their declarations say what each of these is.  Whatever else a method says has no place, and nothing
is known of it.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, get_args, get_origin

from ackproof.lang.process import Process, default_of, hints_of, mark_of, split_marks
from ackproof.lang.sorts import Sort
from ackproof.lang.values import ANYTHING, CONST, GHOST, KEY, Each, Map, Seq
from ackproof.model.native.trees import walk

__all__ = [
    "CHANGES",
    "Family",
    "Layout",
    "Place",
    "Variable",
    "declarations",
    "method_chain",
    "steps_of",
    "uses",
]

#: What changes a set, map or sequence where it is, and whether there is more in it then, or less.
CHANGES: Mapping[str, str] = {
    **dict.fromkeys(("add", "append", "update"), "more"),
    **dict.fromkeys(("clear", "discard", "pop", "remove"), "less"),
    **dict.fromkeys(("difference_update", "intersection_update"), "less"),
}


@dataclass(frozen=True)
class Family:
    """One process for every element of a sort."""

    sort: type[Sort]
    member: type[Process]


@dataclass(frozen=True)
class Variable:
    """A variable or constant of a process, or an entry of one.

    Attributes:
        owner: the class of the process.
        name: of the variable.
        hint: its type, without marks.
        marks: whether it is a constant, or a ghost.
        entry: whether it is an entry and not the whole.
    """

    owner: type[Process]
    name: str
    hint: Any
    marks: frozenset[Any]
    entry: bool = False

    @property
    def ghost(self) -> bool:
        """Whether only properties may read it."""
        return GHOST in self.marks

    @property
    def first(self) -> Any:
        """What it has from the beginning; an empty frozenset for whatever is empty then.

        Of what may start with anything nothing is known, so it is a mark and no value.
        """
        if getattr(self.owner, self.name, None) is ANYTHING:
            return ANYTHING
        hint = get_args(self.hint)[1] if self.entry and get_origin(self.hint) is Map else self.hint
        if get_origin(hint) in (set, Map, Seq):
            return frozenset()
        if not self.entry and hasattr(self.owner, self.name):
            return getattr(self.owner, self.name)
        return default_of(hint, set())

    @property
    def key(self) -> bool:
        """Whether it is the element that the process belongs to."""
        return KEY in self.marks

    @property
    def const(self) -> bool:
        """Whether nobody writes it."""
        return CONST in self.marks


#: What an expression may stand for: a process (by its class), a family, a variable.
Place = type[Process] | Family | Variable


@dataclass(frozen=True)
class Layout:
    """A system: its class, and which class plays each process class where a design replaces it.

    Attributes:
        root: the class of the whole.
        players: by the name of the class that a declaration names.
    """

    root: type[Process]
    players: Mapping[str, type[Process]]

    def place(
        self,
        node: ast.expr,
        cls: type[Process],
        known: Mapping[str, type[Process]] = MappingProxyType({}),
    ) -> Place | None:
        """Return what an expression of a method of `cls` stands for; None if it is no place.

        Args:
            node: the expression.
            cls: the class of `self`.
            known: local names of processes, and of which class they are.
        """
        match node:
            case ast.Name(id="self"):
                return cls
            case ast.Name(id=name):
                return known.get(name)
            case ast.Attribute(value=value, attr=name):
                owner = self.place(value, cls, known)
                return self.declared(owner, name) if isinstance(owner, type) else None
            case ast.Subscript(value=value):
                whole = self.place(value, cls, known)
                if isinstance(whole, Family):
                    return whole.member
                if isinstance(whole, Variable):
                    return Variable(whole.owner, whole.name, whole.hint, whole.marks, True)
        return None

    def declared(self, owner: type[Process], name: str) -> Place | None:
        """Return what a class declares under a name; None if it declares nothing so."""
        hints = declarations(owner)
        if name not in hints:
            return None
        hint, marks = split_marks(hints[name])
        if isinstance(hint, type) and issubclass(hint, Process):
            return self._player(hint)
        if get_origin(hint) is Each:
            sort, member = get_args(hint)
            return Family(sort, self._player(member))
        return Variable(owner, name, hint, frozenset(marks))

    def family(self, owner: type[Process], sort: type[Sort]) -> str | None:
        """Return the name of a family in which each element of a sort has a member, if any has.

        One whose members only properties read is none: a program keeps nothing of it.
        """
        for name in declarations(owner):
            place = self.declared(owner, name)
            if isinstance(place, Family) and place.sort is sort and self._kept(place.member):
                return name
        return None

    def _kept(self, member: type[Process]) -> bool:
        """Tell whether a process has anything that is not a ghost."""
        places = [self.declared(member, name) for name in declarations(member)]
        return not all(isinstance(place, Variable) and place.ghost for place in places)

    def _player(self, cls: type[Process]) -> type[Process]:
        return self.players.get(cls.__name__, cls)

    def classes(self) -> list[type[Process]]:
        """Return the classes of the system: its own, and those of all parts, each once."""
        found: dict[type[Process], None] = {self.root: None}
        waiting = [self.root]
        while waiting:
            cls = waiting.pop()
            for name in declarations(cls):
                place = self.declared(cls, name)
                part = place.member if isinstance(place, Family) else place
                if isinstance(part, type) and part not in found:
                    found[part] = None
                    waiting.append(part)
        return list(found)


def declarations(cls: Any) -> Mapping[str, Any]:
    """Return what a process class declares, with marks, by name."""
    return hints_of(cls)


def method_chain(cls: type[Process], name: str) -> list[Callable[..., Any]]:
    """Return the definitions of a step or helper, the most derived one first."""
    return [vars(base)[name] for base in cls.__mro__ if name in vars(base)]


def steps_of(cls: type[Process]) -> Iterator[str]:
    """Yield the names of all steps, observers and helpers of a class."""
    for name, function in inspect.getmembers(cls, inspect.isfunction):
        if mark_of(function) is not None:
            yield name


def uses(node: ast.AST) -> Mapping[str, int]:
    """Count how often each name is read."""
    found: dict[str, int] = {}
    for one in walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            found[one.id] = found.get(one.id, 0) + 1
    return found
