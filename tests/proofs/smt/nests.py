"""Specifications whose property has sets inside of sets: minima of minima, and counts of counts."""

from __future__ import annotations

from random import Random

__all__ = ["nested"]

_HEAD = '''
"""Messages in queues."""
import sys
from ackproof.lang import (
    Instance, Map, Model, OrderedSort, Set, Sort, System, action, invariant, properties_in
)

class Msg(OrderedSort):
    """A message."""

class Queue(Sort, prefix="q"):
    """A queue."""

class Box(System):
    """Messages and queues."""
    a: Set[Msg]
    b: Set[Msg]
    near: Map[Msg, Set[Msg]]
    has: Map[Queue, Set[Msg]]
    of: Map[Msg, Set[Queue]]

    @action
    def put(self, msg: Msg, queue: Queue) -> None:
        """Put one there."""
        self.a.add(msg)
        self.has[queue].add(msg)

'''

_TAIL = """
MODEL = Model(
    "box", Box, properties_in(sys.modules[__name__]), (Instance("i", "i", {Msg: 2, Queue: 2}),)
)
"""


class _Writer:
    """Writes expressions; `names` are the variables in scope, by sort."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.count = 0

    def new(self) -> str:
        self.count += 1
        return f"x{self.count}"

    def messages(self, depth: int, names: dict[str, list[str]]) -> str:
        """Return a set of messages."""
        known = ["s.a", "s.b"]
        known += [f"s.near[{m}]" for m in names["Msg"]] + [f"s.has[{q}]" for q in names["Queue"]]
        if depth == 0 or self.rng.random() < 0.2:
            return self.rng.choice(known)
        x, domain = self.new(), self.rng.choice([*known, "Msg"])
        inner = {**names, "Msg": [*names["Msg"], x]}
        return f"{{{x} for {x} in {domain} if {self.truth(depth - 1, inner)}}}"

    def queues(self, depth: int, names: dict[str, list[str]]) -> str:
        """Return a set of queues."""
        x, known = self.new(), ["set(Queue)", *(f"s.of[{m}]" for m in names["Msg"])]
        if depth == 0 or self.rng.random() < 0.2:
            return self.rng.choice(known)
        domain = self.rng.choice(["Queue", *known[1:]])
        inner = {**names, "Queue": [*names["Queue"], x]}
        return f"{{{x} for {x} in {domain} if {self.truth(depth - 1, inner)}}}"

    def truth(self, depth: int, names: dict[str, list[str]]) -> str:
        """Return something that is true or false."""
        kind, some = self.rng.choice(["some", "three", "more", "one", "same", "in", "less"]), ""
        if kind in ("same", "in", "less"):
            some = self.rng.choice(names["Msg"])
        match kind:
            case "some":
                said = f"{self.extreme(depth, names)} is not None"
            case "three":
                said = f"len({self.messages(depth, names)}) >= 3"
            case "more":
                said = f"len({self.messages(depth, names)}) > len({self.queues(depth, names)})"
            case "one":
                said = f"len({self.queues(depth, names)}) == 1"
            case "same":
                said = f"{self.extreme(depth, names)} == {some}"
            case "in":
                said = f"{some} in {self.messages(depth, names)}"
            case _:
                said = f"{some} < {self.rng.choice(names['Msg'])}"
        return f"not {said}" if self.rng.random() < 0.3 else f"({said})"

    def extreme(self, depth: int, names: dict[str, list[str]]) -> str:
        """Return the least or the greatest message of a set, as an option."""
        return f"{self.rng.choice(['min', 'max'])}({self.messages(depth, names)}, default=None)"


def nested(rng: Random, depth: int, properties: int = 8) -> str:
    """Return the text of a specification, with properties that nest so deep."""
    parts = [_HEAD]
    for number in range(properties):
        writer = _Writer(rng)
        q, m = writer.new(), writer.new()
        said = writer.truth(depth, {"Msg": [m], "Queue": [q]})
        parts.append(
            f"@invariant\ndef P{number}(s: Box) -> bool:\n    '''Something.'''\n"
            f"    return all({said} for {q} in Queue for {m} in s.a)\n"
        )
    return "\n".join([*parts, _TAIL])
