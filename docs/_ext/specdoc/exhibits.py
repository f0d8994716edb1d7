"""Pages of the designs: claim, source, the change as a diff, what is expected, and the proof."""

from __future__ import annotations

import difflib
import inspect

from ackproof.lang import Breaks, Holds
from ackproof.lang.process import mark_of
from ackproof.lang.source import docstring
from ackproof.model.museum import Judgement
from ackproof.model.trace import Trace
from docutils import nodes

from specdoc.checking import CheckingDirective
from specdoc.domain import link
from specdoc.library import Exhibit
from specdoc.markup import Cell, code, labelled, paragraph, section, table
from specdoc.source import display_path, source_text
from specdoc.traces import explanation_nodes, run_nodes

__all__ = ["DesignDirective", "DesignTable", "changes_of"]


def changes_of(exhibit: Exhibit) -> list[tuple[str, str]]:
    """Return for each method that a design defines its place and its text against the base's.

    The place is where what it overrides is written.  A method that overrides another is given as a
    unified diff, a new one as its text with `+`.
    """
    found = []
    for cls in exhibit.design.replace:
        base = cls.__mro__[1]
        for name, function in vars(cls).items():
            inherited = getattr(base, name, None)
            if not inspect.isfunction(function) or mark_of(inherited or function) is None:
                continue
            old = source_text(inherited).splitlines() if inspect.isfunction(inherited) else []
            new = source_text(function).splitlines()
            lines = list(difflib.unified_diff(old, new, n=100, lineterm=""))[3:]
            place = getattr(inherited, "__qualname__", f"{base.__name__}.{name}")
            found.append((place, "\n".join(lines)))
    return found


class DesignDirective(CheckingDirective):
    """`.. design:: ack_after_write`: the whole page of one design, title included."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the page as one section."""
        exhibit = self.library.exhibit(self.arguments[0])
        if exhibit is None:
            raise self.error(f"there is no design {self.arguments[0]!r}")
        page = self.opening(exhibit)
        for expectation, judgement in self.judgements(exhibit, warn=True):
            page += self._result(expectation, judgement)
        return [page]

    def opening(self, exhibit: Exhibit) -> nodes.section:
        """Return the page up to what was found: claim, source, prose, and what it changes."""
        page = section(exhibit.name, exhibit.name)
        page += paragraph(*self.sentence(exhibit.design.claim), classes=["spec-claim"])
        if exhibit.design.source:
            page += paragraph("Source: ", *self.sentence(exhibit.design.source))
        page += paragraph(
            nodes.literal("", display_path(exhibit.module.__file__ or "")), classes=["spec-where"]
        )
        page += self.prose(docstring(exhibit.module))
        page += self._changes(exhibit)
        return page

    def _changes(self, exhibit: Exhibit) -> nodes.section:
        part = section("change", "What it changes")
        for key, diff in changes_of(exhibit):
            known = self.library.step(key) is not None
            name = link("step", key) if known else nodes.literal("", key)
            part += paragraph(name, classes=["spec-label"])
            part += code(diff, "diff")
        constants = exhibit.design.constants.items()
        if constants:
            part += table(
                ["Constant", "Value"], [[nodes.literal("", n), str(v)] for n, v in constants]
            )
        return part

    def _result(self, expectation: Breaks | Holds, judgement: Judgement) -> nodes.section:
        verb = "breaks" if isinstance(expectation, Breaks) else "holds"
        subject = expectation.property or "Every property"
        part = section(
            f"{subject}-{expectation.instance}", f"{subject} {verb} on {expectation.instance}"
        )
        part += paragraph(
            "Checked on ",
            link("instance", expectation.instance),
            f", {judgement.report.outcome.states:,} distinct states seen: {judgement.found}.",
        )
        trace = _trace(expectation, judgement)
        if trace is not None:
            part += labelled("Shortest counterexample", run_nodes(trace))
            part += explanation_nodes(trace)
        return part


def _trace(expectation: Breaks | Holds, judgement: Judgement) -> Trace | None:
    """Return the counterexample to a property that was expected to break, if it did."""
    traces = judgement.report.traces if isinstance(expectation, Breaks) else ()
    return next((t for t in traces if t.property == expectation.property), None)


class DesignTable(CheckingDirective):
    """`.. designs::`: a table of all designs and what became of them."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = []
        for exhibit in self.library.exhibits:
            results: list[nodes.Node] = []
            for expectation, judgement in self.judgements(exhibit, warn=False):
                subject: nodes.Node = nodes.Text("every property")
                if expectation.property:
                    subject = link("property", expectation.property)
                verb = " breaks on " if isinstance(expectation, Breaks) else " holds on "
                trace = _trace(expectation, judgement)
                steps = f" after {len(trace.steps)} steps" if trace is not None else ""
                results.append(
                    paragraph(subject, verb, link("instance", expectation.instance), steps)
                )
            row: list[Cell] = [
                [link("design", exhibit.name)],
                self.sentence(exhibit.design.claim),
                results or "",
            ]
            rows.append(row)
        return [table(["Design", "Claim", "What the checker says"], rows, "spec-designs")]
