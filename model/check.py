"""One check, from a model and an instance to a report.

The program is bound, an engine explores it, and every counterexample that the engine claims is
replayed in plain Python before anybody sees it.  Then the verdict is drawn: a state space without
a violation is `verified` only if it was seen whole, every `@reachable` situation came up, and every
action was enabled somewhere; but for those that the instance switches off.

An engine is one of this package, by its name, or whatever does what `Explore` says.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Literal, Protocol

from ackproof.model.lower.fixed import Fixed, fixed
from ackproof.model.outcome import Outcome, Progress
from ackproof.model.report import Report
from ackproof.model.resources import default_memory, default_workers
from ackproof.model.trace import replay
from ackproof.model.verdict import Verdict
from ackproof.spec.lang.binding import Bound, bind
from ackproof.spec.lang.data import Elements
from ackproof.spec.lang.errors import BindError
from ackproof.spec.lang.model import Design, Instance, Model
from ackproof.spec.lang.program import Program
from ackproof.spec.lang.properties import BUILT_IN, DEADLOCK
from ackproof.spec.lang.types import BoolT, EnumT, IntT, OptionT, RecordT, SetT, SortT, Type

__all__ = ["ENGINES", "Engine", "Explore", "check", "check_bound", "chosen", "explorer"]

Engine = Literal["kernel", "plain"]

ENGINES: tuple[Engine, ...] = ("kernel", "plain")

#: Choices of an action with its arguments, all actions together, that a search can try.
_MOST_CHOICES = 1 << 16

#: Elements of one sort that a search can name.
_MOST_ELEMENTS = 1 << 12


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

    Raises:
        SpecError: the specification or the design is outside the language.
        BindError: the instance or the choice of properties does not fit the model.
        ReplayError: the engine claims what plain Python does not confirm.
    """
    started = time.perf_counter()
    _refuse_large_sorts(instance)
    bound = chosen(model, instance, design, properties, program)
    return check_bound(bound, name, engine, workers, memory, max_depth, progress, started, survey)


def chosen(
    model: Model,
    instance: Instance,
    design: Design | None = None,
    properties: Iterable[str] | None = None,
    program: Program | None = None,
) -> Bound:
    """Return a model bound to an instance, with only the properties chosen; see `check`.

    Raises:
        SpecError: the specification or the design is outside the language.
        BindError: the instance or the choice of properties does not fit the model.
    """
    names = None if properties is None else list(properties)
    declared = None if names is None else [n for n in names if n not in BUILT_IN]
    bound = bind(model, instance, design, declared, program)
    if names is None or DEADLOCK not in names:
        return bound
    return replace(bound, program=replace(bound.program, deadlock_free=True))


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
) -> Report:
    """Check a bound program; see `check`.  `started` is the time to count from."""
    _refuse_unknown_lacks(bound)
    _refuse_too_many_actions(bound)
    limit = default_memory() if memory is None else memory
    outcome = explorer(engine)(
        bound,
        workers=default_workers() if workers is None else workers,
        memory=limit,
        max_depth=max_depth,
        survey=survey,
        progress=progress,
    )
    parts = fixed(bound)
    excused = {*bound.instance.lacks, *parts.off, *parts.dead}
    traces = tuple(
        replay(bound, prop, path, outcome.cycles.get(prop, ()))
        for prop, path in outcome.violations.items()
    )
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
        off=_switched_off(bound, parts),
        vacuous=parts.vacuous,
        seconds=time.perf_counter() - started,
        memory_limit=limit,
    )


def _switched_off(bound: Bound, parts: Fixed) -> tuple[str, ...]:
    """Return the actions and situations that are no part of an instance, in their order."""
    actions = (
        a.name for a in bound.program.actions if a not in bound.actions or a.name in parts.dead
    )
    return (*actions, *(p.name for p in bound.properties if p.name in parts.off))


def explorer(engine: Engine | Explore) -> Explore:
    """Return an engine's search; only the engine that is asked for is loaded."""
    if engine == "plain":
        from ackproof.model.plain_search import explore as plain

        return plain
    if engine == "kernel":
        from ackproof.model.kernel.engine import explore as kernel

        return kernel
    return engine


def _refuse_large_sorts(instance: Instance) -> None:
    for sort, size in instance.sizes.items():
        if isinstance(size, int) and size > _MOST_ELEMENTS:
            raise BindError(
                f"instance {instance.name}: the size of {sort.__name__} is {size:,}, "
                f"where {_MOST_ELEMENTS:,} can be searched; make it smaller"
            )


def _refuse_unknown_lacks(bound: Bound) -> None:
    program = bound.program
    known = {p.name for p in program.properties} | {a.name for a in program.actions}
    for name in bound.instance.lacks:
        if name not in known:
            raise BindError(
                f"instance {bound.instance.name}: it lacks {name!r}, which is neither a property "
                f"nor an action of {program.name}; correct the name"
            )


def _refuse_too_many_actions(bound: Bound) -> None:
    """Refuse an instance with more choices of an action and its arguments than can be tried."""
    total = 0
    for action in bound.actions:
        counts = {p.name: domain_size(p.type, bound.elements) for p in action.params}
        total += math.prod(counts.values())
        if total > _MOST_CHOICES:
            name = max(counts, key=counts.__getitem__)
            raise BindError(
                f"instance {bound.instance.name}: there are too many ways to choose an action and "
                f"its arguments, {_count(counts[name])} for {name} of {action.name} alone, where "
                f"{_MOST_CHOICES:,} in all can be tried; make the sorts smaller"
            )


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**9 else "more than a thousand million"


def domain_size(t: Type, elements: Elements) -> int:
    """Return how many values a type has."""
    match t:
        case BoolT():
            return 2
        case EnumT():
            return len(t.members)
        case IntT():
            return t.hi - t.lo + 1
        case SortT():
            return len(elements[t.name])
        case OptionT():
            return 1 + domain_size(t.inner, elements)
        case RecordT():
            return math.prod(domain_size(f, elements) for _, f in t.fields)
        case SetT():
            return 1 << min(domain_size(t.elem, elements), 1024)
    raise AssertionError(f"no action takes a {t!r}")
