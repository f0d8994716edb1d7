"""`ackproof conform`: random client programs against any broker, each judged."""

from __future__ import annotations

import json
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from ackproof.cli.inputs import InputError, clean_exit
from ackproof.cli.options import AsJson

if TYPE_CHECKING:
    from ackproof.cli.page import Page
    from ackproof.conform.kit.campaign import Campaign
    from ackproof.conform.kit.operations import Operation
    from ackproof.conform.kit.report import Broken, ConformDocument
    from ackproof.conform.kit.running import Setting

__all__ = ["conform"]

_RUNS = 100
_REPLAYS = 20
_SEED_MOST = 10**6
_SHOWN = 3

_HELP = """
Run random client programs against a broker, and judge what it does.

URL is the broker, as amqp://NAME:PASSWORD@HOST:PORT/VHOST. Each program declares queues of its
own, publishes, consumes, settles, commits, deletes and declares again, on several channels, mostly
without waiting; it leaves nothing behind. Every channel is judged by the specification, and when
the queues are empty, what became of every message: an acked message that is nowhere, a second copy,
a wrong order.

A program is drawn by its seed; the seeds of the runs follow one another and are printed. For each
rule that is broken, a program is made as small as it goes, and kept in a file, which `--replay`
runs again. Nothing is called a violation that a client cannot know: what was sent when a connection
broke may have arrived or not.

With `--control`, the broker is also made to fail: queues crash, the node restarts, the disk is
slow. It takes the address that `ackproof serve --control` says, or a program that knows how to do
that to another broker.

Exit codes: 0 if the broker conforms, 1 if a rule is broken, 2 if the input is wrong, 3 if none is
broken, and runs could not be brought to their end, or Ctrl-C ended them.

Examples:

    ackproof conform amqp://guest:guest@127.0.0.1:5672/

    ackproof conform amqp://127.0.0.1 --runs 2000 --seed 1 --time 600 --junit conform.xml

    ackproof conform amqp://127.0.0.1 --replay ackproof-AckMeansAccepted.jsonl
"""

Url = Annotated[str, typer.Argument(metavar="URL", help="The broker.", show_default=False)]
Runs = Annotated[
    int | None,
    typer.Option(
        min=1,
        help=f"Programs to run; {_RUNS} by default. With --replay, how often at most; {_REPLAYS} "
        "by default.",
        show_default=False,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, help="Seed of the first program; by default any.", show_default=False),
]
Time = Annotated[
    float | None,
    typer.Option(
        "--time",
        metavar="SECONDS",
        min=0,
        help="Begin no run after so long; without --runs, as many as there is time for.",
        show_default=False,
    ),
]
ControlUrl = Annotated[
    str | None,
    typer.Option(
        "--control",
        metavar="URL|PROGRAM",
        help="What can make the broker fail.",
        show_default=False,
    ),
]
Replay = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Run this program instead.", show_default=False),
]
Keep = Annotated[
    Path, typer.Option(metavar="DIR", help="Where programs that break a rule are kept.")
]
Junit = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the result as JUnit's XML, too.", show_default=False),
]
Shrink = Annotated[
    float,
    typer.Option(metavar="SECONDS", min=0, help="How long one violation is minimised at most."),
]
Patience = Annotated[
    float, typer.Option(metavar="SECONDS", min=0.1, help="How long to wait for what must come.")
]

_STYLES = {"conforms": "bold green", "violated": "bold red", "incomplete": "bold yellow"}
_SENTENCES = {
    "conforms": "nothing was seen that the specification does not explain",
    "violated": "the specification does not explain what the broker did",
    "incomplete": "no rule is broken by what was seen, and not all was",
}


@clean_exit
def conform(
    url: Url,
    runs: Runs = None,
    seed: Seed = None,
    seconds: Time = None,
    control: ControlUrl = None,
    replay: Replay = None,
    keep: Keep = Path(),
    junit: Junit = None,
    shrink: Shrink = 60.0,
    patience: Patience = 20.0,
    as_json: AsJson = False,
) -> int:
    """Conform; the text of the help is in `_HELP`."""
    import msgspec
    from ackproof.cli.page import Page, console
    from ackproof.conform.kit.report import document
    from ackproof.conform.kit.report import junit as as_junit

    setting = _setting(url, control, patience)
    program = None if replay is None else _program(replay)
    for option, folder in (("--keep", keep), ("--junit", junit.parent if junit else keep)):
        if not folder.is_dir():
            raise InputError(f"{option}: there is no directory {folder}; make it, or give another")
    first = secrets.randbelow(_SEED_MOST) if seed is None else seed
    begun = time.monotonic()
    campaign = _conducted(setting, program, first, runs, seconds, shrink)
    took = time.monotonic() - begun
    files = _kept(campaign, keep) if program is None else {}
    found = document(campaign, str(setting.address), took, files)
    if junit is not None:
        junit.write_bytes(as_junit(campaign))
    if as_json:
        typer.echo(json.dumps(msgspec.to_builtins(found), indent=2))
    else:
        _show(Page(console()), found, None if program is not None else first)
    return found.exit_code


