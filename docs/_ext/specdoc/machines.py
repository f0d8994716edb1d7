"""Pages of the machines: chapter, state, and every step with its guard, effect and calls."""

from __future__ import annotations

import inspect
from itertools import groupby

from ackproof.spec.lang.types import FamilyT
from docutils import nodes

from specdoc.calls import WIRE, callers, rows_of
from specdoc.charts import sequence_chart
from specdoc.describe import Uses, initial_text, type_text, uses_of
from specdoc.domain import link
from specdoc.library import Machine, Step, split_doc
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
    """`.. machine:: Channel`: the whole page of one machine, title included."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the page as one section."""
        machine = self.library.machine(self.arguments[0])
        if machine is None:
            raise self.error(f"there is no machine {self.arguments[0]!r}")
        title, lead, rest = split_doc(machine.chapter)
        page = section(machine.name, title)
        if lead:
            page += self.prose(lead, machine.name)
        file = inspect.getsourcefile(machine.cls) or ""
        page += paragraph(
            "class ",
            nodes.literal(machine.name, machine.name),
            " in ",
            nodes.literal("", display_path(file)),
            classes=["spec-where"],
        )
        page += self.prose(rest, machine.name)
        page += self._state(machine)
        page += self._steps(machine)
        return [page]

    def _state(self, machine: Machine) -> nodes.section:
        part = section("state", "State")
        part += self.prose(machine.decl.doc, machine.name)
        writers = _writers(machine)
        notes = {v.name: note_of(machine.cls, v.name) for v in machine.decl.variables}
        rows: list[list[Cell]] = []
        for v in machine.decl.variables:
            mark = "ghost" if v.ghost else "const" if v.const else ""
            changed = row_of_links(link("step", s.key, s.name) for s in writers.get(v.name, ()))
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
        part += self._parts(machine)
        return part

    def _parts(self, machine: Machine) -> list[nodes.Node]:
        rows: list[list[Cell]] = []
        for name, t in machine.decl.parts:
            proc = t.proc.name if isinstance(t, FamilyT) else t.name
            many = f"one for each {t.key.name}" if isinstance(t, FamilyT) else "one"
            rows.append([nodes.literal("", name), link("machine", proc), many])
        return [table(["Part", "Machine", "How many"], rows)] if rows else []

    def _steps(self, machine: Machine) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        called_by = callers(self.library.program)
        for heading, steps in groupby(machine.steps, key=lambda s: s.section):
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
        entry += self.prose(step.doc, machine.name)
        body = body_of(step.function)
        if step.kind == "helper":
            entry += labelled("Value", [code(body.guard + body.effect)])
            return entry
        if body.guard:
            entry += labelled("Enabled when", [code(body.guard)])
        entry += labelled("Effect", [code(body.effect)])
        if step.method is not None:
            entry += self._relations(machine, step, uses_of(step.method), called_by)
            rows = rows_of(self.library.program, machine.name, step.method)
            if {r.target for r in rows} - {machine.name, WIRE}:
                chart = sequence_chart(machine.name, rows, f"What {step.key} calls, in order")
                entry += nodes.raw("", f'<div class="spec-scroll">{chart}</div>', format="html")
        return entry

    def _relations(
        self,
        machine: Machine,
        step: Step,
        uses: Uses,
        called_by: dict[tuple[str, str], tuple[str, ...]],
    ) -> list[nodes.Node]:
        lines: list[tuple[str, list[nodes.Node]]] = []
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
        items = [
            nodes.field("", nodes.field_name("", label), nodes.field_body("", paragraph(*links)))
            for label, links in lines
            if links
        ]
        return [nodes.field_list("", *items)] if items else []


def _badge(text: str) -> nodes.inline:
    return nodes.inline(text, text, classes=["spec-badge", f"spec-{text.split()[-1]}"])


def _writers(machine: Machine) -> dict[str, list[Step]]:
    """Return for each variable the machine's own steps that change it."""
    found: dict[str, list[Step]] = {}
    for step in machine.steps:
        if step.method is not None:
            for owner, name in uses_of(step.method).writes:
                if owner == machine.name:
                    found.setdefault(name, []).append(step)
    return found


class MachineTable(SpecDirective):
    """`.. machines::`: a table of all machines."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows: list[list[Cell]] = []
        for machine in self.library.machines:
            title, lead, _ = split_doc(machine.chapter)
            actions = [s for s in machine.steps if s.kind in {"action", "fault"}]
            handlers = [s for s in machine.steps if s.kind == "handler"]
            rows.append(
                [
                    [link("machine", machine.name)],
                    [nodes.strong("", title), nodes.Text(". "), *self.sentence(lead)],
                    str(len(machine.decl.variables)),
                    str(len(actions)),
                    str(len(handlers)),
                ]
            )
        header = ["Machine", "What it is", "Variables", "Actions", "Handlers"]
        return [table(header, rows, "spec-numbers")]


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
        return [table(["Action", *others, "Wire"], rows, "spec-matrix")]
