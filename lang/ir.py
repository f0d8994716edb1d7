"""The typed intermediate representation: what a specification says, once names are resolved.

The front end turns the `ast` of a specification into these nodes, and every engine reads nothing
else.  Nodes are frozen values; each asserts what must be true of it, so that a broken pass fails
where it breaks.  `repr` is an S-expression, and golden tests compare it.

Expressions are pure.  A place is an expression that can be written to: a chain of `Field` and
`Index` from a `Root`.  Statements change the state only through `Assign`, `SetAdd`, `SetDiscard`,
`Push` and `Pop`; everything else that Python offers (`|=`, `clear`, `update`) is reduced to these.

What must be defined for a step to happen at all (an `Assert`, the `min` of a set without a
default, the head of a sequence, room in a sequence, a bounded integer in its range) is part of
the meaning of a node: where it fails, the step is reported as `NoAssertionFails` or
`StepsAreDefined` and has no successor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import Any

from ackproof.lang.types import (
    BOOL,
    BoolT,
    EnumT,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
    is_scalar,
)

__all__ = [  # noqa: RUF022 - grouped by what they are for
    # leaves
    "Default",
    "First",
    "Lit",
    "Root",
    "Universe",
    "Var",
    # access
    "Field",
    "Index",
    "Key",
    "Support",
    # logic
    "And",
    "Eq",
    "Exists",
    "Forall",
    "In",
    "Ite",
    "Less",
    "Let",
    "Not",
    "Or",
    "Subset",
    # sets, options, integers, records, sequences
    "Arith",
    "Card",
    "Comprehension",
    "Extreme",
    "Head",
    "IsNone",
    "Length",
    "MakeRecord",
    "Owner",
    "SetLit",
    "SetOp",
    "Some",
    "Succ",
    "Unwrap",
    # statements
    "Assert",
    "Assign",
    "Call",
    "Emit",
    "For",
    "If",
    "Local",
    "Pop",
    "Push",
    "Require",
    "SetAdd",
    "SetDiscard",
    # helpers
    "AnyExpr",
    "AnyStmt",
    "AnyWrite",
    "Binder",
    "Expr",
    "Node",
    "Span",
    "Stmt",
    "children",
    "key_of",
    "walk",
]


@dataclass(frozen=True)
class Span:
    """A place in a source file; lines and columns count from 1."""

    file: str
    line: int
    column: int
    end_column: int
    text: str


NOWHERE = Span("<built>", 0, 0, 0, "")


def _show(value: object) -> str:
    if isinstance(value, tuple):
        return "(" + " ".join(_show(v) for v in value) + ")"
    if isinstance(value, str):
        return value
    return repr(value)


@dataclass(frozen=True, repr=False)
class Node:
    """Base of expressions and statements; the printed form leaves out `span` and `type`."""

    span: Span = field(default=NOWHERE, compare=False, kw_only=True)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all variables that occur here."""
        own = frozenset({self.name}) if isinstance(self, Var) else frozenset()
        return own.union(*(child.names for child in children(self)))

    @cached_property
    def can_fail(self) -> bool:
        """Whether something here may be undefined: a head, or a `min` without a default."""
        partial = isinstance(self, Head) or (isinstance(self, Extreme) and not self.optional)
        return partial or any(child.can_fail for child in children(self))

    def __repr__(self) -> str:
        parts = [_show(getattr(self, f.name)) for f in fields(self) if f.name not in _HIDDEN]
        head = type(self).__name__.lower()
        return "(" + " ".join([head, *parts]) + ")"


_HIDDEN = {"span", "type", "live"}


@dataclass(frozen=True, repr=False)
class Expr(Node):
    """A pure expression with its type."""

    type: Type = field(kw_only=True)


@dataclass(frozen=True, repr=False)
class Lit(Expr):
    """A constant: bool, int, the name of an enum member, None, or an element given by its index.

    For a sort, `value` is the element's position, counted from 0.
    """

    value: bool | int | str | None

    def __post_init__(self) -> None:
        if isinstance(self.type, EnumT):
            assert self.value in self.type.members

    def __repr__(self) -> str:
        return str(self.value).lower() if isinstance(self.value, bool) else str(self.value)


@dataclass(frozen=True, repr=False)
class Var(Expr):
    """A parameter, a local, or a bound variable."""

    name: str

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, repr=False)
class Root(Expr):
    """The process that a method runs on: `self`, or `before` and `after` of a step."""

    name: str

    def __post_init__(self) -> None:
        assert isinstance(self.type, ProcT)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, repr=False)
