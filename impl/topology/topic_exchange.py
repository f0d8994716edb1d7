"""Topic exchanges: patterns over the words of a routing key.

Words are what dots separate.  In the key of a binding `*` stands for one word and `#` for any
number of them, none included; the empty key has no words at all.

The keys of all bindings make a tree, a word to each edge, so that what they have in common is
looked at once.  A routing key is read word by word, with the set of places in the tree that the
words so far can lead to.  A place behind a `#` stays in that set whatever comes.  Since it is a
set, many `#` in one pattern cost no more than many patterns; without it the number of ways to match
would multiply.
"""

from __future__ import annotations

from collections.abc import Iterator

from ackproof.impl.topology.definitions import Binding, Routed
from ackproof.impl.topology.exchange_types import ExchangeType

__all__ = ["Topic"]

_ONE = "*"
_ANY = "#"


class _Node:
    """A place in the tree: the bindings whose pattern ends here, and where it goes on."""

    __slots__ = ("bindings", "children", "word")

    def __init__(self, word: str) -> None:
        self.word = word
        self.bindings: dict[Binding, None] = {}
        self.children: dict[str, _Node] = {}


class Topic(ExchangeType):
    """The bindings whose pattern fits the routing key."""

    NAME = "topic"

    def __init__(self) -> None:
        super().__init__()
        self._root = _Node("")

    def add(self, binding: Binding) -> None:
        """Take in a binding that is not here."""
        super().add(binding)
        node = self._root
        for word in _words(binding.key):
            if word not in node.children:
                node.children[word] = _Node(word)
            node = node.children[word]
        node.bindings[binding] = None

    def remove(self, binding: Binding) -> None:
        """Drop a binding that is here, and the part of the tree that led to it alone."""
        super().remove(binding)
        path = [self._root]
        for word in _words(binding.key):
            path.append(path[-1].children[word])
        del path[-1].bindings[binding]
        while len(path) > 1 and not path[-1].bindings and not path[-1].children:
            empty = path.pop()
            del path[-1].children[empty.word]

    def match(self, message: Routed) -> Iterator[Binding]:
        """Return the bindings whose pattern fits one of the message's keys."""
        for key in message.routing_keys:
            for node in self._places(key):
                yield from node.bindings

    def _places(self, key: str) -> dict[_Node, None]:
        """Return where the words of a key can lead to."""
        places: dict[_Node, None] = {}
        _enter(self._root, places)
        for word in _words(key):
            before, places = places, {}
            for node in before:
                if node.word == _ANY:
                    _enter(node, places)
                for step in (word, _ONE):
                    child = node.children.get(step)
                    if child is not None:
                        _enter(child, places)
        return places


def _enter(node: _Node, places: dict[_Node, None]) -> None:
    """Add a place, and those that are reached from it without a word."""
    entered: _Node | None = node
    while entered is not None and entered not in places:
        places[entered] = None
        entered = entered.children.get(_ANY)


def _words(key: str) -> list[str]:
    return key.split(".") if key else []
