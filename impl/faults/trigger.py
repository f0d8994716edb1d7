"""Which publishes a fault is about.

A trigger may come from outside, as JSON, so it looks at what it is made of.  It counts: a publish
that it is about is spared, or struck, or passed over by its probability.  What is struck need not
be the publish itself: a commit, say, that has one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ackproof.impl.wire.content import Message

__all__ = ["CHOICES", "Trigger", "trigger_for"]

#: Types of what a trigger is made of.
_TYPES: dict[str, tuple[type, ...]] = {
    "n": (int, type(None)),
    "skip": (int,),
    "exchange": (str, type(None)),
    "routing_key": (str, type(None)),
    "header": (dict, type(None)),
    "probability": (int, float),
    "seed": (int,),
}
#: What publishes can be chosen by.
CHOICES = tuple(sorted(set(_TYPES) - {"n"}))
_NAMES = {int: "an integer", float: "a number", str: "a text", dict: "an object"}


@dataclass
class Trigger:
    """Which publishes a fault is about, and how many of them.

    Args:
        n: how many times it strikes; None for every time, until the faults are cleared.
        skip: how many of those that it is about are spared first.
        exchange: published to this exchange; the empty name is the default one.
        routing_key: published with this routing key.
        header: with these headers; a value of None asks for the header only.
        probability: of striking, for each publish that it is about, from 0 to 1.
        seed: what that is drawn by.

    Attributes:
        struck: how many times it has.

    Raises:
        ValueError: something is of the wrong type, or out of range.
    """

    n: int | None = 1
    skip: int = 0
    exchange: str | None = None
    routing_key: str | None = None
    header: dict[str, Any] | None = None
    probability: float = 1.0
    seed: int = 0
    struck: int = field(default=0, init=False, compare=False)
    _random: random.Random = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, kinds in _TYPES.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, kinds):
                raise ValueError(f"{name} is {value!r}; it must be {_said(kinds)}")
        if self.n is not None and self.n < 1:
            raise ValueError(f"n is {self.n}; it must be 1 or more, or null for no end")
        if self.skip < 0:
            raise ValueError(f"skip is {self.skip}; it must not be negative")
        if not 0 <= self.probability <= 1:
            raise ValueError(f"probability is {self.probability}; it must be from 0 to 1")
        self._random = random.Random(self.seed)

    def strikes(self, message: Message) -> bool:
        """Tell whether this publish is to be struck, and count it."""
        return self.about(message) and self.due()

    def due(self) -> bool:
        """Tell whether something that it is about is to be struck, and count it."""
        if self.spent:
            return False
        if self.skip:
            self.skip -= 1
            return False
        if self._random.random() >= self.probability:
            return False
        if self.n is not None:
            self.n -= 1
        self.struck += 1
        return True

    @property
    def spent(self) -> bool:
        """Tell whether it has struck as often as was asked."""
        return self.n == 0

    @property
    def chooses(self) -> bool:
        """Tell whether it is not about everything."""
        return any(one is not None for one in (self.exchange, self.routing_key, self.header))

    def about(self, message: Message) -> bool:
        """Tell whether it is about this publish."""
        if self.exchange is not None and message.exchange != self.exchange:
            return False
        if self.routing_key is not None and message.routing_keys[0] != self.routing_key:
            return False
        if self.header is None:
            return True
        there = _headers(message)
        return all(
            name in there and (value is None or there[name] == value)
            for name, value in self.header.items()
        )


def trigger_for(n: int | None, about: dict[str, Any]) -> Trigger:
    """Return a trigger of what was asked for.

    Raises:
        ValueError: something is of the wrong type, or out of range.
        TypeError: publishes cannot be chosen by that.
    """
    if not about.keys() <= set(CHOICES):
        wrong = ", ".join(sorted(about.keys() - set(CHOICES)))
        raise TypeError(f"publishes cannot be chosen by {wrong}; use {', '.join(CHOICES)}")
    return Trigger(n, **about)


def _headers(message: Message) -> dict[str, Any]:
    return dict(message.headers)


def _said(kinds: tuple[type, ...]) -> str:
    names = [_NAMES.get(kind, "null") for kind in kinds if kind is not int or float not in kinds]
    return " or ".join(names)