class First(Expr):
    """The first element of an ordered sort; of an owned sort, the first that `owner` has."""

    owner: Expr | None = None

    def __post_init__(self) -> None:
        assert isinstance(self.type, SortT)
        assert self.type.ordered
        assert self.owner is None or self.owner.type == self.type.owner

    def __repr__(self) -> str:
        return f"(first {self.type!r}{f' {self.owner!r}' if self.owner else ''})"


@dataclass(frozen=True, repr=False)
class Universe(Expr):
    """The set of all elements of a scalar type."""

    def __post_init__(self) -> None:
        assert isinstance(self.type, SetT)

    def __repr__(self) -> str:
        assert isinstance(self.type, SetT)
        return f"(universe {self.type.elem!r})"


@dataclass(frozen=True, repr=False)
class Default(Expr):
    """The value a variable of this type starts with when none is given (empty, false, None…)."""

    def __repr__(self) -> str:
        return f"(default {self.type!r})"


@dataclass(frozen=True, repr=False)
class Field(Expr):
    """A variable or part of a process, or a field of a record."""

    obj: Expr
    name: str

    def __post_init__(self) -> None:
        assert isinstance(self.obj.type, ProcT | RecordT)


@dataclass(frozen=True, repr=False)
class Index(Expr):
    """The value of a map at a key, or a member of a family of processes."""

    obj: Expr
    key: Expr

    def __post_init__(self) -> None:
        assert isinstance(self.obj.type, MapT | FamilyT)
        assert self.key.type == self.obj.type.key


@dataclass(frozen=True, repr=False)
class Key(Expr):
    """The element of a sort whose member of a family a process is, or lies in.

    Inlining, which knows on which member a method is called, puts the element in its place.
    """

    process: Expr

    def __post_init__(self) -> None:
        assert isinstance(self.process.type, ProcT)
        assert isinstance(self.type, SortT)


@dataclass(frozen=True, repr=False)
class Support(Expr):
    """The keys of a map whose value is not the default."""

    map: Expr

    def __post_init__(self) -> None:
        assert isinstance(self.map.type, MapT)
        assert self.type == SetT(self.map.type.key)


@dataclass(frozen=True, repr=False)
class Not(Expr):
    """Negation."""

    arg: Expr


@dataclass(frozen=True, repr=False)
class And(Expr):
    """Conjunction, left to right."""

    args: tuple[Expr, ...]

    def __post_init__(self) -> None:
        assert all(isinstance(a.type, BoolT) for a in self.args)


@dataclass(frozen=True, repr=False)
class Or(Expr):
    """Disjunction, left to right."""

    args: tuple[Expr, ...]

    def __post_init__(self) -> None:
        assert all(isinstance(a.type, BoolT) for a in self.args)


@dataclass(frozen=True, repr=False)
class Eq(Expr):
    """Equality of two values of one type (integers: of any ranges)."""

    left: Expr
    right: Expr

    def __post_init__(self) -> None:
        both_int = isinstance(self.left.type, IntT) and isinstance(self.right.type, IntT)
        assert both_int or self.left.type == self.right.type


@dataclass(frozen=True, repr=False)
class Less(Expr):
    """`left < right`, or `left <= right` when not `strict`, on integers or an ordered sort."""

    left: Expr
    right: Expr
    strict: bool

    def __repr__(self) -> str:
        return f"({'<' if self.strict else '<='} {self.left!r} {self.right!r})"


@dataclass(frozen=True, repr=False)
class In(Expr):
    """Membership of an element in a set (or a sequence)."""

    elem: Expr
    set: Expr

    def __post_init__(self) -> None:
        assert isinstance(self.set.type, SetT | SeqT)
        assert self.elem.type == self.set.type.elem


@dataclass(frozen=True, repr=False)
class Subset(Expr):
    """`left` is contained in `right`; properly so when `strict`."""

    left: Expr
    right: Expr
    strict: bool

    def __post_init__(self) -> None:
        assert isinstance(self.left.type, SetT)
        assert self.left.type == self.right.type


@dataclass(frozen=True, repr=False)
class Ite(Expr):
    """`then` if `cond` else `orelse`."""

    cond: Expr
    then: Expr
    orelse: Expr

    def __post_init__(self) -> None:
        assert isinstance(self.cond.type, BoolT)


@dataclass(frozen=True, repr=False)
class Let(Expr):
    """`body` where `name` stands for `value`."""

    name: str
    value: Expr
    body: Expr


