"""Random specifications in which elements may be alike: what searches up to names are compared on.

There are two unordered sorts, and variables of all types that speak of their elements: of one, of
one if any, of sets, records, sequences, of maps from one to another, and of the members of a
family.  Nothing has an order, so elements are told apart by nothing but constants, and by what
starts with one of them and never changes.  Guards, statements and properties are drawn for each
variable from what is usually said of its type.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

__all__ = ["alike_spec"]

_PRELUDE = '''
"""A random specification."""
from __future__ import annotations
import enum, sys
from typing import Annotated
from ackproof.lang import (
    Const, Each, Instance, Map, Model, Option, Process, Record, Seq, Set, Sort, System, action,
    anything, constraint, handler, invariant, reachable, require, step_property,
)
from ackproof.lang.properties import properties_in

class B(Sort, prefix="b"):
    """A sort."""

class C(Sort, prefix="c"):
    """A sort."""

class Color(enum.Enum):
    """An enum."""
    RED = 1
    GREEN = 2

class Pair(Record):
    """A record."""
    b: B
    c: Option[C]
    color: Color

class Member(Process):
    """One of a family."""
    mark: bool = False
    near: Option[C]
    others: Set[B]
    weight: Const[bool] = False

    @handler
    def see(self, b: B, c: C) -> None:
        """See."""
        require(self.weight or self.near != c)
        self.near = c
        self.others.add(b)
'''


@dataclass(frozen=True)
class _Kind:
    """A type, with what may be said of a variable `{v}` of it and done to it.

    `b`, `d` are elements of the first sort and `c` of the second.
    """

    type: str
    asked: tuple[str, ...]
    done: tuple[str, ...]


_KINDS = (
    _Kind("bool", ("{v}", "not {v}"), ("{v} = not {v}",)),
    _Kind("Color", ("{v} == Color.RED",), ("{v} = Color.GREEN", "{v} = Color.RED")),
    _Kind("Set[B]", ("b in {v}", "d not in {v}", "len({v}) < 2"), ("{v}.add(b)", "{v}.discard(d)")),
    _Kind("Set[C]", ("c in {v}", "{v} == set()"), ("{v}.add(c)", "{v} = set()", "{v} = set(C)")),
    _Kind("Option[B]", ("{v} == b", "{v} is None"), ("{v} = d", "{v} = None")),
    _Kind("Option[C]", ("{v} != c", "{v} is None"), ("{v} = c", "{v} = None")),
    _Kind("Map[B, Color]", ("{v}[b] == Color.RED",), ("{v}[b] = Color.GREEN",)),
    _Kind("Map[B, bool]", ("{v}[d]", "not {v}[b]"), ("{v}[b] = not {v}[d]", "{v}[d] = True")),
    _Kind("Map[B, Option[C]]", ("{v}[b] == c", "{v}[d] is None"), ("{v}[d] = c", "{v}[b] = None")),
    _Kind("Map[C, Option[B]]", ("{v}[c] == b",), ("{v}[c] = d",)),
    _Kind("Map[B, Set[B]]", ("d in {v}[b]",), ("{v}[b].add(d)", "{v}[b].discard(b)")),
    _Kind("Map[B, Map[C, bool]]", ("{v}[b][c]",), ("{v}[b][c] = True", "{v}[d][c] = False")),
    _Kind("Map[Color, Set[C]]", ("c in {v}[Color.RED]",), ("{v}[Color.RED].add(c)",)),
    _Kind(
        "Annotated[Seq[B], 2]",
        ("len({v}) == 0", "len({v}) == 1"),
        (
            "if len({v}) < 2:\n            {v}.append(d)",
            "if len({v}) > 0 and {v}[0] == b:\n            {v}.pop(0)",
            "if len({v}) > 0 and {v}[0] != d:\n            {v}.pop(0)",
        ),
    ),
    _Kind("Option[Pair]", ("{v} is None",), ("{v} = Pair(b, c, Color.RED)", "{v} = None")),
    _Kind(
        "Set[Pair]",
        ("Pair(b, None, Color.RED) in {v}",),
        ("{v}.add(Pair(b, c, Color.GREEN))", "{v}.add(Pair(d, None, Color.RED))"),
    ),
)

_MEMBERS = (
    _Kind("", ("self.members[b].mark",), ("self.members[d].mark = True",)),
    _Kind("", ("d in self.members[b].others",), ("self.members[b].see(d, c)",)),
)

#: Constants of a family: all alike, or one apart.
_WEIGHTS = ("False", "True", "{'b1': True}")


class _Writer:
    """Draws the parts of a specification."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        count = chance.choice((1, 2, 2, 3))
        self.variables = {f"v{i}": kind for i, kind in enumerate(chance.sample(_KINDS, count))}
        self.kinds = {f"self.{name}": kind for name, kind in self.variables.items()}
        self.kinds |= {"": chance.choice(_MEMBERS)} if chance.random() < 0.5 else {}

    def said(self, root: str = "self") -> str:
        """Return something that is asked of a state."""
        name, kind = self.chance.choice(list(self.kinds.items()))
        text = self.chance.choice(kind.asked).format(v=name).replace("self.", f"{root}.")
        return f"({text})" if self.chance.random() < 0.7 else f"(not ({text}))"

    def action(self, number: int) -> str:
        """Return an action."""
        guard = " or ".join(self.said() for _ in range(self.chance.choice((1, 1, 2))))
        names = list(self.kinds)
        done = [
            self.chance.choice(self.kinds[name].done).format(v=name)
            for name in self.chance.sample(names, self.chance.randint(1, min(2, len(names))))
        ]
        lines = "\n        ".join(done)
        return f'''
    @action
    def act{number}(self, b: B, d: B, c: C) -> None:
        """Act."""
        require({guard})
        {lines}
'''

    def quantified(self, said: str) -> str:
        """Return what is said of some elements, or of all."""
        some = self.chance.choice(("any", "all"))
        return f"{some}({said} for b in B for d in B for c in C)"


