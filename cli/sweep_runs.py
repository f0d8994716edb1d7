"""A sweep, searched in several processes, here or elsewhere, and what broke in it.

What broke is shown as a usual check shows it.

Each process loads the model by itself, and searches the instances that it is given with one thread.
A counterexample is made in this process once more: on the instance with the faults of its run and
no others, which is the smaller, and where it is a shortest one all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from ackproof.cli.inputs import InputError
from ackproof.cli.jobs import Job, cache_for
from ackproof.cli.output import Result
from ackproof.cli.process_pool import run_in
from ackproof.cli.targets import Target, named
from ackproof.lang.model import Instance
from ackproof.model.check import check
from ackproof.model.pools import Piece, Pool
from ackproof.model.programs import program_of
from ackproof.model.resources import default_memory
from ackproof.model.sweep.growth import Growth
from ackproof.model.sweep.looking import Candidate, Fate, Found, Looking
from ackproof.model.sweep.plan import Sweep, share_of, swept

__all__ = ["breaks", "run_sweep"]


def run_sweep(
    target: Target,
    budget: int,
    options: dict[str, Any],
    *,
    start: Instance | None = None,
    properties: Sequence[str] | None = None,
    go_on: bool = False,
    fresh: bool = False,
) -> Sweep:
    """Sweep a model, or a design, until so many states are spent.

    Args:
        target: what is swept.
        budget: states to spend.
        options: the engine, and what limits a search, as for any check.
        start: the instance that others grow from; the smallest there is if it is not given.
        properties: those that are checked; all of them if not given.
        go_on: whether a violation does not end it.
        fresh: whether all is searched anew.
    """
    program = program_of(target.model, target.design, options["cache"])
    growth = Growth(target.model, program, target.design)
    chosen = None if properties is None else tuple(properties)
    shape = None if start is None else growth.shape_of(start)
    with options["engine"].pool() as pool:
        limit = options["memory"]
        memory = pool.memory(limit) if pool else limit or default_memory()
        manner = (chosen, options["engine"].of_task.engine, share_of(budget), memory, fresh)
        look = _looker(target, manner, pool)
        return swept(growth, budget, look, shape, go_on=go_on)


#: How a sweep looks at instances: the properties, the engine, how many states one may have, how
#: many bytes, and whether all is searched anew.
_Manner = tuple[tuple[str, ...] | None, Any, int, int, bool]


def _looker(
    target: Target, manner: _Manner, pool: Pool | None
) -> Callable[[Sequence[Candidate]], Iterator[Found]]:
    looking = cache(partial(_looking, target, manner))  # made where this process searches, once

    def look(candidates: Sequence[Candidate]) -> Iterator[Found]:
        if pool is None or len(candidates) <= pool.few:
            yield from _here(looking(), candidates)
        else:
            pieces = [Piece(one.name, (target.text, manner, one)) for one in candidates]
            yield from run_in(pool, _look, pieces, "instances")

    return look


def _here(looking: Looking, candidates: Sequence[Candidate]) -> Iterator[Found]:
    """Search instances in this process, of the model that it has: a file is not run twice."""
    for candidate in candidates:
        try:
            found = looking.look(candidate)
        except KeyboardInterrupt:
            return
        yield found


def _look(text: str, manner: _Manner, candidate: Candidate) -> Found:
    """Search an instance, in some process."""
    return _bench(text, manner).look(candidate)


@cache
def _bench(text: str, manner: _Manner) -> Looking:
    return _looking(named(text), manner)


def _looking(target: Target, manner: _Manner) -> Looking:
    properties, engine, share, memory, fresh = manner
    store = cache_for(fresh)
    return Looking(target.model, target.design, properties, engine, share, memory, store)


def breaks(
    target: Target, sweep: Sweep, options: dict[str, Any], properties: Sequence[str] | None
) -> list[Result]:
    """Return the first instance on which each property breaks, checked once more."""
    shown: set[str] = set()
    results = []
    for entry in sweep.of(Fate.BROKEN):
        first = entry.found.broken[0]
        if not shown.issuperset(b.property for b in entry.found.broken):
            instance = _narrowed(sweep.growth, entry.candidate, dict(first.faults))
            report = check(
                target.model,
                instance,
                target.design,
                name=target.name,
                properties=properties,
                engine=options["engine"].of_task.engine,
                workers=options["workers"],
                memory=options["memory"],
                cache=options["cache"],
                compare=False,
            )
            if not report.outcome.violations:
                raise InputError(
                    f"{instance.name} breaks {first.property} with more faults than its run takes; "
                    "this is a defect of the search"
                )
            results.append(Result(Job(target, instance), report))
            shown |= {b.property for b in entry.found.broken}
    return results


def _narrowed(growth: Growth, candidate: Candidate, faults: dict[str, int]) -> Instance:
    made = growth.instance(candidate.shape, candidate.name)
    return replace(made, faults=faults, purpose=f"{candidate.growth} steps from the smallest")
