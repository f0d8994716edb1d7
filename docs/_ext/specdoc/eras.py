"""Pages of the eras: the table of what holds where, and the counterexamples of each era."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ackproof.model.era_table import KINDS
from ackproof.model.eras import DOCUMENTED
from ackproof.model.trace import Trace
from docutils import nodes
from sphinx.util import logging

from specdoc.checking import CheckingDirective
from specdoc.domain import link
from specdoc.exhibits import DesignDirective
from specdoc.library import Library
from specdoc.markup import Cell, labelled, paragraph, section, table
from specdoc.traces import explanation_nodes, run_nodes

__all__ = ["EraDirective", "EraTableDirective", "era_rows", "result_node", "scrolling"]

logger = logging.getLogger(__name__)

_WORDS = {"vacuous": "–"}


class EraTableDirective(CheckingDirective):
    """`.. era-table::`: which property holds in which era."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        document = self.evidence.document
        for text in _miscounted(document, self.library):
            logger.warning("%s", text)
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


def _miscounted(document: Mapping[str, Any], lib: Library) -> Iterator[str]:
    """Yield what instances say of their number of states that the specification does not have."""
    for run in document["runs"]:
        instance = lib.instance(run["instance"])
        said = instance.states if instance else None
        if run["era"] == DOCUMENTED and said is not None and said != run["states"]:
            yield f"the instance {run['instance']} has {run['states']:,} states, and says {said:,}"


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


class EraDirective(DesignDirective):
    """`.. era:: rabbitmq_3_9`: the whole page of one era, title included."""

    def run(self) -> list[nodes.Node]:
        """Return the page as one section."""
        exhibit = self.library.era(self.arguments[0])
        if exhibit is None:
            raise self.error(f"there is no era {self.arguments[0]!r}")
        page = self.opening(exhibit)
        era = next(e for e in self.evidence.eras if e.name == exhibit.name)
        table = self.evidence.table
        for row in table.rows:
            cell = table.cell(row.name, era)
            if cell.trace is not None:
                page += _broken(row.name, cell.broken, cell.trace)
        return [page]


def _broken(name: str, broken: Sequence[tuple[str, int]], trace: Trace) -> nodes.section:
    """Return where a property breaks, as instances with numbers of steps, and the first run."""
    first, *others = broken
    part = section(name, f"{name} breaks on {first[0]}")
    sentence: list[nodes.Node | str] = [*_where(*first)]
    for number, place in enumerate(others):
        sentence += ["; also " if number == 0 else ", ", *_where(*place)]
    part += paragraph("False ", *sentence, ".")
    part += labelled("Shortest counterexample", run_nodes(trace))
    part += explanation_nodes(trace)
    return part


def _where(instance: str, count: int) -> list[nodes.Node | str]:
    steps = "1 step" if count == 1 else f"{count} steps"
    return ["on ", link("instance", instance), f" after {steps}"]
