"""Pages of the instances, and the page of the vocabulary: sorts, enumerations, wire events."""

from __future__ import annotations

import dataclasses
import inspect
from enum import Enum

from ackproof.lang import Breaks, Instance
from ackproof.lang.binding import Bound, bind
from ackproof.lang.source import docstring
from docutils import nodes

from specdoc.describe import initial_text
from specdoc.domain import link
from specdoc.library import split_doc
from specdoc.markup import (
    Cell,
    SpecDirective,
    labelled,
    paragraph,
    row_of_links,
    section,
    table,
)

__all__ = ["EventList", "InstanceDirective", "InstanceTable", "SortList"]


def _count(number: int | None) -> str:
    return "not counted" if number is None else f"{number:,}"


class _Instance(SpecDirective):
    """What the page and the table share."""

    def bound(self, instance: Instance) -> Bound:
        """Return the model at the sizes of an instance."""
        return bind(self.library.model, instance, program=self.library.program)

    def faults(self, instance: Instance) -> list[nodes.Node]:
        """Return the faults that may happen, as links."""
        root = self.library.machines[0].name
        return row_of_links(
            nodes.inline("", "", link("step", f"{root}.{name}", name), nodes.Text(f" ×{budget}"))
            for name, budget in instance.faults.items()
            if budget
        )


class InstanceDirective(_Instance):
    """`.. instance:: core`: the whole page of one instance, title included."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the page as one section."""
        instance = self.library.instance(self.arguments[0])
        if instance is None:
            raise self.error(f"there is no instance {self.arguments[0]!r}")
        bound = self.bound(instance)
        page = section(instance.name, instance.name)
        page += paragraph(*self.sentence(instance.purpose), classes=["spec-claim"])
        page += table(
            ["Sort", "Elements"],
            [
                [nodes.literal("", sort), ", ".join(map(str, elements))]
                for sort, elements in bound.elements.items()
            ],
        )
        page += table(
            ["What", "How many"],
            [
                ["distinct states", _count(instance.states)],
                ["variables, counted in every member of a family", f"{len(bound.locations):,}"],
                ["actions with all choices of their arguments", f"{len(bound.instances()):,}"],
                ["properties checked", f"{len(bound.properties):,}"],
            ],
            "spec-facts",
        )
        page += self._faults(instance)
        page += self._constants(bound, instance)
        page += labelled("Too small for", self._lacks(instance))
        page += labelled("Designs that break here", self._breaks(instance))
        return [page]

    def _faults(self, instance: Instance) -> list[nodes.Node]:
        root = self.library.machines[0].name
        rows: list[list[Cell]] = []
        for action in self.library.program.actions:
            if action.kind == "fault":
                budget = instance.faults.get(action.name, 0)
                rows.append(
                    [
                        [link("step", f"{root}.{action.method}", action.name)],
                        f"at most {budget}" if budget else "never",
                    ]
                )
        return [table(["Fault", "May happen"], rows)] if rows else []

    def _constants(self, bound: Bound, instance: Instance) -> list[nodes.Node]:
        rows: list[list[Cell]] = []
        for process in self.library.program.processes:
            for v in process.variables:
                if not v.const:
                    continue
                name = f"{process.name}.{v.name}"
                given = name in instance.constants
                value = str(instance.constants[name]) if given else initial_text(v)
                rows.append([nodes.literal("", name), value, "" if given else "the default"])
        return [table(["Constant", "Value", ""], rows)] if rows else []

    def _lacks(self, instance: Instance) -> list[nodes.Node]:
        root = self.library.machines[0].name
        found = row_of_links(
            link("property", name)
            if self.library.is_property(name)
            else link("step", f"{root}.{name}", name)
            for name in instance.lacks
        )
        return [paragraph(*found)] if found else []

    def _breaks(self, instance: Instance) -> list[nodes.Node]:
        found = [
            (exhibit, e)
            for exhibit in self.library.exhibits
            for e in exhibit.design.expect
            if isinstance(e, Breaks) and e.instance == instance.name
        ]
        items = [
            nodes.list_item(
                "",
                paragraph(
                    link("design", exhibit.name),
                    " breaks ",
                    link("property", e.property),
                    f" in {e.steps} steps",
                ),
            )
            for exhibit, e in found
        ]
        return [nodes.bullet_list("", *items)] if items else []


class InstanceTable(_Instance):
    """`.. instances::`: a table of all instances."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows: list[list[Cell]] = []
        for instance in self.library.model.instances:
            sizes = ", ".join(f"{n} {s.__name__}" for s, n in instance.sizes.items() if n)
            rows.append(
                [
                    [link("instance", instance.name)],
                    self.sentence(instance.purpose),
                    sizes,
                    self.faults(instance) or "none",
                    _count(instance.states),
                ]
            )
        header = ["Instance", "What it is for", "Sizes", "Faults", "States"]
        return [table(header, rows, "spec-instances")]


class EventList(SpecDirective):
    """`.. events::`: what a publisher can see, with the fields and who shows it."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each event."""
        found: list[nodes.Node] = []
        for event in self.library.events:
            part = section(event.__name__, nodes.literal("", event.__name__))
            fields = ", ".join(
                f"{f.name}: {f.type if isinstance(f.type, str) else f.type.__name__}"
                for f in dataclasses.fields(event)
            )
            part += paragraph(
                nodes.literal("", f"{event.__name__}({fields})"), classes=["spec-signature"]
            )
            part += self.prose(docstring(event))
            found.append(part)
        return found


class SortList(SpecDirective):
    """`.. sorts::`: the sorts and enumerations that the machines speak of."""

    def run(self) -> list[nodes.Node]:
        """Return the chapter of their module and a section for each."""
        modules = {inspect.getmodule(s): None for s in self.library.sorts}
        found: list[nodes.Node] = []
        for module in modules:
            if module is not None:
                _, lead, rest = split_doc(docstring(module))
                found += [*self.prose(lead), *self.prose(rest)]
        for cls in self.library.sorts:
            part = section(cls.__name__, nodes.literal("", cls.__name__))
            part += self.prose(docstring(cls))
            if issubclass(cls, Enum):
                members = row_of_links(nodes.literal("", m.name) for m in cls)
                part += paragraph("Members: ", *members)
            found.append(part)
        return found
