"""Contradictions: what is proved is held against what a search finds.

What is proved for all sizes is true at each size.  So the checker searches the small instances of
the model, and whatever it sees violated must not be proved.  Where it is, nobody has to look at
the specification or at the lemmas: the run was replayed in plain Python, and lemmas that are false
cannot be proved, either.  It is the prover that is wrong: its formulas, its rules or its solvers.

A run contradicts nothing if its instance does not meet what the proof assumes of the constants.

The searches are those of `ackproof check --continue`, of the same question and through the same
cache, so whoever has checked an instance has made this search.  Each ends at some number of states;
as the states come in order of their distance, that is bounded model checking, to the depth to which
it came, and where it came to the end, it is all that there is at these sizes.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from ackproof.lang.errors import BindError
from ackproof.lang.frontend import compile_model
from ackproof.lang.model import Instance, Model
from ackproof.lang.properties import stated_by
from ackproof.model.cache import Cache
from ackproof.model.check import check
from ackproof.model.difference import within
from ackproof.model.outcome import Progress
from ackproof.proofs.attempt import Attempt
from ackproof.proofs.discharge import start_worker
from ackproof.proofs.report import Contradiction, Proof, Searched

__all__ = ["STATES", "contradictions", "held_against", "searched", "small"]

#: States of the instances that are searched, together, where it is known how many there are; and
#: those at which the search of one ends.
STATES = 20_000


def small(model: Model) -> tuple[Instance, ...]:
    """Return the instances to search: the smallest, and those of which nobody says how large."""
    sized = tuple(i for i in within(model, STATES) if i.states)
    return (*sized, *(i for i in model.instances if not i.states))


def held_against(
    attempt: Attempt,
    proof: Proof,
    *,
    workers: int = 1,
    cache: Cache | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Proof:
    """Return a proof with what was searched, and where that contradicts it.

    Args:
        attempt: what was to be proved.
        proof: what has become of it.
        workers: how many processes search.
        cache: where outcomes are kept.
        progress: is called with the name of each instance that was searched.

    Raises:
        ReplayError: the search claims what plain Python does not confirm.
    """
    if proof.interrupted or not proof.shown:
        return proof  # there is nothing to contradict
    done: list[Searched] = []
    chosen = small(attempt.model)
    with suppress(KeyboardInterrupt):  # what is proved is proved
        for one in _searches(attempt, chosen, workers, cache):
            done.append(one)
            progress(one.instance)
    return replace(
        proof,
        searched=tuple(done),
        contradictions=tuple(c for one in done for c in contradictions(attempt, proof, one)),
        failing=tuple(c for one in done for c in _failing(attempt, proof, one)),
        held=len(done) == len(chosen),
    )


def contradictions(attempt: Attempt, proof: Proof, found: Searched) -> Iterator[Contradiction]:
    """Yield what a search has found that contradicts a proof."""
    for name, run in found.runs.items():
        unmet = attempt.unmet_on(found.instance) if name in proof.shown else None
        if unmet is not None and unmet.isdisjoint(proof.needs[name]):
            yield Contradiction(name, found.instance, run)


def _failing(attempt: Attempt, proof: Proof, found: Searched) -> Iterator[Contradiction]:
    """Yield the runs in which a step fails, where the proof relies on it that none does."""
    for name in sorted({*proof.relies_on} & {*found.runs}):
        unmet = attempt.unmet_on(found.instance)
        shown = (goal for goal in proof.requested if goal in proof.shown)
        if unmet is not None and any(unmet.isdisjoint(proof.needs[goal]) for goal in shown):
            yield Contradiction(name, found.instance, found.runs[name])


def searched(
    attempt: Attempt, instance: Instance, cache: Cache | None = None, most: int = STATES
) -> Searched:
    """Return what a search of an instance finds.

    Args:
        attempt: what was to be proved.
        instance: where to search.
        cache: where outcomes are kept.
        most: how many states are enough.
    """

    def enough(progress: Progress) -> None:
        if progress.states > most:
            raise KeyboardInterrupt

    try:
        found = check(
            attempt.model,
            instance,
            attempt.design,
            program=compile_model(attempt.model, attempt.design),
            workers=1,
            survey=True,
            compare=False,
            progress=enough,
            cache=cache,
        )
    except BindError as wrong:
        return Searched(instance.name, 0, complete=False, runs={}, why=str(wrong))
    # In a proof integers have no ranges: where one is left the instance ends, and no more.
    runs = {
        stated_by(t.property): tuple(step.text for step in t.steps)
        for t in found.traces
        if not t.outside
    }
    outside = next((t.reason for t in found.traces if t.outside), "")
    whole = found.outcome.limit is None
    return Searched(instance.name, found.outcome.states, whole, runs, outside=outside)


# -- several at a time --------------------------------------------------------------------------

_TASK: tuple[Attempt, Sequence[Instance], Cache | None] | None = None


def _searches(
    attempt: Attempt, instances: Sequence[Instance], workers: int, cache: Cache | None
) -> Iterator[Searched]:
    """Yield in order what is found on each of the instances."""
    global _TASK
    _TASK = attempt, instances, cache
    numbers = range(len(instances))
    if workers < 2 or len(instances) < 2:
        yield from map(_work, numbers)
        return
    _load(attempt)
    context = multiprocessing.get_context("fork")
    with context.Pool(workers, initializer=start_worker) as pool:
        yield from pool.imap(_work, numbers)


def _load(attempt: Attempt) -> None:
    """Load what every process needs, once for all."""
    from ackproof.model.kernel import engine

    assert engine
    # With its lemmas the model was read for the proof, so this takes no time.
    compile_model(attempt.model, attempt.design)


def _work(number: int) -> Searched:
    assert _TASK is not None
    attempt, instances, cache = _TASK
    return searched(attempt, instances[number], cache)