@dataclass(frozen=True)
class Binder:
    """A bound variable and the set it ranges over."""

    name: str
    domain: Expr

    def __post_init__(self) -> None:
        assert isinstance(self.domain.type, SetT)

    @property
    def type(self) -> Type:
        """The type of the variable."""
        assert isinstance(self.domain.type, SetT)
        return self.domain.type.elem

    def __repr__(self) -> str:
        return f"({self.name} {self.domain!r})"


@dataclass(frozen=True, repr=False)
class Forall(Expr):
    """`body` for every value of the binders; a later binder may use an earlier one."""

    binders: tuple[Binder, ...]
    body: Expr


@dataclass(frozen=True, repr=False)
class Exists(Expr):
    """`body` for some value of the binders."""

    binders: tuple[Binder, ...]
    body: Expr


@dataclass(frozen=True, repr=False)
class Comprehension(Expr):
    """The set of `elem` for all values of the binders that satisfy `cond`."""

    elem: Expr
    binders: tuple[Binder, ...]
    cond: Expr

    def __post_init__(self) -> None:
        assert isinstance(self.type, SetT)


@dataclass(frozen=True, repr=False)
class SetLit(Expr):
    """A set given by its elements."""

    elems: tuple[Expr, ...]


@dataclass(frozen=True, repr=False)
class SetOp(Expr):
    """`left op right` with op one of `|`, `&`, `-`, `^`."""

    op: str
    left: Expr
    right: Expr

    def __post_init__(self) -> None:
        assert self.op in {"|", "&", "-", "^"}
        assert self.left.type == self.right.type


@dataclass(frozen=True, repr=False)
class Extreme(Expr):
    """`min` or `max` of a set over an ordered domain.

    With `optional`, the result is an option and None stands for the empty set; without it, the
    step is undefined where the set is empty.
    """

    op: str
    set: Expr
    optional: bool

    def __post_init__(self) -> None:
        assert self.op in {"min", "max"}
        assert isinstance(self.type, OptionT) == self.optional


@dataclass(frozen=True, repr=False)
class Card(Expr):
    """The number of elements of a set."""

    set: Expr


@dataclass(frozen=True, repr=False)
class Arith(Expr):
    """`left op right` on integers, op one of `+`, `-`, `*`, `min`, `max`."""

    op: str
    left: Expr
    right: Expr

    def __post_init__(self) -> None:
        assert self.op in {"+", "-", "*", "min", "max"}


@dataclass(frozen=True, repr=False)
class Some(Expr):
    """A value seen as an option."""

    arg: Expr

    def __post_init__(self) -> None:
        assert self.type == OptionT(self.arg.type)


@dataclass(frozen=True, repr=False)
class Unwrap(Expr):
    """An option's value, where the context says that it is not None."""

    arg: Expr

    def __post_init__(self) -> None:
        assert self.arg.type == OptionT(self.type)


@dataclass(frozen=True, repr=False)
class IsNone(Expr):
    """Whether an option is None."""

    arg: Expr

    def __post_init__(self) -> None:
        assert isinstance(self.arg.type, OptionT)


@dataclass(frozen=True, repr=False)
class Owner(Expr):
    """The element that an element of an owned sort belongs to."""

    arg: Expr

    def __post_init__(self) -> None:
        assert isinstance(self.arg.type, SortT)
        assert self.type == self.arg.type.owner


@dataclass(frozen=True, repr=False)
class Succ(Expr):
    """The next element of an ordered sort, as an option: None after the last of an instance.

    Of an owned sort it is the next of the same owner.
    """

    arg: Expr


@dataclass(frozen=True, repr=False)
class MakeRecord(Expr):
    """A record or event, its fields in order of declaration."""

    args: tuple[Expr, ...]

    def __post_init__(self) -> None:
        assert isinstance(self.type, RecordT)
        assert [a.type for a in self.args] == [t for _, t in self.type.fields]

    def __repr__(self) -> str:
        return f"({self.type!r} {' '.join(map(repr, self.args))})"


@dataclass(frozen=True, repr=False)
class Head(Expr):
    """The first element of a sequence; undefined where it is empty."""

    seq: Expr


@dataclass(frozen=True, repr=False)
class Length(Expr):
    """The number of elements of a sequence."""

    seq: Expr


@dataclass(frozen=True, repr=False)
class Stmt(Node):
    """A statement."""


