"""The navigation beside each page, made once for all pages.

The theme shows the whole tree of pages beside each page.  Sphinx makes it anew for each: it copies
what is known of all pages, sections included, and throws most of it away.  On two pages the trees
differ in where links start from and in which entries are marked as current, and in nothing else;
so the tree of the first page is made by Sphinx, and cut into pieces of which others are put
together.  `Navigation.beside` returns what Sphinx would.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, assert_never

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment.adapters.toctree import global_toctree_for_doc
from sphinx.util.osutil import relative_uri

__all__ = ["Navigation", "show_navigation"]

#: How the theme asks for the tree.
_WHOLE: dict[str, Any] = {
    "collapse": False,
    "titles_only": True,
    "maxdepth": -1,
    "includehidden": True,
}

_TOP = -1

_PIECE = re.compile(
    r'<ul>|</ul>|</li>|<li class="(?P<level>toctree-l\d+)">'
    r'<a class="reference internal" href="(?P<address>[^"]*)">'
)


@dataclass(frozen=True)
class _Entry:
    """An entry of the tree.

    Attributes:
        level: its class.
        address: that of its page, from the root.
        among: the number of the list that it is in.
        above: the number of the entry that it is below, `_TOP` if there is none.
    """

    level: str
    address: str
    among: int
    above: int

    def written(self, here: str, *, current: bool) -> str:
        """Return how it begins beside the page of an address."""
        there = "#" if self.address == here else relative_uri(here, self.address)
        mark = " current" if current else ""
        link = "current reference" if self.address == here else "reference"
        return f'<li class="{self.level}{mark}"><a class="{link} internal" href="{there}">'


@dataclass(frozen=True)
class _List:
    """The beginning of a list of entries, by its number."""

    number: int


class Navigation:
    """The tree of pages.

    Args:
        tree: as Sphinx makes it for a page of the root folder that is not in it.
    """

    def __init__(self, tree: str) -> None:
        self._entries: list[_Entry] = []
        self._pieces: list[str | int | _List] = []
        entries, lists, at = [_TOP], [_TOP], 0
        for found in _PIECE.finditer(tree):
            self._pieces.append(tree[at : found.start()])
            at = found.end()
            if found["level"]:
                number = len(self._entries)
                self._pieces.append(number)
                entry = _Entry(found["level"], found["address"], lists[-1], entries[-1])
                self._entries.append(entry)
                entries.append(number)
            elif found[0] == "<ul>":
                lists.append(len(self._pieces))
                self._pieces.append(_List(lists[-1]))
            else:
                self._pieces.append(found[0])
                (entries if found[0] == "</li>" else lists).pop()
        self._pieces.append(tree[at:])

    def beside(self, here: str) -> str:
        """Return the tree beside the page of an address, from the root."""
        current = set()
        for number, entry in enumerate(self._entries):
            while entry.address == here and number != _TOP:
                current.add(number)
                number = self._entries[number].above
        lists = {self._entries[number].among for number in current}
        return "".join(self._written(piece, here, current, lists) for piece in self._pieces)

    def _written(
        self, piece: str | int | _List, here: str, current: set[int], lists: set[int]
    ) -> str:
        match piece:
            case str():
                return piece
            case int():
                return self._entries[piece].written(here, current=piece in current)
            case _List():
                return '<ul class="current">' if piece.number in lists else "<ul>"
            case _:
                assert_never(piece)


def show_navigation(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.Node | None
) -> None:
    """Have the theme take the tree from what was made for the first page."""
    builder = app.builder
    made = context.get("toctree")
    if made is None or not isinstance(builder, StandaloneHTMLBuilder):
        return
    address = builder.get_target_uri(pagename)

    def toctree(**how: Any) -> str:
        if how != _WHOLE:
            return str(made(**how))
        return _navigation(builder).beside(address)

    context["toctree"] = toctree


@lru_cache(maxsize=1)
def _navigation(builder: StandaloneHTMLBuilder) -> Navigation:
    tree = global_toctree_for_doc(
        builder.env, builder.config.root_doc, builder, tags=builder.tags, **_WHOLE
    )
    return Navigation(builder.render_partial(tree)["fragment"])
