"""What the checker says: computed when the pages are built, kept between builds.

Each expectation of a design is checked here as `ackproof check` does it, and for the `@reachable`
situations the shortest runs that come there are looked for, with one search for each instance.
Results are kept in files named by a digest of everything they depend on, so a build checks only
what has changed.  A path is replayed in plain Python in every build: a page shows no run that plain
Python does not reproduce.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
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
        cycle: for a property of runs, those that lead from there back.
    """

    came_true: bool
    found: str
    states: int
    path: tuple[int, ...] | None
    cycle: tuple[int, ...] = ()


@dataclass(frozen=True)
class Checker:
    """Checks a model for the pages, and keeps what it finds in the folder `cache`."""

    model: Model
    cache: Path
    engine: Engine = "kernel"
    witnesses: dict[str, tuple[Bound, dict[str, tuple[int, ...]]]] = field(default_factory=dict)

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
            cycle = outcome.cycles.get(wanted, ()) if wanted is not None else ()
            return Finding(judgement.came_true, judgement.found, outcome.states, path, cycle)

        return self._kept(bound, repr(expected), look)

    def trace(
        self,
        design: Design,
        expected: Breaks,
        path: tuple[int, ...],
        cycle: tuple[int, ...] = (),
    ) -> Trace:
        """Return the replayed trace of a path at whose end the expected property is false.

        A property of runs stays false where the cycle then goes round for ever.
        """
        return replay(self._bound(design, expected), expected.property, path, cycle)

    def witness(self, situation: str, instance: Instance) -> Trace | None:
        """Return the shortest run that comes to a `@reachable` situation, if there is one."""
        bound, paths = self._witnesses(instance)
        path = paths.get(situation)
        return None if path is None else replay(bound, situation, path)

    def _witnesses(self, instance: Instance) -> tuple[Bound, dict[str, tuple[int, ...]]]:
        """Return shortest paths to all situations that come up on an instance, by one search.

        They are counterexamples to the claims that the situations never come up.
        """
        if instance.name not in self.witnesses:
            bound = never(self.model, instance)
            file = self._file(bound, "never")
            if not file.exists():
                started = time.perf_counter()
                none = (None, None, None, None)
                report = check_bound(bound, None, self.engine, *none, started, survey=True)
                self._keep(file, {k: list(v) for k, v in report.outcome.violations.items()})
            kept = json.loads(file.read_text(encoding="utf-8"))
            self.witnesses[instance.name] = bound, {k: tuple(v) for k, v in kept.items()}
        return self.witnesses[instance.name]

    def _bound(self, design: Design, expected: Breaks | Holds) -> Bound:
        return bind(self.model, expected_instance(self.model, expected), design)

    def _kept(self, bound: Bound, what: str, look: Callable[[], Finding]) -> Finding:
        file = self._file(bound, what)
        if file.exists():
            data = json.loads(file.read_text(encoding="utf-8"))
            path = data.pop("path")
            cycle = tuple(data.pop("cycle", ()))
            return Finding(path=None if path is None else tuple(path), cycle=cycle, **data)
        finding = look()
        self._keep(file, asdict(finding))
        return finding

    def _file(self, bound: Bound, what: str) -> Path:
        key = hashlib.sha256(f"{bound.digest()} {what}".encode()).hexdigest()[:24]
        return self.cache / f"{key}.json"

    def _keep(self, file: Path, data: dict[str, Any]) -> None:
        self.cache.mkdir(parents=True, exist_ok=True)
        whole = file.with_suffix(f".{os.getpid()}")  # other processes read while this one writes
        whole.write_text(json.dumps(data), encoding="utf-8")
        whole.replace(file)


def never(model: Model, instance: Instance) -> Bound:
    """Return the model with other claims: that each `@reachable` situation does not come up."""
    names = [p.name for p in model.properties if p.kind == "reachable"]
    bound = bind(model, replace(instance, lacks=()), properties=names)
    claims = tuple(_negated(decl) for decl in bound.properties)
    functions = {p.name: p.function for p in model.properties}
    return replace(
        bound,
        program=replace(bound.program, properties=claims, deadlock_free=False),
        properties=claims,
        model=replace(
            model,
            properties=tuple(
                Property(c.kind, _opposite(c.name, functions[c.name])) for c in claims
            ),
        ),
    )


def _negated(decl: PropertyDecl) -> PropertyDecl:
    kind = "step" if decl.of_steps else "invariant"
    return replace(decl, kind=kind, body=Not(decl.body, type=BOOL))


def _opposite(name: str, function: Callable[..., bool]) -> Callable[..., bool]:
    def opposite(*args: Any) -> bool:
        return not function(*args)

    opposite.__name__ = name
    return opposite
