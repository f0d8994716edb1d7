"""What a farm on Spark saves: museum and eras on two cores of Spark, and one after the other.

    python bench/farm.py            the museum and all eras, once each; half an hour
    python bench/farm.py --quick    some designs and two eras; some minutes

Each is run as a user runs it: with `--workers 1`, with as many local processes or threads as there
are tasks on Spark, and by `--engine spark`.  Each begins with an empty cache, so all of them read,
compile and search everything.  The farm must say what one after the other says, to the last step of
a counterexample, or the measurement stops; several threads may meet another of the shortest.

- `one` is wall seconds of one after the other, `local` of the local command with two workers,
  `farm` of Spark with two tasks at a time, its start included; `times` is `one` by `farm`.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from subprocess import run
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench.cases import ROOT
from bench.process import Failed
from bench.tables import machine

SCHEMA = "ackproof/bench-farm/1"
TASKS = 2

QUICK = {
    "museum": ["museum", "ack_on_channel", "b05", "b10", "b11", "b16", "d01", "d03", "l01"],
    "eras": ["eras", "rabbitmq_4_0", "rabbitmq_4_3"],
}
FULL = {"museum": ["museum"], "eras": ["eras"]}

#: The ways to run a command, each with its options.
WAYS = {
    "one": ["--workers", "1"],
    "local": ["--workers", str(TASKS)],
    "farm": ["--engine", "spark", "--master", f"local[{TASKS}]"],
}

#: Exit codes of a command that came to its end.
_ENDED = (0, 1, 3)


def measured(command: list[str], options: list[str]) -> tuple[float, Any]:
    """Run a command with an empty cache; return wall seconds, and all that it has decided.

    Raises:
        Failed: it did not come to its end.
    """
    program = [sys.executable, "-m", "ackproof.cli", *command, *options, "--json"]
    with tempfile.TemporaryDirectory(prefix="ackproof-bench-") as cache:
        began = time.perf_counter()
        environment = {**os.environ, "ACKPROOF_CACHE": cache}
        ended = run(program, cwd=ROOT, env=environment, capture_output=True, text=True)
        seconds = time.perf_counter() - began
    if ended.returncode not in _ENDED:
        raise Failed(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stderr}")
    return seconds, decided(json.loads(ended.stdout))


def decided(said: Any) -> Any:
    """Return a document without times, memory, and who has searched, and when."""
    if isinstance(said, dict):
        left_out = ("cached", "engine", "workers", "timing", "memory", "seconds")
        return {key: decided(value) for key, value in said.items() if key not in left_out}
    return [decided(one) for one in said] if isinstance(said, list) else said


def difference(one: Any, other: Any, at: str = "") -> str:
    """Return where two documents differ first, and how; nothing if they are the same."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        places = ((f"{at}.{key}", one[key], other[key]) for key in one)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = zip(one, other, strict=True)
        places = ((f"{at}[{i}]", a, b) for i, (a, b) in enumerate(pairs))
    else:
        return "" if one == other else f"at {at}: {str(one)[:200]} and {str(other)[:200]}"
    return next(filter(None, (difference(a, b, place) for place, a, b in places)), "")


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Some designs and two eras.")] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write what was measured.")
    ] = None,
) -> None:
    """Measure museum and eras on a farm.  Example: python bench/farm.py --quick"""
    console = Console()
    found: dict[str, Any] = {"schema": SCHEMA, "machine": machine(), "tasks": TASKS, "rows": []}
    table = Table("command", *WAYS, "times")
    try:
        for name, command in (QUICK if quick else FULL).items():
            row: dict[str, float] = {}
            known: dict[str, Any] = {}
            for way, options in WAYS.items():
                with console.status(f"{name}: {way}"):
                    row[way], known[way] = measured(command, options)
            if place := difference(known["one"], known["farm"]):
                raise Failed(
                    f"{name}: the farm finds something else than one after the other: {place}"
                )
            found["rows"].append({"command": name, **row})
            cells = [f"{row[way]:.1f}" for way in WAYS]
            table.add_row(name, *cells, f"{row['one'] / row['farm']:.2f}")
    except Failed as error:
        Console(stderr=True).print(f"error: {error}", markup=False)
        raise typer.Exit(1) from error
    console.print(f"{found['machine']}\n")
    console.print(table)
    if json_file is not None:
        json_file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
