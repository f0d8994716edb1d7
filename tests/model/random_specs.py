"""Random specifications: a Hypothesis strategy that writes programs of the language.

What it draws is source text, because source is what users write: everything between the text and
an engine (parsing, typing, inlining, lowering) is then under test.  A `Writer` knows which names
of which types are in scope and draws an expression of a wanted type, smaller the deeper it is.
Each program has an ordered, an unordered and an owned sort, which may be empty, an enum, a record,
an event, a family of processes and one inside it, handlers, an observer, a helper, ghosts, a fault,
properties of every kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

__all__ = ["specs"]

PRELUDE = '''
"""A random specification."""
from __future__ import annotations
import enum
from typing import Annotated
from ackproof.lang import (
    Const, Each, Event, Ghost, Instance, Map, Model, Option, OrderedSort, OwnedSort, Process, Range,
    Record, Seq, Set, Sort, System, action, fault, handler, helper, initially, invariant, on,
    reachable, require, step_property, anything,
)
from ackproof.lang.properties import properties_in

class A(OrderedSort):
    """An ordered sort."""

class B(Sort, prefix="b"):
    """An unordered sort."""

class M(OwnedSort[B]):
    """An owned sort."""

class Color(enum.Enum):
    """An enum."""
    RED = 1
    GREEN = 2
    BLUE = 3

class Pair(Record):
    """A record."""
    a: A
    flag: bool

class Note(Event):
    """An event."""
    a: A
    color: Color
'''

INT = "Annotated[int, Range(0, 3)]"
SCALARS = ["bool", "Color", INT, "A", "Option[A]", "Option[B]", "Option[Color]", "Pair"]
SCALARS += ["Option[M]"]
SETS = ["Set[A]", "Set[B]", "Set[Color]", "Set[Pair]", "Set[M]"]
MAPS = [
    "Map[A, bool]",
    "Map[A, Set[B]]",
    "Map[B, Color]",
    "Map[A, Option[A]]",
    "Map[Color, Map[A, bool]]",
    f"Map[B, {INT}]",
    "Map[A, Pair]",
    "Map[M, bool]",
    "Map[M, Set[B]]",
    "Map[B, Set[M]]",
    "Map[B, Option[M]]",
]
SEQS = ["Annotated[Seq[A], 2]"]
ELEMENT = {"Set[A]": "A", "Set[B]": "B", "Set[Color]": "Color", "Set[Pair]": "Pair"}
ELEMENT["Set[M]"] = "M"


@dataclass
class Scope:
    """Names in scope with their types; `places` are those that can be written."""

    names: list[tuple[str, str]] = field(default_factory=list)
    places: list[tuple[str, str]] = field(default_factory=list)
    ghosts: list[tuple[str, str]] = field(default_factory=list)

    def with_name(self, name: str, t: str) -> Scope:
        """Return a scope with one more name."""
        return Scope([*self.names, (name, t)], self.places, self.ghosts)


class Writer:
    """Draws expressions and statements as text."""

    def __init__(self, draw: Callable[..., object]) -> None:
        self._draw = draw
        self._count = 0

    def pick(self, options: list[object]) -> object:
        """Draw one of some options."""
        return self._draw(st.sampled_from(options))

    def choose(self, *options: Callable[[], str]) -> str:
        """Draw one of some ways to write something."""
        chosen: Callable[[], str] = self.pick(list(options))  # type: ignore[assignment]
        return chosen()

    def number(self, lo: int, hi: int) -> int:
        """Draw a small number."""
        return int(self._draw(st.integers(lo, hi)))  # type: ignore[call-overload]

    def fresh(self, prefix: str) -> str:
        """Return a name that was not used."""
        self._count += 1
        return f"{prefix}{self._count}"

    # -- expressions ----------------------------------------------------------------------------

    def expr(self, t: str, scope: Scope, depth: int) -> str:
        """Draw an expression of a type."""
        ways = [lambda n=n: n for n, found in self.readable(scope) if found == t]
        ways += self.leaves(t) + self.owning(t, scope)
        if depth > 0:
            ways += self.compounds(t, scope, depth - 1)
        return self.choose(*ways)

    def can(self, t: str, scope: Scope) -> bool:
        """Tell whether an expression of a type can be written: B and M have no constants."""
        return t not in ("B", "M") or any(found in ("B", "M") for _, found in self.readable(scope))

    def owning(self, t: str, scope: Scope) -> list[Callable[[], str]]:
        """Return ways to write an owner by what it owns, and the other way round."""
        form, of = {"B": ("M.owner({})", "M"), "M": ("M.first({})", "B")}.get(t, ("", ""))
        return [lambda n=n: form.format(n) for n, found in self.readable(scope) if found == of]

    def readable(self, scope: Scope) -> list[tuple[str, str]]:
        """Return what can be read without a key, maps entries with a literal-free key excluded."""
        return [*scope.names, *scope.places]

    def leaves(self, t: str) -> list[Callable[[], str]]:
        """Return ways to write a constant of a type."""
        constants = {
            "bool": ["True", "False"],
            "Color": ["Color.RED", "Color.GREEN", "Color.BLUE"],
            INT: ["0", "1", "2", "3"],
            "A": ["A.first()"],
            "Option[A]": ["None", "A.first()"],
            "Option[B]": ["None"],
            "Option[M]": ["None"],
            "Set[M]": ["set()", "set(M)"],
            "Option[Color]": ["None", "Color.GREEN"],
            "Pair": ["Pair(A.first(), True)"],
            "Set[A]": ["set()", "set(A)", "{A.first()}"],
            "Set[B]": ["set()", "set(B)"],
            "Set[Color]": ["set()", "{Color.RED, Color.BLUE}"],
            "Set[Pair]": ["set()", "{Pair(A.first(), False)}"],
        }.get(t, [])
        return [lambda c=c: c for c in constants]

    def compounds(self, t: str, scope: Scope, d: int) -> list[Callable[[], str]]:
        """Return ways to write something larger of a type."""
        ways = (
            [
                lambda: (
                    f"({self.expr(t, scope, d)} if {self.expr('bool', scope, d)} "
                    f"else {self.expr(t, scope, d)})"
                )
            ]
            if t != INT and "set" not in t
            else []
        )
        ways += [
            lambda n=n, k=k: f"{n}[{self.expr(k, scope, d)}]"
            for n, m in scope.places
            if m.startswith("Map")
            for k, v in [split_map(m)]
            if v == t and self.can(k, scope)
        ]
        if t == "bool":
            ways += self.conditions(scope, d)
        elif t in ELEMENT:
            ways += self.set_forms(t, scope, d)
        elif t == INT:
            ways += [lambda: f"min({self.expr(INT, scope, d)}, {self.expr(INT, scope, d)})"]
        elif t == "Option[A]":
            ways += [
                lambda: f"A.succ({self.expr('A', scope, d)})",
                lambda: (
                    f"{self.pick(['min', 'max'])}({self.set_expr('A', scope, d)}, default=None)"
                ),
                lambda: self.expr("A", scope, d),
            ]
        elif t == "Option[M]":
            ways += [
                lambda: f"{self.pick(['min', 'max'])}({self.set_expr('M', scope, d)}, default=None)"
            ]
            if self.can("M", scope):
                ways += [
                    lambda: f"M.succ({self.expr('M', scope, d)})",
                    lambda: self.expr("M", scope, d),
                ]
        elif t == "Pair":
            ways += [lambda: f"Pair({self.expr('A', scope, d)}, {self.expr('bool', scope, d)})"]
        elif t == "A":
            ways += [lambda n=n: f"{n}.a" for n, m in scope.names if m == "Pair"]
        return ways

    def set_expr(self, elem: str, scope: Scope, d: int) -> str:
        """Draw something that can be ranged over, with elements of a type."""
        ways = [lambda: self.expr(f"Set[{elem}]", scope, d), lambda: elem]
        ways += [lambda n=n: n for n, m in scope.places if m.startswith(f"Map[{elem},")]
        if elem == "M" and self.can("B", scope):
            ways += [lambda: f"M.of({self.expr('B', scope, d)})"]
        written = self.choose(*ways)
        return written if _typed(written) else elem

    def conditions(self, scope: Scope, d: int) -> list[Callable[[], str]]:
        """Return ways to write a condition."""

        def e(t: str) -> str:
            return self.expr(t, scope, d)

        def pairs() -> str:
            written = e("Set[Pair]")
            return written if _typed(written) else f"{{{e('Pair')}}}"

        def quantified() -> str:
            elem = str(self.pick(["A", "B", "Color", "M"]))
            x = self.fresh("x")
            where = self.set_expr(elem, scope, d)
            inner = scope.with_name(x, elem)
            test = f" if {self.expr('bool', inner, d)}" if self.number(0, 1) else ""
            return (
                f"{self.pick(['all', 'any'])}({self.expr('bool', inner, d)} for {x} in "
                f"{where}{test})"
            )

        def narrowed() -> str:
            options = [n for n, t in self.readable(scope) if t == "Option[A]"]
            if not options:
                return "True"
            o = self.pick(list(options))
            return f"({o} is not None and {o} {self.pick(['<', '<=', '==', '>='])} {e('A')})"

        owned: list[Callable[[], str]] = [
            lambda: f"({e('M')} {self.pick(['<', '<=', '>', '==', '!='])} {e('M')})",
            lambda: f"({e('B')} {self.pick(['==', '!='])} M.owner({e('M')}))",
            lambda: f"({e('M')} in {self.set_expr('M', scope, d)})",
        ]
        return [
            *(owned if self.can("M", scope) else []),
            lambda: f"(not {e('bool')})",
            lambda: f"({e('bool')} and {e('bool')})",
            lambda: f"({e('bool')} or {e('bool')})",
            lambda: f"({e('bool')} == {e('bool')})",
            lambda: f"({e('A')} {self.pick(['<', '<=', '>', '==', '!='])} {e('A')})",
            lambda: f"({e(INT)} {self.pick(['<', '<=', '>', '==', '!='])} {e(INT)})",
            lambda: f"({e('Color')} == {e('Color')})",
            lambda: f"({e('A')} in {self.set_expr('A', scope, d)})",
            lambda: f"({e('Color')} not in {self.set_expr('Color', scope, d)})",
            lambda: f"({e('Pair')} in {pairs()})",
            lambda: (
                f"({self.typed_set(scope, d)} {self.pick(['<=', '<', '==', '!='])} "
                f"{self.typed('Set[A]', scope, d)})"
            ),
            lambda: f"(len({self.set_expr('A', scope, d)}) <= {e(INT)})",
            lambda: f"bool({self.typed_set(scope, d)})",
            lambda: f"odd({e('A')}, {self.typed_set(scope, d)})",
            quantified,
            narrowed,
        ]

    def typed_set(self, scope: Scope, d: int) -> str:
        """Draw a set of A whose type does not depend on its context."""
        return (
            f"(set(A) - {self.typed('Set[A]', scope, d)}) | "
            f"{{y for y in A if {self.expr('bool', scope.with_name('y', 'A'), d)}}}"
        )

    def typed(self, t: str, scope: Scope, d: int) -> str:
        """Draw a set, or an empty one where what was drawn does not say of which type it is."""
        written = self.expr(t, scope, d)
        return written if _typed(written) else "set()"

    def set_forms(self, t: str, scope: Scope, d: int) -> list[Callable[[], str]]:
        """Return ways to write a set."""
        elem = ELEMENT[t]

        def comprehension() -> str:
            x = self.fresh("x")
            inner = scope.with_name(x, elem)
            where = (
                f"({self.expr(t, scope, d)})" if elem == "Pair" else (self.set_expr(elem, scope, d))
            )
            if not _typed(where):
                where = f"{{{self.expr('Pair', scope, 0)}}}" if elem == "Pair" else elem
            return f"{{{x} for {x} in {where} if {self.expr('bool', inner, d)}}}"

        def image() -> str:
            x, y = self.fresh("x"), self.fresh("y")
            inner = scope.with_name(x, "A").with_name(y, "B")
            return (
                f"{{{self.expr(elem, inner, d)} for {x} in A for {y} in B "
                f"if {self.expr('bool', inner, d)}}}"
            )

        ways: list[Callable[[], str]] = [
            comprehension,
            lambda: (
                f"({comprehension()} {self.pick(['|', '&', '-', '^'])} {self.typed(t, scope, d)})"
            ),
        ]
        if elem == "M":
            ways += [image]
            if self.can("B", scope):
                ways += [lambda: f"M.of({self.expr('B', scope, d)})"]
        if elem in ("A", "Color", "Pair"):
            ways += [image, lambda: f"{{{self.expr(elem, scope, d)}}}"]
        return ways

    # -- statements -----------------------------------------------------------------------------

    def block(self, scope: Scope, depth: int, indent: str, *, emits: bool = True) -> list[str]:
        """Draw some statements."""
        lines: list[str] = []
        for _ in range(self.number(1, 3)):
            if self.number(0, 4) == 0:
                local, scope = self.local(scope, indent)
                lines += local
            lines += self.statement(scope, depth, indent, emits)
        return lines or [f"{indent}pass"]

    def local(self, scope: Scope, indent: str) -> tuple[list[str], Scope]:
        """Draw a local, in one assignment or in one for each branch."""
        name, t = self.fresh("n"), str(self.pick(["A", "bool", "Color", INT, "Set[A]"]))

        def value() -> str:
            if t in ("A", "bool", "Set[A]") and self.number(0, 3) == 0:
                return self.partial(t, scope)
            return self.typed_set(scope, 1) if t == "Set[A]" else self.expr(t, scope, 1)

        lines = [f"{indent}{name} = {value()}"]
        if self.number(0, 1):
            lines = [
                f"{indent}if {self.expr('bool', scope, 1)}:",
                f"{indent}    {name} = {value()}",
                f"{indent}else:",
                f"{indent}    {name} = {value()}",
            ]
        return lines, scope.with_name(name, t)

    def partial(self, t: str, scope: Scope) -> str:
        """Draw an expression that may have no value, or that may have none and is not asked."""
        least = f"{self.pick(['min', 'max'])}({self.set_expr('A', scope, 1)})"
        cond = self.expr("bool", scope, 1)
        than = f"{least} {self.pick(['<', '==', '>='])} {self.expr('A', scope, 0)}"
        ways = {
            "A": [least, f"({least} if {cond} else {self.expr('A', scope, 0)})"],
            "bool": [than, f"({cond} and {than})", f"({than} or {cond})", f"({cond} or {than})"],
            "Set[A]": [
                f"{{w for w in {self.set_expr('A', scope, 1)} if w < {least}}}",
                f"{{{least} for w in A if {cond}}}",
            ],
        }
        return str(self.pick(list(ways[t])))

    def statement(self, scope: Scope, depth: int, indent: str, emits: bool) -> list[str]:
        """Draw one statement."""
        ways: list[Callable[[], list[str]]] = [lambda: self.write(scope, depth, indent)] * 4
        if scope.ghosts:
            ways.append(lambda: self.ghost_write(scope, depth, indent))
        if emits:
            ways.append(
                lambda: [
                    f"{indent}self.emit(Note({self.expr('A', scope, 1)}, "
                    f"{self.expr('Color', scope, 1)}))"
                ]
            )
        if depth > 0:
            ways += [
                lambda: self.branch(scope, depth - 1, indent, emits),
                lambda: self.loop(scope, indent),
                lambda: self.narrowing(scope, indent),
            ]
            ways.append(
                lambda: [
                    f"{indent}assert {self.expr('bool', scope, depth)} or "
                    f"{self.expr('bool', scope, depth)}"
                ]
            )
        chosen: Callable[[], list[str]] = self.pick(list(ways))  # type: ignore[assignment]
        return chosen()

    def write(self, scope: Scope, depth: int, indent: str) -> list[str]:
        """Draw a change of the state."""
        place, t = self.pick(list(scope.places))  # type: ignore[misc]
        return [f"{indent}{line}" for line in self.change(str(place), str(t), scope, depth)]

    def change(self, place: str, t: str, scope: Scope, depth: int) -> list[str]:
        """Draw a change of one place."""
        if t.startswith("Map"):
            if self.number(0, 4) == 0:
                return [f"{place}.clear()"]
            key, value = split_map(t)
            if not self.can(key, scope):
                return [f"{place}.clear()"]
            return self.change(f"{place}[{self.expr(key, scope, depth)}]", value, scope, depth)
        if t in SEQS:
            return [
                self.choose(
                    lambda: f"{place}.append({self.expr('A', scope, depth)})",
                    lambda: f"{place}.clear()",
                    lambda: f"{place}.pop(0)",
                )
            ]
        if t in ELEMENT:
            return [self.set_change(place, t, scope, depth)]
        if t == INT and self.number(0, 1):
            return [f"{place} {self.pick(['+=', '-='])} {self.pick(['1', '2'])}"]
        return [f"{place} = {self.expr(t, scope, depth)}"]

    def set_change(self, place: str, t: str, scope: Scope, depth: int) -> str:
        """Draw a change of a set."""
        elem = ELEMENT[t]
        ways: list[Callable[[], str]] = [lambda: f"{place}.clear()"]
        if self.can(elem, scope):
            ways += [
                lambda: f"{place}.add({self.expr(elem, scope, depth)})",
                lambda: f"{place}.discard({self.expr(elem, scope, depth)})",
            ] * 2
        ways += [lambda: f"{place} {self.pick(['|=', '&=', '-='])} {self.expr(t, scope, depth)}"]
        if place not in dict(scope.ghosts):
            ways += [
                lambda: (
                    f"{place} = set({{z for z in {elem if elem != 'Pair' else place} "
                    f"if {self.expr('bool', scope.with_name('z', elem), depth)}}})"
                )
            ]
        return self.choose(*ways)

    def ghost_write(self, scope: Scope, depth: int, indent: str) -> list[str]:
        """Draw a change of a ghost, which may read ghosts."""
        place, t = self.pick(list(scope.ghosts))  # type: ignore[misc]
        wide = Scope(scope.names, [*scope.places, *scope.ghosts], scope.ghosts)
        return [f"{indent}{line}" for line in self.change(str(place), str(t), wide, depth)]

    def branch(self, scope: Scope, depth: int, indent: str, emits: bool) -> list[str]:
        """Draw an if."""
        inner = indent + "    "
        lines = [
            f"{indent}if {self.expr('bool', scope, 1)}:",
            *self.block(scope, depth, inner, emits=emits),
        ]
        if self.number(0, 3) == 0:
            lines.append(f"{inner}return")
        if self.number(0, 1):
            lines += [f"{indent}else:", *self.block(scope, depth, inner, emits=emits)]
        return lines

    def narrowing(self, scope: Scope, indent: str) -> list[str]:
        """Draw a change that uses an option's value, where there is one."""
        options = [(n, t[7:-1]) for n, t in self.readable(scope) if t in ("Option[A]", "Option[M]")]
        if not options:
            return self.write(scope, 1, indent)
        chosen, inner = self.pick(list(options))  # type: ignore[misc]
        lines = [f"{indent}if {chosen} is not None:"]
        return [*lines, *self.write(scope.with_name(str(chosen), inner), 1, f"{indent}    ")]

    def loop(self, scope: Scope, indent: str) -> list[str]:
        """Draw a parallel loop: iterations write their own entries, or only add."""
        x = self.fresh("k")
        elem, inner = str(self.pick(["A", "B", "Color", "M"])), indent + "    "
        own = [(n, m) for n, m in scope.places if m.startswith(f"Map[{elem},")]
        sets = [n for n, m in scope.places if m == f"Set[{elem}]"]
        touched = {n for n, _ in own} | set(sets)
        quiet = Scope([*scope.names, (x, elem)], [p for p in scope.places if p[0] not in touched])
        domain = (
            "set({z for z in "
            + elem
            + " if "
            + self.expr("bool", scope.with_name("z", elem), 1)
            + "})"
        )
        ways: list[Callable[[], str]] = []
        for n, m in own:
            _, value = split_map(m)
            ways.append(lambda n=n, v=value: self.change(f"{n}[{x}]", v, quiet, 1)[0])
        for n in sets:
            ways.append(lambda n=n: f"{n}.{self.pick(['add', 'discard'])}({x})")
        if not ways:
            return []
        header = f"{indent}for {x} in {domain}:"
        if elem in ("A", "M") and self.number(0, 1):
            header = f"{indent}for {x} in sorted({domain}):"
        if elem == "A" and "sorted" in header:
            ways.append(lambda: f"self.emit(Note({x}, {self.expr('Color', quiet, 1)}))")
        body = self.choose(*ways)
        return [header, f"{inner}if {self.expr('bool', quiet, 1)}:", f"{inner}    {body}"]


