"""Runs of checks, one after the other, each with its progress and its place in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ackproof.cli.engines import Asked

if TYPE_CHECKING:
    from ackproof.cli.jobs import Job
    from ackproof.cli.output import Result
    from ackproof.cli.progress import Watch

__all__ = ["run_jobs"]


def run_jobs(jobs: Sequence[Job], options: dict[str, Any], *, quiet: bool = False) -> list[Result]:
    """Run checks one after the other; an interrupted one is the last.

    `options` go to each check, but for `engine`, the one that was asked for, an `Asked`.  With
    `quiet`, nothing tells how far they are.

    Raises:
        InputError: there is no Spark here, or the directory for what it finds has something else.
    """
    asked: Asked = options["engine"]
    with asked.opened() as engine:
        watch: Any = _unwatched
        if not quiet:
            folded = options.get("symmetry", False)
            watch = partial(_watch, in_levels=asked.keeps, folded=folded)
        return _run_all(jobs, {**options, "engine": engine}, watch)


def _watch(job: Job, *, in_levels: bool, folded: bool) -> Watch:
    from ackproof.cli.progress import Watch

    known = None if job.target.design or folded else job.instance.states
    return Watch(job.label, known, in_levels=in_levels)


def _unwatched(job: Job) -> AbstractContextManager[None]:
    return nullcontext()


def _run_all(
    jobs: Sequence[Job], options: dict[str, Any], watch: Callable[[Job], Any]
) -> list[Result]:
    reports: dict[int, dict[str, Any]] = {}
    results: list[Result] = []
    for job in jobs:
        known = reports.setdefault(id(job.target), {})
        results += (
            _where_it_matters(job, options, watch)
            if job.budget
            else [_run(job, options, known, watch)]
        )
        if _interrupted(results[-1]):
            break
    return results


def _where_it_matters(
    job: Job, options: dict[str, Any], watch: Callable[[Job], Any]
) -> list[Result]:
    """Check a design where it makes a difference, up to the first instance that breaks.

    If that is nowhere, it is checked on the smallest instance, and its verdict says so.  Whoever
    interrupts it while it looks for the next instance gets what was found on the others.
    """
    from ackproof.model.difference import affected, by_size
    from ackproof.model.verdict import Verdict

    target, results = job.target, []
    assert target.design is not None
    where = affected(target.model, target.design, job.budget, options["cache"])
    note, cut_short = job.note, False
    try:
        for instance in where:
            result = _run(replace(job, instance=instance), options, {}, watch)
            results.append(result)
            if result.report.verdict is Verdict.VIOLATED or _interrupted(result):
                break
    except KeyboardInterrupt:
        if not results:
            raise
        note, cut_short = f"{note}; interrupted before all of these were found", True
    broken = bool(results) and results[-1].report.verdict is Verdict.VIOLATED
    note += ", up to one that breaks" if broken else ""
    results = results or [_run(job, options, {}, watch)]
    sized = {i.name for i in by_size(target.model)}
    unknown = [i for i in target.model.instances if i.name not in sized]
    for why, left_out in (("too large", where.beyond), ("of unknown size", unknown)):
        if left_out:
            note += f"; {why}, and not looked at: {', '.join(i.name for i in left_out)}"
    return [replace(r, job=replace(r.job, note=note, cut_short=cut_short)) for r in results]


def _interrupted(result: Result) -> bool:
    from ackproof.model.outcome import Limit

    return result.job.cut_short or result.report.outcome.limit is Limit.INTERRUPTED


def _run(
    job: Job, options: dict[str, Any], reports: dict[str, Any], watch: Callable[[Job], Any]
) -> Result:
    from ackproof.cli.output import Result
    from ackproof.model.check import check as run_check
    from ackproof.model.museum import judge

    target = job.target
    with watch(job) as progress:
        options = {**options, "name": target.name, "progress": progress}
        if job.expectation is not None and target.design is not None:
            judged = judge(target.model, target.design, job.expectation, reports=reports, **options)
            return Result(job, judged.report, judged)
        return Result(job, run_check(target.model, job.instance, target.design, **options))
