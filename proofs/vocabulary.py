"""Vocabulary: the simplest things that can be said of a variable.

An *atom* is one of these: a flag is set, an enum has that value, an option is there, an element is
in a set, a map has that entry.  It says so of elements: those of the families that the variable
lies in, the keys of maps on the way, and the member that it is about.  As an expression it is part
of a property; as data it is evaluated in a state that a search has found.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ackproof.lang import ir
from ackproof.lang.program import Program, Variable
from ackproof.lang.types import (
    BOOL,
    BoolT,
    EnumT,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    SetT,
    SortT,
    Type,
)

__all__ = ["Atom", "atoms_of"]

#: Integers of more values than this are not looked at one by one.
_FEW = 3


@dataclass(frozen=True)
class Atom:
    """Something that can be said of a variable.

    Attributes:
        variable: which; None for what is said of elements alone.
        kind: "flag", "value", "present", "equals", "member" or "key"; "same" and "below" of two
            elements.
        sorts: of what it says it: elements of families, keys of maps, a member.
        keys: how many of these are keys of maps.
        value: for "value", which.
    """

    variable: Variable | None
    kind: str
    sorts: tuple[SortT, ...]
    keys: int = 0
    value: object = None

    def __hash__(self) -> int:
        """Hash what tells atoms apart; a variable has all of its declaration in it."""
        path = self.variable.path if self.variable else ()
        return hash((path, self.kind, self.keys, self.value, len(self.sorts)))

    def expression(self, names: tuple[str, ...], program: Program) -> ir.Expr:
        """Return what it says, of elements of these names."""
        elements = [ir.Var(n, type=t) for n, t in zip(names, self.sorts, strict=True)]
        if self.variable is None:
            if self.kind == "same":
                return ir.Eq(elements[0], elements[1], type=BOOL)
            return ir.Less(elements[0], elements[1], True, type=BOOL)
        count = len(self.variable.families)
        at = _place(program, self.variable, elements[:count])
        for key in elements[count : count + self.keys]:
            assert isinstance(at.type, MapT)
            at = ir.Index(at, key, type=at.type.value)
        return self._said(at, elements[-1] if elements else None)

    def _said(self, at: ir.Expr, last: ir.Expr | None) -> ir.Expr:
        t = at.type
        if self.kind == "flag":
            return at
        if self.kind == "value":
            assert self.value is None or isinstance(self.value, int | str)
            return ir.Eq(at, ir.Lit(self.value, type=t), type=BOOL)
        if self.kind == "present":
            return ir.Not(ir.IsNone(at, type=BOOL), type=BOOL)
        assert last is not None
        if self.kind == "equals":
            right = ir.Some(last, type=t) if isinstance(t, OptionT) else last
            return ir.Eq(at, right, type=BOOL)
        if self.kind == "key":
            assert isinstance(t, MapT)
            return ir.In(last, ir.Support(at, type=SetT(t.key)), type=BOOL)
        return ir.In(last, at, type=BOOL)

    def place(self, names: tuple[str, ...]) -> str:
        """Return the text of the variable, with families and keys chosen by name."""
        assert self.variable is not None
        v, words = self.variable, ["s"]
        chosen = dict(zip(v.depths, names, strict=False))
        for i, part in enumerate(v.path):
            words.append(f".{part}" + (f"[{chosen[i]}]" if i in chosen else ""))
        count = len(v.families)
        return "".join(words) + "".join(f"[{k}]" for k in names[count : count + self.keys])

    def text(self, names: tuple[str, ...], holds: bool) -> str:
        """Return it, or that it is not so, as a specification writes it."""
        if self.variable is None:
            signs = ("==", "!=") if self.kind == "same" else ("<", ">=")
            return f"{names[0]} {signs[not holds]} {names[1]}"
        at = self.place(names)
        if self.kind == "flag":
            return at if holds else f"not {at}"
        if self.kind == "present":
            return f"{at} is not None" if holds else f"{at} is None"
        if self.kind in ("member", "key"):
            return f"{names[-1]} in {at}" if holds else f"{names[-1]} not in {at}"
        right = names[-1] if self.kind == "equals" else self._value()
        return f"{at} == {right}" if holds else f"{at} != {right}"

    def _value(self) -> str:
        assert self.variable is not None
        t = self.variable.type
        while isinstance(t, MapT):
            t = t.value
        return f"{t.name}.{self.value}" if isinstance(t, EnumT) else str(self.value)

    def true_of(
        self, value: Any, elements: Mapping[str, tuple[Any, ...]]
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the keys and members of which it holds, for the value of the variable as data."""
        assert self.variable is not None
        t: Type = self.variable.type
        for keys in itertools.product(*(elements[s.name] for s in self._key_sorts())):
            at, inner = value, t
            for key in keys:
                assert isinstance(inner, MapT)
                inner = inner.value
                at = dict(at).get(key, _DEFAULT)
            for rest in self._rest(at, inner):
                yield (*keys, *rest)

    def _key_sorts(self) -> tuple[SortT, ...]:
        assert self.variable is not None
        count = len(self.variable.families)
        return self.sorts[count : count + self.keys]

    def _rest(self, at: Any, t: Type) -> Iterable[tuple[Any, ...]]:
        if at is _DEFAULT:
            at = _default(t)
        if self.kind == "flag":
            return [()] if at else []
        if self.kind == "value":
            return [()] if at == self.value else []
        if self.kind == "present":
            return [()] if at is not None else []
        if self.kind == "equals":
            return [(at,)] if at is not None else []
        return [(k,) for k in (dict(at) if self.kind == "key" else at)]


