"""The questions of the page `docs/state-tables.rst`, answered by DuckDB and by Spark, side by side.

The page makes searches, of which one has a violation, and asks about their states.  The searches
are made with the commands that the page shows, and the SQL is read from it; a few questions are
here that a user has first.  Each is put to DuckDB and to Spark, in turns, a few times; the medians
are shown.  The run stops with an error unless both give the same rows, one at least, or refuse a
question with the words that the page shows.  Of Spark only the answer is timed; how long it takes
to start is printed beside it.

    python bench/questions.py
    python bench/questions.py --times 1
"""

from __future__ import annotations

import argparse
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ackproof.pipeline import duck
from ackproof.pipeline.asking import Asking
from ackproof.pipeline.query_error import QueryError
from ackproof.pipeline.session import open_session
from ackproof.pipeline.tables import Tables

_ROOT = Path(__file__).resolve().parents[1]
_PAGE = (_ROOT / "docs" / "state-tables.rst").read_text()
_CHECK = re.compile(r"^ +\$ ackproof (check (?:.*\\\n)*.*)$", re.MULTILINE)
_QUERY = re.compile(r'\$ ackproof query (work/\S+)[\s\\]+(?:"([^"]+)"|--file (\S+))')
_MOST = 10_000

_CORE = "work/confirms-core"
_SYNCED = "size(filter(map_keys(replicas_status), r -> replicas_store_level[r][1] = 'SYNCED'))"
#: What a user asks first, beside what the page asks.
FIRST = (
    "SELECT level, states FROM levels ORDER BY level",
    "SELECT count(*) AS n FROM states",
    "SELECT action, sum(steps) AS n FROM actions GROUP BY 1 ORDER BY 1",
    f"SELECT level, {_SYNCED} AS disks, count(*) AS n FROM states GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT position, publishers_sent, replicas_ready FROM states WHERE level = 12 "
    "ORDER BY position LIMIT 1000",
    "SELECT count(*) AS n, count(to_level) AS found FROM steps",
)

Ask = Callable[[Tables, str, int], tuple[Any, list[list[Any]]]]


def made(work: Path) -> None:
    """Make the searches of the page, with its commands."""
    (work / "docs").symlink_to(_ROOT / "docs")
    program = Path(sys.executable).with_name("ackproof")
    for command in _CHECK.findall(_PAGE):
        began = time.perf_counter()
        asked = shlex.split(command.replace("\\\n", " "))
        done = subprocess.run([program, *asked], cwd=work, capture_output=True, text=True)
        if done.returncode > 1:
            sys.exit(f"{shlex.join(asked)}: {done.stdout}{done.stderr}")
        print(f"{time.perf_counter() - began:>7.2f} s  {shlex.join(asked)}", flush=True)


def questions() -> Iterator[tuple[str, str, str]]:
    """Yield the folder of each question, its SQL, and what it is called here."""
    for folder, sql, file in _QUERY.findall(_PAGE):
        text = " ".join(sql.split()) or (_ROOT / file).read_text()
        yield folder, text, file or text
    for sql in FIRST:
        yield _CORE, sql, sql


def answered(ask: Ask, tables: Tables, sql: str) -> tuple[float, Any]:
    """Return the seconds of an answer, and its rows, or why there is none."""
    began = time.perf_counter()
    try:
        found: Any = ask(tables, sql, _MOST)[1]
    except QueryError as error:
        return time.perf_counter() - began, str(error)
    return time.perf_counter() - began, found


def compared(asking: Asking, tables: Tables, sql: str, times: int) -> tuple[list[float], Any]:
    """Ask both engines; return the medians of their seconds, and what both say.

    Raises:
        SystemExit: they do not say the same, or nothing, or a question of the page is refused.
    """
    taken: tuple[list[float], list[float]] = [], []
    for _ in range(times):
        one = answered(duck.rows, tables, sql)
        other = answered(asking.rows, tables, sql)
        for seconds, (took, _) in zip(taken, (one, other), strict=True):
            seconds.append(took)
        if isinstance(one[1], str) and one[1].partition("\n")[0] not in _PAGE:
            sys.exit(f"{sql}: the page shows no such error: {one[1]}")
        if _as_asked(sql, one[1]) != _as_asked(sql, other[1]) or not one[1]:
            sys.exit(f"{sql}: DuckDB says {one[1][:300]}, Spark {other[1][:300]}")
    return list(map(statistics.median, taken)), one[1]


def _as_asked(sql: str, found: Any) -> Any:
    """Return rows in their order if the question asks for one, and in any if not."""
    return found if isinstance(found, str) or "ORDER BY" in sql else sorted(found, key=repr)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="questions about states, by DuckDB and by Spark")
    parser.add_argument("--times", type=int, default=3, help="how often each is asked")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ackproof-bench-") as name:
        work = Path(name)
        made(work)
        began = time.perf_counter()
        with open_session("local[2]", 16, work / "spark.log", "questions") as session:
            print(f"Spark starts in {time.perf_counter() - began:.1f} s", flush=True)
            asking = Asking(session)
            print(f"{'DuckDB':>9} {'Spark':>10}")
            for folder, sql, called in questions():
                seconds, said = compared(asking, Tables(work / folder), sql, asked.times)
                both = "  ".join(f"{took:>7.2f} s" for took in seconds)
                rows = "refused" if isinstance(said, str) else f"{len(said):,} rows"
                print(f"{both}  {rows:>10}  {folder[5:20]}: {called[:60]}", flush=True)


if __name__ == "__main__":
    main()
