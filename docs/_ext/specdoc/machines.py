"""Pages of the machines: chapter, state, and every step with its guard, effect and calls.

A machine that extends another class of the specification is made of layers.  Each layer has a page
of its own, with what it adds; what it overrides and what overrides it is a link away.
"""

from __future__ import annotations

import inspect
from itertools import groupby

from ackproof.lang.types import FamilyT
from docutils import nodes

from specdoc.calls import WIRE, callers, rows_of
from specdoc.charts import sequence_chart
from specdoc.describe import Uses, initial_text, type_text, uses_of
from specdoc.domain import link
from specdoc.library import Layer, Machine, Step, split_doc
from specdoc.markup import (
    Cell,
    SpecDirective,
    code,
    labelled,
    paragraph,
    row_of_links,
    section,
    table,
)
from specdoc.source import body_of, display_path, note_of

__all__ = ["MachineDirective", "MachineTable", "StepMatrix"]

_KIND_WORDS = {
    "action": "action",
    "fault": "fault",
    "handler": "handler",
    "observer": "observer",
    "helper": "helper",
}


class MachineDirective(SpecDirective):
    """`.. machine:: Channel`: the whole page of one machine or layer, title included."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the page as one section."""
        found = self.library.layer(self.arguments[0])
        if found is None:
            raise self.error(f"there is no machine {self.arguments[0]!r}")
        machine, layer = found
        title, lead, rest = split_doc(layer.chapter)
        page = section(layer.name, title)
        if lead:
            page += self.prose(lead, layer.name)
        file = inspect.getsourcefile(layer.cls) or ""
        page += paragraph(
            "class ",
            nodes.literal(layer.name, layer.name),
            " in ",
            nodes.literal("", display_path(file)),
            *_neighbours(machine, layer),
            classes=["spec-where"],
        )
        page += self.prose(rest, layer.name)
        page += self._state(machine, layer)
        page += self._steps(machine, layer)
        return [page]

    def _state(self, machine: Machine, layer: Layer) -> nodes.section:
        part = section("state", "State")
        part += self.prose(layer.doc, layer.name)
        variables = [v for v in machine.decl.variables if layer.declares(v.name)]
        writers = _writers(machine)
        notes = {v.name: note_of(machine.cls, v.name) for v in variables}
        rows: list[list[Cell]] = []
        for v in variables:
            mark = "ghost" if v.ghost else "const" if v.const else ""
            changed = row_of_links(
                link("step", s.place, s.name if s.layer == layer.name else s.place)
                for s in writers.get(v.name, ())
            )
            cells: list[Cell] = [
                nodes.literal("", v.name),
                nodes.literal("", type_text(v.type)),
                initial_text(v),
                _badge(mark) if mark else "",
                changed or ("the instance or the design" if v.const else "other machines"),
            ]
            rows.append([*cells, self.sentence(notes[v.name])] if any(notes.values()) else cells)
        header = ["Variable", "Type", "Starts as", "", "Changed by"]
        if any(notes.values()):
            header.append("Meaning")
        if rows:
            part += table(header, rows, "spec-state")
        part += self._parts(machine, layer)
        return part

    def _parts(self, machine: Machine, layer: Layer) -> list[nodes.Node]:
        rows: list[list[Cell]] = []
        for name, t in machine.decl.parts:
            if not layer.declares(name):
                continue
            proc = t.proc.name if isinstance(t, FamilyT) else t.name
            many = f"one for each {t.key.name}" if isinstance(t, FamilyT) else "one"
            rows.append([nodes.literal("", name), link("machine", proc), many])
        return [table(["Part", "Machine", "How many"], rows)] if rows else []

    def _steps(self, machine: Machine, layer: Layer) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        called_by = callers(self.library.program)
        for heading, steps in groupby(layer.steps, key=lambda s: s.section):
            title = heading[:1].upper() + heading[1:] if heading else "Steps"
            part = section(f"part-{heading or 'steps'}".replace(" ", "-"), title)
            for step in steps:
                part += self._step(machine, step, called_by)
            found.append(part)
        return found

    def _step(
        self, machine: Machine, step: Step, called_by: dict[tuple[str, str], tuple[str, ...]]
    ) -> nodes.section:
        entry = section(step.name, nodes.literal("", step.name), classes=["spec-step"])
        entry += paragraph(
            _badge(_KIND_WORDS[step.kind]),
            *([_badge(f"{step.fair}ly fair")] if step.fair else []),
            " ",
            nodes.literal("", step.signature),
            classes=["spec-signature"],
        )
        entry += self.prose(step.doc, step.layer)
        body = body_of(step.function)
        if step.kind == "helper":
            entry += labelled("Value", [code(body.guard + body.effect)])
            entry += _fields([*_versions(machine, step)])
            return entry
        if body.guard:
            entry += labelled("Enabled when", [code(body.guard)])
        entry += labelled("Effect", [code(body.effect)])
        if step.method is not None:
            entry += self._relations(machine, step, uses_of(step.method), called_by)
            rows = rows_of(self.library.program, machine.name, step.method)
            if {r.target for r in rows} - {machine.name, WIRE}:
                entry += sequence_chart(machine.name, rows, f"What {step.key} calls, in order")
        return entry

    def _relations(
        self,
        machine: Machine,
        step: Step,
        uses: Uses,
        called_by: dict[tuple[str, str], tuple[str, ...]],
    ) -> list[nodes.Node]:
        lines = _versions(machine, step)
        causes = [link("step", c) for c in called_by.get((machine.name, step.name), ())]
        if step.method is not None and step.method.event is not None:
            causes.insert(0, link("event", step.method.event.name))
        lines.append(("Caused by", row_of_links(causes)))
        lines.append(
            (
                "Calls",
                row_of_links(
                    link("step", f"{owner}.{name}", name if owner == machine.name else None)
                    for owner, name in uses.calls
                ),
            )
        )
        lines.append(("Shows", row_of_links(link("event", e) for e in uses.emits)))
        lines.append(
            (
                "Changes",
                row_of_links(
                    nodes.literal("", name if owner == machine.name else f"{owner}.{name}")
                    for owner, name in uses.writes
                ),
            )
        )
        return _fields(lines)


