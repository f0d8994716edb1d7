"""DuckDB says of a search what Spark says, reads nothing else, and tells what is wrong."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from ackproof.cli.main import app
from ackproof.lang.binding import bind
from ackproof.pipeline.asking import Asking
from ackproof.pipeline.duck import opened, put, rows
from ackproof.pipeline.query_error import QueryError
from ackproof.pipeline.session import Session
from ackproof.pipeline.tables import Tables
from ackproof.spec.instances import INSTANCES
from ackproof.spec.model import MODEL as CONFIRMS
from typer.testing import CliRunner

from tests.pipeline.cupboard import MODEL, TWO
from tests.pipeline.shown import expected
from tests.pipeline.written import Written, write_search

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES, PAGE = DOCS / "examples", (DOCS / "state-tables.rst").read_text()


@pytest.fixture(scope="module")
def cupboard(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A search that is not finished, in a folder whose name means something to DuckDB."""
    root = tmp_path_factory.mktemp("searches") / "a [b]{c,d} * it's"
    return write_search(bind(MODEL, TWO), root, depth=4)


@pytest.fixture(scope="module")
def fanout(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """One message for two queues, some levels of it."""
    instance = next(i for i in INSTANCES if i.name == "fanout")
    return write_search(bind(CONFIRMS, instance), tmp_path_factory.mktemp("fanout"), depth=7)


def asked(written: Written, sql: str, most: int = 1 << 30) -> list[list[Any]]:
    """The rows of an answer."""
    return rows(Tables(written.root), sql, most)[1]


def test_each_state_stands_where_it_was_found(cupboard: Written) -> None:
    columns = "level, position, predecessor, action, step"
    found = asked(cupboard, f"SELECT {columns} FROM states ORDER BY level, position")
    instances = cupboard.bound.instances()
    named: list[list[Any]] = [[1, 0, None, None, None]]
    for level, links in enumerate(cupboard.levels[1:], start=2):
        for position, link in enumerate(links):
            step = instances[link.instance]
            named.append([level, position, link.predecessor, step.action.name, str(step)])
    assert found == named


def test_a_shortest_run_leads_to_a_state(cupboard: Written) -> None:
    level = len(cupboard.levels)
    last = len(cupboard.levels[-1]) - 1
    found = asked(cupboard, f"SELECT * FROM path_to({level}, {last})")
    instances, position, steps = cupboard.bound.instances(), last, []
    for links in reversed(cupboard.levels[1:]):
        steps.append((position, str(instances[links[position].instance])))
        position = links[position].predecessor
    assert [(row[1], row[3]) for row in found[1:]] == steps[::-1]
    assert found[0] == [1, 0, None, None]


def test_the_states_of_confirms_have_the_values_of_their_variables(fanout: Written) -> None:
    tables = Tables(fanout.root)
    links = [link for level in fanout.levels for link in level]
    with opened(tables) as connection:
        found = connection.sql("SELECT * FROM states ORDER BY level, position").to_arrow_table()
    assert len(found) == len(links) > 100
    for variable in tables.variables:
        column = found.column(tables.names[variable.name]).to_pylist()
        assert column == [expected(fanout.bound, variable, link.state) for link in links]


@pytest.mark.parametrize("sql", re.findall(r'query work/\S+[\s\\]+"([^"]+)"', PAGE))
def test_what_the_page_asks_is_a_query(fanout: Written, sql: str) -> None:
    with opened(Tables(fanout.root)) as connection:
        assert connection.execute(f"EXPLAIN {sql}").fetchall()


@pytest.mark.spark
@pytest.mark.parametrize(
    "sql",
    [
        *((EXAMPLES / name).read_text() for name in ("only-copy.sql", "run-to.sql")),
        "SELECT count(*) AS n FROM states WHERE NOT channels_open['ch1']",
        "SELECT action, sum(steps) AS steps FROM actions GROUP BY action ORDER BY action",
        "SELECT replicas_store_level, size(persistent) AS n FROM states ORDER BY level, position",
        "SELECT seconds, candidates FROM levels ORDER BY level",
    ],
)
def test_spark_says_the_same(session: Session, fanout: Written, sql: str) -> None:
    tables = Tables(fanout.root)
    (columns, found), (others, same) = (
        engine(tables, sql, 1000) for engine in (rows, Asking(session).rows)
    )
    assert found == same
    assert [column["name"] for column in columns] == [column["name"] for column in others]


def test_many_rows_are_written_to_a_file(fanout: Written, tmp_path: Path) -> None:
    file = tmp_path / "answer.parquet"
    sql = "SELECT level, position, replicas_ready FROM states ORDER BY level, position"
    count = put(Tables(fanout.root), sql, file)
    table = pq.read_table(file)
    assert count == len(table) == sum(map(len, fanout.levels))
    assert table.slice(0, 1).to_pylist() == [
        {"level": 1, "position": 0, "replicas_ready": [("r1", []), ("r2", [])]}
    ]
    assert len(asked(fanout, sql, 7)) == 7


WRONG = {
    "SELECT loked FROM states": ("line 1, column 8", '"loked" not found'),
    "SELECT count(* FROM states": ("line 1, column 16", "at or near"),
    "SELECT *\nFROM stats": ("line 2, column 6", "stats does not exist; did you mean"),
    "SELECT error('x') FROM states": ("the query", "x"),
    "": ("the query", "empty"),
    "SELECT * FROM read_csv('/etc/passwd')": ("the query", "disabled"),
    "COPY levels TO '/tmp/levels.csv'": ("the query", "does not ask; give one SELECT"),
    "EXPLAIN ANALYZE COPY levels TO 'a.csv'": ("the query", "does not ask; give one SELECT"),
    "SELECT 1; SELECT 2": ("the query", "it is 2 statements; give one SELECT"),
    "WITH a AS (SELECT 1) INSERT INTO b FROM a": ("the query", "does not ask"),
    "SELECT * FROM tables": ("line 1, column 15", "does not exist"),
}


@pytest.mark.parametrize("sql", WRONG)
def test_a_wrong_query_is_told_with_its_place(cupboard: Written, sql: str) -> None:
    place, problem = WRONG[sql]
    with pytest.raises(QueryError) as refused:
        asked(cupboard, sql)
    said = str(refused.value)
    assert said.startswith("the query")
    assert place in said.splitlines()[0]
    assert problem.lower() in said.lower()
    assert len(said.splitlines()) <= 3


def test_a_search_is_never_written_to(cupboard: Written) -> None:
    file = cupboard.root / "search.json"
    before = file.read_bytes()
    copy = "COPY (SELECT 1) TO '{}'".format(str(file).replace("'", "''"))
    for sql in (copy, f"WITH x AS ({copy}) SELECT 1", f"with x as (/**/copy{copy[4:]}) select 1"):
        with pytest.raises(QueryError, match="a search is read and never written"):
            asked(cupboard, sql)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "sql",
    [
        "PIVOT (SELECT level % 2 AS odd, states FROM levels) ON odd USING sum(states)",
        "EXPLAIN SELECT 1",
        "DESCRIBE levels",
        "SELECT 'copy' AS \"copy\" -- insert",
    ],
)
def test_what_only_asks_is_answered(cupboard: Written, sql: str) -> None:
    assert asked(cupboard, sql)


