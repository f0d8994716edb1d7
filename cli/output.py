"""The result of one check, for people.

Standard output carries results only.  On a terminal they are coloured; into a file or a pipe goes
the same text without colours.  What a reader looks for last is at the end: the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackproof.cli.counterexample import show_counterexamples
from ackproof.cli.jobs import Job
from ackproof.cli.page import STYLES, VERDICT_STYLES, Page
from ackproof.model.museum import Judgement, describe, steps
from ackproof.model.outcome import Limit, Outcome
from ackproof.model.report import Report
from ackproof.model.resources import show_size
from ackproof.model.trace import Trace
from ackproof.model.verdict import Verdict
from ackproof.spec.lang.model import Instance

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Result", "finding", "show_result", "show_traces", "sizes_text"]

#: States from which on the memory says something about each of them.
_MANY = 10_000


@dataclass(frozen=True)
class Result:
    """A check that ran: what it was, its report, and what became of the expectation."""

    job: Job
    report: Report
    judgement: Judgement | None = None

    @property
    def traces(self) -> list[Trace]:
        """The counterexamples to show: if one was expected, that, and what the same run breaks."""
        found = list(self.report.traces)
        wanted = self.judgement.expectation.property if self.judgement else None
        first = next((t for t in found if t.property == wanted), None)
        if first is None:
            return found
        return [first, *(t for t in found if t is not first and t.path == first.path)]


def show_result(out: Console, result: Result) -> None:
    """Write what a check found, with all its counts."""
    page, report = Page(out), result.report
    _title(page, result)
    show_counterexamples(page, result.traces)
    _counts(page, report)
    _missing(page, report)
    _expectation(page, result.judgement)
    if result.job.note:
        page.wrapped(result.job.note, "  ")
        page.line()
    _verdict(page, report)
    if result.judgement and not result.judgement.came_true:
        page.line(("not as expected", STYLES["wrong"]), f"  {result.judgement.found}")


def show_traces(out: Console, results: Sequence[Result]) -> None:
    """Write the counterexamples of several checks; one that was shown is not shown again."""
    page, shown = Page(out), set()
    for result in results:
        runs = [(result.job.label, t.path, t.property) for t in result.traces]
        if runs and runs[0] not in shown:
            _title(page, result)
            show_counterexamples(page, result.traces)
        shown |= set(runs)


def _title(page: Page, result: Result) -> None:
    target, instance = result.job.target, result.job.instance
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


def _counts(page: Page, report: Report) -> None:
    outcome = report.outcome
    widest = max(outcome.level_sizes, default=0)
    rows = [
        ("states", f"{outcome.states:,} distinct"),
        ("transitions", f"{report.transitions:,}"),
        (
            "depth",
            f"{outcome.levels} levels, the widest of {widest:,} states",
        ),
        ("time", _time(report)),
        *_held(report),
        ("engine", _engine(outcome)),
    ]
    for name, value in rows:
        page.line((f"  {name:<13}", STYLES["head"]), value)
    runs = {p.name for p in report.bound.properties if p.kind == "eventually"}
    results = report.results()
    for name, chosen in (
        ("properties", [r for n, r in results.items() if n not in runs]),
        ("eventually", [r for n, r in results.items() if n in runs]),
    ):
        if chosen:
            page.line((f"  {name:<13}", STYLES["head"]), _property_counts(chosen))
    page.line()
    _actions(page, report)


def _time(report: Report) -> str:
    """Return how long it took, and how fast states were found that were not there already."""
    outcome, cluster = report.outcome, report.outcome.cluster
    before = sum(outcome.level_sizes[: cluster.resumed]) if cluster else 0
    rate = (outcome.states - before) / outcome.seconds if outcome.seconds else 0
    return (
        f"{report.seconds:.2f} s: {'starting' if cluster else 'compiling'} "
        f"{outcome.compile_seconds:.2f} s, searching {outcome.seconds:.2f} s ({rate:,.0f} states/s)"
    )


def _held(report: Report) -> list[tuple[str, str]]:
    """Return what the search took up: memory, or room in the directory of a cluster."""
    outcome, cluster = report.outcome, report.outcome.cluster
    allowed = f"of {show_size(report.memory_limit)} allowed"
    if cluster is None:
        density = _density(outcome.memory, outcome)
        return [("memory", f"{show_size(outcome.memory)}{density} {allowed}")]
    stored = f"{show_size(cluster.stored)}{_density(cluster.stored, outcome)}"
    runs = f"{show_size(outcome.memory)} {allowed}, for the properties of runs"
    return [
        ("stored", f"{stored} in {cluster.folder}"),
        *([("memory", runs)] if outcome.memory else []),
    ]


def _density(size: int, outcome: Outcome) -> str:
    return f" ({size / outcome.states:,.0f} bytes per state)" if outcome.states >= _MANY else ""


def _engine(outcome: Outcome) -> str:
    cluster = outcome.cluster
    if cluster is None:
        return f"{outcome.engine}, {_number(outcome.workers, 'worker')}"
    resumed = f", resumed after level {cluster.resumed}" if cluster.resumed else ""
    parts = _number(cluster.partitions, "partition")
    return f"{outcome.engine}, {parts}, {cluster.master}{resumed}"


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def _property_counts(results: Sequence[str]) -> str:
    words = {
        "holds": "hold",
        "violated": "violated",
        "witnessed": "reached as they should be",
        "unwitnessed": "never reached",
        "lacking": "out of this instance's reach",
        "off": "off",
        "vacuous": "vacuous",
        "open": "undecided",
    }
    return ", ".join(
        f"{results.count(key)} {word}" for key, word in words.items() if key in results
    )


def _actions(page: Page, report: Report) -> None:
    counts = report.outcome.per_action
    actions = [a for a in report.bound.actions if a.name not in report.off]
    width = max((len(a.name) for a in actions), default=0)
    page.line(("  transitions by action", STYLES["head"]))
    for action in actions:
        mark = "  (fault)" if action.kind == "fault" else ""
        page.line(f"    {action.name:<{width}}  {counts.get(action.name, 0):>13,}{mark}")
    vacuous = [name for name, result in report.results().items() if result == "vacuous"]
    for what, names in (("off", report.off), ("vacuous", vacuous)):
        if names:
            page.wrapped(f"{what} in this instance: {', '.join(names)}", "    ", STYLES["head"])
    page.line()


def _missing(page: Page, report: Report) -> None:
    if not report.unwitnessed and not report.dead:
        return
    docs = {p.name: p.doc for p in report.bound.properties}
    for name in report.unwitnessed:
        page.line("  never reached: ", (name, STYLES["wrong"]))
        page.wrapped(" ".join(docs[name].split()), "    ")
    for name in report.dead:
        page.line("  never enabled: ", (name, STYLES["wrong"]))
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
        case Verdict.VIOLATED:
            return ", ".join(f"{n} after {steps(len(p))}" for n, p in outcome.violations.items())
        case Verdict.UNWITNESSED:
            parts = [
                _several(report.unwitnessed, "situation", "never reached"),
                _several(report.dead, "action", "never enabled"),
            ]
            return ", ".join(filter(None, parts))
        case Verdict.BOUNDED:
            return f"complete to level {outcome.levels}; what lies deeper was not looked at"
        case Verdict.TRUNCATED:
            return f"{_stopped(outcome)}; no property is false in what was seen"
    return Verdict.VERIFIED.meaning


def _stopped(outcome: Outcome) -> str:
    """Return why a search stopped that nobody had told how far to go."""
    if outcome.limit is Limit.MEMORY:
        return "the memory limit was reached"
    if outcome.cluster is None:
        return "it was interrupted"
    return f"it was interrupted, and --resume goes on after level {outcome.levels}"


def _several(names: Sequence[str], kind: str, what: str) -> str:
    if len(names) > 1:
        return f"{len(names)} {kind}s are {what}"
    return f"{names[0]} is {what}" if names else ""
