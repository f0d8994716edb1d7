"""`ackproof prove --depth` and `--induction`: runs that a solver looks for at given sizes.

For instances too wide to enumerate.  That no run of some length breaks a property is no proof, and
the verdict says so; that none of any length does is one, for these sizes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer
from ackproof.cli.counterexample import show_counterexamples
from ackproof.cli.output import sizes_text
from ackproof.cli.page import STYLES, VERDICT_STYLES, Page, console
from ackproof.cli.ticker import Ticker
from ackproof.model.museum import steps
from ackproof.model.verdict import Verdict, worst

if TYPE_CHECKING:
    from ackproof.cli.targets import Target
    from ackproof.lang.lemmas import Library
    from ackproof.lang.model import Instance
    from ackproof.proofs.bmc import SearchResult

__all__ = ["search_runs"]

_SCHEMA = "ackproof/bounded-search/1"


def search_runs(
    target: Target,
    library: Library,
    properties: Sequence[str],
    instances: Sequence[Instance],
    using: Sequence[str],
    length: int,
    limit: float,
    *,
    induction: bool,
    as_json: bool,
) -> int:
    """Look for runs that break properties; return the exit code.

    Args:
        target: the model, and a design.
        library: its lemmas, which can be searched for, too.
        properties: the names of what is searched for.
        instances: the sizes.
        using: the names of lemmas that an induction may assume, and proves together with them.
        length: the most steps, or how many steps an induction starts from.
        limit: seconds for each property.
        induction: whether to prove it for runs of any length.
        as_json: whether to print a document.

    Raises:
        BindError: a property is not of a kind that a run can break.
    """
    found = []
    for instance in instances:
        searched = _searched(
            target, library, properties, instance, using, length, limit, induction=induction
        )
        found.append((instance, searched))
    code = worst([one.verdict.exit_code for _, searched in found for one in searched])
    if as_json:
        entries = [
            _entry(target, library, i, one, using) for i, searched in found for one in searched
        ]
        document = {"schema": _SCHEMA, "exit_code": code, "results": entries}
        typer.echo(json.dumps(document, indent=2))
        return code
    page = Page(console())
    for number, (instance, searched) in enumerate(found):
        if number:
            page.line()
        _show(page, target, instance, searched, using)
    return code


def _searched(
    target: Target,
    library: Library,
    properties: Sequence[str],
    instance: Instance,
    using: Sequence[str],
    length: int,
    limit: float,
    *,
    induction: bool,
) -> list[SearchResult]:
    from ackproof.lang.binding import bind
    from ackproof.proofs.bmc import bounded, k_induction
    from ackproof.proofs.library import with_lemmas

    label = f"{target.label} on {instance.name}"
    found = []
    with Ticker(f"{label}  translating") as ticker:
        bound = bind(with_lemmas(target.model, library), instance, target.design)
        for name in properties:
            ticker(f"{label}  {name} in runs of {steps(length)}")
            found.append(
                k_induction(bound, name, length, _lemmas(library, using, name), limit)
                if induction
                else bounded(bound, name, length, limit)
            )
    return found


def _lemmas(library: Library, using: Sequence[str], name: str) -> list[str]:
    """Return what is assumed, and what that is proved with, but for what is to be proved."""
    return [n for n in library.closure(n for n in using if n != name) if n != name]


def _entry(
    target: Target, library: Library, instance: Instance, one: SearchResult, using: Sequence[str]
) -> dict[str, Any]:
    return {
        "model": target.model.name,
        "design": target.name if target.design else None,
        "instance": instance.name,
        "sizes": {sort.__name__: size for sort, size in one.bound.sizes.items()},
        "faults": dict(one.bound.budgets),
        "property": one.property,
        "verdict": one.verdict.value,
        "depth": one.depth,
        "assumed": _lemmas(library, using, one.property),
        "reason": one.reason or None,
        "run": None if one.trace is None else [step.text for step in one.trace.steps],
        "seconds": round(one.seconds, 3),
    }


def _show(
    page: Page,
    target: Target,
    instance: Instance,
    searched: Sequence[SearchResult],
    using: Sequence[str],
) -> None:
    model, sizes = target.model.name, sizes_text(instance)
    named = f"{model}, {target.name}" if target.design else model
    page.line((f"{named} on {instance.name}", STYLES["title"]), f"  ({sizes})" if sizes else "")
    if target.design:
        page.wrapped(f"claim: {target.design.claim}", "  ")
    page.wrapped(instance.purpose, "  ")
    if using:
        page.hanging("  with ", f"{', '.join(using)}: proved together, or nothing is")
    page.line()
    show_counterexamples(page, [one.trace for one in searched if one.trace is not None])
    for one in searched:
        style = VERDICT_STYLES.get(one.verdict, "bold yellow")
        page.line((one.verdict.value, style), f"  {one.property}, in {one.seconds:.1f} s")
        page.wrapped(_finding(one), "  ")


def _finding(one: SearchResult) -> str:
    """Return what is known, in a phrase."""
    match one.verdict:
        case Verdict.VERIFIED:
            return f"it holds at these sizes in runs of any length: induction on {steps(one.depth)}"
        case Verdict.VIOLATED:
            return f"it is false after {steps(one.depth)}"
    return f"no run of at most {steps(max(one.depth, 0))} breaks it; {one.reason}"