def test_an_answer_that_fails_leaves_the_file_of_before(cupboard: Written, tmp_path: Path) -> None:
    (file := tmp_path / "answer.parquet").write_text("dear")
    with pytest.raises(QueryError):
        put(Tables(cupboard.root), "SELECT error('x') FROM states", file)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(file.name, "dear")]


@pytest.mark.spark
@pytest.mark.parametrize("order", ["level, position", "position, level"])
def test_spark_writes_the_same_rows(
    session: Session, fanout: Written, tmp_path: Path, order: str
) -> None:
    sql = f"SELECT level, position, action, replicas_ready FROM states ORDER BY {order}"
    tables, files = Tables(fanout.root), [tmp_path / "duck.parquet", tmp_path / "spark.parquet"]
    counts = [
        one(tables, sql, file) for one, file in zip((put, Asking(session).put), files, strict=True)
    ]
    found = [pq.read_table(file).to_pylist() for file in files]
    assert counts == [sum(map(len, fanout.levels))] * 2
    assert found[0] == found[1]


@pytest.mark.spark
def test_an_answer_without_rows_has_its_columns(
    session: Session, fanout: Written, tmp_path: Path
) -> None:
    file = tmp_path / "answer.parquet"
    assert Asking(session).put(Tables(fanout.root), "SELECT level FROM states LIMIT 0", file) == 0
    assert pq.read_table(file).column_names == ["level"]


