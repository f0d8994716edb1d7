"""`ackproof query` answers in SQL, by Spark, and says in one message why it cannot.

What it says by DuckDB is in `test_duck`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ackproof.cli.main import app
from ackproof.lang.binding import Bound, bind
from ackproof.pipeline.duck import rows
from ackproof.pipeline.sealed import seal_of
from ackproof.pipeline.session import Session
from ackproof.pipeline.tables import Tables
from typer.testing import CliRunner, Result

from tests.pipeline.cluster import Cluster
from tests.pipeline.cupboard import MODEL, TWO
from tests.pipeline.sealing import rewrite
from tests.pipeline.written import State, Written, write_search

UNFINISHED = "the search is not finished: the tables have its first 3 levels\n"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A search that is not finished."""
    return write_search(bind(MODEL, TWO), tmp_path_factory.mktemp("work") / "cupboard", depth=3)


def query(*args: object, text: str | None = None) -> Result:
    """Run the command."""
    asked = ["query", "--engine", "spark", *map(str, args)]
    result = CliRunner().invoke(app, asked, input=text)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def told(result: Result) -> str:
    """Return what a command says on standard error, but for its progress."""
    return re.sub(r"^(starting Spark|asking)  \d+ s\n", "", result.stderr, flags=re.MULTILINE)


def refusal(*args: object) -> str:
    """Run the command on something that is wrong; return what it says."""
    result = query(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    return told(result)


# -- without Spark ------------------------------------------------------------------------------


def test_the_tables_are_listed_with_their_columns(written: Written) -> None:
    result = query(written.root)
    assert result.exit_code == 0
    assert told(result) == UNFINISHED
    lines = result.stdout.splitlines()
    assert lines[0] == "the cupboard on two"
    assert lines[lines.index("actions") :][1:4] == [
        "  level   int",
        "  action  string",
        "  steps   bigint",
    ]
    label = "  boards_label  map<string, struct<`cup`: bigint, `glaze`: string>>"
    assert f"{label}  BLUE, RED, NONE" in lines
    assert " ".join(result.stdout.split()).endswith("absent, boards_deep, boards_width")


def test_the_list_of_tables_is_json_too(written: Written) -> None:
    found = json.loads(query(written.root, "--json").stdout)
    assert found["search"] == {"model": "the cupboard", "design": None, "instance": "two"}
    assert list(found["views"]) == ["levels", "actions", "states", "steps"]
    assert found["views"]["states"]["glazes"] == "map<bigint, string>"
    assert found["members"]["glazes"] == ["BLUE", "RED", "NONE"]


def test_a_folder_that_is_no_search_is_refused(tmp_path: Path) -> None:
    assert "holds no search" in refusal(tmp_path, "SELECT 1")


def test_a_folder_of_searches_names_them(written: Written) -> None:
    work = written.root.parent
    assert refusal(work, "SELECT 1") == (
        f"error: {work} holds a search, and is none itself\n  instead: name {written.root}\n"
    )


def test_a_search_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "search.json").write_text('{"format": "ackproof/search/9"}')
    assert "ackproof/search/9" in refusal(tmp_path)


@pytest.mark.parametrize("missing", ["state", "instances"])
def test_a_search_that_lacks_something_is_refused(
    written: Written, tmp_path: Path, missing: str
) -> None:
    shutil.copy(written.root / "search.json", tmp_path)
    rewrite(tmp_path / "search.json", lambda document: document.pop(missing))
    assert refusal(tmp_path).startswith(f"error: {tmp_path / 'search.json'} ")


def test_a_search_that_ended_at_a_violation_says_so(written: Written, tmp_path: Path) -> None:
    root = tmp_path / "violated"
    shutil.copytree(written.root, root)
    rewrite(root / "levels" / "00003-00001.json", lambda level: level.update(broken=["NoCups"]))
    said = query(root).stderr
    assert said == "the search ended where NoCups is false: the tables have its first 3 levels\n"


def test_two_queries_are_one_too_many(written: Written, tmp_path: Path) -> None:
    said = refusal(written.root, "SELECT 1", "--file", tmp_path / "question.sql")
    assert said == "error: there are two queries; give the SQL or --file, not both\n"


def test_an_answer_is_not_written_where_the_search_is(written: Written, tmp_path: Path) -> None:
    before = (written.root / "search.json").read_bytes()
    for output, said in (
        (written.root / "search.json", "is in the folder of the search; name a file elsewhere"),
        (tmp_path, "is a directory; name a file in it"),
        (tmp_path / "no" / "answer.parquet", "cannot be written: No such file or directory"),
        (tmp_path / "answer.csv", "would be a file of Parquet; end its name in .parquet"),
    ):
        words = ["query", str(written.root), "SELECT 1", "--output", str(output)]
        refused = CliRunner().invoke(app, words)
        assert (refused.exit_code, said in refused.stderr) == (2, True), refused.stderr
    assert (written.root / "search.json").read_bytes() == before


