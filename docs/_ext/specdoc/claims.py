"""Pages of the properties and of the rules: the two indexes into what the specification claims."""

from __future__ import annotations

import inspect
from itertools import groupby

from ackproof.spec.lang import Breaks, ir
from ackproof.spec.lang.program import VarDecl
from ackproof.spec.lang.properties import BUILT_IN
from ackproof.spec.lang.types import ProcT
from docutils import nodes
from sphinx.util import logging

from specdoc import rules
from specdoc.checking import CheckingDirective
from specdoc.describe import type_text
from specdoc.domain import link
from specdoc.library import Claim, Library, Machine
from specdoc.markup import (
    Cell,
    SpecDirective,
    code,
    labelled,
    paragraph,
    section,
    table,
)
from specdoc.source import body_of, display_path, note_of

__all__ = ["PropertyDirective", "PropertyTable", "RuleIndex", "ghosts_in"]

logger = logging.getLogger(__name__)

_KINDS = {
    "invariant": "invariant: true of every state",
    "step": "step property: true of every step",
    "reachable": "reachable: some run must come there",
}


def _kind(claim: Claim) -> str:
    words = _KINDS[claim.decl.kind]
    if claim.decl.event is not None and claim.decl.kind == "step":
        return f"step property: true whenever {claim.decl.event.type!r} is shown"
    return words


def ghosts_in(claim: Claim, lib: Library) -> list[tuple[Machine, VarDecl]]:
    """Return the ghosts that a property's formula reads, in the order of their declarations."""
    read = {
        (node.obj.type.name, node.name)
        for node in ir.walk(claim.decl.body)
        if isinstance(node, ir.Field) and isinstance(node.obj.type, ProcT)
    }
    return [
        (machine, variable)
        for machine in lib.machines
        for variable in machine.decl.variables
        if variable.ghost and (machine.name, variable.name) in read
    ]


class PropertyDirective(CheckingDirective):
    """`.. property:: SettledOnce`: the whole page of one property, title included."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the page as one section."""
        claim = self.library.claim(self.arguments[0])
        if claim is None:
            raise self.error(f"there is no property {self.arguments[0]!r}")
        page = section(claim.name, claim.name)
        page += paragraph(
            nodes.inline("", _kind(claim), classes=["spec-badge", f"spec-{claim.decl.kind}"]),
            classes=["spec-signature"],
        )
        page += self.prose(claim.doc)
        body = body_of(claim.function)
        page += labelled("Formula", [code(f"{body.guard}{body.effect}")])
        file = display_path(inspect.getsourcefile(claim.function) or "")
        page += paragraph(
            nodes.literal("", f"{file}:{claim.decl.span.line}"), classes=["spec-where"]
        )
        page += labelled("History that it reads", self._ghosts(claim))
        page += labelled("Broken by", self._breakers(claim))
        if claim.decl.kind == "reachable":
            page += labelled("A shortest run that comes there", self.witness(claim))
        return [page]

    def _ghosts(self, claim: Claim) -> list[nodes.Node]:
        """Return what is known of each ghost in the formula: its place, type and meaning."""
        rows: list[list[Cell]] = []
        for machine, variable in ghosts_in(claim, self.library):
            note = note_of(machine.cls, variable.name)
            place = link("machine", machine.name, f"{machine.name}.{variable.name}")
            rows.append([[place], nodes.literal("", type_text(variable.type)), self.sentence(note)])
        return [table(["Ghost", "Type", "Meaning"], rows)] if rows else []

    def _breakers(self, claim: Claim) -> list[nodes.Node]:
        items = [
            nodes.list_item(
                "",
                paragraph(link("design", exhibit.name), ": ", *self.sentence(exhibit.design.claim)),
            )
            for exhibit in self.library.exhibits
            if any(
                isinstance(e, Breaks) and e.property == claim.name for e in exhibit.design.expect
            )
        ]
        return [nodes.bullet_list("", *items)] if items else []


class PropertyTable(SpecDirective):
    """`.. properties::`: all properties under their headings, then those of the checker."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each heading."""
        found: list[nodes.Node] = []
        for heading, claims in groupby(self.library.claims, key=lambda c: c.section):
            title = heading[:1].upper() + heading[1:] if heading else "Properties"
            part = section(f"about-{title}".replace(" ", "-"), title)
            part += table(
                ["Property", "Kind", "Claim"],
                [
                    [
                        [link("property", c.name)],
                        c.decl.kind,
                        self.sentence(c.doc.partition("\n\n")[0]),
                    ]
                    for c in claims
                ],
                "spec-properties",
            )
            found.append(part)
        part = section("built-in", "What the checker always asks")
        for name, doc in BUILT_IN.items():
            entry = section(name, nodes.literal("", name))
            entry += paragraph(doc)
            part += entry
        return [*found, part]


class RuleIndex(SpecDirective):
    """`.. rules::`: every rule that is cited, with the places that cite it."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each chapter."""
        by_rule: dict[str, list[rules.Citation]] = {}
        for citation in rules.citations(self.library):
            if rules.chapter_of(citation.rule) is None:
                logger.warning(
                    "%s %s cites %s, which is no rule of docs/rules.toml",
                    citation.kind,
                    citation.target,
                    citation.rule,
                )
            else:
                by_rule.setdefault(citation.rule, []).append(citation)
        found: list[nodes.Node] = []
        for chapter in rules.chapters():
            cited = sorted((r for r in by_rule if rules.chapter_of(r) == chapter), key=rules.order)
            if cited:
                found.append(self._chapter(chapter, cited, by_rule))
        return found

    def _chapter(
        self, chapter: rules.Chapter, cited: list[str], by_rule: dict[str, list[rules.Citation]]
    ) -> nodes.section:
        part = section(f"chapter-{chapter.letter}", f"{chapter.letter}. {chapter.title}")
        for head, members in groupby(cited, key=rules.section):
            title = chapter.rules.get(head)
            block = section(head, f"{head}. {title}") if title else part
            for rule in members:
                block += self._rule(rule, by_rule[rule], anchored=title is None or rule != head)
            if title:
                part += block
        return part

    def _rule(
        self, rule: str, places: list[rules.Citation], *, anchored: bool
    ) -> nodes.definition_list:
        term = nodes.term("", rule)
        if anchored:
            term["ids"] = [rules.anchor(rule)]
        items = [
            nodes.list_item("", paragraph(link(p.kind, p.target), ": ", *self.sentence(p.sentence)))
            for p in places
        ]
        definition = nodes.definition("", nodes.bullet_list("", *items))
        return nodes.definition_list(
            "", nodes.definition_list_item("", term, definition), classes=["spec-rule"]
        )
