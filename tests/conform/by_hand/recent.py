"""The latest of many things, to say more precisely what is wrong with one that comes up again."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

__all__ = ["Recent"]

K = TypeVar("K")
V = TypeVar("V")

_MOST = 4096


class Recent(Generic[K, V]):
    """The latest keys with their values; those that are older are forgotten.

    Attributes:
        forgot: whether any were.
    """

    __slots__ = ("_items", "forgot")

    def __init__(self) -> None:
        self.forgot = False
        self._items: OrderedDict[K, V] = OrderedDict()

    def __contains__(self, key: K) -> bool:
        return key in self._items

    def get(self, key: K) -> V | None:
        """Return the value of a key, None if it is not there any more."""
        return self._items.get(key)

    def add(self, key: K, value: V) -> None:
        """Remember a key as the latest."""
        self._items[key] = value
        self._items.move_to_end(key)
        if len(self._items) > _MOST:
            self._items.popitem(last=False)
            self.forgot = True
