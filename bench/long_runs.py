"""How long searches take that are kept in files, and what a state costs in memory and on the disk.

    python bench/long_runs.py            hours: up to 10⁹ states
    python bench/long_runs.py --quick    some minutes: smaller searches
    python bench/long_runs.py peg        one of the cases

Each case is searched by the command that a user types: with one worker and with two, in memory
alone, as states and collapsed, and with `--work`; and once more with `--work`, killed by SIGKILL
when half of its levels are finished, and resumed.  All must count the same, or the measurement
stops.

- `search` is what the command says that the search alone took; of a resumed one, the part after it
  was resumed, which begins with reading what is there.
- `held` is what the search holds at its peak, `peak` the memory of the whole process, and `kept`
  what is in the files, all in bytes by states.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench import peg
from bench.cases import ROOT
from bench.process import Failed, run
from bench.searches import WHOLE, Found
from bench.tables import machine

#: A search has so many parts that each is sorted in little memory.
PARTS = 128


@dataclass(frozen=True)
class Long:
    """A search that takes long.

    Args:
        name: how the table calls it.
        model: its file; None for the confirm specification.
        instance: the name of the instance.
        holes: of peg solitaire, where the first hole may be; the model is written then.
    """

    name: str
    model: str | None
    instance: str
    holes: tuple[tuple[int, int], ...] = ()

    def command(self, folder: Path) -> list[str]:
        """Return the command that searches it; a model that is to be written goes to a folder."""
        model = [] if self.model is None else [str(ROOT / self.model)]
        if self.holes:
            model = [str(folder / f"{self.name.replace(' ', '_')}.py")]
            peg.write(Path(model[0]), self.holes)
        options = ["--instance", self.instance, "--no-cache", "--json"]
        return [sys.executable, "-m", "ackproof.cli", "check", *model, *options]


CASES = {
    case.name: case
    for case in (
        Long("two-phase 8", "tests/models/two_phase_commit.py", "rm8"),
        Long("deep", None, "deep"),
        Long("three", "bench/three.py", "three"),
        Long("peg", None, "board", peg.CENTRE),
        Long("peg of six", None, "board", peg.SIX),
    )
}
FULL, QUICK = ("three", "peg", "peg of six"), ("two-phase 8", "deep")


@dataclass(frozen=True)
class Row:
    """What was measured of one search."""

    name: str
    found: Found
    search: float
    held: int
    peak: int
    kept: int

    def cells(self) -> list[str]:
        """Return what the table says."""
        sizes = (self.held, self.peak, self.kept)
        by_state = (f"{size / self.found.states:.1f}" if size else "-" for size in sizes)
        return [self.name, f"{self.search:.1f}", *by_state]


def measured(name: str, command: list[str]) -> Row:
    """Run a command to its end.

    Raises:
        Failed: it did not see every state.
    """
    ended = run(command, ROOT, accepted=WHOLE)
    (result,) = json.loads(ended.text[ended.text.index("{\n") :])["results"]
    if result["limit"] is not None:
        raise Failed(f"the search did not come through: {result['verdict']}, {result['limit']}")
    return Row(
        name,
        Found.of(result),
        result["timing"]["search_seconds"],
        result["memory"]["bytes"],
        ended.peak,
        result["kept"]["stored_bytes"] if result["kept"] else 0,
    )


def killed(command: list[str], work: Path, levels: int) -> None:
    """Begin a search, and kill it once it has finished so many levels.

    Raises:
        Failed: it ended by itself before.
    """
    child = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while len(list(work.glob("*/levels/*.json"))) < levels:
        if child.poll() is not None:
            raise Failed("the search was over before it was killed")
        time.sleep(0.1)
    child.send_signal(signal.SIGKILL)
    child.wait()


def measure(case: Long, memory: str | None, folder: Path) -> Iterator[Row]:
    """Search a case in all ways.

    Raises:
        Failed: they do not find the same.
    """
    base = [*case.command(folder), *(["--memory", memory] if memory else [])]
    first: Row | None = None
    for workers in (2, 1):
        options = ["--workers", str(workers)]
        kept = [*options, "--partitions", str(PARTS), "--work"]
        said = f"{workers} worker{'s' if workers > 1 else ''}"
        ways: list[tuple[str, list[str]]] = [
            (said, options),
            (f"{said}, collapsed", [*options, "--engine", "collapsed"]),
            (f"{said}, kept", [*kept, str(folder / f"whole-{workers}")]),
        ]
        for name, more in ways:
            row = measured(name, [*base, *more])
            first = first or row
            _require_same(case, first, row)
            yield row
        if workers == 2:
            work = folder / "killed"
            killed([*base, *kept, str(work)], work, len(row.found.levels) // 2)
            again = measured(f"{said}, resumed", [*base, *kept, str(work), "--resume"])
            _require_same(case, row, again)
            yield again


def _require_same(case: Long, one: Row, other: Row) -> None:
    if one.found != other.found:
        raise Failed(
            f"{case.name}, {other.name}: {other.found.states:,} states and "
            f"{other.found.generated:,} generated, where {one.found.states:,} and "
            f"{one.found.generated:,} were found before; or levels, steps or the verdict differ"
        )


def main(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[CASE]...", help="What to measure.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small cases.")] = False,
    memory: Annotated[str | None, typer.Option(help="As ackproof check has it.")] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Where the files go while it lasts; on a disk.")
    ] = None,
) -> None:
    """Measure searches that are kept in files.  Example: python bench/long_runs.py --quick"""
    console = Console()
    chosen = names or list(QUICK if quick else FULL)
    for name in chosen:
        if name not in CASES:
            console.print(f"no case is called {name}; there are {', '.join(CASES)}")
            raise typer.Exit(2)
    console.print(machine(), "\n")
    try:
        for name in chosen:
            with tempfile.TemporaryDirectory(dir=folder) as place:
                _show(console, name, list(measure(CASES[name], memory, Path(place))))
    except Failed as error:
        console.print(str(error))
        raise typer.Exit(1) from None


def _show(console: Console, name: str, rows: list[Row]) -> None:
    found = rows[0].found
    title = f"{name}: {found.states:,} states, {found.generated:,} generated, {found.verdict}"
    table: Any = Table(title=title, title_justify="left", box=None)
    for head in ("", "search s", "held B/state", "peak B/state", "kept B/state"):
        table.add_column(head, justify="right" if head else "left")
    for row in rows:
        table.add_row(*row.cells())
    console.print(table, "\n")


if __name__ == "__main__":
    typer.run(main)
