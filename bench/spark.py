"""What a search on Spark costs beside the local kernel, on the same state spaces, in one run.

    python bench/spark.py            most of an hour: medians of 3
    python bench/spark.py --quick    some minutes: small cases, once each

Both are run as a user runs them, by `ackproof check`, with two tasks at a time: the kernel with
two workers, Spark on `local[2]`.  They take turns, round by round, so that a machine that slows
down slows both of them down, and must find the same, to the number of steps of each action, or the
measurement stops.

- `local s` and `Spark s` are the search alone, with the properties of runs that it ends with;
  `start` is what comes before it: reading, compiling, and on Spark its session.  The first level
  that is a job waits for Python workers to start, too; that is in the search.
- `us/state` is the search by distinct states, `times` how many times the kernel's that is.
- `cand` are candidates: states that go through the shuffle, by distinct states; `shuf B` their
  bytes, and `disk B` the bytes that are in the folder in the end, both by distinct states.
- `MB` is the peak of all processes together, that of the JVM in parentheses.

Then, for the largest case, the time of each level, and for one search what it costs to know which
states are new, in three ways (`bench/seen.py`).  All files are in a folder that is removed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench import searches, seen
from bench.cases import CASES, Case
from bench.costs import show
from bench.process import Failed, Missing
from bench.searches import Search, middle
from bench.tables import machine

#: Of each model three sizes, about tenfold from one to the next.
FULL = ("trio", "core", "deep", "two-phase 7", "two-phase 8", "two-phase 9")
QUICK = ("trio", "two-phase 7")

SCHEMA = "ackproof/bench-spark/1"
MASTER, WORKERS = "local[2]", 2


@dataclass
class Pair:
    """One case, searched in both ways."""

    case: Case
    local: list[Search] = field(default_factory=list)
    spark: list[Search] = field(default_factory=list)

    def add(self, local: Search, spark: Search) -> None:
        """Take in a round.

        Raises:
            Failed: the two do not find the same, or not what is known.
        """
        for name, one in (("the kernel", local), ("Spark", spark)):
            known = self.local[0].found if self.local else local.found
            if one.found != known or one.found.states != self.case.states:
                raise Failed(
                    f"{name} finds {one.found.states:,} states and {one.found.generated:,} "
                    f"generated for {self.case.name}, where {self.case.states:,} and "
                    f"{known.generated:,} are right; or levels, steps of an action, or the verdict "
                    "differ"
                )
        self.local.append(local)
        self.spark.append(spark)

    def document(self) -> dict[str, Any]:
        """Return the measurement as JSON has it."""
        local, spark = middle(self.local), middle(self.spark)
        return {
            "name": self.case.name,
            "instance": self.case.instance,
            "model": self.case.model or "confirms",
            "states": local.found.states,
            "generated": local.found.generated,
            "levels": len(local.found.levels),
            "local": local.document(),
            "spark": spark.document(),
            "all_spark_search": [s.search for s in self.spark],
            "all_local_search": [s.search for s in self.local],
            "table": [[states, round(seconds, 4)] for states, seconds in spark.table],
        }


def measure(
    case: Case, rounds: int, partitions: int | None, folder: Path, console: Console
) -> tuple[Pair, Path]:
    """Search a case in both ways, in turns; return what was measured, and the last search."""
    pair, work = Pair(case), folder
    for turn in range(rounds):
        with console.status(f"{case.name}, round {turn + 1} of {rounds}"):
            work = folder / f"{case.name.replace(' ', '-')}-{turn}"
            local = searches.local(case, WORKERS)
            pair.add(local, searches.on_spark(case, work, MASTER, partitions))
        if turn + 1 < rounds:
            _remove(work)
    (search,) = work.glob("*/search.json")
    return pair, search.parent


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()


def main(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[CASE]...", help="What to measure.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small cases, once each.")] = False,
    runs: Annotated[int | None, typer.Option(help="Rounds; medians are shown.", min=1)] = None,
    partitions: Annotated[int | None, typer.Option(help="As ackproof check has it.")] = None,
    seen_of: Annotated[
        str | None, typer.Option("--seen", help="The case whose seen states are looked up.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Where the files go while it lasts; on a disk.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write what was measured.")
    ] = None,
) -> None:
    """Measure a search on Spark beside the kernel.  Example: python bench/spark.py --quick"""
    console = Console()
    chosen = names or list(QUICK if quick else FULL)
    for name in chosen:
        if name not in CASES:
            raise typer.BadParameter(f"there is no case {name!r}; there are: {', '.join(CASES)}")
    wanted = seen_of or max(chosen, key=lambda name: CASES[name].states)
    if wanted not in chosen:
        raise typer.BadParameter(f"--seen {wanted} is not measured; add it to the cases")
    rounds = runs or (1 if quick else 3)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "machine": machine(),
        "master": MASTER,
        "rounds": rounds,
        "cases": [],
    }
    console.print(f"{document['machine']}\n")
    try:
        with tempfile.TemporaryDirectory(prefix="ackproof-bench-", dir=folder) as made:
            for name in chosen:
                pair, search = measure(CASES[name], rounds, partitions, Path(made), console)
                document["cases"].append(pair.document())
                if name == wanted:
                    with console.status(f"{name}: which states are new"):
                        levels = seen.compare(search, Path(made) / "seen")
                    document["seen"] = {"case": name, "levels": levels}
                _remove(search.parent)
    except (Failed, Missing) as error:
        Console(stderr=True).print(f"error: {error}", markup=False)
        raise typer.Exit(1) from error
    show(document, console)
    if json_file is not None:
        json_file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
