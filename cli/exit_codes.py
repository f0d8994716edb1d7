"""What several checks come to together: which of them count, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence

from ackproof.cli.inputs import INCOMPLETE
from ackproof.cli.output import Result
from ackproof.model.verdict import Verdict, worst

__all__ = ["counting", "exit_code"]


def exit_code(results: Sequence[Result]) -> int:
    """Return the exit code of checks: violated before incomplete before fine."""
    wrong = [r for r in results if r.judgement and not r.judgement.came_true]
    # A search that stopped early has decided nothing, and its verdict says so.
    failed = [1 for r in wrong if r.report.outcome.limit is None]
    short = [INCOMPLETE for r in results if r.job.cut_short]
    return worst([*(r.report.verdict.exit_code for r in counting(results)), *failed, *short])


def counting(results: Sequence[Result]) -> list[Result]:
    """Return the checks whose verdicts count.

    Where several instances are looked at for a design, and it is met on some, the others say
    nothing; nor do they where it is expected that all is well.  What a design does not do on one
    instance, and does on another, it has not made impossible.
    """
    unmet = [r for r in results if r.report.verdict is Verdict.UNCHANGED]
    met = {id(r.job.target) for r in results if r not in unmet}
    silent = [r for r in unmet if r.judgement or (r.job.budget and id(r.job.target) in met)]
    silent += [r for r in results if r.report.lost and set(r.report.lost) <= _seen(r, results)]
    return [r for r in results if r not in silent]


def _seen(result: Result, results: Sequence[Result]) -> set[str]:
    """Return the actions and situations that came up wherever a target was looked at."""
    outcomes = [r.report.outcome for r in results if r.job.target is result.job.target]
    taken = {name for o in outcomes for name, count in o.per_action.items() if count}
    return taken | {name for o in outcomes for name in o.witnessed}
