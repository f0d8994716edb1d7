"""Pages of the eras: the table of what holds where, and the counterexamples of each era.

To make the table takes minutes, so a build reads it from a file that `ackproof eras --json` wrote.
What the file says is taken as said only where it is of this specification: a digest that differs is
a warning.  Its runs are replayed in plain Python in every build, like all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ackproof.model.era_table import KINDS, SCHEMA, differences
from ackproof.model.eras import DOCUMENTED, Era
from ackproof.model.trace import replay
from ackproof.spec.lang.binding import bind
from docutils import nodes
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from specdoc.domain import link
from specdoc.exhibits import DesignDirective
from specdoc.kept import kept_document
from specdoc.library import Exhibit, Library
from specdoc.markup import Cell, SpecDirective, labelled, paragraph, section, table
from specdoc.traces import explanation_nodes, run_nodes

__all__ = [
    "FILE",
    "REMEDY",
    "EraDirective",
    "EraTableDirective",
    "columns_of",
    "kept_table",
    "result_node",
    "scrolling",
]

logger = logging.getLogger(__name__)

#: The file beside the pages, and how it is made.
FILE = "eras.json"
REMEDY = "make it again: ackproof eras --json > docs/eras.json"

_WORDS = {"vacuous": "–"}


def kept_table(env: BuildEnvironment, *, warn: bool = True) -> dict[str, Any] | None:
    """Return the table as it was kept, or None if there is none to be used.

    Args:
        env: knows where the pages are.
        warn: whether to say so then.
    """
    return kept_document(env, FILE, SCHEMA, REMEDY, warn=warn)


def columns_of(lib: Library) -> tuple[Era, ...]:
    """Return the eras that the table should have."""
    return (
        Era(DOCUMENTED, lib.model),
        *(Era(era.name, lib.model, era.design) for era in lib.eras),
    )


class EraTableDirective(SpecDirective):
    """`.. era-table::`: which property holds in which era."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        document = kept_table(self.env)
        if document is None:
            return []
        old = differences(document, columns_of(self.library))
        if old:
            more = f", and {len(old) - 1} more" if len(old) > 1 else ""
            logger.warning("docs/%s is out of date: %s%s; %s", FILE, old[0], more, REMEDY)
        for era in document["eras"]:
            for text in _unexpected(era):
                logger.warning("the era %s is not as it says: %s", era["name"], text)
        header: list[Cell] = ["Property", *(self._heading(e["name"]) for e in document["eras"])]
        return [scrolling(table(header, era_rows(document, self.library), "spec-eras"))]

    def _heading(self, name: str) -> Cell:
        return [link("era", name)] if self.library.era(name) else name


def _unexpected(era: Mapping[str, Any]) -> list[str]:
    wrong = [f"{e['text']}, but {e['found']}" for e in era["expectations"] if not e["came_true"]]
    return [*wrong, *era["surprises"]]


def scrolling(body: nodes.Node) -> nodes.Node:
    """Return a node that can be scrolled sideways."""
    return nodes.container("", body, classes=["spec-scroll"])


def era_rows(document: Mapping[str, Any], lib: Library) -> list[list[Cell]]:
    """Return the rows of the table, those of a kind under a row with its heading."""
    rows: list[list[Cell]] = []
    for kind, heading in KINDS.items():
        of_kind = [p for p in document["properties"] if p["kind"] == kind]
        if of_kind:
            blank: list[Cell] = [""] * len(document["eras"])
            rows.append([nodes.emphasis("", heading), *blank])
        for prop in of_kind:
            name = prop["name"]
            known = lib.is_property(name)
            title: Cell = [link("property", name)] if known else nodes.literal("", name)
            rows.append([title, *(result_node(name, cell, lib) for cell in prop["cells"])])
    return rows


def result_node(name: str, cell: Mapping[str, Any], lib: Library) -> nodes.Node:
    """Return what the table says of a property in an era; a link to the run if it breaks."""
    result = cell["result"]
    text = f"breaks {_fewest(cell)['steps']}" if result == "breaks" else _WORDS.get(result, result)
    shown: nodes.Node = nodes.Text(text)
    if result == "breaks" and lib.era(cell["era"]):
        shown = link("era", f"{cell['era']}.{name}", text, code=False)
    return nodes.inline("", "", shown, classes=["spec-result", f"spec-{result}"])


def _fewest(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = cell["broken"][0]
    return found


def broken_in(document: Mapping[str, Any], era: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the properties that break in an era, each with its cell."""
    return [
        (prop["name"], cell)
        for prop in document["properties"]
        for cell in prop["cells"]
        if cell["era"] == era and cell["result"] == "breaks"
    ]


class EraDirective(DesignDirective):
    """`.. era:: rabbitmq_3_9`: the whole page of one era, title included."""

    def run(self) -> list[nodes.Node]:
        """Return the page as one section."""
        exhibit = self.library.era(self.arguments[0])
        if exhibit is None:
            raise self.error(f"there is no era {self.arguments[0]!r}")
        page = self.opening(exhibit)
        document = kept_table(self.env)
        for name, cell in broken_in(document, exhibit.name) if document else ():
            page += self._broken(exhibit, name, cell, document["runs"] if document else ())
        return [page]

    def _broken(
        self,
        exhibit: Exhibit,
        name: str,
        cell: Mapping[str, Any],
        runs: Sequence[Mapping[str, Any]],
    ) -> nodes.section:
        first, *others = cell["broken"]
        part = section(name, f"{name} breaks on {first['instance']}")
        sentence: list[nodes.Node | str] = [*_where(first)]
        for number, place in enumerate(others):
            sentence += ["; also " if number == 0 else ", ", *_where(place)]
        part += paragraph("False ", *sentence, ".")
        instance = self.library.instance(first["instance"])
        digests = {(r["era"], r["instance"]): r["digest"] for r in runs}
        if instance is not None:
            bound = bind(self.library.model, instance, exhibit.design)
            # A path means something in its own program only; the table warns that it is old.
            if bound.digest() == digests.get((exhibit.name, instance.name)):
                cycle = cell["cycle"]
                trace = replay(bound, name, cell["path"], cycle["path"] if cycle else ())
                part += labelled("Shortest counterexample", run_nodes(trace))
                part += explanation_nodes(trace)
        return part


def _where(place: Mapping[str, Any]) -> list[nodes.Node | str]:
    count = place["steps"]
    steps = "1 step" if count == 1 else f"{count} steps"
    return ["on ", link("instance", place["instance"]), f" after {steps}"]
