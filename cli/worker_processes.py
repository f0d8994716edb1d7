"""Checks of many designs in several processes, here or on other machines, a design at a time.

Each process is given designs, compiles each once for all that it expects, and searches with one
thread.  What comes back is what is shown: counts, verdicts and judgements, and for a document its
entry.  Counterexamples stay where they were replayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ackproof.cli.check_runs import run_jobs
from ackproof.cli.inputs import InputError
from ackproof.cli.jobs import Job, plan
from ackproof.cli.output import Result
from ackproof.cli.process_pool import run_in
from ackproof.cli.sent_reports import SentReport
from ackproof.cli.targets import load_all
from ackproof.lang.errors import BindError, SpecError
from ackproof.model.museum import Judgement
from ackproof.model.pools import Piece, Pool

__all__ = ["Finished", "check_here", "check_in_processes"]


@dataclass(frozen=True)
class Finished:
    """A check that has run.

    Args:
        result: what it found, without counterexamples.
        entry: what a document says of it, if that is wanted.
    """

    result: Result
    entry: dict[str, Any] | None = None


@dataclass(frozen=True)
class _Sent:
    """A result as it is sent: a report, what became of it, its entry."""

    report: SentReport
    came_true: bool
    found: str
    entry: dict[str, Any] | None


def check_here(
    jobs: Sequence[Job], options: dict[str, Any], *, with_entries: bool
) -> list[Finished]:
    """Run checks that are judged in this process, one after the other."""
    results = run_jobs(jobs, options)
    return [Finished(r, _entry(r) if with_entries else None) for r in results]


def check_in_processes(
    jobs: Sequence[Job], options: dict[str, Any], pool: Pool, *, with_entries: bool
) -> list[Finished]:
    """Run checks that are judged, those of a design in one process, and return them in order.

    An interruption ends all of them, and what is finished up to the first that is not is returned.

    Args:
        jobs: the checks, those of a design next to each other.
        options: what goes to each check.
        pool: where they run.
        with_entries: whether a document is to be written.

    Raises:
        InputError: a design is outside the language, or a process was ended.
    """
    groups = [list(group) for _, group in groupby(jobs, key=lambda job: id(job.target))]
    own = {"engine": options["engine"].of_task, "workers": 1}
    options = {**options, **own, "memory": pool.memory(options["memory"])}
    pieces = [
        Piece(group[0].target.label, (group[0].target.text, options, with_entries), _states(group))
        for group in groups
    ]
    finished: list[Finished] = []
    for group, sent in zip(groups, run_in(pool, _check, pieces, "designs"), strict=False):
        if isinstance(sent, str):
            raise InputError(sent)
        finished += [_received(job, one) for job, one in zip(group, sent, strict=True)]
    return finished


def _states(group: Sequence[Job]) -> int:
    """Return how many states the base has where a design is checked, as far as that is known."""
    known = {job.instance.name: job.instance.states or 0 for job in group}
    return sum(known.values())


def _check(text: str, options: dict[str, Any], with_entries: bool) -> list[_Sent] | str:
    """Check a design where it expects something, in a process of its own; or say what is wrong."""
    try:
        results = run_jobs(plan(load_all([text]), [], []), options, quiet=True)
    except (InputError, SpecError, BindError) as error:
        return str(error)
    return list(_sent(results, with_entries))


def _sent(results: Sequence[Result], with_entries: bool) -> Iterator[_Sent]:
    for result in results:
        report, judged = result.report, result.judgement
        assert judged is not None, "a design of the museum expects something"
        entry = _entry(result) if with_entries else None
        yield _Sent(SentReport.of(report), judged.came_true, judged.found, entry)


def _entry(result: Result) -> dict[str, Any]:
    from ackproof.model.document import document

    judged = result.judgement
    found = document([result.report], [judged.to_json() if judged else None])
    entry: dict[str, Any] = found["results"][0]
    return entry


def _received(job: Job, sent: _Sent) -> Finished:
    target, expectation = job.target, job.expectation
    assert expectation is not None, "a design of the museum expects something"
    report = sent.report.received(target.model, job.instance, target.design)
    judged = Judgement(expectation, report, sent.came_true, sent.found)
    return Finished(Result(job, report, judged), sent.entry)
