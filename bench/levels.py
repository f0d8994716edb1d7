"""What a level of a search on Spark costs, however few states it has, by the number of parts.

    python bench/levels.py                   2, 16, 128 and 512 parts, in a directory and in a store
    python bench/levels.py --parts 2 16

A level is a job, and a barrier: the next one begins when the last task of it has ended.  Here all
levels of `trio` are jobs, also those that the driver would settle by itself, and the states of one
are nothing beside the job.  So what is measured is what a level costs for being one:

- `directory` and `store` are the median seconds of a level, on two tasks at a time; the first three
  are left out, in which workers start;
- `reads` and `writes` are requests to the store, for each part of a level; the store is moto's
  server, on the same two cores, and its own work is in the seconds;
- `tasks` are the seconds that Spark takes for twice as many tasks as there are parts that do
  nothing: what of a level its driver does, one after the other, on whatever cluster.

The counts of states must be the kernel's, or the run ends with an error.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ackproof.lang.binding import Bound
from ackproof.model.check import chosen
from ackproof.model.kernel.engine import explore
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.search import explorer
from ackproof.pipeline.session import Session, open_session
from ackproof.pipeline.storage import placed
from ackproof.spec.model import MODEL

from bench.tables import machine
from tests.pipeline.store import Store

MASTER = "local[2]"
_STARTING = 3


def trio() -> Bound:
    """Return the specification with three replicas, bound."""
    instance = MODEL.instance("trio")
    assert instance is not None
    return chosen(MODEL, instance)


def levels(session: Session, work: str, parts: int, states: int) -> list[float]:
    """Search `trio`, each level as a job; return the seconds of its levels."""
    # As levels with very many states are: jobs, and as many tasks as there are parts.
    searching = explorer(work=work, master=MASTER, partitions=parts, small=1, share=1)
    searching.opened = session
    outcome = searching(trio())
    if outcome.states != states:
        sys.exit(f"{parts} parts in {work}: {outcome.states:,} states, and there are {states:,}")
    made = Folder(placed(work) / "confirms-trio").levels()
    return [level.seconds for level in made[_STARTING:]]


def _requests(store: Store) -> tuple[int, int]:
    return store.requests("GET", "HEAD"), store.requests("PUT", "POST", "DELETE")


def tasks(session: Session, count: int) -> float:
    """Return the seconds of a job of so many tasks that do nothing, the best of three."""

    def job() -> float:
        began = time.perf_counter()
        session.spark.range(0, count, 1, count).count()
        return time.perf_counter() - began

    return min(session.run(job) for _ in range(3))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="what a level costs for being one")
    parser.add_argument("--parts", type=int, nargs="+", default=[2, 16, 128, 512])
    asked = parser.parse_args()
    states = explore(trio()).states
    print(machine())
    print(f"{'parts':>6} {'directory':>10} {'store':>8} {'reads':>6} {'writes':>7} {'tasks':>8}")
    with tempfile.TemporaryDirectory(prefix="ackproof-bench-") as name:
        for parts in asked.parts:
            folder = Path(name) / str(parts)
            folder.mkdir()
            with (
                Store(folder) as store,
                open_session(MASTER, parts, folder / "spark.log", "levels") as session,
            ):
                levels(session, str(folder / "first"), parts, states)  # the JVM is warm now
                here = levels(session, str(folder / "found"), parts, states)
                before = _requests(store)
                there = levels(session, store.address("found"), parts, states)
                each = parts * (len(there) + _STARTING)
                reads, writes = (
                    (b - a) / each for a, b in zip(before, _requests(store), strict=True)
                )
                idle = tasks(session, 2 * parts)
            print(
                f"{parts:>6} {median(here):>10.3f} {median(there):>8.3f} {reads:>6.1f} "
                f"{writes:>7.1f} {idle:>8.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