_DEFAULT = object()


def _default(t: Type) -> Any:
    if isinstance(t, SetT | MapT):
        return frozenset()
    if isinstance(t, EnumT):
        return t.members[0]
    if isinstance(t, IntT):
        return t.lo
    return False if isinstance(t, BoolT) else None


def _place(program: Program, v: Variable, elements: list[ir.Var]) -> ir.Expr:
    at: ir.Expr = ir.Root("s", type=ProcT(program.root))
    process, keys = program.root, iter(elements)
    for name in v.path[:-1]:
        part = dict(program.process(process).parts)[name]
        at = ir.Field(at, name, type=part)
        if isinstance(part, FamilyT):
            at = ir.Index(at, next(keys), type=part.proc)
            part = part.proc
        process = part.name
    return ir.Field(at, v.path[-1], type=v.type)


def atoms_of(variables: Iterable[Variable]) -> list[Atom]:
    """Return what can be said of variables, in order."""
    return [atom for v in variables for atom in _atoms(v, v.type, v.families, 0)]


def _atoms(v: Variable, t: Type, sorts: tuple[SortT, ...], keys: int) -> Iterator[Atom]:
    """Yield what can be said of a variable, or of what a map has at some keys."""
    if isinstance(t, MapT):
        if isinstance(t.key, SortT):
            if isinstance(t.value, SetT | OptionT) and not keys:
                yield Atom(v, "key", (*sorts, t.key), keys)
            yield from _atoms(v, t.value, (*sorts, t.key), keys + 1)
    elif isinstance(t, BoolT):
        yield Atom(v, "flag", sorts, keys)
    elif isinstance(t, EnumT):
        yield from (Atom(v, "value", sorts, keys, m) for m in t.members)
    elif isinstance(t, IntT) and t.hi - t.lo < _FEW:
        yield from (Atom(v, "value", sorts, keys, n) for n in range(t.lo, t.hi + 1))
    elif isinstance(t, OptionT):
        if not keys:
            yield Atom(v, "present", sorts, keys)
        if isinstance(t.inner, SortT):
            yield Atom(v, "equals", (*sorts, t.inner), keys)
    elif isinstance(t, SortT):
        yield Atom(v, "equals", (*sorts, t), keys)
    elif isinstance(t, SetT) and isinstance(t.elem, SortT):
        yield Atom(v, "member", (*sorts, t.elem), keys)
