"""What the checker says: computed when the pages are built, kept between builds.

Each expectation of a design is checked here as `ackproof check` does it, and for each `@reachable`
situation the shortest run that comes there is looked for.  Results are kept in files named by a
digest of everything they depend on, so a build checks only what has changed.  A path is replayed
in plain Python in every build: a page shows no run that plain Python does not reproduce.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ackproof.model.check import Engine, check_bound
from ackproof.model.museum import expected_instance, judge
from ackproof.model.trace import Trace, replay
from ackproof.spec.lang import Breaks, Design, Holds, Instance, Model
from ackproof.spec.lang.binding import Bound, bind
from ackproof.spec.lang.ir import Not
from ackproof.spec.lang.program import PropertyDecl
from ackproof.spec.lang.properties import Property
from ackproof.spec.lang.types import BOOL

__all__ = ["Checker", "Finding"]


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Args:
        came_true: whether what was expected did.
        found: what was found, in words.
        states: distinct states that were seen.
        path: numbers of action instances that lead there; None where there is nowhere to lead to.
    """

    came_true: bool
    found: str
    states: int
    path: tuple[int, ...] | None


@dataclass(frozen=True)
class Checker:
    """Checks a model for the pages, and keeps what it finds in the folder `cache`."""

    model: Model
    cache: Path
    engine: Engine = "kernel"

    def expectation(self, name: str, design: Design, expected: Breaks | Holds) -> Finding:
        """Return what a check of a design finds where something is expected.

        Raises:
            SpecError, BindError: the design or its expectation cannot be used.
        """
        bound = self._bound(design, expected)

        def look() -> Finding:
            judgement = judge(self.model, design, expected, name=name, engine=self.engine)
            outcome = judgement.report.outcome
            wanted = expected.property
            path = outcome.violations.get(wanted) if wanted is not None else None
            return Finding(judgement.came_true, judgement.found, outcome.states, path)

        return self._kept(bound, repr(expected), look)

    def trace(self, design: Design, expected: Breaks, path: tuple[int, ...]) -> Trace:
        """Return the replayed trace of a path at whose end the expected property is false."""
        return replay(self._bound(design, expected), expected.property, path)

    def witness(self, situation: str, instance: Instance) -> Trace | None:
        """Return the shortest run that comes to a `@reachable` situation, if there is one.

        It is a counterexample to the claim that the situation never comes up.
        """
        bound = never(self.model, situation, instance)

        def look() -> Finding:
            report = check_bound(
                bound, None, self.engine, None, None, None, None, time.perf_counter()
            )
            path = report.outcome.violations.get(situation)
            words = "it is never reached" if path is None else f"reached in {len(path)} steps"
            return Finding(path is not None, words, report.outcome.states, path)

        path = self._kept(bound, f"never {situation}", look).path
        return None if path is None else replay(bound, situation, path)

    def _bound(self, design: Design, expected: Breaks | Holds) -> Bound:
        return bind(self.model, expected_instance(self.model, expected), design)

    def _kept(self, bound: Bound, what: str, look: Callable[[], Finding]) -> Finding:
        key = hashlib.sha256(f"{bound.digest()} {what}".encode()).hexdigest()[:24]
        file = self.cache / f"{key}.json"
        if file.exists():
            data = json.loads(file.read_text(encoding="utf-8"))
            path = data.pop("path")
            return Finding(path=None if path is None else tuple(path), **data)
        finding = look()
        self.cache.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(finding)), encoding="utf-8")
        return finding


def never(model: Model, situation: str, instance: Instance) -> Bound:
    """Return the model with one claim: that a `@reachable` situation does not come up."""
    function = next(p.function for p in model.properties if p.name == situation)

    def negated(*args: Any) -> bool:
        return not function(*args)

    negated.__name__ = situation
    bound = bind(model, replace(instance, lacks=()), properties=[situation])
    decl = bound.properties[0]
    kind = "step" if decl.of_steps else "invariant"
    claim: PropertyDecl = replace(decl, kind=kind, body=Not(decl.body, type=BOOL))
    program = replace(bound.program, properties=(claim,), deadlock_free=False)
    return replace(
        bound,
        program=program,
        properties=(claim,),
        model=replace(model, properties=(Property(kind, negated),)),
    )
