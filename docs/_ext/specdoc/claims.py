"""Pages of the properties: what each claims, how it is written, and what breaks it."""

from __future__ import annotations

import inspect
import sys
from itertools import groupby

from ackproof.lang import Breaks, ir
from ackproof.lang.program import VarDecl
from ackproof.lang.properties import BUILT_IN
from ackproof.lang.source import docstring
from ackproof.lang.types import ProcT
from docutils import nodes

from specdoc.checking import CheckingDirective
from specdoc.describe import type_text
from specdoc.domain import link
from specdoc.library import Claim, Library, Machine, split_doc
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

__all__ = ["PropertyDirective", "PropertyTable", "ghosts_in"]

_KINDS = {
    "invariant": "invariant: true of every state",
    "step": "step property: true of every step",
    "eventually": "eventually: true again and again in every fair run",
    "leads_to": "leads to: what is asked for is answered, in every fair run",
    "reachable": "reachable: some run must come there",
}


def _kind(claim: Claim) -> str:
    decl = claim.decl
    if decl.kind != "step" or not (decl.event or decl.of):
        return _KINDS[decl.kind]
    shown = f"whenever {decl.event.type!r} is shown in a step" if decl.event else "of every step"
    return f"step property: true {shown}{' of ' if decl.of else ''}{' or '.join(decl.of)}"


def ghosts_in(claim: Claim, lib: Library) -> list[tuple[Machine, VarDecl]]:
    """Return the ghosts that a property's formula reads, in the order of their declarations."""
    read = {
        (node.obj.type.name, node.name)
        for part in claim.decl.parts
        for node in ir.walk(part)
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
                paragraph(
                    link(exhibit.kind, exhibit.name), ": ", *self.sentence(exhibit.design.claim)
                ),
            )
            for exhibit in (*self.library.exhibits, *self.library.eras)
            if any(
                isinstance(e, Breaks) and e.property == claim.name for e in exhibit.design.expect
            )
        ]
        return [nodes.bullet_list("", *items)] if items else []


class PropertyTable(SpecDirective):
    """`.. properties::`: all properties under their headings, then those of the checker."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each module, with what it says of itself, and what it claims."""
        found: list[nodes.Node] = []
        for module, claims in groupby(self.library.claims, key=lambda c: c.function.__module__):
            title, lead, rest = split_doc(docstring(sys.modules[module]))
            part = section(module.rpartition(".")[2].replace("_", "-"), title)
            part += [*self.prose(lead), *self.prose(rest)]
            for heading, members in groupby(claims, key=lambda c: c.section):
                name = heading[:1].upper() + heading[1:] if heading else "Properties"
                fragment = f"{part['ids'][0]}-{name}".replace(" ", "-")
                group = section(fragment, name)
                group += self._table(list(members))
                part += group
            found.append(part)
        part = section("built-in", "What the checker always asks")
        for name, doc in BUILT_IN.items():
            entry = section(name, nodes.literal("", name))
            entry += paragraph(doc)
            part += entry
        return [*found, part]

    def _table(self, claims: list[Claim]) -> nodes.Node:
        return table(
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
