"""Checks of many designs in several processes, a design at a time.

Each process is given designs, compiles each once for all that it expects, and searches with one
thread.  What comes back is what is shown: counts, verdicts and judgements, and for a document its
entry.  Counterexamples stay where they were replayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any

from ackproof.cli.check_runs import run_jobs
from ackproof.cli.inputs import InputError
from ackproof.cli.jobs import Job, plan
from ackproof.cli.output import Result
from ackproof.cli.process_pool import in_processes
from ackproof.cli.targets import USER, Target, load_all
from ackproof.lang.binding import Bound, bind
from ackproof.lang.errors import BindError, SpecError
from ackproof.model.bounds import dumped, loaded
from ackproof.model.museum import Judgement
from ackproof.model.report import Report
from ackproof.model.resources import default_memory

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
    """A result as it is sent: a report without its program, what became of it, its entry."""

    program: bytes
    report: dict[str, Any]
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
    jobs: Sequence[Job], options: dict[str, Any], processes: int, *, with_entries: bool
) -> list[Finished]:
    """Run checks that are judged, those of a design in one process, and return them in order.

    An interruption ends all of them, and what is finished up to the first that is not is returned.

    Args:
        jobs: the checks, those of a design next to each other.
        options: what goes to each check.
        processes: how many run at once.
        with_entries: whether a document is to be written.

    Raises:
        InputError: a design is outside the language, or a process was ended.
    """
    groups = [list(group) for _, group in groupby(jobs, key=lambda job: id(job.target))]
    limit = options["memory"] or default_memory()
    options = {**options, "workers": 1, "memory": limit // processes}
    pieces = [(_text(group[0].target), options, with_entries) for group in groups]
    finished: list[Finished] = []
    for group, sent in zip(
        groups, in_processes(_check, pieces, processes, "designs"), strict=False
    ):
        if isinstance(sent, str):
            raise InputError(sent)
        finished += [_received(job, one) for job, one in zip(group, sent, strict=True)]
    return finished


def _text(target: Target) -> str:
    """Return how a command line names a design."""
    module = target.module
    assert module is not None, "the base expects nothing"
    own = module.__name__.startswith(USER)
    return str(module.__file__) if own else target.label


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
        program = dumped(report.bound)
        assert program is not None, "the design was loaded by its name"
        said = {f.name: getattr(report, f.name) for f in fields(report)}
        del said["bound"], said["traces"]
        entry = _entry(result) if with_entries else None
        yield _Sent(program, said, judged.came_true, judged.found, entry)


def _entry(result: Result) -> dict[str, Any]:
    from ackproof.model.document import document

    judged = result.judgement
    found = document([result.report], [judged.to_json() if judged else None])
    entry: dict[str, Any] = found["results"][0]
    return entry


def _received(job: Job, sent: _Sent) -> Finished:
    target, expectation = job.target, job.expectation
    assert expectation is not None, "a design of the museum expects something"
    model, instance, design = target.model, job.instance, target.design

    def whole() -> Bound:
        assert bound is not None
        return bind(model, instance, design, [p.name for p in bound.properties])

    bound = loaded(sent.program, whole, model, instance, design)
    assert bound is not None, "it was written a moment ago"
    report = Report(bound=bound, traces=(), **sent.report)
    judged = Judgement(expectation, report, sent.came_true, sent.found)
    return Finished(Result(job, report, judged), sent.entry)
