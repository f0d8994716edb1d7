"""What a search in a folder has found, as every engine says it.

Numbers come from the manifests of its levels alone.  Counterexamples, and the properties of runs,
are looked for when there are no more levels: they take a second look at the states.
"""

from __future__ import annotations

import time
from collections import Counter

from ackproof.lang.properties import DEADLOCK
from ackproof.model.outcome import Kept, Limit, Outcome
from ackproof.model.resources import default_memory
from ackproof.pipeline.levels import Search
from ackproof.pipeline.region import Runs, judge_runs
from ackproof.pipeline.settling import union
from ackproof.pipeline.shortest import Goal, shortest

__all__ = ["outcome"]


def outcome(
    search: Search, limit: Limit | None, compiled: float, *, survey: bool, memory: int | None
) -> Outcome:
    """Return what a search has found; counterexamples are looked for now.

    Args:
        search: a search that makes no more levels.
        limit: why it stopped early, or None.
        compiled: seconds that it took to begin.
        survey: whether it was to go on after a violation.
        memory: bytes that the driver may use for the properties of runs; most of what is available
            when left out.
    """
    levels, tables = search.levels, search.kernel.tables
    exhausted = limit is None and (survey or not search.broken)
    runs = _runs(search, memory) if exhausted else Runs()
    found = _violations(search)
    starts = {**{n: start for n, (start, _) in found.items()}, **runs.starts}
    steps = Counter({a.name: 0 for a in search.kernel.layout.bound.actions})
    for level in levels:
        steps.update(level.actions)
    seen = union([level.seen for level in levels])
    return Outcome(
        engine=search.crew.engine,
        workers=search.crew.parallelism,
        states=sum(level.states for level in levels),
        generated=sum(level.generated for level in levels),
        level_sizes=tuple(level.states for level in levels if level.states),
        per_action=dict(steps),
        violations={**{n: path for n, (_, path) in found.items()}, **runs.paths},
        witnessed=frozenset(name for bit, name in tables.seen_bits.items() if seen >> bit & 1),
        limit=limit or runs.limit,
        seconds=time.perf_counter() - search.started,
        compile_seconds=compiled,
        memory=search.crew.bytes + runs.bytes,
        exhausted=exhausted,
        cycles=runs.cycles,
        cut=sum(level.cut for level in levels),
        starts={n: start for n, start in starts.items() if start},
        needed=runs.needed and search.crew.bytes + runs.needed,
        kept=Kept(
            master=search.crew.master,
            partitions=search.parts,
            folder=search.folder.root.address,
            stored=search.stored,
            resumed=sum(1 for level in levels[: search.resumed] if level.states),
        ),
    )


def _violations(search: Search) -> dict[str, tuple[int, tuple[int, ...]]]:
    """Return a shortest run to each property that is violated, shortest first; see `shortest`."""
    tables, found = search.kernel.tables, {}
    for of_steps, bits in ((False, tables.state_bits), (True, tables.step_bits)):
        for bit, name in bits.items():
            if any(name in level.broken for level in search.levels):
                found[name] = shortest(search, Goal(name, bit, of_steps))
    order = {DEADLOCK: -1}
    return dict(sorted(found.items(), key=lambda item: (len(item[1][1]), order.get(item[0], 0))))


def _runs(search: Search, memory: int | None) -> Runs:
    """Return what becomes of the properties of runs, now that every state is known."""
    if not search.kernel.tables.run_bits:
        return Runs()
    try:
        if search.crew.holds(search.levels):
            return Runs()
    except KeyboardInterrupt:
        return Runs(limit=Limit.INTERRUPTED)
    allowed = default_memory() if memory is None else memory
    return judge_runs(search, max(0, allowed - search.crew.bytes))
