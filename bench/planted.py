"""In which run the conformance kit finds each fault that is planted in the reference broker.

    python bench/planted.py            all of them
    python bench/planted.py mirror     those whose names have this in them

The faults are those of the tests.  Programs are those of the seeds from 1 on, and where a fault
shows only when something fails, with faults among them.  A row of a table is printed for each: its
name, the rules that were broken in the run that has found it, and which run that was.

Exit code 0: all were found; 1: one was not.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from tests.conform.kit.planted import PLANTED, found_in

_RUNS = 300


def main(
    part: Annotated[str, typer.Argument(help="Part of the names.")] = "",
    runs: Annotated[int, typer.Option(min=1, help="How many programs at most.")] = _RUNS,
) -> None:
    """Find planted faults.  Example: bench/planted.py limit"""
    missed = 0
    for name, planted in PLANTED.items():
        if part not in name:
            continue
        run, rules = found_in(planted, range(1, runs + 1))
        missed += run is None
        struck = ", struck" if planted.struck else ""
        print(f"{name}{struck} | {', '.join(sorted(rules))} | {run or 'not found'}", flush=True)
    raise typer.Exit(1 if missed else 0)


if __name__ == "__main__":
    typer.run(main)
