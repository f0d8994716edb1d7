"""The table `steps` has every step that plain Python takes, and no other."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ackproof.lang.binding import Bound, bind
from ackproof.pipeline import duck
from ackproof.pipeline.asking import Asking
from ackproof.pipeline.errors import SearchRefused
from ackproof.pipeline.query_error import QueryError
from ackproof.pipeline.session import Session
from ackproof.pipeline.states import LevelStates
from ackproof.pipeline.tables import Tables
from ackproof.spec.instances import INSTANCES
from ackproof.spec.model import MODEL as CONFIRMS

from tests.pipeline.searches import folder_of, local_of, written

#: Where a state stands: its level and its position there.
Place = tuple[int, int]

COLUMNS = "level, position, action, step, to_level, to_position"
ALL = f"SELECT {COLUMNS} FROM steps ORDER BY {COLUMNS}"

TINY = bind(CONFIRMS, next(i for i in INSTANCES if i.name == "tiny"))


def searched(bound: Bound, work: Path, depth: int | None = None) -> Tables:
    """Search with the local engine, to a depth."""
    local_of(work)(bound, max_depth=depth)
    return Tables(folder_of(work).root.address)


def words_at(tables: Tables) -> dict[Place, tuple[int, ...]]:
    """Return the packed state at each place."""
    found: dict[Place, tuple[int, ...]] = {}
    for level in tables.levels:
        stored = LevelStates.on(tables.folder, level)
        states = [stored.read(part, tables.schema.words) for part in range(len(level.rows))]
        packed = enumerate(np.concatenate(states).tolist())
        found |= {(level.level, position): tuple(words) for position, words in packed}
    return found


def test_each_state_has_the_steps_that_plain_python_takes(tmp_path: Path) -> None:
    tables = searched(TINY, tmp_path / "kept")
    places, steps = words_at(tables), TINY.instances()
    found: dict[Any, list[Any]] = defaultdict(list)
    for level, position, action, step, *to in duck.rows(tables, ALL, 1 << 30)[1]:
        found[places[level, position]].append((action, step, places[to[0], to[1]]))
    taken = written(TINY, tmp_path / "plain").steps()
    expected = {
        state: sorted((steps[n].action.name, str(steps[n]), after) for n, after in to)
        for state, to in taken.items()
        if to
    }
    assert {state: sorted(to) for state, to in found.items()} == expected


def test_a_step_to_a_state_that_was_not_found_yet_leads_nowhere(tmp_path: Path) -> None:
    whole = searched(TINY, tmp_path / "whole")
    tables = searched(TINY, tmp_path / "part", 5)
    asked = f"SELECT {COLUMNS} FROM steps WHERE level <= 5 ORDER BY {COLUMNS}"
    part, all_ = (duck.rows(t, asked, 1 << 30)[1] for t in (tables, whole))
    places = [words_at(t) for t in (tables, whole)]

    def read(rows: list[list[Any]], at: dict[Place, tuple[int, ...]], last: int) -> list[Any]:
        known = [[*r[:4], *(r[4:] if r[4] and r[4] <= last else (None, None))] for r in rows]
        return sorted((at[r[0], r[1]], r[3], at.get((r[4], r[5]), ())) for r in known)

    assert read(part, places[0], 5) == read(all_, places[1], 5)
    assert any(row[4] is None for row in part)
    assert not any(row[4] is None for row in all_)


def test_an_instance_with_variables_of_several_words_is_read(tmp_path: Path) -> None:
    trio = bind(CONFIRMS, next(i for i in INSTANCES if i.name == "trio"))
    tables = searched(trio, tmp_path, 4)
    steps = "SELECT count(*) FROM steps WHERE level < 4"
    generated = "SELECT CAST(sum(generated) AS BIGINT) FROM levels WHERE level > 1"
    assert duck.rows(tables, steps, 1)[1] == duck.rows(tables, generated, 1)[1]
    assert len(duck.rows(tables, "SELECT * FROM states", 1 << 30)[1]) == sum(
        level.states for level in tables.levels
    )


def test_a_compiled_model_that_was_changed_is_told_with_the_remedy(tmp_path: Path) -> None:
    tables = searched(TINY, tmp_path, 3)
    kernel = Path(str(tables.folder.kernel))
    changed = bytearray(kernel.read_bytes())
    changed[len(changed) // 2] ^= 1
    kernel.write_bytes(changed)
    with pytest.raises(SearchRefused, match=r"kernel.ll is not as it was written.*\n.*--resume"):
        duck.rows(tables, ALL, 1)


def test_without_the_compiled_model_all_but_steps_can_be_asked_about(tmp_path: Path) -> None:
    tables = searched(TINY, tmp_path, 3)
    Path(str(tables.folder.kernel)).unlink()
    assert duck.rows(tables, "SELECT count(*) FROM levels", 1)[1] == [[3]]
    with pytest.raises(QueryError, match=r"^the query: .*kernel.ll is missing; with --resume"):
        duck.rows(tables, ALL, 1)


@pytest.mark.parametrize("given", ["1, 2, 3", "'a'", "CAST(1 AS DOUBLE)"])
def test_the_function_that_makes_steps_takes_nothing_but_a_state(
    tmp_path: Path, given: str
) -> None:
    tables = searched(TINY, tmp_path, 2)
    with pytest.raises(QueryError, match=r"^the query: successors takes a state, w0 to w0"):
        duck.rows(tables, f"SELECT successors({given})", 1)


@pytest.mark.spark
@pytest.mark.parametrize("depth", [None, 5])
def test_spark_says_the_same(session: Session, tmp_path: Path, depth: int | None) -> None:
    tables = searched(TINY, tmp_path, depth)
    for sql in (ALL, f"SELECT {COLUMNS} FROM steps WHERE level = 3 ORDER BY {COLUMNS}"):
        rows = [engine(tables, sql, 10_000)[1] for engine in (duck.rows, Asking(session).rows)]
        assert len(rows[0]) > 5
        # Where null stands in an order is not the same for both.
        assert sorted(map(str, rows[0])) == sorted(map(str, rows[1]))
