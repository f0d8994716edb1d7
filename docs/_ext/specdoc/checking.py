"""What directives share that ask the checker: where findings are kept, and how runs are shown."""

from __future__ import annotations

from pathlib import Path

from ackproof.model.museum import describe
from ackproof.spec.lang import Breaks, Holds, Instance
from ackproof.spec.lang.errors import BindError, SpecError
from docutils import nodes
from sphinx.util import logging

from specdoc.domain import link
from specdoc.evidence import Checker, Finding
from specdoc.library import Claim, Exhibit
from specdoc.markup import SpecDirective, paragraph
from specdoc.traces import trace_table

__all__ = ["CheckingDirective"]

logger = logging.getLogger(__name__)

#: A run to a situation is looked for on instances with up to this many states.
_MOST_STATES = {"kernel": 3_000_000, "plain": 20_000}

#: One for each model, folder and engine: it remembers what it has found.
_CHECKERS: dict[tuple[int, Path, str], Checker] = {}


class CheckingDirective(SpecDirective):
    """A directive that asks the checker."""

    @property
    def checker(self) -> Checker:
        """The checker, with its folder beside the built pages."""
        cache = Path(self.env.srcdir) / "_build" / "findings"
        model, engine = self.library.model, self.config.specdoc_engine
        key = (id(model), cache, engine)
        if key not in _CHECKERS:
            _CHECKERS[key] = Checker(model, cache, engine)
        return _CHECKERS[key]

    def findings(self, exhibit: Exhibit, *, warn: bool) -> list[tuple[Breaks | Holds, Finding]]:
        """Return each expectation with what the checker found.

        Args:
            exhibit: the design.
            warn: whether to warn of an expectation that did not come true.
        """
        found = []
        for expected in exhibit.design.expect:
            try:
                finding = self.checker.expectation(exhibit.name, exhibit.design, expected)
            except (SpecError, BindError) as error:
                if warn:
                    logger.warning("the design %s cannot be checked: %s", exhibit.name, error)
                continue
            if warn and not finding.came_true:
                logger.warning(
                    "the design %s expects that %s, but %s",
                    exhibit.name,
                    describe(expected),
                    finding.found,
                )
            found.append((expected, finding))
        return found

    def witness(self, claim: Claim) -> list[nodes.Node]:
        """Return the shortest run to a situation, on the first instance that comes there."""
        for instance in self._small_instances(claim.name):
            trace = self.checker.witness(claim.name, instance)
            if trace is not None:
                steps = "1 step" if len(trace.steps) == 1 else f"{len(trace.steps)} steps"
                return [
                    paragraph(f"Reached in {steps} on ", link("instance", instance.name), ":"),
                    trace_table(trace),
                ]
        return []

    def _small_instances(self, situation: str) -> list[Instance]:
        """Return the instances that may come to a situation, the smallest first."""
        most = _MOST_STATES[self.config.specdoc_engine]
        fitting = [
            (i.states, n, i)
            for n, i in enumerate(self.library.model.instances)
            if i.states is not None and i.states <= most and situation not in i.lacks
        ]
        return [instance for _, _, instance in sorted(fitting, key=lambda f: f[:2])]