def test_a_file_that_is_not_there_is_refused(written: Written, tmp_path: Path) -> None:
    said = refusal(written.root, "--file", tmp_path / "question.sql")
    assert said == f"error: {tmp_path / 'question.sql'} cannot be read: No such file or directory\n"


# -- with Spark ---------------------------------------------------------------------------------

asks = pytest.mark.usefixtures("session")
spark = pytest.mark.spark


@spark
@asks
def test_an_answer_is_a_table(written: Written) -> None:
    result = query(written.root, "SELECT level, states, level > 1 AS later FROM levels")
    assert result.exit_code == 0
    assert told(result) == UNFINISHED
    sizes = [len(links) for links in written.levels]
    lines = [line.split() for line in result.stdout.splitlines() if line.strip(" ─")]
    assert lines == [
        ["level", "states", "later"],
        ["1", str(sizes[0]), "false"],
        ["2", str(sizes[1]), "true"],
        ["3", str(sizes[2]), "true"],
    ]


@spark
@asks
def test_a_run_to_a_state_is_a_table_as_in_duckdb(written: Written) -> None:
    level, last = len(written.levels), len(written.levels[-1]) - 1
    for position in (0, last // 3, last):
        asked = f"SELECT * FROM path_to({level}, {position})"
        found = json.loads(query(written.root, asked, "--json").stdout)["rows"]
        assert found == rows(Tables(written.root), asked, level + 1)[1]
        assert len(found) == level


@spark
@asks
@pytest.mark.parametrize("place", ["0, 0", "-1, 0", "99, 0", "2, -1", "2, 1000000", "NULL, 0"])
def test_no_run_leads_to_a_state_that_is_not_there(written: Written, place: str) -> None:
    for path_to in ("SELECT * FROM path_to", "SELECT count(*) FROM path_to"):
        found = json.loads(query(written.root, f"{path_to}({place})", "--json").stdout)["rows"]
        assert found == rows(Tables(written.root), f"{path_to}({place})", 1)[1]
    assert found == [[0]]


@spark
@asks
def test_a_row_that_is_too_long_is_shown_by_itself(written: Written) -> None:
    lines = query(written.root, "SELECT * FROM states WHERE level = 1").stdout.splitlines()
    assert lines[0] == "row 1"
    shown = dict(line.split(maxsplit=1) for line in lines[1:])
    assert shown["predecessor"] == "NULL"
    assert shown["boards_cups"] == "{s1: [], s2: []}"
    assert shown["boards_label"] == "{s1: {cup: NULL, glaze: BLUE}, s2: {cup: NULL, glaze: BLUE}}"


@spark
@asks
def test_an_answer_is_json_too(written: Written, tmp_path: Path) -> None:
    file = tmp_path / "question.sql"
    file.write_text(
        "-- A comment first.\nSELECT glazes, wishes, notes FROM states WHERE level = 1;"
    )
    found: dict[str, Any] = json.loads(query(written.root, "--file", file, "--json").stdout)
    assert [column["name"] for column in found["columns"]] == ["glazes", "wishes", "notes"]
    glazes, wishes, notes = found["rows"][0]
    assert glazes == {"1": "BLUE", "2": "BLUE"}
    assert wishes[0] == {"key": None, "value": []}
    assert set(notes.values()) == {False}
    assert found["complete"]


@spark
@asks
def test_a_long_answer_is_cut(written: Written) -> None:
    sql = "SELECT level FROM levels ORDER BY level"
    shown = query(written.root, "--limit", 2, sql).stdout.splitlines()
    assert shown[-1] == "and more: these are the first 2; --limit N shows others"
    found = json.loads(query(written.root, "--limit", 2, "--json", sql).stdout)
    assert (found["rows"], found["complete"]) == ([[1], [2]], False)
    whole = json.loads(query(written.root, "--limit", 3, "--json", sql).stdout)
    assert (whole["rows"], whole["complete"]) == ([[1], [2], [3]], True)


@spark
@asks
def test_a_query_may_come_from_the_input(written: Written) -> None:
    found = query(written.root, "--file", "-", "--json", text="SELECT 1 AS one")
    assert json.loads(found.stdout)["rows"] == [[1]]


WRONG = {
    "SELECT loked FROM states": ("line 1, column 8", "`loked` cannot be resolved"),
    "SELECT count(* FROM states": ("line 1, column 16", "at or near 'FROM'"),
    "SELECT *\nFROM stats": ("line 2, column 6", "`stats` cannot be found"),
    "SELECT glazes[1], locked + 1 FROM states": ("line 1, column 19", "cannot resolve"),
    "SELECT raise_error('x') FROM states": ("the query", "x"),
    "SELECT glazes[9] FROM states": ("line 1, column 15", "glazes has no key 9"),
    "SELECT 1 / (level - 1) FROM levels": ("line 1, column 8", "Division by zero"),
    "SELECT java_method('java.lang.System', 'nanoTime')": (
        "the query",
        "java_method may call what",
    ),
    "SELECT system.builtin.Reflect('a', 'b')": ("the query", "reflect may call what"),
    "SELECT * FROM states WHERE level IN (SELECT 1 + int(try_reflect('a', 'b')))": (
        "the query",
        "try_reflect may call what",
    ),
    "SELECT IDENTIFIER('java_' || 'method')('java.lang.System', 'nanoTime')": (
        "the query",
        "identifier may call what",
    ),
    "SELECT IDENTIFIER('java_method')('java.lang.System', 'nanoTime')": (
        "the query",
        "identifier may call what",
    ),
    "EXECUTE IMMEDIATE 'SELECT 1'": ("the query", "ask"),
    "": ("the query", "empty"),
}


@spark
@asks
@pytest.mark.parametrize("sql", WRONG)
def test_a_wrong_query_is_one_message(written: Written, sql: str) -> None:
    place, problem = WRONG[sql]
    said = refusal(written.root, sql).removeprefix(UNFINISHED)
    assert said.startswith("error: the query")
    first = said.splitlines()[0]
    assert place in first
    assert problem.lower() in first.lower()
    assert said.endswith(f"instead: see the columns: ackproof query {written.root}\n")
    assert len(said.splitlines()) <= 4
    assert "SQLSTATE" not in said


@spark
@asks
def test_states_that_are_no_states_are_one_message(written: Written, tmp_path: Path) -> None:
    root = tmp_path / "damaged"
    shutil.copytree(written.root, root)
    path = next((root / "states" / "level=00002").glob("*.parquet"))
    table = pq.read_table(path, partitioning=None)
    table = table.set_column(2, "w0", pa.array([-1] * len(table), pa.int64()))
    pq.write_table(table, path)
    asked = "SELECT glazes FROM states WHERE level = 2"
    said = refusal(root, asked).removeprefix(UNFINISHED)
    assert said.startswith(f"error: {path} is not as it was written: its seal is broken\n")
    part, seal = int(path.stem.split("-")[1]), seal_of(path.read_bytes())

    def accept(level: dict[str, Any]) -> None:
        level["files"] = [[first, seal if first == part else old] for first, old in level["files"]]

    rewrite(root / "levels" / "00002-00001.json", accept)
    said = refusal(root, asked).removeprefix(UNFINISHED)
    assert said.splitlines()[0] == (
        "error: the query: a Python worker failed: ValueError: "
        "the bits 0x3 stand for nothing of type Glaze"
    )


@spark
@asks
def test_states_that_are_missing_are_one_message(written: Written, tmp_path: Path) -> None:
    root = tmp_path / "incomplete"
    shutil.copytree(written.root, root)
    path = next((root / "states" / "level=00002").glob("*.parquet"))
    path.unlink()
    said = refusal(root, "SELECT count(*) FROM states").removeprefix(UNFINISHED)
    assert said.startswith(f"error: {path} cannot be read: No such file")
    assert len(said.splitlines()) == 2


@spark
def test_the_session_that_was_open_stays_open(written: Written, session: Session) -> None:
    query(written.root, "SELECT 1")
    assert session.spark.range(3).count() == 3


@spark
def test_a_cluster_can_be_asked(written: Written, cluster: Cluster, tmp_path: Path) -> None:
    sql = "SELECT level, count(*) FROM states WHERE size(boards_cups['s1']) = 1 GROUP BY level"
    asked = ["query", str(written.root), sql, "--json", "--master", cluster.url]
    found = subprocess.run(
        [sys.executable, "-m", "ackproof.cli", *asked],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        # One executor can answer; another one takes longer to start than the answer.
        env={**os.environ, "PYSPARK_SUBMIT_ARGS": "--conf spark.cores.max=1 pyspark-shell"},
    )
    with_one = {
        level: sum(len(shelf_of(link.state, written.bound)) == 1 for link in links)
        for level, links in enumerate(written.levels, start=1)
    }
    assert dict(json.loads(found.stdout)["rows"]) == {k: n for k, n in with_one.items() if n}


def shelf_of(state: State, bound: Bound) -> frozenset[int]:
    """Return the cups on the first shelf."""
    places = [location.name for location in bound.locations]
    cups: frozenset[int] = state[places.index("boards[s1].cups")]
    return cups
