"""A design beside the base: what comes up on an instance without the design, and not with it.

Whoever does nothing breaks no promise.  A design whose queue never starts again after a crash loses
nothing that anybody was told is safe, and every property holds.  What it makes impossible by its
own text looks, to a search, like what the instance switches off.  So the base is asked: what it
cannot do there either is off, and of the rest its search says whether it comes up.
"""

from __future__ import annotations

from collections.abc import Iterable

from ackproof.lang.binding import Bound
from ackproof.model.outcome import Outcome
from ackproof.model.report import Report
from ackproof.model.results import Idle

__all__ = ["lost", "suspected"]


def suspected(report: Report, base: Bound, idle: Idle) -> tuple[str, ...]:
    """Return what never came up with a design, and may come up without it.

    What the report misses by itself is not looked for once more.

    Args:
        report: what a whole search of the design found.
        base: the model without the design, bound to the same instance.
        idle: what has no part in that.
    """
    missing = {*report.unwitnessed, *report.dead}
    ruled_out = {*base.instance.lacks, *idle.dead, *idle.off, *missing}
    actions = (a.name for a in base.actions)
    situations = (p.name for p in base.properties if p.kind == "reachable")
    never = set(actions) - _taken(report.outcome) | set(situations) - report.outcome.witnessed
    names = [*(a.name for a in base.actions), *(p.name for p in base.properties)]
    return tuple(n for n in names if n in never - ruled_out)


def lost(suspects: Iterable[str], without: Outcome) -> tuple[str, ...]:
    """Return those of some actions and situations that come up in a search of the base."""
    there = _taken(without) | without.witnessed
    return tuple(name for name in suspects if name in there)


def _taken(outcome: Outcome) -> set[str]:
    return {name for name, count in outcome.per_action.items() if count}
