"""Reports as one process sends them to another: without what the other has, or can make again.

The program is sent as the cache keeps it.  Counterexamples stay where they were replayed; whoever
is to show them replays them once more.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from ackproof.lang.binding import Bound, bind
from ackproof.lang.model import Design, Instance, Model
from ackproof.model.bounds import dumped, loaded
from ackproof.model.report import Report
from ackproof.model.trace import replay_found

__all__ = ["SentReport"]


@dataclass(frozen=True)
class SentReport:
    """A report without its counterexamples, as plain data."""

    program: bytes
    said: dict[str, Any]

    @classmethod
    def of(cls, report: Report) -> SentReport:
        """Return what is to be sent of a report."""
        program = dumped(report.bound)
        assert program is not None, "the design was loaded by its name"
        said = {f.name: getattr(report, f.name) for f in fields(report)}
        del said["bound"], said["traces"]
        return cls(program, said)

    def received(self, model: Model, instance: Instance, design: Design | None) -> Report:
        """Return the report in a process that has the model, without counterexamples."""

        def whole() -> Bound:
            assert bound is not None
            return bind(model, instance, design, [p.name for p in bound.properties])

        bound = loaded(self.program, whole, model, instance, design)
        assert bound is not None, "it was written a moment ago"
        return Report(bound=bound, traces=(), **self.said)

    def replayed(self, model: Model, instance: Instance, design: Design | None) -> Report:
        """Return the report with its counterexamples.

        Raises:
            ReplayError: plain Python does not confirm one.
        """
        report = self.received(model, instance, design)
        if not report.outcome.violations:
            return report
        return replace(report, traces=replay_found(report.bound, report.outcome))
