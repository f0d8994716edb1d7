"""What a term of the unbounded domain is worth in one state of an instance, without a solver.

A formula over unbounded sorts says something of the states of every instance.  Here it is given
one state of one instance, as data, and evaluated as a textbook says: a symbol is looked up, a
quantifier is tried on every element.  An integer stands for an element of an ordered sort or for a
number, and is tried on some more than there are, for a formula has to know by itself what exists.

Nothing of the translation is used but the names of its symbols, and which formula defines a name
that it made (the least member of a set, the number of members).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import z3
from ackproof.lang.binding import Bound
from ackproof.lang.data import default_data, domain
from ackproof.lang.program import Variable
from ackproof.lang.types import (
    BoolT,
    EnumT,
    IntT,
    MapT,
    OptionT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)
from ackproof.proofs.smt.unbounded import Named, Unbounded
from ackproof.proofs.smt.values import width as leaf_count

Stack = tuple[Any, ...]
Evaluated = Callable[[Stack, Mapping[str, Any]], Any]

#: How far beyond what exists an integer is tried.
_BEYOND = 2


class Meaning:
    """Evaluates terms at the sizes of an instance.

    Args:
        bound: the instance.
        unbounded: the domain that made the terms.
        junk: which of the values is taken where any will do: 0 is the first, −1 the last.
    """

    def __init__(self, bound: Bound, unbounded: Unbounded, junk: int = 0) -> None:
        self.bound = bound
        self.elements = bound.elements
        self.unbounded = unbounded
        self.junk = junk
        self._compiled: dict[int, tuple[Any, Evaluated]] = {}
        self._members: dict[str, str] = {}
        self._highest = max([len(e) for e in self.elements.values()] + [3]) + _BEYOND
        self._symbols: dict[str, Callable[..., Any]] = {}
        self._variables: list[tuple[Variable, Type]] = []
        for v in bound.program.variables:
            t: Type = v.type
            for family in reversed(v.families):
                t = MapT(family, t)
            self._variables.append((v, t))
        for name, found in bound.elements.items():
            self._symbols[f"size.{name}"] = lambda f=found: len(f)
            self._symbols[f"there.{name}"] = lambda x, f=found: x in f
            self._symbols[f"first.{name}"] = lambda f=found: f[0] if f else None
        for sort in bound.program.sorts:
            if sort.owner is not None:
                self._owned(sort, sort.owner)
        for v, t in self._variables:
            if v.const:
                self._symbol(f"const.{v.name}", t, self._constant(v))

    def _owned(self, sort: SortT, owner: SortT) -> None:
        """Give the functions of an owned sort; integers beyond it belong to each owner in turn."""
        count, owners = len(self.elements[sort.name]), self.elements[owner.name]
        names = [self._leaves(owner, one)[0] for one in owners] or [self._leaves(owner)[0]]
        each = count // len(names)

        def owner_of(x: int) -> Any:
            return names[x // each if 0 <= x < count else x % len(names)]

        def following(x: int, of: Any) -> int:
            later = range(x + 1, max(x, count) + len(names) + 1)
            return next((y for y in later if owner_of(y) == of), 0)

        self._symbols[f"owner.{sort.name}"] = owner_of
        self._symbols[f"succ.{sort.name}"] = lambda x: following(x, owner_of(x))
        self._symbols[f"first.{sort.name}"] = lambda of: following(-1, of)

    # -- symbols --------------------------------------------------------------------------------

    def _constant(self, v: Variable) -> Any:
        if not v.families:
            return self.bound.constants[v.name, ()]
        nested: dict[Any, Any] = {}
        for keys in itertools.product(*(self.elements[f.name] for f in v.families)):
            at = nested
            for key in keys[:-1]:
                at = at.setdefault(key, {})
            at[keys[-1]] = self.bound.constants[v.name, keys]
        return nested

    def sees(self, name: str, state: tuple[Any, ...]) -> None:
        """Give a state that formulas are about its values."""
        known = {
            (loc.variable.path, loc.elements): value
            for loc, value in zip(self.bound.locations, state, strict=False)
        }
        for v, t in self._variables:
            if v.const:
                continue
            nested: Any = {}
            for keys in itertools.product(*(self.elements[f.name] for f in v.families)):
                at = nested
                for key in keys[:-1]:
                    at = at.setdefault(key, {})
                if keys:
                    at[keys[-1]] = known[v.path, keys]
                else:
                    nested = known[v.path, ()]
            self._symbol(f"{name}.{v.name}", t, nested)

    def takes(self, action: str, args: Mapping[str, tuple[Type, Any]]) -> None:
        """Give the arguments of an action their values."""
        for name, (t, value) in args.items():
            self._symbol(f"arg.{action}.{name}", t, value)

    def _symbol(self, name: str, t: Type, value: Any) -> None:
        last = _last(t)
        if isinstance(last, SeqT):
            return  # has no symbol
        width = 1 if isinstance(last, SetT) else leaf_count(last)
        for i in range(width):
            own = name if width == 1 else f"{name}.{i}"
            self._symbols[own] = lambda *at, i=i: self._looked_up(t, value, list(at), i)

    def _looked_up(self, t: Type, value: Any, at: list[Any], leaf: int) -> Any:
        while isinstance(t, MapT):
            key, outside = self._taken(t.key, at)
            entries = value if isinstance(value, dict) else dict(value or ())
            found = not outside and key in entries
            missing = None if isinstance(t.value, MapT) else self._default(t.value)
            value = entries[key] if found else missing
            if value is None and isinstance(t.value, MapT):
                value = frozenset()
            t = t.value
        if isinstance(t, SetT):
            elem, outside = self._taken(t.elem, at)
            return not outside and elem in (value or ())
        return self._leaves(t, value)[leaf]

    def _default(self, t: Type) -> Any:
        if isinstance(t, SortT) and not self.elements[t.name]:
            return None
        return default_data(t, self.elements)

    # -- values ---------------------------------------------------------------------------------

    def _taken(self, t: Type, at: list[Any]) -> tuple[Any, bool]:
        """Take the leaves of a value; return it as data, and whether there is no such value."""
        if isinstance(t, OptionT):
            some = at.pop(0)
            inner, outside = self._taken(t.inner, at)
            return (inner, outside) if some else (None, False)
        if isinstance(t, RecordT):
            parts = [self._taken(field, at) for _, field in t.fields]
            return tuple(p for p, _ in parts), any(outside for _, outside in parts)
        value = at.pop(0)
        if isinstance(t, SortT) and t.ordered:
            inside = 0 <= value < len(self.elements[t.name])
            return (self.elements[t.name][value] if inside else None), not inside
        if isinstance(t, IntT):
            return value, not t.lo <= value <= t.hi
        return value, value is None

    def _leaves(self, t: Type, value: Any = None, default: bool = False) -> tuple[Any, ...]:
        if isinstance(t, OptionT):
            if value is None:
                return (False, *self._leaves(t.inner, default=True))
            return (True, *self._leaves(t.inner, value))
        if isinstance(t, RecordT):
            values = [None] * len(t.fields) if value is None else value
            return tuple(
                leaf
                for (_, field), part in zip(t.fields, values, strict=True)
                for leaf in self._leaves(field, part, value is None)
            )
        if default or value is None:
            value = self._any_of(t)
        if isinstance(t, SortT) and t.ordered:
            return (self.elements[t.name].index(value) if value is not None else 0,)
        return (value,)

    def _any_of(self, t: Type) -> Any:
        """Return some value, where it does not matter which; None where there is none."""
        if isinstance(t, IntT):
            return (t.lo, t.hi)[self.junk]
        choices = domain(t, self.elements)
        return choices[self.junk] if choices else None

    def leaves(self, t: Type, value: Any) -> tuple[Any, ...]:
        """Return the leaves of a value that is given as data."""
        return self._leaves(t, value)

    def data(self, t: Type, leaves: list[Any]) -> Any:
        """Return leaves as data."""
        value, outside = self._taken(t, leaves)
        assert not outside, f"{leaves} are no {t!r}"
        return value

    # -- terms ----------------------------------------------------------------------------------

    def of(self, term: Any, names: Mapping[str, Any] | None = None) -> Any:
        """Return what a term is worth."""
        return self._evaluated(term)((), names or {})

    def _evaluated(self, term: Any) -> Evaluated:
        known = self._compiled.get(term.get_id())
        if known is None:
            known = self._compiled[term.get_id()] = (term, self._compile(term))
        return known[1]

    def _compile(self, term: Any) -> Evaluated:
        if z3.is_quantifier(term):
            return self._quantified(term)
        if z3.is_var(term):
            index = z3.get_var_index(term)
            return lambda stack, names: stack[-1 - index]
        if z3.is_int_value(term):
            number = term.as_long()
            return lambda stack, names: number
        kind = term.decl().kind()
        if kind == z3.Z3_OP_DT_CONSTRUCTOR:
            member = term.decl().name().split("!")[0].split(".")[-1]
            return lambda stack, names: member
        args = [self._evaluated(a) for a in term.children()]
        if kind == z3.Z3_OP_UNINTERPRETED:
            return self._applied(term, args)
        return _OPERATORS[kind](args)

    def _quantified(self, term: Any) -> Evaluated:
        ranges = [self._range(term.var_sort(i)) for i in range(term.num_vars())]
        body, every = self._evaluated(term.body()), term.is_forall()

        def value(stack: Stack, names: Mapping[str, Any]) -> bool:
            results = (bool(body((*stack, *xs), names)) for xs in itertools.product(*ranges))
            return all(results) if every else any(results)

        return value

    def _range(self, sort: Any) -> list[Any]:
        if sort == z3.BoolSort():
            return [False, True]
        if sort == z3.IntSort():
            return list(range(-_BEYOND, self._highest))
        kind, _, name = sort.name().partition(".")
        if kind == "sort":
            return list(self.elements[name])
        return [
            sort.constructor(i).name().split("!")[0].split(".")[-1]
            for i in range(sort.num_constructors())
        ]

    def _applied(self, term: Any, args: list[Evaluated]) -> Evaluated:
        name = term.decl().name()
        if name in self.unbounded.definitions:
            return self._called(*self.unbounded.definitions[name], args)
        if name in self.unbounded.named:
            return self._defined(self.unbounded.named[name], args)
        symbols = self._symbols

        def value(stack: Stack, names: Mapping[str, Any]) -> Any:
            if name in names:
                return names[name]
            return symbols[name](*(a(stack, names) for a in args))

        return value

    def _called(self, given: tuple[Any, ...], formula: Any, args: list[Evaluated]) -> Evaluated:
        """Return what the definition of a set says of some leaves."""
        holds = self._evaluated(formula)
        keys = [x.decl().name() for x in given]

        def value(stack: Stack, names: Mapping[str, Any]) -> Any:
            own = dict(zip(keys, (a(stack, names) for a in args), strict=True))
            return holds((), own)  # it knows of nothing but what it is applied to

        return value

    # -- names with a definition ----------------------------------------------------------------

    def _defined(self, known: Named, args: list[Evaluated]) -> Evaluated:
        holds = self._evaluated(known.formula)
        kind, t = known.kind, known.type
        depends = [x.decl().name() for x in known.given]
        element = [x.decl().name() for x in known.element]

        def value(stack: Stack, names: Mapping[str, Any]) -> Any:
            own = dict(zip(depends, (a(stack, names) for a in args), strict=True))
            members = [
                leaves
                for x in domain(t, self.elements)
                for leaves in [self.leaves(t, x)]
                if holds((), {**own, **dict(zip(element, leaves, strict=True))})
            ]
            if kind == "count":
                return len(members)
            if not members:
                return self._highest + self.junk
            return (min if kind == "min" else max)(m[0] for m in members)

        return value


def _last(t: Type) -> Type:
    while isinstance(t, MapT):
        t = t.value
    return t


def _every(args: list[Evaluated]) -> Evaluated:
    return lambda stack, names: all(a(stack, names) for a in args)


def _some(args: list[Evaluated]) -> Evaluated:
    return lambda stack, names: any(a(stack, names) for a in args)


def _implied(args: list[Evaluated]) -> Evaluated:
    one, other = args
    return lambda stack, names: not one(stack, names) or other(stack, names)


def _chosen(args: list[Evaluated]) -> Evaluated:
    cond, then, orelse = args
    return lambda stack, names: (then if cond(stack, names) else orelse)(stack, names)


def _computed(operation: Callable[..., Any]) -> Callable[[list[Evaluated]], Evaluated]:
    def made(args: list[Evaluated]) -> Evaluated:
        return lambda stack, names: operation(*(a(stack, names) for a in args))

    return made


_OPERATORS: dict[int, Callable[[list[Evaluated]], Evaluated]] = {
    z3.Z3_OP_TRUE: lambda args: lambda stack, names: True,
    z3.Z3_OP_FALSE: lambda args: lambda stack, names: False,
    z3.Z3_OP_AND: _every,
    z3.Z3_OP_OR: _some,
    z3.Z3_OP_IMPLIES: _implied,
    z3.Z3_OP_ITE: _chosen,
    z3.Z3_OP_NOT: _computed(lambda a: not a),
    z3.Z3_OP_EQ: _computed(lambda a, b: a == b),
    z3.Z3_OP_ADD: _computed(lambda *a: sum(a)),
    z3.Z3_OP_SUB: _computed(lambda a, b: a - b),
    z3.Z3_OP_MUL: _computed(lambda a, b: a * b),
    z3.Z3_OP_LE: _computed(lambda a, b: a <= b),
    z3.Z3_OP_LT: _computed(lambda a, b: a < b),
    z3.Z3_OP_GE: _computed(lambda a, b: a >= b),
    z3.Z3_OP_GT: _computed(lambda a, b: a > b),
}


def typed(bound: Bound, draw: Callable[[list[Any]], Any]) -> tuple[Any, ...]:
    """Return any state at all: every variable has some value of its type."""
    values = [_any(loc.variable.type, bound, draw) for loc in bound.locations]
    return (*values, *bound.budgets.values())


def _any(t: Type, bound: Bound, draw: Callable[[list[Any]], Any]) -> Any:
    if isinstance(t, SetT):
        return frozenset(x for x in domain(t.elem, bound.elements) if draw([False, True]))
    if isinstance(t, MapT):
        return frozenset(_entries(t, bound, draw))
    if isinstance(t, BoolT | EnumT | IntT | SortT | OptionT | RecordT):
        return draw(domain(t, bound.elements))
    return tuple(draw(domain(t.elem, bound.elements)) for _ in range(draw(list(range(t.cap + 1)))))


def _entries(t: MapT, bound: Bound, draw: Callable[[list[Any]], Any]) -> Iterator[tuple[Any, Any]]:
    default = default_data(t.value, bound.elements)
    for key in domain(t.key, bound.elements):
        value = _any(t.value, bound, draw)
        if value != default:
            yield key, value
