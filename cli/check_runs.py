"""Runs of checks, one after the other, each with its progress and its place in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    from ackproof.model.outcome import Limit

    reports: dict[int, dict[str, Any]] = {}
    results = []
    for job in jobs:
        known = reports.setdefault(id(job.target), {})
        swept = _sweep(job, options, watch) if job.sweep else None
        for result in swept or [_run(job, options, known, watch)]:
            results.append(result)
            if result.report.outcome.limit is Limit.INTERRUPTED:
                return results
    return results


def _sweep(job: Job, options: dict[str, Any], watch: Callable[[Job], Any]) -> Iterator[Result]:
    """Yield the checks of a design where it makes a difference, up to the first that breaks.

    If that is nowhere, it is checked on the first instance, and its verdict says so.
    """
    from ackproof.model.difference import affected
    from ackproof.model.verdict import Verdict

    target, looked_at = job.target, 0
    assert target.design is not None
    for instance in affected(target.model, target.design, job.sweep, options["cache"]):
        looked_at += 1
        result = _run(replace(job, instance=instance), options, {}, watch)
        yield result
        if result.report.verdict is Verdict.VIOLATED:
            return
    if not looked_at:
        yield _run(replace(job, instance=job.sweep[0]), options, {}, watch)


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
