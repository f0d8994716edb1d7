"""The page of promises: what should hold in which version, what breaks it, and what was found.

`promises.toml` has a reading of RabbitMQ's source put as a table (L4): this should hold since that
version, and these bugs break it.  The directive puts beside each entry the properties that say it,
what the table of eras has for them, and the designs that break them.  Where what was found is not
what should be, the entry has to say why, or there is a warning.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackproof.lang import Breaks
from docutils import nodes
from sphinx.util import logging

from specdoc.checking import CheckingDirective
from specdoc.domain import link
from specdoc.eras import result_node, scrolling
from specdoc.library import Exhibit, Library
from specdoc.markup import Cell, paragraph, row_of_links, section, table

__all__ = ["Promise", "PromisesDirective", "breaks_of", "complaints", "promises_in"]

logger = logging.getLogger(__name__)

FILE = "promises.toml"


@dataclass(frozen=True)
class Promise:
    """One entry.

    Args:
        text: what should hold.
        properties: the properties that say so.
        since: the versions in which it should, in words.
        holds: the eras in which it should.
        bugs: the rules that break it, each with the name of a design, or nothing.
        why: explanations of what is otherwise, by rule, design, or eras with commas between.
        note: what else there is to say.
    """

    text: str
    properties: tuple[str, ...]
    since: str
    holds: tuple[str, ...]
    bugs: tuple[tuple[str, str], ...]
    why: dict[str, str]
    note: str = ""

    @property
    def explained(self) -> set[str]:
        """The rules, designs and eras that something is said of."""
        return {name for names in self.why for name in names.split(", ")}


def promises_in(text: str) -> tuple[Promise, ...]:
    """Return the entries of a TOML text."""
    return tuple(
        Promise(
            entry["text"],
            tuple(entry["properties"]),
            entry["since"],
            tuple(entry["holds"]),
            tuple((bug["rule"], bug.get("design", "")) for bug in entry["bugs"]),
            entry.get("why", {}),
            entry.get("note", ""),
        )
        for entry in tomllib.loads(text)["promise"]
    )


def breaks_of(promise: Promise, exhibit: Exhibit) -> list[Breaks]:
    """Return what a design expects to break of a promise."""
    return [
        e
        for e in exhibit.design.expect
        if isinstance(e, Breaks) and e.property in promise.properties
    ]


def complaints(promise: Promise, lib: Library, document: dict[str, Any] | None) -> Iterator[str]:
    """Yield what of an entry does not fit, and is not explained."""
    for name in promise.properties:
        if not lib.is_property(name):
            yield f"there is no property {name}"
    for rule, design in promise.bugs:
        exhibit = lib.exhibit(design)
        if not design and rule not in promise.explained:
            yield f"{rule} has no design, and nothing says why"
        elif design and exhibit is None:
            yield f"there is no design {design}"
        elif exhibit and not breaks_of(promise, exhibit) and design not in promise.explained:
            yield f"the design {design} breaks none of {', '.join(promise.properties)}"
    for name, era, cell in _cells(promise, document):
        should = era in (*promise.holds, "documented")
        if cell["result"] == "breaks" and should and era not in promise.explained:
            yield f"{name} should hold in {era}, and breaks there; say why"


def _cells(
    promise: Promise, document: dict[str, Any] | None
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield what the table of eras has for a promise: property, era, cell."""
    for prop in document["properties"] if document else ():
        if prop["name"] in promise.properties:
            for cell in prop["cells"]:
                yield prop["name"], cell["era"], cell


class PromisesDirective(CheckingDirective):
    """`.. promises::`: what should hold since when, entry by entry."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each entry."""
        path = Path(self.env.srcdir) / FILE
        self.env.note_dependency(str(path))
        document = self.evidence.document
        found: list[nodes.Node] = []
        for number, promise in enumerate(promises_in(path.read_text(encoding="utf-8")), 1):
            for text in complaints(promise, self.library, document):
                logger.warning("docs/%s, entry %d: %s", FILE, number, text)
            found.append(self._entry(number, promise, document))
        return found

    def _entry(self, number: int, promise: Promise, document: dict[str, Any]) -> nodes.section:
        part = section(f"promise-{number}", promise.text)
        names = row_of_links(link("property", name) for name in promise.properties)
        part += paragraph("Said by: ", *names, ".")
        part += paragraph("Should hold: ", *self.sentence(promise.since), ".")
        part += scrolling(self._table(promise, document))
        items = [self._bug(promise, rule, design) for rule, design in promise.bugs]
        part += [paragraph("Should be broken by:"), nodes.bullet_list("", *items)]
        for listed, text in promise.why.items():
            eras = [link("era", name) for name in listed.split(", ") if self.library.era(name)]
            if eras:
                part += paragraph(*row_of_links(eras), ": ", *self.sentence(text))
        if promise.note:
            part += self.prose(promise.note)
        return part

    def _table(self, promise: Promise, document: dict[str, Any]) -> nodes.Node:
        rows: list[list[Cell]] = [
            [
                [link("property", prop["name"])],
                *([result_node(prop["name"], cell, self.library)] for cell in prop["cells"]),
            ]
            for prop in document["properties"]
            if prop["name"] in promise.properties
        ]
        eras = [era["name"] for era in document["eras"]]
        header: list[Cell] = [
            "Property",
            *([link("era", name)] if self.library.era(name) else name for name in eras),
        ]
        return table(header, rows, "spec-eras")

    def _bug(self, promise: Promise, rule: str, design: str) -> nodes.list_item:
        words: list[nodes.Node | str] = [link("rule", rule, code=False)]
        exhibit = self.library.exhibit(design)
        if exhibit is not None:
            words += [", as the design ", link("design", design)]
            for position, broken in enumerate(breaks_of(promise, exhibit)):
                words += [": " if position == 0 else "; "]
                words += [link("property", broken.property), f" after {broken.steps} steps on "]
                words += [link("instance", broken.instance)]
        reason = promise.why.get(rule) or promise.why.get(design)
        words += [". ", *self.sentence(reason)] if reason else ["."]
        return nodes.list_item("", paragraph(*words))
