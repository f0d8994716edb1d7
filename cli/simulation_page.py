"""What random walks have found, for people: what broke, then what was met and what was not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackproof.cli.output import show_title
from ackproof.cli.page import STYLES, Page
from ackproof.model.museum import steps

if TYPE_CHECKING:
    from ackproof.cli.jobs import Job
    from ackproof.model.simulation import Simulation
    from rich.console import Console

__all__ = ["show_simulation"]

#: What is no news, and named by nobody.
_USUAL = {"taken", "reached"}


def show_simulation(out: Console, job: Job, found: Simulation, *, verbose: bool = False) -> None:
    """Write what random walks have found; `verbose` names what was counted."""
    page = Page(out)
    show_title(page, job)
    _traces(page, found, verbose)
    _counts(page, found)
    if verbose:
        _names(page, found)
    elif any(said not in _USUAL for said in (*found.actions, *found.situations)):
        page.line(("  (--verbose names them)", STYLES["head"]))
        page.line()
    _verdict(page, found)


def _traces(page: Page, found: Simulation, verbose: bool) -> None:
    if not found.traces:
        return
    from ackproof.cli.counterexample import show_counterexamples, show_others

    first = found.traces[0].run
    others = [] if verbose else [t for t in found.traces if t.run != first]
    show_counterexamples(page, [t for t in found.traces if t not in others], shortest=False)
    show_others(page, others)


def _counts(page: Page, found: Simulation) -> None:
    walked = found.walked
    rate = walked.looked_at / walked.seconds if walked.seconds else 0
    rows = [
        ("walks", f"{walked.walks:,} of at most {steps(found.length)}, {walked.ended:,} came to "
            f"where {_end(found)}"),
        ("steps", f"{walked.steps:,} taken, {walked.looked_at:,} looked at"),
        ("time", f"{walked.seconds:.2f} s ({rate:,.0f} steps/s)"),
        ("seed", f"{walked.seed}; with --seed {walked.seed} the same walks are walked again"),
        ("actions", _said(found.actions)),
        ("situations", _said(found.situations)),
        ("eventually", f"{len(found.unjudged)} not judged" if found.unjudged else ""),
    ]  # fmt: skip
    for name, value in rows:
        if value:
            page.line((f"  {name:<13}", STYLES["head"]), value)
    page.line()


def _end(found: Simulation) -> str:
    """Say how a walk ends that is not as long as it may be."""
    names = " or ".join(p.name for p in found.bound.constraints)
    return f"nothing changes, or {names} is false" if names else "nothing changes"


def _said(names: dict[str, list[str]]) -> str:
    return ", ".join(f"{len(some)} {said}" for said, some in names.items())


def _names(page: Page, found: Simulation) -> None:
    page.line(("  steps taken by action", STYLES["head"]))
    taken = {name: found.walked.taken[name] for name in found.actions.get("taken", [])}
    width = max(map(len, taken), default=0)
    for name, count in taken.items():
        page.line(f"    {name:<{width}}  {count:>13,}")
    page.line()
    for what, names in (("actions", found.actions), ("situations", found.situations)):
        for said, some in names.items():
            if said != "taken":
                page.wrapped(f"{what}, {said}: {', '.join(some)}", "    ", STYLES["head"])
    if found.unjudged:
        page.wrapped(f"eventually, not judged: {', '.join(found.unjudged)}", "    ", STYLES["head"])
    page.line()


def _verdict(page: Page, found: Simulation) -> None:
    if found.traces:
        broken = ", ".join(f"{t.property} after {steps(len(t.path))}" for t in found.traces[:3])
        page.line(("violated", STYLES["wrong"]), f"  {broken}")
        return
    why = "it was interrupted; no" if found.walked.interrupted else "no"
    page.line(
        ("nothing found", "bold yellow"),
        f"  {why} property is false where walks came by; the rest was not looked at",
    )
