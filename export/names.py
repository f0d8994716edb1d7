"""Names in a text for another checker: each is declared once, wherever it is in scope."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["Names"]

_NO_NAME = re.compile(r"\W+")
_NUMBERED = re.compile(r"_\d+$")


class Names:
    """Gives names that nothing else in scope has.

    Args:
        words: what the language means by a name.
        heads: what no name begins with.
    """

    def __init__(self, words: Iterable[str], heads: tuple[str, ...] = ()) -> None:
        self._taken = set(words)
        self._heads = heads

    def inside(self) -> Names:
        """Return the names of a scope inside of this one."""
        return Names(self._taken, self._heads)

    def new(self, wanted: str) -> str:
        """Return a name that is as much like the wanted one as possible."""
        name = _NUMBERED.sub("", _NO_NAME.sub("_", wanted).strip("_")) or "x"
        if not name[0].isalpha() or name.startswith(self._heads):
            name = f"n_{name}"
        found, count = name, 1
        while found in self._taken:
            count += 1
            found = f"{name}_{count}"
        self._taken.add(found)
        return found
