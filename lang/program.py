"""What the front end produces: processes, methods, actions and properties, all typed.

A `Program` is one system with one design applied, for all sizes at once.  `processes` keeps the
methods as they were written (documentation reads them); `actions` are the steps of the whole
system with every call inlined, so that an engine sees state variables and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, assert_never

from ackproof.lang.later import Later
from ackproof.lang.properties import OF_RUNS, Claim, Kind, stated_by
from ackproof.lang.types import FamilyT, ProcT, RecordT, SortT, Type

if TYPE_CHECKING:
    from ackproof.lang.ir import Expr, Span, Stmt

__all__ = [
    "Action",
    "Method",
    "Param",
    "ProcessDecl",
    "Program",
    "PropertyDecl",
    "VarDecl",
    "Variable",
    "base_first",
    "key_names",
]


@dataclass(frozen=True)
class Param:
    """A parameter with its type."""

    name: str
    type: Type

    def __repr__(self) -> str:
        return f"({self.name} {self.type!r})"


@dataclass(frozen=True)
class VarDecl:
    """A declared variable (or constant) of a process class, with what it starts with.

    With `anything` that is any value of its type, and `initial` is the first of them.
    """

    name: str
    type: Type
    ghost: bool
    const: bool
    initial: Expr
    span: Span
    anything: bool = False


@dataclass(frozen=True)
class Method:
    """A step or observer of a process class as it was written."""

    owner: str
    name: str
    kind: str
    fair: str | None
    event: RecordT | None
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    doc: str
    span: Span


@dataclass(frozen=True)
class ProcessDecl:
    """A process class: its name in the base, the class that plays it, and what it declares.

    `added` are the names of variables, parts and methods that the base does not have, or declares
    otherwise.
    """

    name: str
    played_by: str
    doc: str
    variables: tuple[VarDecl, ...]
    keys: tuple[tuple[str, SortT], ...]
    parts: tuple[tuple[str, ProcT | FamilyT], ...]
    methods: tuple[Method, ...]
    span: Span
    added: frozenset[str] = frozenset()

    def method(self, name: str) -> Method | None:
        """Return the method of that name as the most derived class has it."""
        return next((m for m in self.methods if m.name == name), None)


@dataclass(frozen=True)
class Variable:
    """A state variable of the whole system.

    `path` leads to it from the root by names; `families` are the sorts of the families it lies
    in, outermost first: it exists once for every combination of their elements.  `depths` says
    which names of the path are those families.  With `anything` it may start with any value of its
    type, of which `initial` is the first.  One that is `added` comes of the design.
    """

    path: tuple[str, ...]
    families: tuple[SortT, ...]
    type: Type
    ghost: bool
    const: bool
    initial: Expr
    owner: str
    depths: tuple[int, ...] = ()
    anything: bool = False
    added: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The names under which `initial` speaks of the members of the families."""
        return key_names(self.families)

    @property
    def name(self) -> str:
        """The dotted path."""
        return ".".join(self.path)


def key_names(families: Iterable[SortT]) -> tuple[str, ...]:
    """Return a name for the member of each family, outermost first; no two are the same."""
    names: tuple[str, ...] = ()
    for sort in families:
        name = sort.name.lower()
        while name in names:
            name += "_"
        names = (*names, name)
    return names


@dataclass(frozen=True)
class Action(Later):
    """A step of the whole system: parameters and a body with every call inlined.

    One that is `added` comes of the design, and overrides none.
    """

    name: str
    kind: str
    fair: str | None
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    path: tuple[str, ...]
    method: str
    owner: str
    doc: str
    span: Span
    added: bool = False

    def __post_init__(self) -> None:
        assert self.kind in {"action", "fault"}

    def __repr__(self) -> str:
        params = " ".join(map(repr, self.params))
        body = "\n  ".join(map(repr, self.body))
        return f"({self.kind} {self.name} ({params})\n  {body})"


@dataclass(frozen=True)
class PropertyDecl(Later):
    """A property: `roots` are the names of its state arguments, `event` its event argument.

    Of what leads to something, `trigger` is what leads there, and the body is where.

    A property with `params` is one for each choice of elements, each judged by itself: in a bound
    program it stands once for each, with the elements in `args`, and is named after them.

    A property of steps may be of those of some actions only, whose names are in `of`; then `asked`
    are the arguments of theirs that it takes.
    """

    name: str
    kind: Kind
    roots: tuple[str, ...]
    event: Param | None
    body: Expr
    doc: str
    span: Span
    params: tuple[Param, ...] = ()
    args: tuple[Any, ...] = ()
    trigger: Expr | None = None
    of: tuple[str, ...] = ()
    asked: tuple[Param, ...] = ()

    @property
    def function(self) -> str:
        """The name of the function that states it."""
        return stated_by(self.name)

    @property
    def claim(self) -> Claim:
        """The kind of a property; what is only written like one, as a constraint is, has none."""
        match self.kind:
            case "invariant" | "step" | "eventually" | "leads_to" | "reachable":
                return self.kind
            case "constraint" | "initially" | "measure" | "helpful":
                raise AssertionError(f"{self.name} claims nothing")
            case _:
                assert_never(self.kind)

    @property
    def of_runs(self) -> bool:
        """Whether the property is about whole runs."""
        return self.kind in OF_RUNS

    @property
    def parts(self) -> tuple[Expr, ...]:
        """All that is evaluated to judge it."""
        return (self.body,) if self.trigger is None else (self.trigger, self.body)

    @property
    def of_steps(self) -> bool:
        """Whether the property is about steps (two states) rather than single states."""
        return len(self.roots) == 2

    def __repr__(self) -> str:
        event = f" {self.event!r}" if self.event else ""
        params = "".join(f" {p!r}" for p in (*self.params, *self.asked))
        of = f" (of {' '.join(self.of)})" if self.of else ""
        said = "\n  ".join(map(repr, self.parts))
        return f"({self.kind} {self.name} ({' '.join(self.roots)}{event}{params}){of}\n  {said})"


@dataclass(frozen=True)
class Program(Later):
    """A system with a design applied, ready to be bound to an instance.

    Variables and actions that the design adds come after all others: those are in the same places
    as without it.
    """

    name: str
    root: str
    sorts: tuple[SortT, ...]
    processes: tuple[ProcessDecl, ...]
    variables: tuple[Variable, ...]
    actions: tuple[Action, ...]
    properties: tuple[PropertyDecl, ...]
    deadlock_free: bool
    players: Mapping[str, type] = field(repr=False, compare=False)
    constraints: tuple[PropertyDecl, ...] = ()
    initially: tuple[PropertyDecl, ...] = ()
    ranked: tuple[PropertyDecl, ...] = ()

    @property
    def stated(self) -> tuple[PropertyDecl, ...]:
        """All that is written like a property, whether it claims something or not."""
        return (*self.properties, *self.constraints, *self.initially, *self.ranked)

    def process(self, name: str) -> ProcessDecl:
        """Return the process class of that name; it exists."""
        return next(p for p in self.processes if p.name == name)


_Part = TypeVar("_Part", Variable, Action)


def base_first(parts: Iterable[_Part]) -> tuple[_Part, ...]:
    """Return variables or actions with those that a design adds after all others."""
    return tuple(sorted(parts, key=lambda part: part.added))
