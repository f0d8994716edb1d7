"""What a client can see of one design and not of another, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ackproof.cli.page import STYLES, Page
from ackproof.model.listing import legend, listing
from ackproof.model.museum import steps

if TYPE_CHECKING:
    from ackproof.lang.model import Instance
    from ackproof.model.observing import Difference, Witness
    from rich.console import Console

__all__ = ["show_difference"]

_NARROWEST = 80


def show_difference(
    out: Console,
    names: Sequence[str],
    instance: Instance,
    found: Difference,
    seen: tuple[Sequence[str], Sequence[str]],
    limit: int,
) -> None:
    """Write what tells two designs apart.

    Args:
        out: where to.
        names: what the two are called.
        instance: where they were compared.
        found: how they differ.
        seen: what is seen, and the faults that are not.
        limit: how many states might be kept.
    """
    page = Page(out)
    page.line((f"{names[0]} and {names[1]} on {instance.name}", STYLES["title"]))
    page.line(f"  seen: {', '.join(seen[0])}")
    if seen[1]:
        page.hanging("  not seen: ", f"{', '.join(seen[1])} (--also)")
    page.line()
    pairs = ((names[0], names[1], found.first), (names[1], names[0], found.second))
    for name, other, witness in pairs:
        if witness is not None:
            _witness(page, name, witness)
        elif found.first or found.second:
            _none(page, name, other, decided=found.decided)
    page.line(*_verdict(found, instance, limit))


def _witness(page: Page, name: str, witness: Witness) -> None:
    page.line(
        "only ", (name, "bold"), f" can show this, in a run of {steps(len(witness.run.steps))}:"
    )
    for frame in witness.frames:
        page.line("  ", (frame, STYLES["event"]))
    page.line()
    lines = listing(witness.run, max(page.out.width, _NARROWEST))
    page.drawn(lines)
    page.line()
    if not page.explained:
        page.explained = True
        page.wrapped(f"({legend(lines)})", "  ", STYLES["head"])
        page.line()


def _none(page: Page, name: str, other: str, *, decided: bool) -> None:
    if decided:
        page.line(f"all that {name} can show, {other} can show, too")
    else:
        page.line(f"whether {name} can show what {other} cannot was not decided")
    page.line()


def _within(found: Difference) -> str:
    names = " and ".join(found.constraints)
    return f", within {names}; what lies beyond was not looked at" if names else ""


def _verdict(found: Difference, instance: Instance, limit: int) -> list[tuple[str, str] | str]:
    if found.first or found.second:
        return [("different", STYLES["wrong"]), "  a client can tell the two apart"]
    if found.decided:
        return [
            ("alike", "bold green"),
            f"  what is seen does not tell them apart on {instance.name}{_within(found)}",
        ]
    return [
        ("undecided", "bold"),
        f"  not decided within {limit:,} states; --states allows more, and a smaller instance has "
        "fewer",
    ]
