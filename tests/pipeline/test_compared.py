"""A query that asks for a value that no variable has is refused, where SQL would find nothing."""

from __future__ import annotations

from typing import Literal

import pytest
from ackproof.lang.binding import bind
from ackproof.pipeline.compared import require_values
from ackproof.pipeline.duck import rows
from ackproof.pipeline.query_error import QueryError
from ackproof.pipeline.tables import Tables

from tests.pipeline.cupboard import MODEL, TWO
from tests.pipeline.written import write_search

Dialect = Literal["duckdb", "spark"]
DIALECTS: tuple[Dialect, ...] = ("duckdb", "spark")
GLAZES = "it may be BLUE, RED, NONE"

#: What no state has, and what is said of it.
WRONG = {
    "glazes[1] = 'blue'": f"glazes[1] is never 'blue'; {GLAZES}",
    "'blue' <> glazes[1]": f"glazes[1] is never 'blue'; {GLAZES}",
    "NOT (glazes[1] IN ('RED', 'blue'))": f"glazes[1] is never 'blue'; {GLAZES}",
    "(CASE glazes[2] WHEN 'x' THEN 1 END) = 1": f"glazes[2] is never 'x'; {GLAZES}",
    "glazes[3] = 'RED'": "glazes has no key 3; its keys are 1, 2",
    "glazes[0] = 'RED'": "glazes has no key 0; its keys are 1, 2",
    "element_at(glazes, 7) IS NULL": "glazes has no key 7; its keys are 1, 2",
    "size(boards_cups['s3']) = 0": "boards_cups has no key 's3'; its keys are s1, s2",
    "s.boards_label['s1'].glaze = 'x'": f"s.boards_label['s1'].glaze is never 'x'; {GLAZES}",
    "last = -1": "last is never -1; it may be 1, 2",
    "last = 3": "last is never 3; it may be 1, 2",
    "GLAZES[1] = 'x'": f"GLAZES[1] is never 'x'; {GLAZES}",
    "array_contains(map_values(glazes), 'x')": f"MAP_VALUES(glazes) is never 'x'; {GLAZES}",
    "size(filter(map_values(glazes), g -> g = 'x')) > 0": f"g is never 'x'; {GLAZES}",
    "size(filter(queue, g -> g = 'g3')) > 0": "g is never 'g3'; it may be g1, g2",
    "size(map_filter(glazes, (k, v) -> k = 9)) > 0": "k is never 9; it may be 1, 2",
    "action = 'paint'": "action is never 'paint'; it may be glaze, wish, arrive, lock, boards.put",
}

#: What may be asked: what there is, integers, what cannot be known, and what is no query.
RIGHT = (
    "glazes[1] = 'RED' AND glazes[2] IN ('BLUE', 'NONE')",
    "glazes[1] = glazes[2]",
    "level = 99 AND level_ > 77",
    "step LIKE 'paint%'",
    "size(filter(boards_cups['s2'], c -> c = 2)) = 1",
    "boards_label['s1'].cup IS NULL",
    "map_values(glazes)[1] = 'RED'",
    "queue[7] = 'g1'",
    "last = -1.5",
    "last = '2' AND glazes['1'] = 'RED'",  # SQL makes numbers of them
    "coalesce(glazes[1], 'none') = 'none'",
    "array_position(queue, 'g1') > (",
    "frobnicate(glazes) = 'x'",
)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The tables of a search of the cupboard."""
    return Tables(write_search(bind(MODEL, TWO), tmp_path_factory.mktemp("cupboard"), depth=3).root)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("condition", WRONG)
def test_what_is_never_so_is_refused_with_what_may_be(
    tables: Tables, condition: str, dialect: Dialect
) -> None:
    with pytest.raises(QueryError) as refused:
        require_values(tables, f"SELECT count(*) FROM states AS s WHERE {condition}", dialect)
    assert str(refused.value).splitlines()[0].partition(": ")[2] == WRONG[condition]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("condition", RIGHT)
def test_what_may_be_is_asked(tables: Tables, condition: str, dialect: Dialect) -> None:
    require_values(tables, f"SELECT count(*) FROM states AS s WHERE {condition}", dialect)


def test_a_name_of_the_query_is_not_the_column_of_that_name(tables: Tables) -> None:
    sql = "WITH t AS (SELECT 'x' AS glazes FROM states) SELECT count(*) FROM t WHERE glazes = 'x'"
    require_values(tables, sql, "duckdb")
    listed = "SELECT 1 FROM (SELECT 'x') AS t(glazes) WHERE glazes = 'x'"
    require_values(tables, listed, "duckdb")


def test_it_is_said_where(tables: Tables) -> None:
    sql = "SELECT count(*)\nFROM states\nWHERE locked\n  AND glazes[1] = 'BLEU'"
    with pytest.raises(QueryError) as refused:
        rows(tables, sql, 1)
    assert str(refused.value) == (
        f"the query, line 4, column 19: glazes[1] is never 'BLEU'; {GLAZES}\n"
        "    AND glazes[1] = 'BLEU'\n"
        "                    ^"
    )


def test_each_member_is_listed(tables: Tables) -> None:
    glazes = ["BLUE", "RED", "NONE"]
    assert tables.members() == {"glazes": glazes, "boards_label": glazes}