def _typed(text: str) -> bool:
    """Tell whether a set's text says of which type it is: an empty set does not."""
    return "set()" not in text


def split_map(t: str) -> tuple[str, str]:
    """Return the key and value types of a map type's text."""
    key, value = t[4:-1].split(", ", 1)
    return key, value


def _declarations(
    w: Writer, owner: str, count: int, *, beginnings: bool = False
) -> tuple[list[str], Scope]:
    lines, scope = [], Scope()
    for i in range(count):
        t = str(w.pick([*SCALARS, *SETS, *MAPS, *SEQS]))
        name = f"{owner}{i}"
        left_open = beginnings and t not in SEQS and w.number(0, 1)
        lines.append(f"    {name}: {t}{' = anything()' if left_open else ''}")
        scope.places.append((f"self.{name}", t))
    ghost = str(w.pick([*SETS[:2], "bool", "Map[A, Set[B]]"]))
    lines.append(f"    {owner}g: Ghost[{ghost}]")
    scope.ghosts.append((f"self.{owner}g", ghost))
    return lines, scope


PARAMS = [
    ("p", "A"),
    ("q", "B"),
    ("s", "Set[A]"),
    ("c", "Color"),
    ("f", "bool"),
    ("o", "Option[A]"),
]

#: Parameters of an owned sort.
OWNED = [("m", "M"), ("n", "M")]


