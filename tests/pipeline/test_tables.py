"""Spark SQL sees every state of a search, where it stands and what it holds."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from ackproof.lang.binding import Bound, bind
from ackproof.model.live import Live
from ackproof.model.plain import PlainMachine
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.session import Session
from ackproof.pipeline.tables import register
from ackproof.spec.instances import INSTANCES
from ackproof.spec.model import MODEL as CONFIRMS
from ackproof.spec.sorts import ChannelId, Level, Replica
from pyspark.sql import Row

from tests.pipeline.cupboard import MODEL, TWO
from tests.pipeline.shown import expected
from tests.pipeline.written import Written, write_search

pytestmark = pytest.mark.spark

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "only-copy.sql"


@pytest.fixture(scope="module")
def cupboard(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A search that is not finished, in a folder whose name means something to Spark."""
    root = tmp_path_factory.mktemp("searches") / "a [b]{c,d} *"
    return write_search(bind(MODEL, TWO), root, depth=4)


@pytest.fixture(scope="module")
def fanout(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """One message for two queues, some levels of it."""
    instance = next(i for i in INSTANCES if i.name == "fanout")
    return write_search(bind(CONFIRMS, instance), tmp_path_factory.mktemp("fanout"), depth=9)


def rows(session: Session, written: Written, sql: str) -> list[Row]:
    """Ask about a search."""
    register(session.spark, written.root)
    return session.spark.sql(sql).collect()


def plain(value: Any) -> Any:
    """Return a value of a row, or of a variable, with maps as dictionaries."""
    if isinstance(value, Row):
        return {k: plain(v) for k, v in value.asDict().items()}
    if isinstance(value, dict):
        return {key(k): plain(v) for k, v in value.items()}
    if isinstance(value, list):
        pairs = bool(value) and all(isinstance(v, tuple) and not isinstance(v, Row) for v in value)
        return plain({key(k): v for k, v in value}) if pairs else [plain(v) for v in value]
    return value


def key(value: Any) -> Any:
    """Return what can be the key of a dictionary."""
    fields = value.asDict() if isinstance(value, Row) else value
    return tuple(fields.items()) if isinstance(fields, dict) else fields


def test_each_state_stands_where_it_was_found(session: Session, cupboard: Written) -> None:
    found = rows(
        session,
        cupboard,
        "SELECT level, position, predecessor, action, step FROM states ORDER BY level, position",
    )
    instances = cupboard.bound.instances()
    named: list[tuple[Any, ...]] = [(1, 0, None, None, None)]
    for level, links in enumerate(cupboard.levels[1:], start=2):
        for position, link in enumerate(links):
            step = instances[link.instance]
            named.append((level, position, link.predecessor, step.action.name, str(step)))
    assert [tuple(row) for row in found] == named


def test_each_variable_has_the_value_that_it_has(session: Session, cupboard: Written) -> None:
    found = rows(session, cupboard, "SELECT * FROM states ORDER BY level, position")
    tables = register(session.spark, cupboard.root)
    states = [link.state for links in cupboard.levels for link in links]
    assert len(found) == len(states)
    for variable in tables.variables:
        column = tables.names[variable.name]
        for row, state in zip(found, states, strict=True):
            assert plain(row[column]) == plain(expected(cupboard.bound, variable, state)), column


def test_types_of_columns_are_as_the_folder_says(session: Session, cupboard: Written) -> None:
    tables = register(session.spark, cupboard.root)
    for view, columns in tables.columns().items():
        types = {f.name: f.dataType for f in session.spark.table(view).schema.fields}
        listed = session.spark.createDataFrame(
            [], ", ".join(f"`{name}` {of}" for name, of in columns.items())
        )
        assert types == {f.name: f.dataType for f in listed.schema.fields}


def test_a_variable_that_is_called_like_a_link_gets_another_name(
    session: Session, cupboard: Written
) -> None:
    found = rows(session, cupboard, "SELECT min(level), min(level_) FROM states")
    assert tuple(found[0]) == (1, 0)


def test_levels_and_actions_add_up(session: Session, cupboard: Written) -> None:
    counts = rows(session, cupboard, "SELECT level, states FROM levels ORDER BY level")
    assert [tuple(row) for row in counts] == [
        (level, len(links)) for level, links in enumerate(cupboard.levels, start=1)
    ]
    generated = rows(session, cupboard, "SELECT sum(generated) - 1 FROM levels")
    steps = rows(session, cupboard, "SELECT sum(steps) FROM actions")
    assert generated == steps


def test_only_what_a_manifest_names_is_there(session: Session, cupboard: Written) -> None:
    cut = cupboard.root.with_name("cut")
    shutil.copytree(cupboard.root, cut)
    Folder(cut).manifest(4, 1).unlink()
    tables = register(session.spark, cut)
    assert (len(tables.levels), tables.finished) == (3, False)
    found = session.spark.sql("SELECT level, count(*) FROM states GROUP BY level ORDER BY level")
    sizes = [len(links) for links in cupboard.levels[:3]]
    assert [tuple(row) for row in found.collect()] == list(enumerate(sizes, start=1))


def test_a_search_without_levels_has_empty_tables(session: Session, cupboard: Written) -> None:
    begun = cupboard.root.with_name("begun")
    begun.mkdir()
    shutil.copy(cupboard.root / "search.json", begun)
    register(session.spark, begun)
    for view in ("levels", "actions", "states"):
        assert session.spark.table(view).collect() == []


def test_only_what_a_query_mentions_is_read(session: Session, fanout: Written) -> None:
    register(session.spark, fanout.root)
    asked = "SELECT count(*) FROM states WHERE channels_confirming['ch1'] AND level = 3"
    frame = session.spark.sql(asked)
    plan = frame._jdf.queryExecution().executedPlan().toString()
    assert plan.count("read(") == 1
    assert "ReadSchema: struct<w0:bigint>" in plan
    assert "(level" in plan.partition("PartitionFilters: [")[2].partition("]")[0]


def test_a_run_can_be_followed_back(session: Session, fanout: Written) -> None:
    found = rows(
        session,
        fanout,
        """
        SELECT a.step AS first, b.step AS second FROM states AS a JOIN states AS b
        ON a.level = 2 AND b.level = 3 AND b.predecessor = a.position
        """,
    )
    instances = fanout.bound.instances()
    runs = {
        (str(instances[fanout.levels[1][link.predecessor].instance]), str(instances[link.instance]))
        for link in fanout.levels[2]
    }
    assert {tuple(row) for row in found} == runs


def with_the_only_copy_at_risk(bound: Bound, states: Iterable[Any]) -> int:
    """Count, with the objects of the specification, the states that the example asks for."""
    count = 0
    with PlainMachine(bound):
        live = Live(bound)
        for state in states:
            live.show(state)
            s: Any = live.root
            count += any(
                s.replicas[r].store.level[m] != Level.SYNCED
                for c in ChannelId
                if s.channels[c].open
                for m in s.publishers[c].unknown()
                for r in sole_owner(s, m)
            )
    return count


def sole_owner(s: Any, msg: Any) -> list[Any]:
    """Return who has the only copy of a message; nobody if there is none, or are several."""
    owners = [
        r
        for r in Replica
        if msg in s.in_flight(r) | s.replicas[r].holds()
        or s.replicas[r].store.level[msg] != Level.ABSENT
    ]
    return owners if len(owners) == 1 else []


def test_the_worked_example_counts_what_plain_python_counts(
    session: Session, fanout: Written
) -> None:
    found = rows(session, fanout, EXAMPLE.read_text())
    states = [link.state for links in fanout.levels for link in links]
    counted = with_the_only_copy_at_risk(fanout.bound, states)
    assert counted > 50
    assert tuple(found[0]) == ("any", "any", counted)
    # What the channel has decided to ack, and is persistent, is on disk.
    assert {(row.persistent, row.decided) for row in found[1:]} == {
        ("false", "false"),
        ("false", "true"),
        ("true", "false"),
    }
