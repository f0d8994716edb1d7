"""Reports: what a check looked at and what it found.

A `Report` is the whole result of one check.  `ackproof.model.document` makes JSON of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackproof.lang.binding import Bound
from ackproof.lang.properties import ASSERTION, DEADLOCK, DEFINED
from ackproof.model.outcome import Outcome
from ackproof.model.verdict import Verdict

if TYPE_CHECKING:
    from ackproof.model.trace import Trace

__all__ = ["Report"]


@dataclass(frozen=True)
class Report:
    """The result of one check.

    Args:
        design: the name of the design, if one was checked.
        traces: a replayed counterexample for each violated property.
        unwitnessed: `@reachable` properties that were not reached; decided by a whole search only.
        dead: actions that were never enabled; likewise.
        off: actions and situations that the instance switches off: faults that it does not allow,
            and what its sizes and constants rule out.
        vacuous: properties that nothing in this instance could make false.
        lost: actions and situations that come up without the design, on this instance, and never
            with it, but for those missing anyway; looked for where nothing is violated.
        seconds: everything together, from reading the specification to replaying the traces.
        memory_limit: bytes at which the search would have stopped.
        searched: when the search was made, as ISO 8601 in UTC, if this was taken from the cache;
            then times and memory are those of that search.
    """

    bound: Bound
    design: str | None
    outcome: Outcome
    verdict: Verdict
    traces: tuple[Trace, ...]
    unwitnessed: tuple[str, ...]
    dead: tuple[str, ...]
    off: tuple[str, ...]
    seconds: float
    memory_limit: int
    vacuous: frozenset[str] = frozenset()
    searched: str | None = None
    lost: tuple[str, ...] = ()

    @property
    def transitions(self) -> int:
        """Steps taken: what was generated, without the initial states."""
        return max(self.outcome.generated - self.outcome.initial, 0)

    @property
    def complete(self) -> bool:
        """Whether the whole state space was seen."""
        return self.outcome.exhausted

    def results(self) -> dict[str, str]:
        """Return what is known of each property that was checked, by its name.

        Of one that was not violated, a whole search knows that it holds (or was witnessed); a
        search that stopped early leaves it open, and one that had seen every state then leaves
        properties of runs open, and no others.  A situation is lacking if the instance says that
        it is too small for it, and off if that follows from its sizes, constants and faults alone;
        a property that for the same reason cannot be false is vacuous.
        """
        found: dict[str, str] = {}
        for p in self.bound.properties:
            reachable = p.kind == "reachable"
            settled = self.complete and not (p.of_runs and self.outcome.limit)
            found[p.name] = self._situation(p.name) if reachable else self._claim(p.name, settled)
        deadlock = {DEADLOCK} if self.bound.program.deadlock_free else set()
        for name in (ASSERTION, DEFINED, *deadlock):
            found[name] = self._claim(name, self.complete)
        return found

    def _situation(self, name: str) -> str:
        if name in self.outcome.witnessed:
            return "witnessed"
        if name in self.off:
            return "off"
        if name in self.bound.instance.lacks:
            return "lacking"
        return "unwitnessed" if self.complete else "open"

    def _claim(self, name: str, settled: bool) -> str:
        if name in self.outcome.violations:
            return "violated"
        if name in self.vacuous:
            return "vacuous"
        return "holds" if settled else "open"
