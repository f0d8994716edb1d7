"""Reports: what a check looked at and what it found, for people's programs.

A `Report` is the whole result of one check.  `document` puts several of them into the one JSON
document that `--json` prints, whose format is versioned (`SCHEMA`) and described, field by field,
by the JSON Schema in `report.schema.json` beside this file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackproof.model.explain import Explanation
from ackproof.model.outcome import Cluster, Outcome
from ackproof.model.show import json_value
from ackproof.model.trace import Trace, TraceStep
from ackproof.model.verdict import Verdict, worst
from ackproof.spec.lang.binding import Bound
from ackproof.spec.lang.properties import ASSERTION, BUILT_IN, DEADLOCK, DEFINED

__all__ = ["SCHEMA", "Report", "document", "schema"]

SCHEMA = "ackproof/report/3"


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
        seconds: everything together, from reading the specification to replaying the traces.
        memory_limit: bytes at which the search would have stopped.
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

    @property
    def transitions(self) -> int:
        """Steps taken: what was generated, without the initial state."""
        return max(self.outcome.generated - 1, 0)

    @property
    def complete(self) -> bool:
        """Whether the whole state space was seen."""
        return self.outcome.exhausted

    def results(self) -> dict[str, str]:
        """Return what is known of each property that was checked, by its name.

        Of one that was not violated, a whole search knows that it holds (or was witnessed); a
        search that stopped early leaves it open.  A situation is lacking if the instance says that
        it is too small for it, and off if that follows from its sizes, constants and faults alone;
        a property that for the same reason cannot be false is vacuous.
        """
        found = {}
        for p in self.bound.properties:
            reachable = p.kind == "reachable"
            found[p.name] = self._situation(p.name) if reachable else self._claim(p.name)
        deadlock = {DEADLOCK} if self.bound.program.deadlock_free else set()
        for name in (ASSERTION, DEFINED, *deadlock):
            found[name] = self._claim(name)
        return found

    def _situation(self, name: str) -> str:
        if name in self.outcome.witnessed:
            return "witnessed"
        if name in self.off:
            return "off"
        if name in self.bound.instance.lacks:
            return "lacking"
        return "unwitnessed" if self.complete else "open"

    def _claim(self, name: str) -> str:
        if name in self.outcome.violations:
            return "violated"
        if name in self.vacuous:
            return "vacuous"
        return "holds" if self.complete else "open"

    def to_json(self) -> dict[str, Any]:
        """Return the report as one entry of a `document`."""
        outcome, bound = self.outcome, self.bound
        return {
            "model": bound.program.name,
            "design": None
            if bound.design is None
            else {"name": self.design, "claim": bound.design.claim, "source": bound.design.source},
            "instance": _instance(bound),
            "digest": bound.digest(),
            "engine": outcome.engine,
            "workers": outcome.workers,
            "verdict": self.verdict.value,
            "limit": outcome.limit.value if outcome.limit else None,
            "states": outcome.states,
            "generated": outcome.generated,
            "transitions": self.transitions,
            "levels": outcome.levels,
            "level_sizes": list(outcome.level_sizes),
            "actions": [
                {"name": a.name, "kind": a.kind, "enabled": outcome.per_action.get(a.name, 0)}
                for a in bound.actions
            ],
            "properties": self._properties(),
            "unwitnessed": list(self.unwitnessed),
            "dead": list(self.dead),
            "off": list(self.off),
            "violations": [_violation(t) for t in self.traces],
            "timing": {
                "total_seconds": self.seconds,
                "search_seconds": outcome.seconds,
                "compile_seconds": outcome.compile_seconds,
            },
            "memory": {"bytes": outcome.memory, "limit": self.memory_limit},
            "cluster": None if outcome.cluster is None else _cluster(outcome.cluster),
        }

    def _properties(self) -> list[dict[str, Any]]:
        declared = {p.name: p for p in self.bound.properties}
        return [
            {
                "name": name,
                "result": result,
                "kind": declared[name].kind if name in declared else "built-in",
                "doc": declared[name].doc if name in declared else BUILT_IN[name],
            }
            for name, result in self.results().items()
        ]


def document(
    reports: Iterable[Report], expectations: Iterable[dict[str, Any] | None] = ()
) -> dict[str, Any]:
    """Return reports as the JSON document of a run.

    `expectations` says for each report what was expected and whether it came true, or None.
    """
    entries = list(reports)
    expected = list(expectations) or [None] * len(entries)
    return {
        "schema": SCHEMA,
        "exit_code": worst([r.verdict.exit_code for r in entries]),
        "results": [
            {**r.to_json(), "expectation": e} for r, e in zip(entries, expected, strict=True)
        ],
    }


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a document."""
    loaded: dict[str, Any] = json.loads(Path(__file__).with_name("report.schema.json").read_text())
    return loaded


def _cluster(cluster: Cluster) -> dict[str, Any]:
    return {
        "master": cluster.master,
        "partitions": cluster.partitions,
        "folder": cluster.folder,
        "stored_bytes": cluster.stored,
        "resumed_levels": cluster.resumed,
    }


def _instance(bound: Bound) -> dict[str, Any]:
    return {
        "name": bound.instance.name,
        "purpose": bound.instance.purpose,
        "sizes": {sort.__name__: size for sort, size in bound.sizes.items()},
        "faults": dict(bound.budgets),
        "constants": [
            {
                "name": f"{v.owner}.{v.path[-1]}",
                "of": list(keys),
                "value": json_value(value, v.type),
            }
            for v in bound.program.variables
            if v.const
            for (name, keys), value in bound.constants.items()
            if name == v.name
        ],
    }


def _violation(trace: Trace) -> dict[str, Any]:
    span = trace.decl.span if trace.decl else None
    return {
        "property": trace.property,
        "doc": trace.doc,
        "file": span.file if span else None,
        "line": span.line if span else None,
        "steps": len(trace.steps),
        "reason": trace.reason or None,
        "explanation": _explanation(trace.explanation) if trace.explanation else None,
        "trace": [_step(number, s) for number, s in enumerate(trace.steps, start=1)],
        "cycle": None
        if trace.cycle is None
        else [_step(number, s) for number, s in enumerate(trace.cycle, len(trace.steps) + 1)],
    }


def _explanation(found: Explanation) -> dict[str, Any]:
    return {
        "part": found.text,
        "is": found.truth,
        "where": dict(found.where),
        "given": list(found.given),
        "values": dict(found.parts),
        "cases": [_explanation(case) for case in found.cases],
    }


def _step(number: int, step: TraceStep) -> dict[str, Any]:
    action = step.instance.action
    return {
        "step": number,
        "action": action.name,
        "kind": action.kind,
        "args": {
            p.name: json_value(v, p.type)
            for p, v in zip(action.params, step.instance.args, strict=True)
        },
        "fails": step.after is None,
        "events": [
            {
                "event": e.type.name,
                **{n: json_value(v, t) for (n, t), v in zip(e.type.fields, e.values, strict=True)},
            }
            for e in step.events
        ],
        "changes": [
            {
                "place": c.name,
                "ghost": c.ghost,
                "before": json_value(c.before, c.location.variable.type),
                "after": json_value(c.after, c.location.variable.type),
            }
            for c in step.changes
        ],
    }