def alike_spec(seed: int) -> str:
    """Return the source of a random specification, the same one for the same seed."""
    chance = Random(f"alike {seed}")
    w = _Writer(chance)
    starts = {"Option[B]": " = anything()", "bool": " = anything()", "Color": " = anything()"}
    open_ = chance.random() < 0.3
    declared = [
        f"    {name}: {kind.type}{starts.get(kind.type, '') if open_ else ''}"
        for name, kind in w.variables.items()
    ]
    text = [
        _PRELUDE,
        "class Root(System):",
        '    """The system."""',
        *declared,
        "    members: Each[B, Member]",
        *(w.action(i) for i in range(chance.randint(2, 4))),
    ]
    for kind, name in (("invariant", "Inv"), ("reachable", "Reach"), ("constraint", "Within")):
        if kind != "constraint" or chance.random() < 0.2:
            said = w.quantified(f"{w.said('s')} or {w.said('s')}")
            text += [
                f"@{kind}",
                f"def {name}(s: Root) -> bool:",
                '    """."""',
                f"    return {said}",
            ]
    step = w.quantified(f"{w.said('before')} or {w.said('after')} or {w.said('after')}")
    text += [
        "@step_property",
        "def Step(before: Root, after: Root) -> bool:",
        '    """."""',
        f"    return {step}",
        "MODEL = Model('alike', Root, properties_in(sys.modules[__name__]),",
        f"    (Instance('only', 'x', {{B: {chance.choice((1, 2, 2, 3, 3, 4))},"
        f" C: {chance.choice((1, 2, 2, 3))}}},",
        f"    constants={{'Member.weight': {chance.choice(_WEIGHTS)}}}),),",
        f"    deadlock_free={chance.choice((True, False))})",
    ]
    return "\n".join(text) + "\n"
