"""`ackproof prove --necessary`: what a proof could do without.

Only a proof that is complete can be asked what it needs.  Each lemma is left out, and the first
obligation that fails then is named; and the names behind "proved with" are told that no
contradiction leans on.  What is not decided in time counts as needed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer
from ackproof.cli.page import STYLES, Page, console
from ackproof.cli.ticker import Ticker

if TYPE_CHECKING:
    from ackproof.proofs.minimise import Necessity
    from ackproof.proofs.prove import Attempt

__all__ = ["show_necessity"]

_SCHEMA = "ackproof/necessity/1"


def show_necessity(attempt: Attempt, label: str, limit: float, *, as_json: bool) -> int:
    """Write which lemmas of a complete proof are necessary; return the exit code.

    Args:
        attempt: the proof.
        label: what progress calls it.
        limit: seconds for each obligation.
        as_json: whether to print a document.
    """
    from ackproof.proofs.minimise import leave_one_out, superfluous

    found: list[Necessity] = []
    with Ticker(f"{label}  leaving out one lemma after the other") as ticker:
        for one in leave_one_out(attempt.obligations, attempt.asked, limit):
            found.append(one)
            ticker(f"{label}  without {one.lemma}")
        ticker(f"{label}  looking for names that are not needed")
        spare = superfluous(attempt.obligations, attempt.shown, limit)
    if as_json:
        typer.echo(json.dumps(_document(attempt, found, spare), indent=2))
    else:
        _show(attempt, found, spare)
    return 0


def _document(
    attempt: Attempt, found: list[Necessity], spare: dict[str, tuple[str, ...]]
) -> dict[str, object]:
    return {
        "schema": _SCHEMA,
        "exit_code": 0,
        "model": attempt.obligations.program.name,
        "design": attempt.name if attempt.design else None,
        "properties": list(attempt.asked),
        "lemmas": [
            {
                "name": one.lemma,
                "necessary": one.necessary,
                "without": None if one.failing is None else one.failing.name,
                "result": one.status,
            }
            for one in found
        ],
        "superfluous": {name: list(names) for name, names in spare.items()},
    }


def _show(attempt: Attempt, found: list[Necessity], spare: dict[str, tuple[str, ...]]) -> None:
    page = Page(console())
    model = attempt.obligations.program.name
    page.line((f"{model}, {attempt.name}" if attempt.design else model, STYLES["title"]))
    page.hanging("  what is needed for ", ", ".join(attempt.asked))
    page.line()
    wide = max((len(one.lemma) for one in found), default=0)
    for one in found:
        if one.failing is None:
            said, style = "not needed: the rest is a proof without it", "bold yellow"
        else:
            said, style = f"necessary: without it {one.failing.name} is {one.status}", ""
        page.hanging(f"  {one.lemma:<{wide}}  ", said, style)
    if not found:
        page.line("  each is proved by itself")
    page.line()
    for name, names in spare.items():
        page.hanging(f"  {name} ", f"is proved without {', '.join(names)}", "bold yellow")
    if spare:
        page.line()
    needed = sum(one.necessary for one in found)
    others = sum(len(names) for names in spare.values())
    page.line(
        ("proved", "bold green"),
        f"    {needed} of {len(found)} claims that others lean on are necessary; "
        f"names that are not needed: {others}",
    )
