"""The result of one check, for people.

Standard output carries results only.  On a terminal they are coloured; into a file or a pipe goes
the same text without colours.  What is news comes first: what broke, with its run, or what never
happened.  Then come the counts, in a line each, and at the end is what a reader looks for last, the
verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackproof.cli.counts import show_counts
from ackproof.cli.jobs import Job
from ackproof.cli.page import STYLES, VERDICT_STYLES, Page
from ackproof.lang.model import Instance
from ackproof.model.museum import Judgement, describe, steps
from ackproof.model.outcome import Limit, Outcome
from ackproof.model.report import Report
from ackproof.model.resources import show_size
from ackproof.model.verdict import Verdict

if TYPE_CHECKING:
    from ackproof.model.trace import Trace
    from rich.console import Console

__all__ = [
    "Result",
    "finding",
    "show_result",
    "show_title",
    "show_traces",
    "sizes_text",
    "within",
]

#: Properties that are named in one line.
_NAMED = 3


@dataclass(frozen=True)
class Result:
    """A check that ran: what it was, its report, and what became of the expectation."""

    job: Job
    report: Report
    judgement: Judgement | None = None

    @property
    def traces(self) -> list[Trace]:
        """All counterexamples: what was expected first, then the shortest first."""
        wanted = self.judgement.expectation.property if self.judgement else None
        return sorted(self.report.traces, key=lambda t: (t.property != wanted, len(t.path)))

    @property
    def kept(self) -> list[Trace]:
        """The counterexamples to write to files: what was expected and its run, or else all."""
        found = self.traces
        wanted = self.judgement.expectation.property if self.judgement else None
        if found and found[0].property == wanted:
            return [t for t in found if t.path == found[0].path]
        return found


def show_result(out: Console, result: Result, *, verbose: bool = False) -> None:
    """Write what a check found, with all its counts; `verbose` says of all what it is."""
    page, report = Page(out), result.report
    show_title(page, result.job)
    _traces(page, result.traces, verbose)
    _missing(page, report)
    show_counts(page, report, verbose=verbose)
    _expectation(page, result.judgement)
    if result.job.note:
        page.wrapped(result.job.note, "  ")
        page.line()
    _verdict(page, report)
    if result.judgement and not result.judgement.came_true:
        page.line(("not as expected", STYLES["wrong"]), f"  {result.judgement.found}")
    if result.job.cut_short:
        page.line(("interrupted", STYLES["wrong"]), "  the design may matter on other instances")


def show_traces(out: Console, results: Sequence[Result], *, verbose: bool = False) -> None:
    """Write the counterexamples of several checks; one that was shown is not shown again."""
    page, shown = Page(out), set()
    for result in results:
        runs = [(result.job.label, t.path, t.property) for t in result.traces]
        if runs and runs[0] not in shown:
            show_title(page, result.job)
            _traces(page, result.traces, verbose)
        shown |= set(runs)


def _traces(page: Page, traces: Sequence[Trace], verbose: bool) -> None:
    """Write the first run with all that it breaks, and a line for what other runs break."""
    if not traces:
        return
    from ackproof.cli.counterexample import show_counterexamples, show_others  # takes a moment

    others = [] if verbose else [t for t in traces if t.run != traces[0].run]
    show_counterexamples(page, [t for t in traces if t not in others])
    show_others(page, others)


def show_title(page: Page, job: Job) -> None:
    """Write what is looked at."""
    target, instance = job.target, job.instance
    design = target.design
    named = f"{target.model.name}, {target.name}" if design else target.model.name
    sizes = sizes_text(instance)
    page.line((f"{named} on {instance.name}", STYLES["title"]), f"  ({sizes})" if sizes else "")
    if design:
        page.wrapped(f"claim: {design.claim}", "  ")
        if design.source:
            page.wrapped(f"source: {design.source}", "  ")
    page.wrapped(instance.purpose, "  ")
    page.line()


def sizes_text(instance: Instance) -> str:
    """Return how large an instance is, and which faults it allows how often."""
    parts = [f"{n} {sort.__name__}" for sort, n in instance.sizes.items() if n]
    parts += [f"{name} ×{n}" for name, n in instance.faults.items() if n]
    return ", ".join(parts)


def _missing(page: Page, report: Report) -> None:
    if not report.unwitnessed and not report.dead and not report.lost:
        return
    docs = {p.name: p.doc for p in report.bound.properties}
    for name in report.unwitnessed:
        page.line("  never reached: ", (name, STYLES["wrong"]))
        page.wrapped(" ".join(docs[name].split()), "    ")
    for name in report.dead:
        page.line("  never enabled: ", (name, STYLES["wrong"]))
    for name in report.lost:
        page.line("  only without the design: ", (name, STYLES["wrong"]))
    page.line()


def _expectation(page: Page, judgement: Judgement | None) -> None:
    if judgement is None:
        return
    mark, style = (
        ("✓ as expected", "green")
        if judgement.came_true
        else ("✗ not as expected", STYLES["wrong"])
    )
    page.line("  ", (mark, style), f": {describe(judgement.expectation)}")
    if not judgement.came_true:
        page.line(f"    but {judgement.found}")
    page.line()


def _verdict(page: Page, report: Report) -> None:
    verdict = report.verdict
    style = VERDICT_STYLES.get(verdict, "bold yellow")
    page.line((verdict.value, style), f"  {finding(report)}")


def finding(report: Report) -> str:
    """Return what was found, in a phrase."""
    outcome = report.outcome
    match report.verdict:
        case Verdict.VERIFIED if outcome.cut:
            return f"every property holds within {within(report)}"
        case Verdict.VIOLATED:
            return _broken(outcome)
        case Verdict.UNWITNESSED:
            parts = [
                _several(report.unwitnessed, "situation", "never reached"),
                _several(report.dead, "action", "never enabled"),
            ]
            return ", ".join(filter(None, parts))
        case Verdict.NARROWED:
            return f"{report.verdict.meaning}{_within(report)}: {', '.join(report.lost)}"
        case Verdict.BOUNDED:
            return f"complete to level {outcome.levels}; what lies deeper was not looked at"
        case Verdict.UNDECIDED:
            return f"{_unjudged(report)}; no property of states and steps is false{_within(report)}"
        case Verdict.TRUNCATED:
            return f"{_stopped(outcome)}; no property is false in what was seen"
    return f"{report.verdict.meaning}{_within(report)}"


def _unjudged(report: Report) -> str:
    """Return which properties are not judged where all states were seen, and why."""
    names = [p.name for p in report.bound.properties if p.of_runs]
    many = len(names) > _NAMED
    named = f"{len(names)} properties of runs" if many else " and ".join(names)
    are = "is" if len(names) == 1 else "are"
    return f"{named} {are} not judged{_unjudged_for(report)}"


def _unjudged_for(report: Report) -> str:
    outcome = report.outcome
    match outcome.limit:
        case Limit.SYMMETRY:
            return " up to the names of elements"
        case Limit.INTERRUPTED:
            return ", for it was interrupted"
        case _ if outcome.needed:
            needed, most = (show_size(n) for n in (outcome.needed, report.memory_limit))
            return f", for that needs {needed} of memory, and {most} are allowed"
    return ", for the memory limit was reached"


def _within(report: Report) -> str:
    """Return within what a verdict holds, if states were cut."""
    return f", within {within(report)}" if report.outcome.cut else ""


def within(report: Report) -> str:
    """Return the constraints that states were cut by, and how many were."""
    names = " and ".join(p.name for p in report.bound.constraints)
    return f"{names}; what lies behind {_number(report.outcome.cut)} was not looked at"


def _number(states: int) -> str:
    return f"{states:,} states" if states != 1 else "1 state"


def _broken(outcome: Outcome) -> str:
    """Return what is false and after how many steps, the shortest first."""
    found = sorted(outcome.violations.items(), key=lambda item: len(item[1]))
    named = [f"{name} after {steps(len(path))}" for name, path in found[:_NAMED]]
    if len(found) > _NAMED:
        named.append(f"and {len(found) - _NAMED} more")
    return ", ".join(named)


def _stopped(outcome: Outcome) -> str:
    """Return why a search stopped that nobody had told how far to go."""
    why = "it was interrupted"
    if outcome.limit is Limit.MEMORY:
        why = "the memory limit was reached"
        if outcome.kept is not None and outcome.kept.master is None and not outcome.exhausted:
            return (
                f"{why}; --resume goes on after level {outcome.levels}, with more --memory or with "
                "--engine spark"
            )
    if outcome.kept is None or outcome.limit is Limit.MEMORY:
        return why
    return f"{why}, and --resume goes on after level {outcome.levels}"


def _several(names: Sequence[str], kind: str, what: str) -> str:
    if len(names) > 1:
        return f"{len(names)} {kind}s are {what}"
    return f"{names[0]} is {what}" if names else ""
