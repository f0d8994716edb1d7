"""What the checker and the prover say, computed when the pages are built.

Everything here is found as the commands find it, by the same functions and through the same cache:
what `ackproof museum` has searched is not searched again for the pages, and the other way round.
If the user has no cache, there is one beside the built pages.

Each expectation of a design is checked, every era is searched on every instance that the table is
made on, for the `@reachable` situations the shortest runs that come there are looked for, each on
the smallest instance that does, and every property is proved.  `prepare` does all that is missing
before the first page is read, with as many processes as can run at once.  A path is replayed in
plain Python in every build: a page shows no run that plain Python does not reproduce.
"""

from __future__ import annotations

import gc
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ackproof.lang import Breaks, Design, Holds, Instance, Model
from ackproof.lang.binding import Bound, bind
from ackproof.lang.collection import collect_seldom
from ackproof.lang.errors import BindError, SpecError
from ackproof.lang.ir import Not
from ackproof.lang.program import Program, PropertyDecl
from ackproof.lang.properties import Claim, Property
from ackproof.lang.types import BOOL
from ackproof.model.cache import Cache, digest, sources
from ackproof.model.check import Engine, asked, check_bound, chosen
from ackproof.model.era_table import EraTable
from ackproof.model.eras import DOCUMENTED, Era, Surveyor, programs_of
from ackproof.model.museum import Judgement, judge
from ackproof.model.programs import origin, program_of
from ackproof.model.resources import default_workers
from ackproof.model.results import Question, origin_of
from ackproof.model.trace import Trace, replay

from specdoc.library import Exhibit, Library
from specdoc.proving import proof_document

__all__ = ["Evidence", "prepare"]

#: A run to a situation is looked for on instances with up to this many states.
_MOST_STATES = {"kernel": 3_000_000, "plain": 20_000}

#: Seconds between two lines that tell how far it is.
_PAUSE = 10.0


