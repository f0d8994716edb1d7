"""Eras: what holds in which version of a system, searched for on every instance that matters.

An *era* is a design that stands for a version; the base specification is one more, `documented`.
Each is searched on each instance of its model that the table is made on, in *survey* mode: a search
goes on after a violation, and so decides every property at once.

Versions are alike in most respects.  What a version changes about one part makes no difference on
an instance that has nothing of it, and then the code that the search would run is, to the letter,
what it ran for another era.  Such a pair is not searched again: it gets the outcome of the other,
and its counterexamples are replayed in plain Python in its own specification, like all others.
"""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.lang.frontend import compile_model
from ackproof.lang.model import Breaks, Design, Instance, Model
from ackproof.lang.program import Program
from ackproof.lang.properties import stated_by
from ackproof.model.cache import Cache, digest
from ackproof.model.check import Engine, asked, check_bound, chosen
from ackproof.model.limits import refuse_large_sorts
from ackproof.model.museum import Judgement, design_in, judge, modules_in
from ackproof.model.outcome import Progress
from ackproof.model.report import Report
from ackproof.model.trace import replay_found

__all__ = ["DOCUMENTED", "Era", "Run", "Surveyor", "era_names", "eras_of", "programs_of"]

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
        left_out = self.design.leaves_out if self.design else ()
        return tuple(i for i in self.model.instances if i.table and i.name not in left_out)

    @property
    def expected_to_break(self) -> frozenset[str]:
        """The properties that the era says are broken in it."""
        expected = self.design.expect if self.design else ()
        return frozenset(e.property for e in expected if isinstance(e, Breaks))


@dataclass(frozen=True)
class Run:
    """What is known of an era on an instance.

    Args:
        key: a digest of what was searched; runs that have it in common are one search.
        same_as: the era whose search it shares, if it was not searched itself.
    """

    era: str
    instance: str
    report: Report
    key: str = ""
    same_as: str | None = None

    @property
    def digest(self) -> str:
        """The hash of everything that the state space depends on."""
        return self.report.bound.digest()

    @property
    def violations(self) -> dict[str, int]:
        """The length of the shortest run to each property that is violated, of any elements."""
        found: dict[str, int] = {}
        for name, path in self.report.outcome.violations.items():
            stated = stated_by(name)
            found[stated] = min(found.get(stated, len(path)), len(path))
        return found


def era_names(model: Model) -> tuple[str, ...]:
    """Return the names of a model's eras in their order; nothing is imported but the package.

    The order is the package's `ORDER`; what that does not name follows by name, where numbers count
    as numbers.
    """
    names = modules_in(model.eras)
    order = getattr(importlib.import_module(model.eras), "ORDER", ()) if names else ()
    first = {name: at for at, name in enumerate(order)}
    return tuple(sorted(names, key=lambda n: (first.get(n, len(first)), _natural(n))))


def _natural(name: str) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def eras_of(model: Model) -> tuple[Era, ...]:
    """Return the base specification and every era of the package, as the table has them."""
    designs = {
        name: design_in(importlib.import_module(f"{model.eras}.{name}"))
        for name in era_names(model)
    }
    return (Era(DOCUMENTED, model), *(Era(n, model, d) for n, d in designs.items()))


def programs_of(eras: Sequence[Era]) -> dict[str, Program]:
    """Read eras together, so that what they have in common is one thing, and analysed once.

    Each program that comes from the cache is all its own.

    Raises:
        SpecError: the specification or a design is outside the language.
    """
    return {era.name: compile_model(era.model, era.design) for era in eras}


class Surveyor:
    """Searches eras on instances one after the other, and never the same search twice.

    Args:
        engine: which search to use.
        workers: threads; as many as can run at once when left out.
        memory: bytes at which a search stops; most of what is available when left out.
        cache: where programs and outcomes are kept between runs.
        programs: of eras that were read before, by the name of the era.
    """

    def __init__(
        self,
        *,
        engine: Engine = "kernel",
        workers: int | None = None,
        memory: int | None = None,
        cache: Cache | None = None,
        programs: Mapping[str, Program] | None = None,
    ) -> None:
        self.engine: Engine = engine
        self.cache = cache
        self._options: dict[str, Any] = {
            "engine": engine,
            "workers": workers,
            "memory": memory,
            "cache": cache,
        }
        self._programs = dict(programs or {})
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
        started = time.perf_counter()
        refuse_large_sorts(instance)
        program = self._programs.get(era.name)
        bound = chosen(era.model, instance, era.design, program=program, cache=self.cache)
        self._programs.setdefault(era.name, bound.program)
        question = asked(bound, self.engine, survey=True, cache=self.cache)
        key = digest(instance.name, repr(instance.lacks), question.key or bound.digest())
        known = self._searched.get(key)
        if known is not None:
            return _shared(known, bound, era)
        report = check_bound(
            bound,
            _design_name(era),
            self.engine,
            self._options["workers"],
            self._options["memory"],
            None,
            progress,
            started,
            survey=True,
            question=question,
        )
        return self._remembered(Run(era.name, instance.name, report, key))

    def take(self, era: Era, run: Run) -> Run:
        """Return what is known of an era on an instance, as `run` does, from another surveyor's.

        The others do not know what was searched here before, or in which order.
        """
        bound = run.report.bound
        self._programs.setdefault(era.name, bound.program)
        known = self._searched.get(run.key)
        if known is not None:
            return _shared(known, bound, era)
        return self._remembered(replace(run, same_as=None))

    def _remembered(self, run: Run) -> Run:
        if run.report.outcome.limit is None:
            self._searched[run.key] = run
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


def _shared(known: Run, bound: Bound, era: Era) -> Run:
    """Return a run as one of another era that has the same search."""
    report = replace(
        known.report,
        bound=bound,
        design=_design_name(era),
        traces=replay_found(bound, known.report.outcome),
        seconds=0.0,
    )
    return Run(era.name, known.instance, report, known.key, known.era)


def _design_name(era: Era) -> str | None:
    return era.name if era.design else None