def _fields(lines: list[tuple[str, list[nodes.Node]]]) -> list[nodes.Node]:
    items = [
        nodes.field("", nodes.field_name("", label), nodes.field_body("", paragraph(*links)))
        for label, links in lines
        if links
    ]
    return [nodes.field_list("", *items)] if items else []


def _versions(machine: Machine, step: Step) -> list[tuple[str, list[nodes.Node]]]:
    """Return which version of a step this one overrides, and which ones override it."""
    versions = machine.versions(step.name)
    at = versions.index(step)
    before, after = versions[max(at - 1, 0) : at], versions[at + 1 :]
    return [
        ("Extends", row_of_links(link("step", s.place) for s in before)),
        ("Extended by", row_of_links(link("step", s.place) for s in after)),
    ]


def _neighbours(machine: Machine, layer: Layer) -> list[nodes.Node | str]:
    """Return the words that lead to the classes that a layer extends, and that extend it."""
    at = machine.layers.index(layer)
    words: list[nodes.Node | str] = []
    if at:
        words += [", extends ", link("machine", machine.layers[at - 1].name)]
    if at + 1 < len(machine.layers):
        words += [", extended by ", link("machine", machine.layers[at + 1].name)]
    return words


def _badge(text: str) -> nodes.inline:
    return nodes.inline(text, text, classes=["spec-badge", f"spec-{text.split()[-1]}"])


def _writers(machine: Machine) -> dict[str, list[Step]]:
    """Return for each variable the machine's own steps that change it."""
    found: dict[str, list[Step]] = {}
    for step in (s for layer in machine.layers for s in layer.steps):
        if step.method is not None:
            for owner, name in uses_of(step.method).writes:
                if owner == machine.name:
                    found.setdefault(name, []).append(step)
    return found


class MachineTable(SpecDirective):
    """`.. machines::`: a table of all machines, each with the classes that it is made of."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows: list[list[Cell]] = []
        for machine in self.library.machines:
            rows.append(self._row(machine, machine.layers[-1]))
            if len(machine.layers) > 1:
                rows += [self._row(machine, layer) for layer in machine.layers[:-1]]
        header = ["Machine", "What it is", "Variables", "Actions", "Handlers"]
        return [table(header, rows, "spec-numbers")]

    def _row(self, machine: Machine, layer: Layer) -> list[Cell]:
        title, lead, _ = split_doc(layer.chapter)
        base = layer is not machine.layers[-1]
        variables = [v for v in machine.decl.variables if layer.declares(v.name)]
        kinds = [step.kind for step in layer.steps]
        return [
            [nodes.Text("… " if base else ""), link("machine", layer.name)],
            [nodes.strong("", title), nodes.Text(". "), *self.sentence(lead)],
            str(len(variables)),
            str(kinds.count("action") + kinds.count("fault")),
            str(kinds.count("handler")),
        ]


class StepMatrix(SpecDirective):
    """`.. step-matrix::`: which action reaches which machine, by which handlers."""

    def run(self) -> list[nodes.Node]:
        """Return a table with a row for each action of the system."""
        root = self.library.machines[0]
        others = [m.name for m in self.library.machines[1:]]
        rows: list[list[Cell]] = []
        for step in root.steps:
            if step.method is None or step.kind not in {"action", "fault"}:
                continue
            reached = rows_of(self.library.program, root.name, step.method)
            cells: list[list[nodes.Node]] = []
            for other in others:
                names = dict.fromkeys(r.label for r in reached if r.target == other)
                cells.append(row_of_links(link("step", f"{other}.{n}", n) for n in names))
            wire = dict.fromkeys(r.label for r in reached if r.kind == "emit")
            rows.append(
                [
                    [link("step", step.key, step.name)],
                    *(c or "" for c in cells),
                    row_of_links(link("event", e) for e in wire) or "",
                ]
            )
        body = table(["Action", *others, "Wire"], rows, "spec-matrix")
        return [nodes.container("", body, classes=["spec-scroll"])]
