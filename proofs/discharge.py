"""Discharging: obligations given to solvers, several at a time, each with a limit.

Workers are forked from a process that has translated the specification, so none does it again.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from ackproof.lang.collection import collect_seldom
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.smt.unbounded import Untranslatable
from ackproof.proofs.solving import UNKNOWN, SolverAnswer, solve

__all__ = ["Outcome", "discharge", "discharged", "start_worker"]


@dataclass(frozen=True)
class Outcome:
    """What became of an obligation.

    Attributes:
        obligation: which.
        status: `PROVED`, `REFUTED` or `UNKNOWN`, of `ackproof.proofs.solving`.
        seconds: how long it took, translation included.
        reason: why it is unknown.
        solver: who has decided it, "z3" or "cvc5".
        work: what solvers did, in seconds of a machine where nothing else runs.
        kept: whether that was in another run, and is from the cache.
    """

    obligation: Obligation
    status: str
    seconds: float
    reason: str = ""
    solver: str = "z3"
    work: float = 0.0
    kept: bool = False


def discharged(
    obligations: Obligations, obligation: Obligation, limit: float, seed: int = 0
) -> Outcome:
    """Return what becomes of one obligation."""
    start = time.perf_counter()
    try:
        answer = solve(obligations.query(obligation), limit, seed=seed)
    except Untranslatable as missing:
        answer = SolverAnswer(UNKNOWN, str(missing))
    spent = time.perf_counter() - start
    return Outcome(obligation, answer.status, spent, answer.reason, answer.solver, answer.work)


def discharge(
    obligations: Obligations,
    chosen: Iterable[Obligation],
    workers: int,
    limit: float,
    seed: int = 0,
) -> Iterator[Outcome]:
    """Yield what becomes of obligations, as they are decided.

    Args:
        obligations: translates them.
        chosen: which.
        workers: how many processes work on them.
        limit: seconds for each, as they are where nothing else runs.
        seed: makes other choices where solvers make them at random.
    """
    # Those of one action come together, so that few processes translate it.
    todo = sorted(chosen, key=lambda one: (one.action or "", one.case or 0))
    if workers < 2 or len(todo) < 2:
        _keep_memory()
        for one in todo:
            yield discharged(obligations, one, limit, seed)
        return
    global _TASK
    _TASK = (obligations, todo, limit, seed)
    context = multiprocessing.get_context("fork")
    with context.Pool(workers, initializer=start_worker) as pool:
        yield from pool.imap_unordered(_work, range(len(todo)), chunksize=_TOGETHER)


#: How many obligations a process takes at a time.
_TOGETHER = 8

#: What the GNU C library calls the sizes from which memory is not kept, and how much is, in bytes.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _KEPT = -1, -3, 1 << 29


def start_worker() -> None:
    """Leave interruptions to the process that waits for this one, and its objects as they are.

    Whoever looks for garbage among what was forked copies it, page by page.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_seldom()
    _keep_memory()


def _keep_memory() -> None:
    """Keep what a solver gives back when it is done with an obligation: the next one takes it."""
    with suppress(OSError, AttributeError):  # where there is no GNU C library
        set_option = ctypes.CDLL(None).mallopt
        set_option(_MMAP_THRESHOLD, _KEPT)
        set_option(_TRIM_THRESHOLD, _KEPT)


_TASK: tuple[Obligations, list[Obligation], float, int] | None = None


def _work(number: int) -> Outcome:
    assert _TASK is not None
    obligations, todo, limit, seed = _TASK
    return discharged(obligations, todo[number], limit, seed)
