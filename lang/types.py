"""Types of the specification language.

Every value a specification can hold belongs to one of these types, and every type but a sort has
a size that is known from its text.  A sort gets its size from an instance.  Scalars are the types
whose values are single points (`BOOL`, enums, bounded integers, elements of a sort, options and
records of these); sets, maps and sequences are built over scalars.

The printed form of a type is an S-expression, and golden tests compare it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

__all__ = [
    "BOOL",
    "UNBOUNDED",
    "BoolT",
    "EnumT",
    "FamilyT",
    "IntT",
    "MapT",
    "OptionT",
    "ProcT",
    "RecordT",
    "SeqT",
    "SetT",
    "SortT",
    "Type",
    "is_mutable",
    "is_scalar",
    "join_ints",
    "within",
    "written",
]

#: Width of a constant integer whose value an instance gives: wide enough for any count.
UNBOUNDED = 2**31


@dataclass(frozen=True)
class BoolT:
    """Truth values."""

    def __repr__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class EnumT:
    """A finite set of named members, in order of declaration."""

    name: str
    members: tuple[str, ...]

    def __post_init__(self) -> None:
        assert self.members, "an enum has at least one member"
        assert len(set(self.members)) == len(self.members), "members are distinct"

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class IntT:
    """Integers from `lo` to `hi`, both included."""

    lo: int
    hi: int

    def __post_init__(self) -> None:
        assert self.lo <= self.hi, "an integer range is not empty"

    def __repr__(self) -> str:
        return f"(int {self.lo} {self.hi})"


@dataclass(frozen=True)
class SortT:
    """Elements of a sort; an instance says how many there are, in all or of each `owner`."""

    name: str
    ordered: bool
    owner: SortT | None = None

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class OptionT:
    """A value of `inner`, or None."""

    inner: Type

    def __post_init__(self) -> None:
        assert is_scalar(self.inner), "an option holds a scalar"
        assert not isinstance(self.inner, OptionT), "options do not nest"

    def __repr__(self) -> str:
        return f"(option {self.inner!r})"


@dataclass(frozen=True)
class RecordT:
    """Named fields of scalar types; records and wire events."""

    name: str
    fields: tuple[tuple[str, Type], ...]

    def __post_init__(self) -> None:
        assert all(is_scalar(t) for _, t in self.fields), "a record holds scalars"

    def field(self, name: str) -> Type | None:
        """Return the type of the field `name`, or None if there is none."""
        return dict(self.fields).get(name)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class SetT:
    """A set of scalars."""

    elem: Type

    def __post_init__(self) -> None:
        assert is_scalar(self.elem), "a set holds scalars"

    def __repr__(self) -> str:
        return f"(set {self.elem!r})"


@dataclass(frozen=True)
class MapT:
    """A total map; every key that was not written has the default of `value`."""

    key: Type
    value: Type

    def __post_init__(self) -> None:
        assert is_scalar(self.key), "a map is indexed by scalars"

    def __repr__(self) -> str:
        return f"(map {self.key!r} {self.value!r})"


@dataclass(frozen=True)
class SeqT:
    """A sequence of at most `cap` scalars."""

    elem: Type
    cap: int

    def __post_init__(self) -> None:
        assert is_scalar(self.elem), "a sequence holds scalars"
        assert self.cap > 0, "a sequence holds at least one element"

    def __repr__(self) -> str:
        return f"(seq {self.elem!r} {self.cap})"


@dataclass(frozen=True)
class ProcT:
    """A process of the named class."""

    name: str

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class FamilyT:
    """One process for every element of a sort."""

    key: SortT
    proc: ProcT

    def __repr__(self) -> str:
        return f"(each {self.key!r} {self.proc!r})"


Type = BoolT | EnumT | IntT | SortT | OptionT | RecordT | SetT | MapT | SeqT | ProcT | FamilyT

BOOL = BoolT()


def is_scalar(t: Type) -> bool:
    """Tell whether values of `t` are single points, fit to be elements and keys."""
    return isinstance(t, BoolT | EnumT | IntT | SortT | OptionT | RecordT)


def is_mutable(t: Type) -> bool:
    """Tell whether Python holds values of `t` by reference, so that two names can share one."""
    return isinstance(t, SetT | MapT | SeqT)


def join_ints(a: IntT, b: IntT) -> IntT:
    """Return the smallest range that holds both."""
    return IntT(min(a.lo, b.lo), max(a.hi, b.hi))


def within(a: IntT, b: IntT) -> bool:
    """Tell whether every integer of range `a` is one of range `b`."""
    return b.lo <= a.lo and a.hi <= b.hi


def written(t: Type) -> str:
    """Return a type as a specification writes it, for messages."""
    match t:
        case IntT(lo, hi):
            return f"int from {lo} to {hi}" if lo < hi else "int"
        case OptionT(inner):
            return f"Option[{written(inner)}]"
        case SetT(elem):
            return f"Set[{written(elem)}]"
        case MapT(key, value):
            return f"Map[{written(key)}, {written(value)}]"
        case SeqT(elem):
            return f"Seq[{written(elem)}]"
        case FamilyT(sort, proc):
            return f"Each[{sort.name}, {proc.name}]"
        case BoolT() | EnumT() | SortT() | RecordT() | ProcT():
            return repr(t)
        case _:
            assert_never(t)
