"""Pages of the proofs: what is proved of which sizes, with which lemmas, and what that assumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from docutils import nodes

from specdoc.checking import CheckingDirective
from specdoc.domain import link
from specdoc.eras import scrolling
from specdoc.library import Library
from specdoc.markup import Cell, paragraph, row_of_links, table

__all__ = ["AssumptionList", "LemmaTable", "ProofTable", "proof_rows"]


class ProofTable(CheckingDirective):
    """`.. proof-table::`: how each property is known to hold, and where not."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        [proof] = self.evidence.proof["results"]
        header = ["Property", "Searched on", "Proved for", "Obligations", "Fails in"]
        rows = proof_rows(proof, self.evidence.document, self.library)
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
    apart = ("reachable", "built-in")
    searched = {p["name"]: p for p in eras["properties"] if p["kind"] not in apart}
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
    if one is not None and one["verdict"] in ("proved", "restricted"):
        said = "any sizes"
        if one["restricted"]:
            said += f" that meet {', '.join(one['restricted'])}; the sizes of these for all"
        if one["fair"]:
            said += f", under weak fairness of {', '.join(one['fair'])}"
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


class LemmaTable(CheckingDirective):
    """`.. lemmas::`: what had to be known besides the properties to prove them."""

    def run(self) -> list[nodes.Node]:
        """Return a table of the lemmas, and whether one was written or found."""
        [proof] = self.evidence.proof["results"]
        rows: list[list[Cell]] = [
            [
                nodes.literal("", lemma["name"]),
                self.sentence(lemma["doc"].strip().partition("\n\n")[0]),
                ", ".join(lemma["by"]) or "–",
                lemma["origin"],
            ]
            for lemma in proof["lemmas"]
        ]
        header = ["Lemma", "What it says", "Proved with", "Was"]
        return [scrolling(table(header, rows, "spec-lemmas"))] if rows else []


class AssumptionList(CheckingDirective):
    """`.. assumptions::`: what every proof assumes, and what it leaves open."""

    def run(self) -> list[nodes.Node]:
        """Return lists of what is assumed, what is relied on, what is abstracted."""
        [proof] = self.evidence.proof["results"]
        found: list[nodes.Node] = [paragraph("Sizes: ", f"{proof['sizes']}.")]
        assumed = [
            paragraph(nodes.literal("", one["name"]), ": ", *self.sentence(one["doc"]))
            for one in proof["assumptions"]
        ]
        for heading, said in (
            ("Assumed of the constants:", assumed),
            (
                "Relied on:",
                [paragraph(*self.sentence(t)) for t in proof["relies_on"]],
            ),
            ("Left open:", [paragraph(*self.sentence(t)) for t in proof["abstractions"]]),
        ):
            if said:
                items = [nodes.list_item("", one) for one in said]
                found += [paragraph(heading), nodes.bullet_list("", *items)]
        return found