@pytest.mark.spark
@pytest.mark.parametrize(
    "sql",
    [
        "INSERT OVERWRITE DIRECTORY '{place}' USING parquet SELECT 1",
        "FROM levels INSERT OVERWRITE DIRECTORY '{place}' SELECT level",
        "CREATE TABLE mine USING parquet LOCATION '{place}' AS SELECT 1",
        "WITH a AS (SELECT 1) INSERT INTO levels SELECT * FROM a",
        "SELECT 1; SELECT 2",
        "SET spark.sql.shuffle.partitions = 3",
        "SELECT * FROM csv.`/etc/passwd`",
        "SELECT TRANSFORM(level) USING 'touch {place}; cat' AS (a) FROM levels",
        "WITH a AS (SELECT TRANSFORM(level) USING 'touch {place}; cat' AS (a) FROM levels) "
        "SELECT * FROM a",
        "SELECT level FROM levels WHERE level IN "
        "(SELECT TRANSFORM(level) USING 'touch {place}; cat' AS (a) FROM levels)",
        "-- \\\nSELECT 1 /*\nINSERT OVERWRITE DIRECTORY '{place}' USING json SELECT 1 -- */",
    ],
)
def test_spark_only_answers_questions_about_the_search(
    session: Session, fanout: Written, tmp_path: Path, sql: str
) -> None:
    place = tmp_path / "written"
    with pytest.raises(QueryError):
        Asking(session).rows(Tables(fanout.root), sql.format(place=place), 10)
    assert not place.exists()


@pytest.mark.spark
@pytest.mark.parametrize("sql", ["TABLE levels", "DESCRIBE states", "EXPLAIN SELECT 1", "VALUES 1"])
def test_spark_answers_what_only_asks(session: Session, fanout: Written, sql: str) -> None:
    _, found = Asking(session).rows(Tables(fanout.root), sql, 10)
    assert found


def test_the_command_asks_duckdb_unless_it_is_told_otherwise(
    cupboard: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    file, sql = tmp_path / "answer.parquet", "SELECT level, states FROM levels ORDER BY level"
    shown = CliRunner().invoke(app, ["query", str(cupboard.root), sql, "--json"])
    sizes = [[level, len(links)] for level, links in enumerate(cupboard.levels, start=1)]
    assert json.loads(shown.stdout)["rows"] == sizes
    written = CliRunner().invoke(app, ["query", str(cupboard.root), sql, "--output", str(file)])
    assert written.stdout == f"{len(sizes)} rows are in {file}\n"
    assert [list(row.values()) for row in pq.read_table(file).to_pylist()] == sizes


def test_a_master_is_sparks(cupboard: Written) -> None:
    asked = ["query", str(cupboard.root), "SELECT 1", "--engine", "duckdb", "--master", "local"]
    refused = CliRunner().invoke(app, asked)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: a master is Spark's; leave out --master")
