"""The numbers that are not settled yet, in order: a linked list over a dictionary.

Each operation takes the same time however many there are, and there is room for those only that
are in it: the first, the one before another, to append, to take one out, to take out all up to one.
"""

from __future__ import annotations

__all__ = ["OpenTags"]

_END = 0


class OpenTags:
    """Sequence numbers, ascending, from 1."""

    __slots__ = ("_next", "_previous")

    def __init__(self) -> None:
        self._next = {_END: _END}
        self._previous = {_END: _END}

    def __contains__(self, tag: int) -> bool:
        return tag != _END and tag in self._next

    def __len__(self) -> int:
        return len(self._next) - 1

    def first(self) -> int:
        """Return the smallest one, 0 if there is none."""
        return self._next[_END]

    def before(self, tag: int) -> int:
        """Return the largest one that is smaller than one of them, 0 if there is none."""
        return self._previous[tag]

    def append(self, tag: int) -> None:
        """Add one that is larger than all."""
        last = self._previous[_END]
        self._next[last] = self._previous[_END] = tag
        self._next[tag] = _END
        self._previous[tag] = last

    def remove(self, tag: int) -> None:
        """Take one out."""
        before, after = self._previous.pop(tag), self._next.pop(tag)
        self._next[before] = after
        self._previous[after] = before