@dataclass(frozen=True, repr=False)
class Assign(Stmt):
    """Write `value` to a place."""

    place: Expr
    value: Expr

    def __post_init__(self) -> None:
        both_int = isinstance(self.place.type, IntT) and isinstance(self.value.type, IntT)
        assert both_int or self.place.type == self.value.type


@dataclass(frozen=True, repr=False)
class Local(Stmt):
    """Give a name to a value; the name is not written again."""

    name: str
    value: Expr


@dataclass(frozen=True, repr=False)
class SetAdd(Stmt):
    """Add an element to a set in the state."""

    place: Expr
    elem: Expr


@dataclass(frozen=True, repr=False)
class SetDiscard(Stmt):
    """Remove an element from a set in the state, if it is there."""

    place: Expr
    elem: Expr


@dataclass(frozen=True, repr=False)
class Push(Stmt):
    """Append to a sequence in the state; undefined where it is full."""

    place: Expr
    elem: Expr


@dataclass(frozen=True, repr=False)
class Pop(Stmt):
    """Remove the first element of a sequence in the state; undefined where it is empty."""

    place: Expr


@dataclass(frozen=True, repr=False)
class If(Stmt):
    """A branch."""

    cond: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


@dataclass(frozen=True, repr=False)
class For(Stmt):
    """A parallel loop: no iteration reads what another wrote.

    With `ordered`, iterations are taken in ascending order; only what is emitted can tell.  Where
    it is `live`, Python ranges over a set of the state itself, not a copy.
    """

    binder: Binder
    body: tuple[Stmt, ...]
    ordered: bool
    live: bool = field(default=False, compare=False, kw_only=True)


@dataclass(frozen=True, repr=False)
class Require(Stmt):
    """The step is enabled only where `cond` holds."""

    cond: Expr


@dataclass(frozen=True, repr=False)
class Assert(Stmt):
    """The step breaks `NoAssertionFails` where `cond` does not hold."""

    cond: Expr


@dataclass(frozen=True, repr=False)
class Emit(Stmt):
    """Show an event on the wire."""

    event: Expr

    def __post_init__(self) -> None:
        assert isinstance(self.event.type, RecordT)


@dataclass(frozen=True, repr=False)
class Call(Stmt):
    """Run a handler of the process `obj`; gone after inlining.

    `owner` is the class whose method it is, so that `super()` can name a base's.
    """

    obj: Expr
    owner: str
    method: str
    args: tuple[Expr, ...]


#: Every kind of expression: a pass that matches on these, and ends with `assert_never`, is told by
#: the type checker which kind it has forgotten.
AnyExpr = (
    Lit
    | Var
    | Root
    | First
    | Universe
    | Default
    | Field
    | Index
    | Key
    | Support
    | Not
    | And
    | Or
    | Eq
    | Less
    | In
    | Subset
    | Ite
    | Let
    | Forall
    | Exists
    | Comprehension
    | SetLit
    | SetOp
    | Extreme
    | Card
    | Arith
    | Some
    | Unwrap
    | IsNone
    | Owner
    | Succ
    | MakeRecord
    | Head
    | Length
)

#: Every kind of statement that changes a place: one, `place`, and nothing else.  Loops, ranges and
#: pages rely on that; what changes two places is two statements.
AnyWrite = Assign | SetAdd | SetDiscard | Push | Pop

#: Every kind of statement.
AnyStmt = AnyWrite | Local | If | For | Require | Assert | Emit | Call


def children(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly below `node`, in order.

    They are asked for again and again, and never change, so a node remembers them.
    """
    known: tuple[Node, ...] | None = node.__dict__.get("_children")
    if known is None:
        kind: Any = type(node)
        known = tuple(n for name in parts(kind) for n in _nodes(getattr(node, name)))
        node.__dict__["_children"] = known
    return known


@cache
def parts(kind: Any) -> tuple[str, ...]:
    """Return the names of the fields in which nodes may stand."""
    return tuple(f.name for f in fields(kind) if f.name not in _HIDDEN)


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, Binder):
        yield value.domain
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def key_of(process: Expr, sort: Type) -> Expr | None:
    """Return the element of a sort whose member a process is, or lies in, if that can be seen."""
    while isinstance(process, Field | Index):
        if isinstance(process, Index) and process.key.type == sort:
            return process.key
        process = process.obj
    return None


def walk(node: Node) -> Iterator[Node]:
    """Yield `node` and everything below it, parents first."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children(node)))


def boolean(value: bool) -> Lit:
    """Return the literal for a truth value."""
    return Lit(value, type=BOOL)


assert is_scalar(BOOL)
