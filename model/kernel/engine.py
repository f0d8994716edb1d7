"""The compiled engine: explores a bound program with the kernel, all workers, exactly.

Two compilers meet here: the program is lowered to `expand` and `inspect` for this instance, and
the search that calls them is compiled once for each width of a state and then kept on disk. What
the search reports in bits and numbers is given its names back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ackproof.lang.binding import Bound
from ackproof.model.kernel import search as kernel_search
from ackproof.model.kernel.control import INSTANCE_MASK
from ackproof.model.kernel.memory import default_limit
from ackproof.model.kernel.search import Kind, Result, Status, Violation
from ackproof.model.kernel.worker import Model
from ackproof.model.lower.compile import Kernel, compile_kernel, is_small
from ackproof.model.outcome import Limit, Outcome, Progress, unjudged

if TYPE_CHECKING:
    from ackproof.model.kernel.runs import Runs
    from ackproof.model.kernel.unfold import Unfolding

__all__ = ["explore", "model_of", "runs_of"]


def explore(
    bound: Bound,
    *,
    workers: int = 1,
    memory: int | None = None,
    max_depth: int | None = None,
    survey: bool = False,
    progress: Callable[[Progress], None] | None = None,
    kernel: Kernel | None = None,
    collapsed: bool = False,
) -> Outcome:
    """Explore a bound program with the compiled kernel, breadth first.

    Args:
        bound: the program at the sizes of an instance.
        workers: how many threads search; all counts are the same for any number.
        memory: bytes that the states may occupy; most of what is free when left out.
        max_depth: number of levels after which to stop.
        survey: whether to go on after a violation, and so to decide every property.
        progress: called a few times a second, in the calling thread.
        kernel: the program compiled, if it is at hand.
        collapsed: whether to hold states as keys, which takes less memory and more time.

    Raises:
        BindError: a state of this instance does not fit.
        OutOfAddresses: the system does not lend the addresses for that much memory.
    """
    kernel = kernel or compile_kernel(bound, quick=is_small(bound))
    started = time.perf_counter()
    model, limit = model_of(kernel, collapsed), default_limit() if memory is None else memory
    kernel_search.compile_driver(model.words, model.slot_words, workers)
    unfolding = _unfolding(bound, kernel)
    runs = runs_of(kernel, model, limit)
    compiled = kernel.compile_seconds + time.perf_counter() - started
    result = kernel_search.search(
        model,
        unfolding.initials if unfolding else kernel.initials,
        workers=workers,
        memory_limit=limit,
        max_depth=max_depth,
        survey=survey,
        then=runs.check if runs else None,
        progress=None if progress is None else _translated(progress),
        better=_better(kernel, collapsed),
    )
    undecided = runs.limit if runs else unjudged(bound, result.status is Status.EXHAUSTED)
    found = _violations(kernel, result)
    if unfolding:
        found = {name: unfolding.violation(one) for name, one in found.items()}
    starts = {**{n: v.initial for n, v in found.items()}, **(runs.starts if runs else {})}
    return Outcome(
        engine="collapsed" if collapsed else "kernel",
        workers=workers,
        states=result.distinct,
        generated=result.generated,
        level_sizes=result.level_sizes,
        # Without any action the search still keeps one counter, which stays at 0.
        per_action={a.name: n for a, n in zip(bound.actions, result.counts, strict=False)},
        violations={**{n: v.trace for n, v in found.items()}, **(runs.paths if runs else {})},
        witnessed=frozenset(
            name for bit, name in kernel.tables.seen_bits.items() if result.seen >> bit & 1
        ),
        limit=undecided or _limit(result),
        seconds=result.seconds,
        compile_seconds=compiled,
        memory=max(result.bytes, runs.bytes if runs else 0),
        exhausted=result.status is Status.EXHAUSTED,
        cycles=runs.cycles if runs else {},
        cut=result.cut,
        starts={n: at for n, at in starts.items() if at},
    )


def model_of(kernel: Kernel, collapsed: bool = False) -> Model:
    """Return a kernel as the search calls it, whose tables hold states, or keys of them."""
    assert kernel.fanout <= INSTANCE_MASK, "a log entry has room for the number of any instance"
    return Model(
        words=kernel.words,
        fanout=kernel.fanout,
        expand=kernel.expand,
        inspect=kernel.inspect,
        falsify=kernel.falsify,
        actions=max(1, kernel.n_counts),
        seen_words=kernel.tables.seen_words,
        owner=kernel,
        collapsed=collapsed,
    )


def _better(kernel: Kernel, collapsed: bool) -> kernel_search.Better | None:
    make = kernel.better
    if make is None:
        return None
    return kernel_search.Better(lambda: model_of(make(), collapsed), kernel.patience)


def _unfolding(bound: Bound, kernel: Kernel) -> Unfolding | None:
    """What makes runs of the program of those among folded states; loaded only where some are."""
    if not bound.folded:
        return None
    from ackproof.model.kernel.unfold import Unfolding

    return Unfolding(bound, kernel)


def runs_of(kernel: Kernel, model: Model, memory: int) -> Runs | None:
    """Return what checks the properties of runs; it is loaded only where there are some."""
    if not kernel.falsify:
        return None
    from ackproof.model.kernel.objects import divider
    from ackproof.model.kernel.runs import Runs

    divider(model.words, model.slot_words)
    asked = {name: bit for bit, name in kernel.tables.asked_bits.items()}
    return Runs(kernel.bound, kernel.tables.run_bits, asked, kernel.initials, memory)


def _translated(
    progress: Callable[[Progress], None],
) -> Callable[[kernel_search.Progress], None]:
    def report(p: kernel_search.Progress) -> None:
        progress(Progress(p.states, p.generated, p.waiting, p.depth, p.bytes, p.seconds))

    return report


def _violations(kernel: Kernel, result: Result) -> dict[str, Violation]:
    """The first violation of each property by name, shortest paths first."""
    found: dict[str, Violation] = {}
    for violation in result.violations:
        of_state = violation.kind is Kind.STATE
        names = kernel.tables.state_bits if of_state else kernel.tables.step_bits
        found.setdefault(names[violation.property], violation)
    return found


def _limit(result: Result) -> Limit | None:
    if result.status is Status.BOUNDED:
        return Limit.DEPTH
    if result.status is Status.TRUNCATED:
        return Limit.INTERRUPTED if result.reason == "interrupted" else Limit.MEMORY
    return None
