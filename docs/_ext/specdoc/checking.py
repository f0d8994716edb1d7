"""What directives share that ask the checker: where its results are, and how runs are shown."""

from __future__ import annotations

from pathlib import Path

from ackproof.lang import Breaks, Holds
from ackproof.lang.errors import BindError, SpecError
from ackproof.model.cache import Cache, default_cache
from ackproof.model.museum import Judgement, describe
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from specdoc.domain import link
from specdoc.evidence import Evidence, prepare
from specdoc.library import Claim, Exhibit, Library, library
from specdoc.markup import SpecDirective, paragraph
from specdoc.traces import trace_table

__all__ = ["CheckingDirective", "prepare_evidence"]

logger = logging.getLogger(__name__)

#: What the names of pages begin with that show what was found about everything.
_FULL_OF_EVIDENCE = ("generated/", "promises", "proofs")

#: One for each library, folder and engine: it remembers what it has found.
_EVIDENCE: dict[tuple[int, Path, str], Evidence] = {}


def _evidence(lib: Library, srcdir: str | Path, engine: str) -> Evidence:
    cache = default_cache() or Cache(Path(srcdir) / "_build" / "results")
    key = (id(lib), cache.folder, engine)
    if key not in _EVIDENCE:
        _EVIDENCE[key] = Evidence(lib, cache, "plain" if engine == "plain" else "kernel")
    return _EVIDENCE[key]


def prepare_evidence(app: Sphinx, env: object, docnames: list[str]) -> None:
    """Compute what is missing, if pages are to be read that show more than a single search."""
    if any(name.startswith(_FULL_OF_EVIDENCE) for name in docnames):
        prepare(_evidence(library(), app.srcdir, app.config.specdoc_engine))


class CheckingDirective(SpecDirective):
    """A directive that asks the checker."""

    @property
    def evidence(self) -> Evidence:
        """What the checker says."""
        return _evidence(self.library, self.env.srcdir, self.config.specdoc_engine)

    def judgements(self, exhibit: Exhibit, *, warn: bool) -> list[tuple[Breaks | Holds, Judgement]]:
        """Return each expectation with what became of it.

        Args:
            exhibit: the design.
            warn: whether to warn of an expectation that did not come true.
        """
        found = []
        for expected in exhibit.design.expect:
            try:
                judgement = self.evidence.judgement(exhibit.name, exhibit.design, expected)
            except (SpecError, BindError) as error:
                if warn:
                    logger.warning("the design %s cannot be checked: %s", exhibit.name, error)
                continue
            if warn and not judgement.came_true:
                logger.warning(
                    "the design %s expects that %s, but %s",
                    exhibit.name,
                    describe(expected),
                    judgement.found,
                )
            found.append((expected, judgement))
        return found

    def witness(self, claim: Claim) -> list[nodes.Node]:
        """Return the shortest run to a situation, on the first instance that comes there."""
        for instance in self.evidence.instances_for(claim.name):
            trace = self.evidence.witness(claim.name, instance)
            if trace is not None:
                steps = "1 step" if len(trace.steps) == 1 else f"{len(trace.steps)} steps"
                return [
                    paragraph(f"Reached in {steps} on ", link("instance", instance.name), ":"),
                    trace_table(trace),
                ]
        return []
