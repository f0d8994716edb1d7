"""One check, from a model and an instance to a report.

The program is bound, an engine explores it, and every counterexample that the engine claims is
replayed in plain Python before anybody sees it.  Then the verdict is drawn: a state space without
a violation is `verified` only if it was seen whole, every `@reachable` situation came up, and every
action was enabled somewhere; but for those that the instance switches off.  Of a design the same
search is made without it: where that finds as much, the design may not have been looked at, and
where that meets what the design never does, the design has made it impossible.

An engine is one of this package, by its name, or whatever does what `Explore` says.  What an engine
of this package found before is taken from the cache, if there is one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol

from ackproof.lang.binding import Bound, bind
from ackproof.lang.errors import BindError
from ackproof.lang.model import Design, Instance, Model
from ackproof.lang.program import Program
from ackproof.lang.properties import BUILT_IN, DEADLOCK
from ackproof.model.beside import lost, suspected
from ackproof.model.bounds import bound_of
from ackproof.model.cache import Cache
from ackproof.model.limits import refuse_large_sorts, refuse_too_many_choices
from ackproof.model.outcome import Outcome, Progress
from ackproof.model.programs import origin, program_of
from ackproof.model.report import Report
from ackproof.model.resources import default_memory, default_workers
from ackproof.model.results import Idle, Question, origin_of
from ackproof.model.verdict import Verdict

if TYPE_CHECKING:
    from ackproof.model.trace import Trace

__all__ = ["ENGINES", "Engine", "Explore", "asked", "check", "check_bound", "chosen", "explorer"]

#: `collapsed` is the kernel, and holds states as keys (`ackproof.model.kernel.collapse`).
Engine = Literal["kernel", "collapsed", "plain"]

ENGINES: tuple[Engine, ...] = ("kernel", "collapsed", "plain")


class Explore(Protocol):
    """An engine: explores a bound program, breadth first, and says what it found.

    Args:
        bound: the program at the sizes of an instance.
        workers: threads that it may use.
        memory: bytes at which it stops.
        max_depth: levels after which it stops; the initial state is the first.
        survey: whether to go on after a violation, and so to decide every property.
        progress: called now and then, in the calling thread.
    """

    def __call__(
        self,
        bound: Bound,
        *,
        workers: int,
        memory: int | None,
        max_depth: int | None,
        survey: bool,
        progress: Callable[[Progress], None] | None,
    ) -> Outcome: ...


def check(
    model: Model,
    instance: Instance,
    design: Design | None = None,
    *,
    name: str | None = None,
    properties: Iterable[str] | None = None,
    engine: Engine | Explore = "kernel",
    workers: int | None = None,
    memory: int | None = None,
    max_depth: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    program: Program | None = None,
    survey: bool = False,
    compare: bool = True,
    symmetry: bool = False,
    cache: Cache | None = None,
) -> Report:
    """Check a model on an instance.

    Args:
        model: the system and its properties.
        instance: the sizes to check at.
        design: the change to check, if any.
        name: what the design is called.
        properties: names of those to check, all of them when left out.  Built-in ones always are,
            but for `NoDeadlock`: the model asks for that, or this list does.
        engine: which search to use, one of this package by its name, or any other itself.
        workers: threads; as many as can run at once when left out.
        memory: bytes at which to stop; most of what is available when left out.
        max_depth: levels after which to stop; the initial state is the first.
        progress: called a few times a second.
        program: the compiled model, if it is at hand.
        survey: whether to go on after a violation, and so to decide every property.
        compare: whether a design that breaks nothing is compared with the model without it.
        symmetry: whether states that differ in the names of elements only are searched as one; see
            `ackproof.model.symmetry`.
        cache: where programs and outcomes are kept; a search that was made before is not repeated.

    Raises:
        SpecError: the specification or the design is outside the language.
        BindError: the instance or the choice of properties does not fit the model; or there is
            nothing to fold.
        ReplayError: the engine claims what plain Python does not confirm.
    """
    started = time.perf_counter()
    refuse_large_sorts(instance)
    bound = chosen(model, instance, design, properties, program, cache, symmetry=symmetry)
    question = None
    if isinstance(engine, str):
        question = asked(bound, engine, max_depth=max_depth, survey=survey, cache=cache)
    report = check_bound(
        bound, name, engine, workers, memory, max_depth, progress, started, survey, question
    )
    if design is None or report.verdict not in (Verdict.VERIFIED, Verdict.UNWITNESSED):
        return report
    if not compare:
        return report
    without = _base(model, instance, properties, cache, symmetry=symmetry)
    # Counts of states that are folded by other sorts are counts of something else.
    comparable = set(without.folded) == set(bound.folded)
    known = asked(without, "plain" if callable(engine) else engine, cache=cache)
    suspects = suspected(report, without, known.idle)
    known_states = None if symmetry else instance.states
    differs = not comparable or known_states not in (None, report.outcome.states)
    if not suspects and differs:
        return report
    base = check(
        model,
        instance,
        properties=properties,
        engine=engine,
        workers=workers,
        memory=memory,
        progress=progress,
        symmetry=bool(without.folded),
        cache=cache,
    )
    gone = lost(suspects, base.outcome)
    return _beside(report, base.outcome, gone, comparable=comparable)


def _base(
    model: Model,
    instance: Instance,
    properties: Iterable[str] | None,
    cache: Cache | None,
    *,
    symmetry: bool,
) -> Bound:
    """Return what a design is compared with: folded if that is asked for and the base has what."""
    found = chosen(model, instance, None, properties, None, cache)
    if not symmetry:
        return found
    from ackproof.model.symmetry import folded, told_apart

    return folded(found) if None in told_apart(found).values() else found


def _beside(report: Report, base: Outcome, gone: tuple[str, ...], *, comparable: bool) -> Report:
    """Return what is to be said of a design of which nothing is false, knowing the base."""
    verdict = report.verdict
    if verdict is Verdict.VERIFIED and gone:
        verdict = Verdict.NARROWED
    elif verdict is Verdict.VERIFIED and comparable and _is_same(report.outcome, base):
        verdict = Verdict.UNCHANGED
    off = tuple(name for name in report.off if name not in gone)
    return replace(report, verdict=verdict, off=off, lost=gone)


def _is_same(one: Outcome, other: Outcome) -> bool:
    """Tell whether two searches came to the same states by the same steps, as far as counts go.

    And to the same violations: a design that makes a step fair mends runs, and adds no state.
    """
    return (one.states, one.generated, one.level_sizes, one.per_action, set(one.violations)) == (
        other.states,
        other.generated,
        other.level_sizes,
        other.per_action,
        set(other.violations),
    )


def chosen(
    model: Model,
    instance: Instance,
    design: Design | None = None,
    properties: Iterable[str] | None = None,
    program: Program | None = None,
    cache: Cache | None = None,
    *,
    symmetry: bool = False,
) -> Bound:
    """Return a model bound to an instance, with only the properties chosen; see `check`.

    Raises:
        SpecError: the specification or the design is outside the language.
        BindError: the instance or the choice of properties does not fit the model, or there is
            nothing to fold.
    """
    names = None if properties is None else list(properties)
    make = partial(_chosen, model, instance, design, names, program, cache)
    found = make() if cache is None else bound_of(make, model, instance, design, names, cache)
    if not symmetry:
        return found
    from ackproof.model.symmetry import folded

    return folded(found)


def _chosen(
    model: Model,
    instance: Instance,
    design: Design | None,
    names: list[str] | None,
    program: Program | None,
    cache: Cache | None,
) -> Bound:
    declared = None if names is None else [n for n in names if n not in BUILT_IN]
    program = program or program_of(model, design, cache)
    bound = bind(model, instance, design, declared, program)
    if names is None or DEADLOCK not in names:
        return bound
    return replace(bound, program=replace(bound.program, deadlock_free=True))


def asked(
    bound: Bound,
    engine: Engine,
    *,
    max_depth: int | None = None,
    survey: bool = False,
    cache: Cache | None = None,
) -> Question:
    """Return what a check of a bound model is to find out; see `check`."""
    where = None if cache is None else origin_of(origin(bound.model, bound.design), bound)
    # What is found does not depend on how states are held.
    finding = "kernel" if engine == "collapsed" else engine
    return Question(bound, finding, survey, max_depth, where, cache)


def check_bound(
    bound: Bound,
    name: str | None,
    engine: Engine | Explore,
    workers: int | None,
    memory: int | None,
    max_depth: int | None,
    progress: Callable[[Progress], None] | None,
    started: float,
    survey: bool = False,
    question: Question | None = None,
) -> Report:
    """Check a bound program; see `check`.

    `started` is the time to count from, `question` what may have been found out before.
    """
    _refuse_unknown_lacks(bound)
    refuse_too_many_choices(bound)
    limit = default_memory() if memory is None else memory
    question = question or Question(bound, "")
    known = question.answer(limit)
    outcome = (
        known.outcome
        if known
        else explorer(engine, question)(
            bound,
            workers=default_workers() if workers is None else workers,
            memory=limit,
            max_depth=max_depth,
            survey=survey,
            progress=progress,
        )
    )
    report = _report(bound, name, outcome, question.idle)
    if known:
        return replace(
            report,
            seconds=known.seconds,
            memory_limit=known.memory_limit,
            searched=known.searched,
        )
    seconds = time.perf_counter() - started
    question.keep(outcome, seconds, limit)
    return replace(report, seconds=seconds, memory_limit=limit)


def _report(bound: Bound, name: str | None, outcome: Outcome, idle: Idle) -> Report:
    """Return the report of an outcome, without time and memory."""
    traces: tuple[Trace, ...] = ()
    if outcome.violations:
        from ackproof.model.trace import replay_found

        traces = replay_found(bound, outcome)
    excused = {*bound.instance.lacks, *idle.off, *idle.dead}
    complete = outcome.exhausted
    unwitnessed = tuple(
        p.name
        for p in bound.properties
        if complete
        and p.kind == "reachable"
        and p.name not in outcome.witnessed
        and p.name not in excused
    )
    dead = tuple(
        a.name
        for a in bound.actions
        if complete and outcome.per_action.get(a.name, 0) == 0 and a.name not in excused
    )
    return Report(
        bound=bound,
        design=name,
        outcome=outcome,
        verdict=Verdict.of(outcome, witnessed=not unwitnessed and not dead),
        traces=traces,
        unwitnessed=unwitnessed,
        dead=dead,
        off=_switched_off(bound, idle),
        vacuous=idle.vacuous,
        seconds=0.0,
        memory_limit=0,
    )


def _switched_off(bound: Bound, idle: Idle) -> tuple[str, ...]:
    """Return the actions and situations that are no part of an instance, in their order."""
    there = {a.name for a in bound.actions} - idle.dead
    actions = (a.name for a in bound.program.actions if a.name not in there)
    return (*actions, *(p.name for p in bound.properties if p.name in idle.off))


def explorer(engine: Engine | Explore, question: Question | None = None) -> Explore:
    """Return an engine's search; only the engine that is asked for is loaded.

    `question` is what it is to be asked, and knows what was compiled before.
    """
    if engine == "plain":
        from ackproof.model.plain_search import explore as plain

        return plain
    if isinstance(engine, str):
        from ackproof.model.kernel.engine import explore as kernel

        known = question.kernel() if question else None
        return partial(kernel, kernel=known, collapsed=engine == "collapsed")
    return engine


def _refuse_unknown_lacks(bound: Bound) -> None:
    program = bound.program
    known = {p.name for p in program.properties} | {a.name for a in program.actions}
    for name in bound.instance.lacks:
        if name not in known:
            raise BindError(
                f"instance {bound.instance.name}: it lacks {name!r}, which is neither a property "
                f"nor an action of {program.name}; correct the name"
            )
