"""How fast the compiled kernel is, beside SPIN and TLC, on the same state spaces, in one run.

    python bench/checker.py            most of an hour: medians of 5
    python bench/checker.py --quick    about a minute

Every program explores the same model: the kernel the specification as it stands, SPIN and TLC
hand-written twins (`bench/promela`, `bench/tla`).  All must count the same distinct states, or the
measurement stops.  The programs take turns, round by round, so that a machine that slows down
slows all of them down.

- `whole` is wall time of everything a user starts.  For SPIN that is `spin -a`, the C compiler and
  the search; for TLC, Java with the search; for the kernel, one `ackproof check`.
- `process` leaves out what runs before the process that searches, so SPIN's two compilers; the
  kernel compiles in the same process, and that stays in.
- `search` is what each program says that the search alone took.
- `CPU` is processor time of everything, the fairer number on a machine that is not idle.
- `MB` is the peak of the process; bytes per state are of the states and all that goes with them
  for the kernel, of the whole process for the others.

The kernel checks every property of the model; SPIN and TLC check none, which favours them. What is
called `no runs` is the kernel without the properties of runs (`@eventually`), where there are some.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench import kernel, spin, tlc  # noqa: E402
from bench.cases import CASES, Case, Sample  # noqa: E402
from bench.process import Failed, Missing  # noqa: E402
from bench.tables import Column, machine, show  # noqa: E402

FULL = ("peterson", "two-phase 7", "two-phase 8", "two-phase 9", "core", "deep")
QUICK = ("peterson", "two-phase 7", "trio")

#: More states than that take TLC many minutes for each run.
TLC_STATES = 5_000_000

#: TLC is measured in so many rounds at most; it is not the close one.
TLC_RUNS = 3


class Contender:
    """A program in one mode: how to run it once on a case."""

    def __init__(self, name: str, workers: int, once: Callable[[Case], Sample]) -> None:
        self.name = name
        self.workers = workers
        self.once = once
        self.samples: list[Sample] = []


def contenders(case: Case, with_tlc: bool) -> list[Contender]:
    """Return what is measured on a case, the kernel first."""
    found = [Contender("kernel", n, partial(kernel.measure, workers=n)) for n in (1, 2)]
    if kernel.has_runs(case):
        alone = partial(kernel.measure, runs=False)
        found += [Contender("no runs", n, partial(alone, workers=n)) for n in (1, 2)]
    found += [Contender(m.name, m.workers, partial(spin.measure, mode=m)) for m in spin.MODES]
    if with_tlc and case.states <= TLC_STATES:
        found += [Contender("TLC", n, partial(tlc.measure, workers=n)) for n in (1, 2)]
    return found


def compare(case: Case, runs: int, with_tlc: bool, console: Console) -> list[Column]:
    """Measure every contender on a case, in turns; each must count the same states."""
    taking_part = contenders(case, with_tlc)
    generated: int | None = None
    for turn in range(runs):
        for contender in taking_part:
            if contender.name == "TLC" and turn >= TLC_RUNS:
                continue
            with console.status(f"{case.name}, round {turn + 1} of {runs}: {contender.name}"):
                sample = contender.once(case)
            generated = generated or sample.generated
            counted = (sample.states, sample.generated or generated)
            if counted != (case.states, generated):
                raise Failed(
                    f"{contender.name} counts {sample.states:,} states and {sample.generated} "
                    f"generated for {case.name}, where {case.states:,} and {generated} are right"
                )
            contender.samples.append(sample)
    return [Column(c.name, c.workers, c.samples) for c in taking_part]


def main(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CASE]...", help=f"What to measure: {', '.join(CASES)}."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small cases, once each.")] = False,
    runs: Annotated[int | None, typer.Option(help="Rounds; medians are shown.", min=1)] = None,
    with_tlc: Annotated[bool, typer.Option("--tlc/--no-tlc", help="Measure TLC too.")] = True,
) -> None:
    """Measure the kernel beside SPIN and TLC.  Example: python bench/checker.py --quick"""
    console = Console()
    chosen = names or list(QUICK if quick else FULL)
    for name in chosen:
        if name not in CASES:
            raise typer.BadParameter(f"there is no case {name!r}; there are: {', '.join(CASES)}")
    console.print(f"{machine()}\n")
    try:
        for name in chosen:
            case = CASES[name]
            rounds = runs or (1 if quick else 5)
            show(case, compare(case, rounds, with_tlc, console), console)
    except (Failed, Missing) as error:
        Console(stderr=True).print(f"error: {error}", markup=False)
        raise typer.Exit(1) from error


if __name__ == "__main__":
    typer.run(main)
