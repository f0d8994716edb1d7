"""Pages of the proofs: what is proved of which sizes, with which lemmas, and what that supposes.

To prove everything takes minutes, so a build reads what was proved from a file that
`ackproof prove --json` wrote.  What it says is taken as said only where it is of this specification
and of these lemmas: a digest that differs is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ackproof.proofs.document import SCHEMA
from ackproof.proofs.lemma import Library as Lemmas
from ackproof.proofs.prove import differences
from docutils import nodes
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from specdoc.domain import link
from specdoc.eras import kept_table, scrolling
from specdoc.kept import kept_document
from specdoc.library import Library
from specdoc.markup import Cell, SpecDirective, paragraph, row_of_links, table

__all__ = [
    "FILE",
    "REMEDY",
    "LemmaTable",
    "ProofTable",
    "SuppositionList",
    "kept_proof",
    "known_lemmas",
    "proof_rows",
]

logger = logging.getLogger(__name__)

#: The file beside the pages, and how it is made.
FILE = "proofs.json"
REMEDY = "make it again: ackproof prove --json > docs/proofs.json"


def known_lemmas() -> Lemmas:
    """Return the lemmas of the specification."""
    from ackproof.proofs.lemmas import LIBRARY

    return LIBRARY


def kept_proof(env: BuildEnvironment, *, warn: bool = True) -> dict[str, Any] | None:
    """Return what was proved as it was kept, or None if there is nothing to be used.

    Args:
        env: knows where the pages are.
        warn: whether to say so then.
    """
    return kept_document(env, FILE, SCHEMA, REMEDY, warn=warn)


class ProofTable(SpecDirective):
    """`.. proof-table::`: how each property of states or steps is known to hold, and where not."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        kept, eras = kept_proof(self.env), kept_table(self.env)
        if kept is None or eras is None:
            return []
        for text in differences(kept, self.library.model, known_lemmas()):
            logger.warning("docs/%s is out of date: %s; %s", FILE, text, REMEDY)
        header = ["Property", "Searched on", "Proved for", "Obligations", "Fails in"]
        rows = proof_rows(kept["results"][0], eras, self.library)
        return [scrolling(table(header, rows, "spec-eras", "spec-proofs"))]


def proof_rows(
    proof: Mapping[str, Any], eras: Mapping[str, Any], lib: Library
) -> Iterator[list[Cell]]:
    """Yield the rows of the table: first what is proved, then what is searched only.

    Args:
        proof: what was proved.
        eras: the table of eras, which has what was searched.
        lib: what is documented.
    """
    proved = {p["name"]: p for p in proof["properties"]}
    searched = {p["name"]: p for p in eras["properties"] if p["kind"] in ("invariant", "step")}
    instances = {r["instance"] for r in eras["runs"] if r["era"] == "documented"}
    for name in sorted(searched, key=lambda n: n not in proved):
        holds = any(
            c["era"] == "documented" and c["result"] == "holds" for c in searched[name]["cells"]
        )
        one = proved.get(name)
        yield [
            [link("property", name)] if lib.is_property(name) else nodes.literal("", name),
            _several(len(instances)) if holds else "–",
            _proved_for(one, searched=holds),
            f"{one['proved']} of {one['obligations']}" if one else "–",
            _failing(name, searched[name], lib),
        ]


def _several(count: int) -> str:
    return "1 instance" if count == 1 else f"{count} instances"


def _proved_for(one: Mapping[str, Any] | None, *, searched: bool) -> Cell:
    if one is not None and one["verdict"] == "proved":
        return nodes.inline("", "any sizes", classes=["spec-result", "spec-holds"])
    if one is not None and one["verdict"] == "restricted":
        said = f"any sizes that meet {', '.join(one['restricted'])}; the sizes of these for all"
        return nodes.inline("", said, classes=["spec-result", "spec-holds"])
    if one is not None:
        fails = ", ".join(one["fails"][:2]) + (", …" if len(one["fails"]) > 2 else "")
        said = f"{one['verdict']} at {fails}" if fails else one["verdict"]
        said = f"the sizes of these; for all {said}" if searched else said
        return nodes.inline("", said, classes=["spec-result", "spec-vacuous"])
    return "the sizes of these" if searched else "–"


def _failing(name: str, prop: Mapping[str, Any], lib: Library) -> Cell:
    """Return links to the eras in which a property breaks."""
    broken = [c["era"] for c in prop["cells"] if c["result"] == "breaks"]
    links = [link("era", f"{era}.{name}", era, code=False) for era in broken if lib.era(era)]
    return row_of_links(links) if links else "–"


class LemmaTable(SpecDirective):
    """`.. lemmas::`: what had to be known besides the properties to prove them."""

    def run(self) -> list[nodes.Node]:
        """Return a table of the lemmas, and whether one was written or found."""
        kept = kept_proof(self.env, warn=False)
        rows: list[list[Cell]] = [
            [
                nodes.literal("", lemma["name"]),
                self.sentence(lemma["doc"].strip().partition("\n\n")[0]),
                ", ".join(lemma["by"]) or "–",
                lemma["origin"],
            ]
            for lemma in (kept["results"][0]["lemmas"] if kept else ())
        ]
        header = ["Lemma", "What it says", "Proved with", "Was"]
        return [scrolling(table(header, rows, "spec-lemmas"))] if rows else []


class SuppositionList(SpecDirective):
    """`.. suppositions::`: what every proof supposes, and what it leaves open."""

    def run(self) -> list[nodes.Node]:
        """Return lists of what is supposed, what is taken from the checker, what is abstracted."""
        kept = kept_proof(self.env, warn=False)
        if kept is None:
            return []
        proof = kept["results"][0]
        found: list[nodes.Node] = [paragraph("Sizes: ", f"{proof['sizes']}.")]
        supposed = [
            paragraph(nodes.literal("", one["name"]), ": ", *self.sentence(one["doc"]))
            for one in proof["supposed"]
        ]
        for heading, said in (
            ("Supposed of the constants:", supposed),
            ("Taken from the checker:", [paragraph(*self.sentence(t)) for t in proof["taken"]]),
            ("Left open:", [paragraph(*self.sentence(t)) for t in proof["abstractions"]]),
        ):
            if said:
                items = [nodes.list_item("", one) for one in said]
                found += [paragraph(heading), nodes.bullet_list("", *items)]
        return found
