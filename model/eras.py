"""Eras: what holds in which version of RabbitMQ, searched for on every instance that matters.

An *era* is a design that stands for a version; the base specification is one more, `documented`.
Each is searched on each instance of its model that the table is made on, in *survey* mode: a search
goes on after a violation, and so decides every property at once.

Versions are alike in most respects.  What a version changes about mirrors makes no difference on
an instance that has none, and then the code that the search would run is, to the letter, what it
ran for another era.  Such a pair is not searched again: it gets the outcome of the other, and its
counterexamples are replayed in plain Python in the era's own specification, like all others.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ackproof.model.check import Engine, check, chosen
from ackproof.model.museum import Judgement, design_in, judge
from ackproof.model.outcome import Progress
from ackproof.model.report import Report
from ackproof.model.trace import replay
from ackproof.spec.lang.binding import Bound
from ackproof.spec.lang.model import Breaks, Design, Instance, Model
from ackproof.spec.lang.program import Program

__all__ = ["DOCUMENTED", "PACKAGE", "Era", "Run", "Surveyor", "era_names", "eras_of"]

#: The package whose modules are the eras.
PACKAGE = "ackproof.spec.eras"

#: What the base specification is called among the eras.
DOCUMENTED = "documented"


@dataclass(frozen=True)
class Era:
    """A column of the table: a model, with a design applied or without."""

    name: str
    model: Model
    design: Design | None = None

    @property
    def instances(self) -> tuple[Instance, ...]:
        """The instances that it is searched on."""
        return tuple(i for i in self.model.instances if i.table)

    @property
    def expected_to_break(self) -> frozenset[str]:
        """The properties that the era says are broken in it."""
        expected = self.design.expect if self.design else ()
        return frozenset(e.property for e in expected if isinstance(e, Breaks))


@dataclass(frozen=True)
class Run:
    """What is known of an era on an instance.

    Args:
        same_as: the era whose search it shares, if it was not searched itself.
    """

    era: str
    instance: str
    report: Report
    same_as: str | None = None

    @property
    def digest(self) -> str:
        """The hash of everything that the state space depends on."""
        return self.report.bound.digest()

    @property
    def violations(self) -> dict[str, int]:
        """The length of the shortest run to each property that is violated."""
        return {name: len(path) for name, path in self.report.outcome.violations.items()}


def era_names() -> tuple[str, ...]:
    """Return the names of the eras in their order; nothing is imported but the package.

    The order is the package's `ORDER`; what that does not name follows by name, where numbers count
    as numbers.
    """
    if importlib.util.find_spec(PACKAGE) is None:
        return ()
    package = importlib.import_module(PACKAGE)
    first = {name: at for at, name in enumerate(getattr(package, "ORDER", ()))}
    names = [m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_")]
    return tuple(sorted(names, key=lambda n: (first.get(n, len(first)), _natural(n))))


def _natural(name: str) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def eras_of(model: Model) -> tuple[Era, ...]:
    """Return the base specification and every era of the package, as the table has them."""
    designs = {n: design_in(importlib.import_module(f"{PACKAGE}.{n}")) for n in era_names()}
    return (Era(DOCUMENTED, model), *(Era(n, model, d) for n, d in designs.items()))


class Surveyor:
    """Searches eras on instances one after the other, and never the same search twice.

    Args:
        engine: which search to use.
        workers: threads; as many as can run at once when left out.
        memory: bytes at which a search stops; most of what is available when left out.
    """

    def __init__(
        self, *, engine: Engine = "kernel", workers: int | None = None, memory: int | None = None
    ) -> None:
        self.engine: Engine = engine
        self._options: dict[str, Any] = {"engine": engine, "workers": workers, "memory": memory}
        self._programs: dict[str, Program] = {}
        self._searched: dict[str, Run] = {}

    def run(
        self, era: Era, instance: Instance, progress: Callable[[Progress], None] | None = None
    ) -> Run:
        """Return what is known of an era on an instance, searching if it has to.

        Raises:
            SpecError: the specification or the design is outside the language.
            BindError: the instance does not fit the model.
            ReplayError: an engine claims what plain Python does not confirm.
        """
        bound = chosen(era.model, instance, era.design, program=self._programs.get(era.name))
        self._programs.setdefault(era.name, bound.program)
        key = self._key(bound)
        known = self._searched.get(key)
        if known is not None:
            return Run(era.name, instance.name, _shared(known.report, bound, era), known.era)
        report = check(
            era.model,
            instance,
            era.design,
            name=_design_name(era),
            program=bound.program,
            progress=progress,
            survey=True,
            **self._options,
        )
        run = Run(era.name, instance.name, report)
        if report.outcome.limit is None:
            self._searched[key] = run
        return run

    def judge(self, era: Era, runs: Sequence[Run]) -> tuple[Judgement, ...]:
        """Return whether each expectation of an era came true, from its runs.

        What is expected on an instance that the table is not made on is searched for here.

        Raises:
            BindError: an expectation names what the model does not have.
        """
        if era.design is None:
            return ()
        reports = {run.instance: run.report for run in runs if run.era == era.name}
        return tuple(
            judge(
                era.model,
                era.design,
                expectation,
                name=era.name,
                reports=reports,
                program=self._programs.get(era.name),
                **self._options,
            )
            for expectation in era.design.expect
        )

    def _key(self, bound: Bound) -> str:
        """Return what two searches have in common if they are the same search."""
        parts = [bound.instance.name, repr(bound.instance.lacks), bound.digest()]
        if self.engine == "kernel":
            parts[2:] = _code(bound)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _code(bound: Bound) -> list[str]:
    """Return all that the kernel is given: its code, where it starts, and what bits stand for."""
    from ackproof.model.lower.generate import generate

    text, layout, tables, _ = generate(bound)
    fairness = [(a.name, a.fair) for a in bound.actions]
    eventually = [p for p in bound.properties if p.kind == "eventually"]
    return [
        text,
        repr(layout.pack(bound.initial())),
        repr(tables),
        repr([str(i) for i in bound.instances()]),
        repr((fairness, eventually, bound.program.deadlock_free)),
    ]


def _shared(report: Report, bound: Bound, era: Era) -> Report:
    """Return a report as one of another era that has the same search."""
    return replace(
        report,
        bound=bound,
        design=_design_name(era),
        traces=tuple(
            replay(bound, name, path, report.outcome.cycles.get(name, ()))
            for name, path in report.outcome.violations.items()
        ),
        seconds=0.0,
    )


def _design_name(era: Era) -> str | None:
    return era.name if era.design else None
