"""What a check counted, for people: states, time and room, properties and actions, a line each.

Names of properties, and the steps of each action, are said only where somebody asks for them: most
of them hold, or have no part in an instance, and that is no news.  What is said of room and of the
engine depends on where the search ran: in this process it took memory, and on a cluster it has
filled a directory.
"""

from __future__ import annotations

from ackproof.cli.page import STYLES, Page
from ackproof.model.outcome import Outcome
from ackproof.model.report import Report
from ackproof.model.resources import show_size

__all__ = ["cached", "show_counts"]

#: What a report says of a property, and how it is said here.
_SAID = {
    "violated": "violated",
    "holds": "hold",
    "witnessed": "reached as they should be",
    "unwitnessed": "never reached",
    "lacking": "out of this instance's reach",
    "off": "off",
    "vacuous": "vacuous",
    "open": "undecided",
}

#: States from which on their room says something about each of them.
_MANY = 10_000


def show_counts(page: Page, report: Report, *, verbose: bool = False) -> None:
    """Write what a check counted; `verbose` names what was counted."""
    outcome = report.outcome
    widest = max(outcome.level_sizes, default=0)
    rows = [
        ("states", f"{outcome.states:,} distinct{_folded(report)}{_initial(report)}"),
        *([("cut", _cut(report))] if report.bound.constraints else []),
        ("transitions", f"{report.transitions:,}"),
        (
            "depth",
            f"{outcome.levels} levels, the widest of {widest:,} states",
        ),
        ("time", _time(report)),
        *_held(report),
        ("engine", _engine(outcome)),
        *([("cached", cached(report.searched))] if report.searched else []),
    ]
    for name, value in rows:
        page.line((f"  {name:<13}", STYLES["head"]), value)
    groups = _groups(report)
    for name, found in groups.items():
        page.line((f"  {name:<13}", STYLES["head"]), _said(found))
    page.line()
    if verbose:
        _actions(page, report)
        _names(page, groups)
    else:
        _hint(page, report, groups)


def _initial(report: Report) -> str:
    """Return how many of the states are initial ones, where there are several."""
    initial = report.outcome.initial
    return f", {initial:,} of them initial ones" if initial > 1 else ""


def _folded(report: Report) -> str:
    """Return the elements whose names do not count, where states are folded."""
    sorts = report.bound.folded
    return f" up to the names of {' and '.join(sorts)}" if sorts else ""


def _cut(report: Report) -> str:
    """Return how many states were not expanded, and why."""
    names = " or ".join(p.name for p in report.bound.constraints)
    return f"{report.outcome.cut:,} of them are not expanded: there {names} is false"


def cached(searched: str) -> str:
    """Return when a search was made whose outcome was taken from the cache."""
    when = searched.replace("T", " ").removesuffix("+00:00")
    return f"from the cache, searched on {when} UTC; time and memory are of that search"


def _time(report: Report) -> str:
    """Return how long it took, and how fast states were found that were not there already."""
    outcome, kept = report.outcome, report.outcome.kept
    before = sum(outcome.level_sizes[: kept.resumed]) if kept else 0
    rate = (outcome.states - before) / outcome.seconds if outcome.seconds else 0
    return (
        f"{report.seconds:.2f} s: {'starting' if kept else 'compiling'} "
        f"{outcome.compile_seconds:.2f} s, searching {outcome.seconds:.2f} s ({rate:,.0f} states/s)"
    )


def _held(report: Report) -> list[tuple[str, str]]:
    """Return what the search took up: memory, and room in a directory."""
    outcome, kept = report.outcome, report.outcome.kept
    allowed = f"of {show_size(report.memory_limit)} allowed"
    density = _density(outcome.memory, outcome)
    memory = [("memory", f"{show_size(outcome.memory)}{density} {allowed}")]
    if kept is None:
        return memory
    if kept.master is not None:
        runs = f"{show_size(outcome.memory)} {allowed}, for the properties of runs"
        memory = [("memory", runs)] if outcome.memory else []
    stored = f"{show_size(kept.stored)}{_density(kept.stored, outcome)}"
    return [("stored", f"{stored} in {kept.folder}"), *memory]


def _density(size: int, outcome: Outcome) -> str:
    return f" ({size / outcome.states:,.0f} bytes per state)" if outcome.states >= _MANY else ""


def _engine(outcome: Outcome) -> str:
    kept, workers = outcome.kept, _number(outcome.workers, "worker")
    if kept is None:
        return f"{outcome.engine}, {workers}"
    resumed = f", resumed after level {kept.resumed}" if kept.resumed else ""
    parts = _number(kept.partitions, "partition")
    return f"{outcome.engine}, {parts}, {kept.master or workers}{resumed}"


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def _groups(report: Report) -> dict[str, dict[str, list[str]]]:
    """Return properties, those of runs apart, and actions, by what is said of them."""
    runs = {p.name for p in report.bound.properties if p.of_runs}
    found: dict[str, dict[str, list[str]]] = {"properties": {}, "eventually": {}, "actions": {}}
    for name, result in report.results().items():
        group = found["eventually" if name in runs else "properties"]
        group.setdefault(_SAID[result], []).append(name)
    for action in report.bound.program.actions:
        count = report.outcome.per_action.get(action.name, 0)
        said = "taken" if count else "off" if action.name in report.off else "never taken"
        found["actions"].setdefault(said, []).append(action.name)
    return {name: _in_order(group) for name, group in found.items() if group}


def _in_order(group: dict[str, list[str]]) -> dict[str, list[str]]:
    order = ["taken", "never taken", *_SAID.values()]
    return {said: group[said] for said in order if said in group}


def _said(group: dict[str, list[str]]) -> str:
    return ", ".join(f"{len(names)} {said}" for said, names in group.items())


def _hint(page: Page, report: Report, groups: dict[str, dict[str, list[str]]]) -> None:
    """Say which options say more, if they do."""
    hints = []
    news = {"hold", "violated", "reached as they should be", "taken"}
    if any(said not in news for group in groups.values() for said in group):
        hints.append("--verbose names them")
    if report.outcome.violations and not report.complete and report.outcome.limit is None:
        hints.append("--continue decides what is undecided")
    if hints:
        page.line((f"  ({'; '.join(hints)})", STYLES["head"]))
        page.line()


def _names(page: Page, groups: dict[str, dict[str, list[str]]]) -> None:
    for name, group in groups.items():
        for said, names in group.items():
            if name != "actions" or said != "taken":
                page.wrapped(f"{name}, {said}: {', '.join(names)}", "    ", STYLES["head"])
    page.line()


def _actions(page: Page, report: Report) -> None:
    counts = report.outcome.per_action
    actions = [a for a in report.bound.actions if a.name not in report.off]
    width = max((len(a.name) for a in actions), default=0)
    page.line(("  transitions by action", STYLES["head"]))
    for action in actions:
        mark = "  (fault)" if action.kind == "fault" else ""
        page.line(f"    {action.name:<{width}}  {counts.get(action.name, 0):>13,}{mark}")
    page.line()
