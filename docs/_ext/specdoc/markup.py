"""Building blocks of pages: prose with its citations linked, tables, code, sections.

Docstrings are prose with the light markup of the specification: `code` between backticks, and
*emphasis*.  They are parsed as reStructuredText; after that, every rule number becomes a link,
and so does code that is the name of something with a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

from specdoc.domain import link, slug
from specdoc.library import Library, library
from specdoc.numbers import pieces

__all__ = [
    "Cell",
    "SpecDirective",
    "code",
    "labelled",
    "paragraph",
    "row_of_links",
    "section",
    "table",
]


def paragraph(*parts: nodes.Node | str, classes: Sequence[str] = ()) -> nodes.paragraph:
    """Return a paragraph of nodes and plain text."""
    node = nodes.paragraph("", "", classes=list(classes))
    node += [nodes.Text(p) if isinstance(p, str) else p for p in parts]
    return node


def code(text: str, language: str = "python", classes: Sequence[str] = ()) -> nodes.literal_block:
    """Return a highlighted block."""
    return nodes.literal_block(text, text, language=language, classes=list(classes))


def section(name: str, *title: nodes.Node | str, classes: Sequence[str] = ()) -> nodes.section:
    """Return a section whose fragment is made from `name`."""
    node = nodes.section("", ids=[slug(name)], names=[], classes=list(classes))
    node += nodes.title("", "", *(nodes.Text(t) if isinstance(t, str) else t for t in title))
    return node


def labelled(label: str, body: Sequence[nodes.Node]) -> list[nodes.Node]:
    """Return nodes under a small heading that no table of contents lists."""
    return [paragraph(label, classes=["spec-label"]), *body] if body else []


def row_of_links(links: Iterable[nodes.Node]) -> list[nodes.Node]:
    """Return links with commas between them."""
    row: list[nodes.Node] = []
    for item in links:
        row += [nodes.Text(", "), item] if row else [item]
    return row


Cell = str | nodes.Node | Sequence[nodes.Node]


def table(header: Sequence[Cell], rows: Iterable[Sequence[Cell]], *classes: str) -> nodes.Node:
    """Return a table; a cell is text, an inline node, inline nodes, or blocks."""
    group = nodes.tgroup(cols=len(header))
    group += [nodes.colspec(colwidth=1) for _ in header]
    head = nodes.thead("", nodes.row("", *(_entry(h) for h in header)))
    body = nodes.tbody("", *(nodes.row("", *map(_entry, row)) for row in rows))
    group += [head, body]
    return nodes.table("", group, classes=["spec-table", *classes])


def _entry(cell: Cell) -> nodes.entry:
    if isinstance(cell, str):
        return nodes.entry("", paragraph(cell))
    parts = [cell] if isinstance(cell, nodes.Node) else list(cell)
    if any(isinstance(p, nodes.Body) for p in parts):
        return nodes.entry("", *parts)
    return nodes.entry("", paragraph(*parts))


class SpecDirective(SphinxDirective):
    """A directive that draws on the specification."""

    has_content = False
    required_arguments = 0

    @property
    def library(self) -> Library:
        """What is documented."""
        return library()

    def prose(self, text: str, machine: str = "") -> list[nodes.Node]:
        """Return parsed prose with its citations and names linked.

        Args:
            text: reStructuredText.
            machine: the class whose steps may be named without it.
        """
        found = self.parse_text_to_nodes(text, allow_section_headings=False)
        for node in found:
            _link_names(node, self.library, machine)
            _link_citations(node)
        return list(found)

    def sentence(self, text: str, machine: str = "") -> list[nodes.Node]:
        """Return the inline nodes of one paragraph of prose."""
        parsed = self.prose(text, machine)
        return [child for node in parsed for child in node.children]


def _link_citations(root: nodes.Node) -> None:
    for text in list(root.findall(nodes.Text)):
        parent = text.parent
        if parent is None or _inside(text, (nodes.literal, nodes.literal_block, nodes.reference)):
            continue
        found = [(piece, rule) for piece, rule in pieces(text.astext()) if piece]
        if any(rule for _, rule in found):
            parent.replace(
                text,
                [
                    link("rule", rule, piece, code=False) if rule else nodes.Text(piece)
                    for piece, rule in found
                ],
            )


def _link_names(root: nodes.Node, lib: Library, machine: str) -> None:
    for literal in list(root.findall(nodes.literal)):
        name = literal.astext()
        kind, target = _named(name, lib, machine)
        if (
            kind
            and literal.parent is not None
            and not _inside(literal, (nodes.reference, pending_xref))
        ):
            literal.parent.replace(literal, link(kind, target, name))


def _named(name: str, lib: Library, machine: str) -> tuple[str, str]:
    """Return kind and target of what a piece of code names, or two empty strings."""
    if lib.layer(name):
        return "machine", name
    if lib.is_property(name):
        return "property", name
    if lib.step(name):
        return "step", name
    if machine and lib.step(f"{machine}.{name}"):
        return "step", f"{machine}.{name}"
    if any(e.__name__ == name for e in lib.events):
        return "event", name
    if lib.exhibit(name):
        return "design", name
    if lib.era(name):
        return "era", name
    if any(c.__name__ == name for c in lib.sorts):
        return "sort", name
    return "", ""


def _inside(node: nodes.Node, kinds: tuple[type[nodes.Node], ...]) -> bool:
    while node.parent is not None:
        if isinstance(node.parent, kinds):
            return True
        node = node.parent
    return False
