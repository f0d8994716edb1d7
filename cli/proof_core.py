"""`ackproof prove --core`: which lemmas and hypotheses a proof needs.

Only a complete proof has a core.  Each lemma is left out, and the first obligation that fails then
is named; and the names behind "proved with" are listed that no contradiction uses.  What is not
decided in time counts as needed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer
from ackproof.cli.page import STYLES, Page, console
from ackproof.cli.ticker import Ticker

if TYPE_CHECKING:
    from ackproof.proofs.attempt import Attempt
    from ackproof.proofs.proof_core import LemmaUse

__all__ = ["show_proof_core"]

_SCHEMA = "ackproof/proof-core/1"


def show_proof_core(attempt: Attempt, label: str, limit: float, *, as_json: bool) -> int:
    """Write the core of a complete proof; return the exit code.

    Args:
        attempt: the proof.
        label: what progress calls it.
        limit: seconds for each obligation.
        as_json: whether to print a document.
    """
    from ackproof.proofs.proof_core import leave_one_out, unused_hypotheses

    found: list[LemmaUse] = []
    with Ticker(f"{label}  leaving out one lemma after the other") as ticker:
        for one in leave_one_out(attempt.obligations, attempt.requested, limit):
            found.append(one)
            ticker(f"{label}  without {one.lemma}")
        ticker(f"{label}  looking for unused hypotheses")
        spare = unused_hypotheses(attempt.obligations, attempt.goal_names, limit)
    if as_json:
        typer.echo(json.dumps(_document(attempt, found, spare), indent=2))
    else:
        _show(attempt, found, spare)
    return 0


def _document(
    attempt: Attempt, found: list[LemmaUse], spare: dict[str, tuple[str, ...]]
) -> dict[str, object]:
    return {
        "schema": _SCHEMA,
        "exit_code": 0,
        "model": attempt.obligations.program.name,
        "design": attempt.name if attempt.design else None,
        "properties": list(attempt.requested),
        "lemmas": [
            {
                "name": one.lemma,
                "in_core": one.in_core,
                "without": None if one.failing is None else one.failing.name,
                "result": one.status,
            }
            for one in found
        ],
        "unused_hypotheses": {name: list(names) for name, names in spare.items()},
    }


def _show(attempt: Attempt, found: list[LemmaUse], spare: dict[str, tuple[str, ...]]) -> None:
    page = Page(console())
    model = attempt.obligations.program.name
    page.line((f"{model}, {attempt.name}" if attempt.design else model, STYLES["title"]))
    page.hanging("  proof core of ", ", ".join(attempt.requested))
    page.line()
    wide = max((len(one.lemma) for one in found), default=0)
    for one in found:
        if one.failing is None:
            said, style = "not needed: the rest is a proof without it", "bold yellow"
        else:
            said, style = f"needed: without it {one.failing.name} is {one.status}", ""
        page.hanging(f"  {one.lemma:<{wide}}  ", said, style)
    if not found:
        page.line("  each is proved without the others")
    page.line()
    for name, names in spare.items():
        page.hanging(f"  {name} ", f"is proved without {', '.join(names)}", "bold yellow")
    if spare:
        page.line()
    needed = sum(one.in_core for one in found)
    others = sum(len(names) for names in spare.values())
    page.line(
        ("proved", "bold green"),
        f"    the core has {needed} of {len(found)} hypotheses; unused names: {others}",
    )
