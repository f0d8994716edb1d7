"""Questions about the states of a search, answered by DuckDB and by Spark, side by side.

A search of the local engine is kept in files, and asked about: the questions of the page
`docs/state-tables.rst`, and those that a user has first.  Each is put to DuckDB and to Spark, in
turns, a few times; the medians are shown, and the run stops unless both give the same rows.  Of
Spark only the answer is timed; how long it takes to start is printed beside it.  `path_to` is
DuckDB's alone.

    python bench/questions.py
    python bench/questions.py --instance deep --times 1
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ackproof.pipeline import duck
from ackproof.pipeline.asking import Asking
from ackproof.pipeline.session import open_session
from ackproof.pipeline.tables import Tables
from ackproof.spec.model import MODEL

from tests.pipeline.searches import bound_of, folder_of, local_of

_EXAMPLES = Path(__file__).resolve().parents[1] / "docs" / "examples"
_OPEN = "NOT channels_open['ch1']"
_SYNCED = "size(filter(map_keys(replicas_status), r -> replicas_store_level[r][1] = 'SYNCED'))"

QUESTIONS = {
    "how many states": "SELECT count(*) AS n FROM states",
    "the levels": "SELECT level, states, generated FROM levels ORDER BY level",
    "steps by action": "SELECT action, sum(steps) AS n FROM actions GROUP BY 1 ORDER BY 1",
    "a channel is closed": f"SELECT count(*) AS n FROM states WHERE {_OPEN}",
    "disks by level": f"SELECT level, {_SYNCED} AS disks, count(*) AS n FROM states GROUP BY 1, 2 "
    "ORDER BY 1, 2",
    "one level, decoded": "SELECT position, publishers_sent, replicas_ready FROM states "
    "WHERE level = 12 ORDER BY position LIMIT 1000",
    "all steps": "SELECT count(*) AS n, count(to_level) AS found FROM steps",
    "what follows a state": "SELECT step, to_level, to_position FROM steps "
    "WHERE level = 12 AND position = 100 ORDER BY step",
    "only copy": (_EXAMPLES / "only-copy.sql").read_text(),
    "run to": (_EXAMPLES / "run-to.sql").read_text(),
}
PATH = "SELECT * FROM path_to({level}, 0)"

Ask = Callable[[str], Any]


def timed(ask: Ask, sql: str) -> tuple[float, Any]:
    """Return the seconds of an answer, and the answer."""
    began = time.perf_counter()
    found = ask(sql)
    return time.perf_counter() - began, found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="questions about states, by DuckDB and by Spark")
    parser.add_argument("--instance", default="core", help="which instance is searched")
    parser.add_argument("--times", type=int, default=3, help="how often each is asked")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ackproof-bench-") as name:
        work = Path(name)
        found = local_of(work)(bound_of(MODEL, asked.instance))
        tables = Tables(folder_of(work).root)
        began = time.perf_counter()
        with open_session("local[2]", 16, work / "spark.log", "questions") as session:
            started = time.perf_counter() - began
            print(f"{asked.instance}: {found.states:,} states; Spark starts in {started:.1f} s")
            asking = Asking(session)
            for question, sql in QUESTIONS.items():
                taken: dict[str, list[float]] = {"duckdb": [], "spark": []}
                for _ in range(asked.times):
                    seconds, one = timed(lambda sql: duck.rows(tables, sql, 10_000), sql)
                    taken["duckdb"].append(seconds)
                    seconds, other = timed(lambda sql: asking.rows(tables, sql, 10_000), sql)
                    taken["spark"].append(seconds)
                    if one[1] != other[1]:
                        sys.exit(f"{question}: DuckDB says {one[1][:3]}, Spark {other[1][:3]}")
                both = "  ".join(f"{statistics.median(taken[who]):>7.2f} s" for who in taken)
                print(f"{question:<22} {both}  {len(one[1]):>6,} rows", flush=True)
        path = PATH.format(level=len(found.level_sizes))
        took = [timed(lambda sql: duck.rows(tables, sql, 100), path)[0] for _ in range(asked.times)]
        print(f"{'path_to':<22} {statistics.median(took):>7.2f} s")


if __name__ == "__main__":
    main()