conform.__doc__ = _HELP


# -- what it is given -----------------------------------------------------------------------------


def _setting(url: str, control: str | None, patience: float) -> Setting:
    """Return what all runs have in common, when the broker can be reached.

    Raises:
        InputError: it cannot be, or what makes it fail cannot.
    """
    from ackproof.conform.kit.control import ControlError, control_of
    from ackproof.conform.kit.running import Setting, reach
    from ackproof.conform.kit.stalled import Stalled
    from ackproof.conform.kit.url import parse

    try:
        setting = Setting(parse(url), None if control is None else control_of(control), patience)
        reach(setting)
    except (ValueError, ControlError, Stalled) as error:
        raise InputError(str(error)) from None
    return setting


def _program(path: Path) -> list[Operation]:
    """Return the program of a file.

    Raises:
        InputError: it has none.
    """
    from ackproof.conform.kit.operations import ProgramError, read_program

    try:
        return read_program(path)
    except ProgramError as error:
        raise InputError(str(error)) from None


# -- running --------------------------------------------------------------------------------------


def _conducted(
    setting: Setting,
    program: list[Operation] | None,
    first: int,
    runs: int | None,
    seconds: float | None,
    shrink: float,
) -> Campaign:
    from ackproof.cli.ticker import Ticker
    from ackproof.conform.kit.campaign import Campaign, Ran

    with Ticker(f"seed {first}") as tick:

        def hear(ran: Ran) -> None:
            rules = ", ".join(sorted(ran.result.names)) or ran.result.incomplete or "conforms"
            tick(f"run {len(campaign.ran):,}, seed {ran.seed}: {rules}")

        campaign = Campaign(setting, shrink, hear)
        try:
            if program is not None:
                campaign.perform(program, runs or _REPLAYS)
            else:
                most = runs or (_RUNS if seconds is None else 10**9)
                campaign.conduct(first, most, seconds)
        except KeyboardInterrupt:
            if not campaign.ran:
                raise
            campaign.interrupted = True
    return campaign


def _kept(campaign: Campaign, folder: Path) -> dict[str, str]:
    """Keep the programs that break a rule; return where, by rule."""
    from ackproof.conform.kit.operations import write_program

    files = {}
    for name, violated in campaign.violated.items():
        path = folder / f"ackproof-{name}-{violated.seed}.jsonl"
        write_program(path, violated.program)
        files[name] = str(path)
    return files


# -- what it says ---------------------------------------------------------------------------------


def _show(page: Page, found: ConformDocument, first: int | None) -> None:
    for violation in found.violations:
        _show_violation(page, violation, drawn=first is not None)
    seeds = "" if first is None else f", seeds {first} to {first + max(found.runs - 1, 0)}"
    _row(page, "broker", found.broker)
    _row(page, "runs", f"{found.runs:,} in {found.seconds:,} s{seeds}")
    seen = found.seen
    fates = ("acked", "nacked", "unsettled", "plain", "returned")
    told = ", ".join(f"{seen.get(fate, 0):,} {fate}" for fate in fates)
    _row(page, "published", f"{seen.get('published', 0):,}: {told}")
    again = f"{seen.get('redelivered', 0):,} marked as redelivered"
    _row(page, "delivered", f"{seen.get('delivered', 0):,}, {again}")
    _row(page, "declared", f"{seen.get('queues', 0):,} queues")
    if found.interrupted:
        _row(page, "incomplete", "it was interrupted")
    for one in found.incomplete[:_SHOWN]:
        _row(page, "incomplete", f"{'seed' if first is not None else 'run'} {one.seed}: {one.why}")
    if len(found.incomplete) > _SHOWN:
        _row(page, "", f"and {len(found.incomplete) - _SHOWN:,} runs more")
    page.line()
    page.line((found.verdict, _STYLES[found.verdict]), f"  {_SENTENCES[found.verdict]}")


def _show_violation(page: Page, violation: Broken, *, drawn: bool) -> None:
    from ackproof.conform.kit.operations import said

    page.line((violation.rule, "bold red"), f"  {', '.join(violation.rules)}".rstrip())
    page.line(f"  {violation.why}")
    if drawn:
        times = f"in {violation.runs:,} runs, first in run {violation.run:,}"
        page.line(f"  {times}, seed {violation.seed}")
        size = f"{len(violation.program)} of {violation.operations} operations"
        page.line(f"  {size} show it, kept in {violation.file}:")
        for operation in violation.program:
            page.line(f"    {said(operation)}")
    else:
        page.line(f"  in run {violation.run:,}")
    page.line()


def _row(page: Page, name: str, text: str) -> None:
    page.line((f"  {name:<12}", "dim"), text)
