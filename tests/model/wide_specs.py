"""Random specifications at the edge of a word: sorts, enums, integers and sets of 63, 64, 65, 200.

`random_specs` writes programs of all constructs at small sizes.  Here the constructs are those that
a mask or a shift is made of, and the sizes lie around the widths of words and of their multiples.
Variables begin anywhere in their range, so that few steps reach its ends.  Within what ranges over
many elements nothing else does, or a program would take minutes to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

__all__ = ["wide_spec"]

#: Sizes of sorts, enums and ranges; small ones, too, since what is mixed must fit together.
SIZES = (1, 2, 3, 31, 62, 63, 64, 64, 65, 65, 66, 127, 128, 129, 199, 200)

#: How many elements may be ranged over at once, one range inside another.
_MOST_RANGED = 420

_PRELUDE = '''
"""A random specification."""
from __future__ import annotations
import enum, sys
from typing import Annotated
from ackproof.lang import (
    Const, Instance, Map, Model, Option, OrderedSort, Range, Record, Seq, Set, Sort, System, action,
    invariant, reachable, require, step_property,
)
from ackproof.lang.properties import properties_in

class A(OrderedSort):
    """An ordered sort."""

class B(Sort, prefix="b"):
    """An unordered sort."""

class E(enum.Enum):
    """An enum."""
    {members}

N = Annotated[int, Range({lo}, {hi})]

class P(Record):
    """A record."""
    e: E
    flag: bool
'''

_SCALARS = ("A", "B", "E", "N", "P")


@dataclass(frozen=True)
class Scope:
    """Names with their types, and how many elements are ranged over around here."""

    names: tuple[tuple[str, str], ...]
    ranged: int = 1

    def of(self, t: str) -> list[str]:
        """Return the names of a type."""
        return [name for name, found in self.names if found == t]

    def within(self, name: str, t: str, size: int) -> Scope:
        """Return the scope below a variable that ranges over a type."""
        return replace(self, names=(*self.names, (name, t)), ranged=self.ranged * size)


class Writer:
    """Draws expressions and statements as text.

    Args:
        random: where choices come from.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lo = random.choice((0, 0, 0, 1, -1, -64, 10))
        self.sizes = {t: random.choice(SIZES) for t in ("A", "B", "E", "N")}
        self.sizes["P"] = 2 * self.sizes["E"]
        self._count = 0

    def fresh(self) -> str:
        """Return a name that was not used."""
        self._count += 1
        return f"x{self._count}"

    def choose(self, *ways: Callable[[], str]) -> str:
        """Draw one of some ways to write something."""
        return self.random.choice(ways)()

    # -- scalars --------------------------------------------------------------------------------

    def expr(self, t: str, s: Scope, d: int) -> str:
        """Draw an expression of a type."""
        known: list[Callable[[], str]] = [lambda: self.random.choice(s.of(t))] if s.of(t) else []
        if t.startswith("Set["):
            ways = [*known * 2, *self.sets(t[4:-1], s, d)]
        else:
            ways = [*known * 2, *getattr(self, f"_{t.lower()}")(s, d)]
        return self.choose(*ways)

    def _number(self) -> str:
        """Draw an integer of the range, those at its ends and at the ends of words for choice."""
        near = [w + k for w in (0, 31, 63, 64, 127, 128, 199) for k in (-1, 0, 1)]
        last = self.lo + self.sizes["N"] - 1
        fits = [n for n in [*near, *(self.lo + n for n in near)] if self.lo <= n <= last]
        return str(self.random.choice([*fits, self.lo, last]))

    def _n(self, s: Scope, d: int) -> list[Callable[[], str]]:
        ways = [self._number]
        if d:
            ways.append(lambda: f"{self.end()}({self.expr('N', s, d - 1)}, {self._number()})")
        return ways

    def _a(self, s: Scope, d: int) -> list[Callable[[], str]]:
        return [lambda: "A.first()"]

    def _b(self, s: Scope, d: int) -> list[Callable[[], str]]:
        return []

    def _e(self, s: Scope, d: int) -> list[Callable[[], str]]:
        return [lambda: f"E.M{self.random.choice((0, self.sizes['E'] // 2, self.sizes['E'] - 1))}"]

    def _p(self, s: Scope, d: int) -> list[Callable[[], str]]:
        return [lambda: f"P({self.expr('E', s, 0)}, {self.random.choice(('True', 'False'))})"]

    def end(self) -> str:
        """Draw which end of a set is asked for."""
        return self.random.choice(("min", "max"))

    def option(self, s: Scope, d: int) -> str:
        """Draw an option of an element of A."""
        return self.choose(
            lambda: f"{self.end()}({self.typed('A', s, d)}, default=None)",
            lambda: f"A.succ({self.expr('A', s, d)})",
            lambda: f"{self.end()}({{{self.expr('A', s, d)}, A.first()}}, default=None)",
        )

    # -- conditions -----------------------------------------------------------------------------

    def condition(self, s: Scope, d: int) -> str:
        """Draw a condition."""
        t = self.random.choice([t for t in _SCALARS if t != "B" or s.of("B")])
        ways: list[Callable[[], str]] = [
            lambda: f"({self.expr(t, s, d)} in {self.typed(t, s, d)})",
            lambda: f"({self.expr(t, s, d)} {self.pick('== !=')} {self.expr(t, s, d)})",
            lambda: f"({self.expr('N', s, d)} {self.pick('< <= > >=')} {self.expr('N', s, d)})",
            lambda: f"({self.expr('A', s, d)} {self.pick('< <= > >=')} {self.expr('A', s, d)})",
            lambda: (
                f"({self.expr('N', s, d)} in {{{self._number()}, {self.expr('N', s, d)}, 700}})"
            ),
        ]
        if s.of("bool"):
            ways.append(lambda: self.random.choice(s.of("bool")))
        if d:
            d -= 1
            u = self.random.choice(_SCALARS)
            ways += [
                lambda: f"(not {self.condition(s, d)})",
                lambda: f"({self.condition(s, d)} {self.pick('and or')} {self.condition(s, d)})",
                lambda: (
                    f"({self.typed(u, s, d)} {self.pick('<= < == !=')} "
                    f"{self.expr(f'Set[{u}]', s, d)})"
                ),
                lambda: f"(len({self.typed(u, s, d)}) {self.pick('< <= == >')} {self.size()})",
                lambda: f"(len({self.typed(u, s, d)}) in {{{self.size()}, {self.size()}}})",
                lambda: f"bool({self.typed(u, s, d)})",
                lambda: f"({self.option(s, d)} {self.pick('== !=')} {self.option(s, d)})",
                lambda: f"({self.end()}({{{self.expr('N', s, d)}, 650}}, default=None) == 650)",
                lambda: self.quantified(s, d),
                lambda: self.quantified(s, d),
            ]
        return self.choose(*ways)

    def pick(self, words: str) -> str:
        """Draw one of some words."""
        return self.random.choice(words.split())

    def size(self) -> int:
        """Draw a number of elements."""
        return self.random.choice((0, 1, 2, 3, 62, 63, 64, 65, 66, 127, 128, 129, 198, 199, 200))

    def quantified(self, s: Scope, d: int) -> str:
        """Draw a quantifier, if there is room for another range."""
        t = self.random.choice(_SCALARS)
        if s.ranged * self.sizes[t] > _MOST_RANGED:
            return self.condition(s, 0)
        x = self.fresh()
        body = self.condition(s.within(x, t, self.sizes[t]), d)
        return f"{self.pick('all any')}({body} for {x} in {self.typed(t, s, d)})"

    # -- sets -----------------------------------------------------------------------------------

    def typed(self, t: str, s: Scope, d: int) -> str:
        """Draw a set whose type its text says."""
        known = s.of(f"Set[{t}]")
        if t == "N":  # numbers alone do not say of which range they are
            one = self.random.choice(known)
            given = f"{{{self.expr('N', s, d)}, {self._number()}}}"
            return self.choose(
                lambda: one,
                lambda: f"({one} {self.pick('| & - ^')} {given})",
                lambda: self.filtered("N", s, d - 1) if d else one,
            )
        text = self.expr(f"Set[{t}]", s, d)
        if "set()" not in text:
            return text
        return f"set({t})" if t in ("A", "B", "E") else self.random.choice(known)

    def sets(self, t: str, s: Scope, d: int) -> list[Callable[[], str]]:
        """Return ways to write a set."""
        ways: list[Callable[[], str]] = [lambda: "set()"]
        if t in ("A", "B", "E"):
            ways.append(lambda: f"set({t})")
        if t != "B" or s.of("B"):
            ways.append(lambda: f"{{{self.expr(t, s, 0)}, {self.expr(t, s, 0)}}}")
        if d:
            ways += [
                lambda: (
                    f"({self.typed(t, s, d - 1)} {self.pick('| & - ^')} {self.typed(t, s, d - 1)})"
                ),
                lambda: self.filtered(t, s, d - 1),
                lambda: self.filtered(t, s, d - 1),
                lambda: self.image(t, s, d - 1),
            ]
        return ways

    def filtered(self, t: str, s: Scope, d: int) -> str:
        """Draw a part of a set."""
        if s.ranged * self.sizes[t] > _MOST_RANGED:
            return self.typed(t, s, 0)
        x = self.fresh()
        inner = s.within(x, t, self.sizes[t])
        return f"{{{x} for {x} in {self.typed(t, s, d)} if {self.condition(inner, d)}}}"

    def image(self, t: str, s: Scope, d: int) -> str:
        """Draw the set of what is computed from the elements of another."""
        u = self.random.choice(_SCALARS)
        if s.ranged * self.sizes[u] > _MOST_RANGED:
            return self.typed(t, s, 0)
        x = self.fresh()
        inner = s.within(x, u, self.sizes[u])
        if t == "B" and not inner.of("B"):
            return "set(B)"
        if t == "N" and not inner.of("N"):
            return self.typed("N", s, 0)
        elem = self.random.choice(inner.of("N")) if t == "N" else self.expr(t, inner, d)
        return f"{{{elem} for {x} in {self.typed(u, s, d)} if {self.condition(inner, d)}}}"

    # -- statements -----------------------------------------------------------------------------

    def statement(self, s: Scope, indent: str, d: int) -> list[str]:
        """Draw a change of the state."""
        name, t = self.random.choice(s.names)
        if not name.startswith("self."):
            return [f"{indent}pass"]
        if d and self.random.random() < 0.25:
            below = self.statement(s, f"{indent}    ", d - 1)
            return [f"{indent}if {self.condition(s, d)}:", *below]
        if t == "Option[A]" and self.random.random() < 0.5:
            given = [f"{indent}if {name} is not None:", f"{indent}    self.a = {name}"]
            return given if ("self.a", "A") in s.names else [f"{indent}pass"]
        return [f"{indent}{line}" for line in self.change(name, t, s, d)]

    def change(self, name: str, t: str, s: Scope, d: int) -> list[str]:
        """Draw a change of a variable."""
        if t == "bool":
            return [f"{name} = {self.condition(s, d)}"]
        if t == "Option[A]":
            return [f"{name} = {self.option(s, d)}"]
        if t == "N" and self.random.random() < 0.4:
            return [f"{name} {self.pick('+= -=')} {self.pick('1 2 63 64 65')}"]
        if t.startswith("Seq"):
            element = self.expr("A", s, 0)
            return [f"{name}.{self.pick(f'append({element}) pop(0) clear()')}"]
        if t.startswith("Map["):
            key = t[4]
            if key == "A" and self.random.random() < 0.3:
                x = self.fresh()
                return [f"for {x} in {self.filtered('A', s, 0)}:", f"    {name}[{x}] = True"]
            return [f"{name}[{self.expr(key, s, d)}] = {self.condition(s, d)}"]
        if t.startswith("Set["):
            return self.set_change(name, t, s, d)
        return [f"{name} = {self.expr(t, s, d)}"]

    def set_change(self, name: str, t: str, s: Scope, d: int) -> list[str]:
        """Draw a change of a set."""
        elem = t[4:-1]
        ways: list[Callable[[], str]] = [
            lambda: f"{name} {self.pick('|= &= -=')} {self.expr(t, s, d)}",
            lambda: f"{name} = set({self.filtered(elem, s, d)})",
        ]
        if elem != "B" or s.of("B"):
            ways.append(lambda: f"{name}.{self.pick('add discard')}({self.expr(elem, s, d)})")
        return [self.choose(*ways)]

    def fill(self, names: tuple[tuple[str, str], ...]) -> list[str]:
        """Draw a step that gives sets elements, of which the last ones are most at risk."""
        s, lines = Scope(names), ["last = max(set(A), default=None)"]
        lines += ["if last is not None:", "    self.a = last"]
        for name, t in names:
            if t.startswith("Set["):
                given = [f"{name} |= {self.sets(t[4:-1], s, 0)[-1]()}"]
                lines += [f"{name} = set({t[4]})"] if t[4] in "ABE" and self.half() else given
            elif t == "N":
                lines += [f"{name} = {self._number()}"]
            elif t[:3] in ("Map", "Opt"):
                lines += self.change(name, t, s, 1)
        return [f"        {line}" for line in lines]

    def half(self) -> bool:
        """Draw a bit."""
        return self.random.random() < 0.5