#: What a member's handler may read besides its state.
POKED = [("p", "A"), ("some", "Set[A]"), ("self.weight", "bool")]


def _params(w: Writer) -> list[tuple[str, str]]:
    ways = [PARAMS[:1], PARAMS[1:2], PARAMS[:2], PARAMS[2:3], PARAMS[3:4], [], PARAMS[4:]]
    ways += [OWNED[:1], OWNED, [*OWNED[:1], *PARAMS[:1]]]
    return list(w.pick(list(ways)))  # type: ignore[call-overload]


def _step(
    w: Writer,
    name: str,
    kind: str,
    scope: Scope,
    depth: int,
    asked: list[tuple[str, str]] | None = None,
) -> list[str]:
    params = _params(w) if asked is None else asked
    inside = Scope([*scope.names, *params], scope.places, scope.ghosts)
    signature = "".join(f", {n}: {t}" for n, t in params)
    lines = [f"    @{kind}", f"    def {name}(self{signature}) -> None:"]
    if w.number(0, 2):
        lines.append(f"        require({w.expr('bool', inside, depth)})")
    return [*lines, *w.block(inside, depth, "        "), ""]


#: A constant that all members of a family share, or that tells them apart.
WEIGHTS = ["True", "False", "{'b1': True}"]


@st.composite
def specs(draw: Callable[..., object], depth: int = 2, beginnings: bool = False) -> str:
    """Draw the source of a module with a `MODEL` of one instance.

    With `beginnings`, some variables may start with anything, and something is demanded of them.
    """
    w = Writer(draw)
    own, inner = _declarations(w, "m", w.number(1, 2), beginnings=beginnings)
    inner.places.append(("self.coming", "M"))
    lines = [
        PRELUDE,
        "@helper",
        "def odd(a: A, s: Set[A]) -> bool:",
        '    """A helper."""',
        "    if a in s:",
        "        return A.succ(a) is None",
        "    low = min(s, default=None)",
        "    return low is not None and low < a",
        "",
        "class Link(Process):",
        '    """One of a family inside a family."""',
        "    held: Option[M] = M.first()",
        "",
        "    @handler",
        "    def hold(self, m: M) -> None:",
        "        require(self.held is None or M.owner(self.held) == M.owner(m))",
        "        self.held = M.succ(m)",
        "",
        "class Member(Process):",
        '    """One of a family."""',
        *own,
        "    coming: M",
        "    links: Each[A, Link]",
        "    weight: Const[bool] = False",
        "",
        "    @handler",
        "    def poke(self, p: A, some: Set[A]) -> None:",
        *w.block(Scope(POKED, inner.places, inner.ghosts), 1, "        "),
        "",
        *_step(w, "move", "action", inner, depth),
    ]
    own, outer = _declarations(w, "v", w.number(1, 3), beginnings=beginnings)
    lines += [
        "class Root(System):",
        '    """The system."""',
        *own,
        "    members: Each[B, Member]",
        "    heard: Set[A]",
        "",
        "    @on(Note)",
        "    def hear(self, note: Note) -> None:",
        "        if note.color != Color.BLUE:",
        "            self.heard.add(note.a)",
        "",
    ]
    outer.places.append(("self.heard", "Set[A]"))
    lines += [
        "    @action",
        "    def hold(self, m: M, a: A) -> None:",
        f"        require({w.expr('bool', Scope([('a', 'A'), ('m', 'M')], outer.places), 1)})",
        "        self.members[M.owner(m)].links[a].hold(m)",
        "",
    ]
    asked = _params(w)
    lines += _step(w, "act0", "action", outer, depth, asked)
    if w.number(0, 1):
        lines += _step(w, "act1", "action", outer, depth)
    lines += [
        "    @action",
        "    def poke_one(self, a: A, b: B) -> None:",
        f"        require({w.expr('bool', Scope([('a', 'A'), ('b', 'B')], outer.places), 1)})",
        "        member = self.members[b]",
        f"        member.poke(a, {w.pick(['set(self.heard)', 'self.heard - {a}', 'set(A)'])})",
        "",
    ]
    lines += _step(w, "break_it", "fault", outer, 1)
    state = _as_state(outer, "s")
    before, after = _as_state(outer, "before"), _as_state(outer, "after")
    both = Scope([*before.names, *after.names])
    noted = Scope([*both.names, ("note.a", "A"), ("note.color", "Color")])
    if beginnings:
        lines += ["@initially", "def Begins(s: Root) -> bool:", '    """."""']
        lines += [f"    return {w.expr('bool', state, 1)} or {w.expr('bool', state, 1)}", ""]
    lines += [
        "@invariant",
        "def Inv(s: Root) -> bool:",
        '    """."""',
        f"    return {w.expr('bool', state, depth)}",
        "@reachable",
        "def Reach(s: Root) -> bool:",
        '    """."""',
        f"    return {w.expr('bool', state, depth)}",
        "@step_property",
        "def Step(before: Root, after: Root) -> bool:",
        '    """."""',
        f"    return {w.expr('bool', both, depth)}",
        "@step_property",
        "def Noted(before: Root, after: Root, note: Note) -> bool:",
        '    """."""',
        f"    return {w.expr('bool', noted, depth)}",
        "@step_property(of='act0')",
        f"def Obeyed(before: Root, after: Root{''.join(f', {n}: {t}' for n, t in asked)}) -> bool:",
        '    """."""',
        f"    return {w.expr('bool', Scope([*both.names, *asked]), depth)}",
        "@step_property(of=('poke_one', 'hold'))",
        "def Answered(before: Root, after: Root, note: Note, a: A) -> bool:",
        '    """."""',
        f"    return {w.expr('bool', Scope([*noted.names, ('a', 'A')]), depth)}",
        "@reachable",
        "def Heard(before: Root, after: Root, note: Note) -> bool:",
        '    """."""',
        f"    return {w.expr('bool', noted, depth)}",
        "import sys",
        "MODEL = Model('random', Root, properties_in(sys.modules[__name__]),",
        f"    (Instance('only', 'x', {{A: {w.number(1, 3)}, B: {w.number(0, 2)}, "
        f"M: {w.number(1, 2)}}}, "
        f"faults={{'break_it': {w.number(0, 2)}}}, "
        f"constants={{'Member.weight': {w.pick(WEIGHTS)}}}),),"
        f" deadlock_free={w.pick(['True', 'False'])})",
    ]
    return "\n".join(lines) + "\n"


def _as_state(scope: Scope, root: str) -> Scope:
    """Return the variables of the system as names below the argument of a property."""
    named = [(n.replace("self.", f"{root}."), t) for n, t in [*scope.places, *scope.ghosts]]
    plain = [(n, t) for n, t in named if not t.startswith("Map")]
    return Scope(plain, [(n, t) for n, t in named if t.startswith("Map")])