@dataclass(frozen=True)
class Evidence:
    """What is known of all that is documented.

    Args:
        library: what is documented.
        cache: where results are kept.
        engine: which search to use.
        workers: threads of a search; as many as can run at once when left out.
    """

    library: Library
    cache: Cache
    engine: Engine = "kernel"
    workers: int | None = None
    _judged: dict[tuple[str, Breaks | Holds], Judgement] = field(default_factory=dict)
    _witnesses: dict[str, tuple[Bound, dict[str, tuple[int, ...]]]] = field(default_factory=dict)
    _off: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def model(self) -> Model:
        """The model."""
        return self.library.model

    def judgement(self, name: str, design: Design, expected: Breaks | Holds) -> Judgement:
        """Return whether what a design expects comes true, with the report that says so.

        Raises:
            SpecError, BindError: the design or its expectation cannot be used.
        """
        key = (name, expected)
        if key not in self._judged:
            self._judged[key] = judge(
                self.model,
                design,
                expected,
                name=name,
                engine=self.engine,
                workers=self.workers,
                cache=self.cache,
            )
        return self._judged[key]

    # -- situations -----------------------------------------------------------------------------

    def instances_for(self, situation: str) -> Iterator[Instance]:
        """Yield the instances that come to a situation, the smallest first.

        What else comes up on none is off there, or it is told in the instance that it is lacking.
        """
        most = _MOST_STATES[self.engine]
        for instance in sorted(self.model.instances, key=lambda i: i.states or 0):
            known = instance.states is not None and instance.states <= most
            if known and situation not in instance.lacks and situation not in self.off(instance):
                yield instance

    def off(self, instance: Instance) -> frozenset[str]:
        """Return the situations that no state or step of an instance can be."""
        if instance.name not in self._off:
            bound = chosen(self.model, instance, cache=self.cache)
            question = asked(bound, self.engine, survey=True, cache=self.cache)
            self._off[instance.name] = question.idle.off
        return self._off[instance.name]

    def shown_on(self) -> set[str]:
        """Return the names of the instances that situations are shown on: for each the smallest."""
        situations = [p.name for p in self.model.properties if p.kind == "reachable"]
        smallest = (next(self.instances_for(name), None) for name in situations)
        return {instance.name for instance in smallest if instance is not None}

    def witness(self, situation: str, instance: Instance) -> Trace | None:
        """Return the shortest run that comes to a `@reachable` situation, if there is one."""
        bound, paths = self.witnesses(instance)
        path = paths.get(situation)
        return None if path is None else replay(bound, situation, path)

    def witnesses(self, instance: Instance) -> tuple[Bound, dict[str, tuple[int, ...]]]:
        """Return shortest paths to all situations that come up on an instance, by one search.

        They are counterexamples to the claims that the situations never come up.
        """
        if instance.name not in self._witnesses:
            bound = never(self.model, instance, self.cache)
            # Its claims are the opposite of those that the model has under these names.
            whence = origin_of(origin(self.model), bound)
            whence = whence and digest(whence, "never", sources(Path(__file__)))
            question = Question(bound, self.engine, survey=True, origin=whence, cache=self.cache)
            limits = (self.workers, None, None, None)
            now = time.perf_counter()
            report = check_bound(
                bound, None, self.engine, *limits, now, survey=True, question=question
            )
            self._witnesses[instance.name] = bound, dict(report.outcome.violations)
        return self._witnesses[instance.name]

    # -- eras -----------------------------------------------------------------------------------

    @property
    def eras(self) -> tuple[Era, ...]:
        """The columns of the table."""
        return (
            Era(DOCUMENTED, self.model),
            *(Era(era.name, self.model, era.design) for era in self.library.eras),
        )

    def surveyor(self, programs: Mapping[str, Program] | None = None) -> Surveyor:
        """Return what searches eras on instances, with programs of those that were read."""
        return Surveyor(
            engine=self.engine, workers=self.workers, cache=self.cache, programs=programs
        )

    @cached_property
    def table(self) -> EraTable:
        """The table of eras."""
        surveyor = self.surveyor()
        runs = tuple(surveyor.run(era, i) for era in self.eras for i in era.instances)
        judged = {era.name: surveyor.judge(era, runs) for era in self.eras}
        return EraTable(self.eras, runs, judged)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The table of eras as JSON."""
        return self.table.document()

    # -- proofs ---------------------------------------------------------------------------------

    @cached_property
    def proof(self) -> dict[str, Any]:
        """What is proved of the model, as JSON."""
        return proof_document(self.model, self.cache)


def never(model: Model, instance: Instance, cache: Cache | None = None) -> Bound:
    """Return the model with other claims: that each `@reachable` situation does not come up."""
    names = [p.name for p in model.properties if p.kind == "reachable"]
    program = program_of(model, None, cache)
    bound = bind(model, replace(instance, lacks=()), properties=names, program=program)
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
    kind: Claim = "step" if decl.of_steps else "invariant"
    return replace(decl, kind=kind, body=Not(decl.body, type=BOOL))


def _opposite(name: str, function: Callable[..., bool]) -> Callable[..., bool]:
    def opposite(*args: Any) -> bool:
        return not function(*args)

    opposite.__name__ = name
    return opposite


# -- all of it, before the first page -------------------------------------------------------------


def prepare(evidence: Evidence) -> None:
    """Compute all that is missing, so that those who read pages find it.

    Searches run side by side, one for each processor.  What cannot be used is passed over: the
    page that it is on says what is wrong.
    """
    global _TASK
    alone = replace(evidence, workers=1)
    tasks = _tasks(evidence)
    programs: dict[str, Program] = {}
    with suppress(SpecError):
        programs = programs_of(alone.eras)
    surveyor = alone.surveyor(programs)
    _TASK = (alone, surveyor, tasks)
    told = time.monotonic()
    # What is there now stays; to look for garbage in it took a quarter of the time.
    collect_seldom()
    with multiprocessing.get_context("fork").Pool(default_workers()) as pool:
        for number, _ in enumerate(pool.imap_unordered(_work, range(len(tasks))), start=1):
            if time.monotonic() - told > _PAUSE:
                told = time.monotonic()
                _say(f"{number} of {len(tasks)} sets of searches are made")
        # Which instance is the smallest is known by now of each that was searched.
        pool.map(_show, sorted(evidence.shown_on()), chunksize=1)
    _say("proving what is not proved yet")
    assert evidence.proof is not None
    assert evidence.table is not None
    # Pages are read by processes that are forked from this one, and would copy it.
    gc.freeze()


def _say(text: str) -> None:
    print(f"evidence: {text}", file=sys.stderr, flush=True)


#: What the processes of `prepare` work on; they have it from the one that started them.
_TASK: tuple[Evidence, Surveyor, list[Instance | Exhibit]] | None = None


def _tasks(evidence: Evidence) -> list[Instance | Exhibit]:
    """Return what is to be searched: an instance in all eras, or a design; what is long first."""
    instances = sorted(evidence.model.instances, key=lambda i: -(i.states or 0))
    return [*instances, *evidence.library.exhibits]


def _work(number: int) -> None:
    assert _TASK is not None
    evidence, surveyor, tasks = _TASK
    task = tasks[number]
    with suppress(SpecError, BindError):
        if isinstance(task, Exhibit):
            for expected in task.design.expect:
                evidence.judgement(task.name, task.design, expected)
            return
        _survey(evidence, surveyor, task)


def _survey(evidence: Evidence, surveyor: Surveyor, instance: Instance) -> None:
    eras: Iterable[Era] = evidence.eras if instance.table else ()
    runs = [surveyor.run(era, instance) for era in eras]
    assert all(run.report.outcome.limit is None for run in runs), "a search came to its end"


def _show(instance: str) -> None:
    """Look for the runs to situations on an instance."""
    assert _TASK is not None
    evidence, _, _ = _TASK
    evidence.witnesses(next(i for i in evidence.model.instances if i.name == instance))