_TYPES = ("N", "A", "E", "bool", "Option[A]", "Set[A]", "Set[B]", "Set[E]", "Set[N]", "Set[P]")
_MAPS = ("Map[A, bool]", "Map[N, bool]", "Map[E, bool]")


def wide_spec(random: Random) -> str:
    """Draw the source of a module with a `MODEL` of one instance."""
    w = Writer(random)
    lines = [
        _PRELUDE.format(
            members="\n    ".join(f"M{i} = {i}" for i in range(w.sizes["E"])),
            lo=w.lo,
            hi=w.lo + w.sizes["N"] - 1,
        )
    ]
    kinds = [*random.sample(_TYPES, random.randint(2, 4)), "Set[N]", "Set[P]"]
    kinds += random.sample(_MAPS, random.randint(0, 1))
    lines += ["class Root(System):", '    """The system."""']
    names = [("self.a", "A")]
    lines += ["    a: A"]
    for i, t in enumerate(kinds):
        begins = f" = {w._number()}" if t == "N" and random.random() < 0.7 else ""
        lines.append(f"    v{i}: {t}{begins}")
        names.append((f"self.v{i}", t))
    if random.random() < 0.5:
        cap = random.choice((1, 3, 9, 11, 64))
        lines.append(f"    seq: Annotated[Seq[A], {cap}]")
        names.append(("self.seq", "Seq"))
    state = Scope(tuple(names))
    lines += ["    @action", "    def fill(self) -> None:", *w.fill(state.names)]
    for i in range(random.randint(1, 3)):
        few = [t for t in ("A", "B") if w.sizes[t] <= 3]
        p = random.choice(few) if few and random.random() < 0.5 else ""
        inner = Scope((*state.names, ("p", p))) if p else state
        lines += ["    @action", f"    def act{i}(self{f', p: {p}' if p else ''}) -> None:"]
        if random.random() < 0.2:
            lines.append(f"        require({w.condition(inner, 1)})")
        for _ in range(random.randint(1, 3)):
            lines += w.statement(inner, "        ", 2)
    for kind, name in (("invariant", "Inv"), ("invariant", "Other"), ("reachable", "Reach")):
        seen = Scope(tuple((n.replace("self.", "s."), t) for n, t in state.names))
        lines += [f"@{kind}", f"def {name}(s: Root) -> bool:", '    """."""']
        lines += [f"    return {w.condition(seen, 3)}"]
    both = Scope(
        tuple((n.replace("self.", f"{r}."), t) for r in ("before", "after") for n, t in names)
    )
    lines += ["@step_property", "def Step(before: Root, after: Root) -> bool:", '    """."""']
    lines += [f"    return {w.condition(both, 2)}"]
    lines += [
        "MODEL = Model('wide', Root, properties_in(sys.modules[__name__]),",
        f"    (Instance('only', 'x', {{A: {w.sizes['A']}, B: {w.sizes['B']}}}),))",
    ]
    return "\n".join(lines) + "\n"
