"""What hand-written pages take from the specification: its own sentences, and its own runs.

.. says:: Channel.flush             what the docstring of a step, property or event says
.. witness:: AckCoversSeveral       the shortest run in which a situation comes up
.. trace-legend::                   what the marks in such a run mean
"""

from __future__ import annotations

from docutils import nodes
from sphinx.util import logging

from specdoc.checking import CheckingDirective
from specdoc.domain import link
from specdoc.markup import SpecDirective
from specdoc.traces import legend

__all__ = ["LegendDirective", "SaysDirective", "WitnessDirective"]

logger = logging.getLogger(__name__)


class SaysDirective(SpecDirective):
    """Quote what the specification says in the docstring of a property, step, machine or event."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the docstring as a quotation with a link to its place."""
        kind, name, doc = self._find(self.arguments[0])
        owner = name.partition(".")[0]
        quote = nodes.block_quote("", *self.prose(doc, owner), classes=["spec-says"])
        quote += nodes.attribution("", "", link(kind, name))
        return [quote]

    def _find(self, name: str) -> tuple[str, str, str]:
        lib = self.library
        claim, step, machine = lib.claim(name), lib.step(name), lib.machine(name)
        event = next((e for e in lib.events if e.__name__ == name), None)
        if claim is not None:
            return "property", name, claim.doc
        if step is not None:
            return "step", name, step.doc
        if machine is not None:
            return "machine", name, machine.decl.doc
        if event is not None:
            return "event", name, event.__doc__ or ""
        raise self.error(f"the specification has no {name!r} that could say something")


class WitnessDirective(CheckingDirective):
    """Show the shortest run that comes to a `@reachable` situation."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the run as a table."""
        claim = self.library.claim(self.arguments[0])
        if claim is None or claim.decl.kind != "reachable":
            raise self.error(f"{self.arguments[0]!r} is no situation that must be reachable")
        found = self.witness(claim)
        if not found:
            logger.warning(
                "no instance that is small enough comes to %s",
                claim.name,
                location=self.get_location(),
            )
        return found


class LegendDirective(SpecDirective):
    """Say what the marks in the table of a run mean."""

    def run(self) -> list[nodes.Node]:
        """Return the legend as one paragraph."""
        return [legend()]
