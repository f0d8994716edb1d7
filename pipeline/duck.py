"""The tables of a search in DuckDB: a query that one machine can answer, without a JVM.

The tables are those of `ackproof.pipeline.tables`, with the same columns and values, and are read
from the same files.  DuckDB reads of them the words of those variables that a query mentions, and
of those levels that it is about; what words mean is decoded by a function for each variable, a few
thousand states at a time.

A query may be written as for Spark: lambdas have arrows, and what has another name in DuckDB is
there under that of Spark, too (`_MACROS`).  It reads the files of the search and no others, and
writes none: it must be one statement that only asks, for what DuckDB may read it may write, too,
and by a COPY inside of a SELECT as well.

Of a search in an object store the files of states are copied here first, and compared with their
seals on the way; for what no disk of this machine has room for there is Spark.

`steps` is made anew of the states that a query is about, and `path_to(level, position)` is a table
as well: a shortest run to a state.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.lang.data import Elements
from ackproof.pipeline.answers import whole
from ackproof.pipeline.columns import arrow_type, plain_rows, type_text
from ackproof.pipeline.compared import require_values
from ackproof.pipeline.decode import decode, words_of
from ackproof.pipeline.places import LocalPlace
from ackproof.pipeline.query_error import QueryError, not_a_question, placed
from ackproof.pipeline.schema import StateVariable
from ackproof.pipeline.steps import list_type, successors
from ackproof.pipeline.tables import Tables

__all__ = ["opened", "put", "rows"]

#: Rows of an answer that are made at a time.
_TOGETHER = 1 << 16

#: What Spark calls otherwise, or has and DuckDB has not.
_MACROS = (
    "array_except(a, b) AS list_filter(a, lambda x: NOT list_contains(b, x))",
    "array_union(a, b) AS list_distinct(list_concat(a, b))",
    "explode(x) AS unnest(x)",
    "size(x) AS CAST(len(x) AS INTEGER)",
    "string(x) AS CAST(x AS VARCHAR)",
)

#: Statements that ask; a PIVOT without its values is several to DuckDB.
_QUESTIONS = (
    duckdb.StatementType.SELECT,
    duckdb.StatementType.EXPLAIN,
    duckdb.StatementType.MULTI,
)
_WRITES = {"COPY", "DELETE", "INSERT", "MERGE", "UPDATE"}

_PATH = """
CREATE MACRO path_to(_level, _at) AS TABLE
WITH RECURSIVE run AS (
  (SELECT level, position, predecessor, action, step FROM states
   WHERE level = _level AND position = _at)
  UNION ALL
  SELECT s.level, s.position, s.predecessor, s.action, s.step
  FROM run JOIN states AS s ON s.level = run.level - 1 AND s.position = run.predecessor
)
SELECT level, position, action, step FROM run ORDER BY level
"""


@contextmanager
def opened(tables: Tables) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection that has the tables of a search.

    It can reach no files but those of the search, and these it could write, too: whoever takes
    queries from somebody else asks by `rows`.

    Raises:
        SearchRefused: files of states are missing, or are others.
    """
    with (
        _local(tables) as files,
        duckdb.connect(config={"python_enable_replacements": False}) as connection,
    ):
        for name, of in (("levels", tables.level_rows()), ("actions", tables.action_rows())):
            connection.register(name, of)
        _packed(connection, tables, files)
        _states(connection, tables)
        _steps(connection, tables)
        for macro in _MACROS:
            connection.execute(f"CREATE MACRO {macro}")
        connection.execute(_PATH)
        connection.execute("SET lambda_syntax = 'ENABLE_SINGLE_ARROW'")
        connection.execute(f"SET allowed_directories = [{_text(f'{files}/')}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection


@contextmanager
def _local(tables: Tables) -> Iterator[Path]:
    """Yield the folder with the files of states; of what is in a store, there are copies here."""
    if isinstance(tables.folder.root, LocalPlace):
        tables.require_files()
        yield tables.folder.root / "states"
        return
    with TemporaryDirectory(prefix="ackproof-states-") as name:
        tables.require_files(Path(name))
        yield Path(name)


def rows(tables: Tables, sql: str, most: int) -> tuple[list[dict[str, str]], list[list[Any]]]:
    """Answer a query over the tables of a search; see `ackproof.pipeline.asking`.

    Raises:
        QueryError: the query is wrong, or it fails.
        SearchRefused: files of states are missing, or are others.
    """
    with _answered(tables, sql) as reader:
        columns = [{"name": f.name, "type": type_text(f.type)} for f in reader.schema]
        found: list[list[Any]] = []
        while len(found) < most and (batch := next(reader, None)) is not None:
            found += plain_rows(batch)
        return columns, found[:most]


def put(tables: Tables, sql: str, path: Path) -> int:
    """Write all rows of an answer into a file of Parquet; return how many there are.

    Raises:
        QueryError: the query is wrong, or it fails.
        SearchRefused: files of states are missing, or are others.
        OSError: the file cannot be written.
    """
    count = 0
    with (
        _answered(tables, sql) as reader,
        whole(path) as beside,
        pq.ParquetWriter(beside, reader.schema) as file,
    ):
        for batch in reader:
            file.write_batch(batch)
            count += len(batch)
    return count


@contextmanager
def _answered(tables: Tables, sql: str) -> Iterator[pa.RecordBatchReader]:
    require_values(tables, sql, "duckdb")
    with opened(tables) as connection:
        try:
            kinds = [one.type for one in connection.extract_statements(sql)]
            if len(kinds) != 1 or kinds[0] not in _QUESTIONS or _WRITES & set(_keywords(sql)):
                raise QueryError(not_a_question(len(kinds)))
            yield connection.sql(sql).to_arrow_reader(_TOGETHER)
        except (duckdb.Error, pa.ArrowException) as error:
            raise QueryError(_said(_told(connection, sql, str(error)), sql)) from error


def _keywords(sql: str) -> Iterator[str]:
    """Yield the keywords of a text, as DuckDB reads it: no names in quotes, texts and comments."""
    tokens, data = duckdb.tokenize(sql), sql.encode()
    ends = [*(start for start, _ in tokens[1:]), len(data)]
    for (start, kind), end in zip(tokens, ends, strict=True):
        if kind == duckdb.token_type.keyword:
            yield data[start:end].decode().split()[0].upper()


def _told(connection: duckdb.DuckDBPyConnection, sql: str, error: str) -> str:
    """Return what is wrong with a query, with the place if it is told when it is prepared."""
    try:
        connection.execute(f"EXPLAIN\n{sql}")
    except duckdb.Error as again:
        return re.sub(r"(?<=\nLINE )\d+", lambda line: str(int(line[0]) - 1), str(again))
    return error


# -- the states and their steps -----------------------------------------------------------------

#: The states as their files have them, with positions; no query is likely to name it.
_PACKED = '"packed states"'


def _packed(connection: duckdb.DuckDBPyConnection, tables: Tables, files: Path) -> None:
    offset = f"{_nested(tables.offsets())}[level][part + 1]"
    connection.execute(
        f'CREATE VIEW {_PACKED} AS SELECT *, {offset} + "row" AS position '
        f"FROM {_source(connection, tables, files)}"
    )


def _states(connection: duckdb.DuckDBPyConnection, tables: Tables) -> None:
    """Make the view `states`."""
    fixed = {}
    columns = []
    for number, variable in enumerate(tables.variables):
        name = tables.names[variable.name]
        words = [f"s.w{i}" for i in words_of(variable)]
        if words:
            function = _function(connection, number, variable, tables.schema.elements)
            columns.append(f'{function}({", ".join(words)}) AS "{name}"')
        else:
            fixed[name] = decode(variable, tables.schema.elements, [], 1)
            columns.append(f'f."{name}"')
    connection.register("fixed in all states", pa.table({"": [0], **fixed}))
    links = (
        "s.level",
        "s.position",
        "s.part",
        's."row"',
        "CASE WHEN s.predecessor >= 0 THEN s.predecessor END AS predecessor",
        *_named(tables, "s.instance"),
    )
    connection.execute(
        f"CREATE VIEW states AS SELECT {', '.join([*links, *columns])} "
        f'FROM {_PACKED} AS s, "fixed in all states" AS f'
    )


def _steps(connection: duckdb.DuckDBPyConnection, tables: Tables) -> None:
    """Make the view `steps`."""
    words = [f"w{i}" for i in range(tables.schema.words)]
    make, of = cast(Any, connection.create_function), _duck_type(list_type(len(words)))
    make("successors", successors(tables.folder, len(words)), None, of, type="arrow")
    same = " AND ".join(f"t.{word} = s.made.{word}" for word in words)
    connection.execute(
        f"CREATE VIEW steps AS SELECT s.level, s.position, "
        f"{', '.join(_named(tables, 's.made.instance'))}, "
        f"t.level AS to_level, t.position AS to_position FROM "
        f"(SELECT level, position, unnest(successors({', '.join(words)})) AS made FROM {_PACKED}) "
        f"AS s LEFT JOIN {_PACKED} AS t ON {same}"
    )


def _named(tables: Tables, instance: str) -> list[str]:
    """Return columns for the name of an action and of a step, by the number of an instance."""
    actions, steps = tables.step_names()
    return [
        f"{_listed(actions)}[{instance} + 1] AS action",
        f"{_listed(steps)}[{instance} + 1] AS step",
    ]


def _function(
    connection: duckdb.DuckDBPyConnection, number: int, variable: StateVariable, elements: Elements
) -> str:
    """Make the function that decodes a variable; return its name."""
    name, of = f"decoded_{number}", _duck_type(arrow_type(variable.type, elements))
    read, make = _reader(variable, elements), cast(Any, connection.create_function)
    # Without types of parameters, it may have any number of them.
    make(name, read, None, of, type="arrow", null_handling="special")
    return name


def _source(connection: duckdb.DuckDBPyConnection, tables: Tables, files: Path) -> str:
    """Return what packed states are read from."""
    paths = [str(files / place.parent.name / place.name) for place, _, _ in tables.files()]
    if not paths:
        connection.register("stored", tables.stored_schema().empty_table())
        return "stored"
    types = "hive_partitioning = true, hive_types = {'level': INTEGER}"
    return f"read_parquet({_listed(paths)}, {types})"


def _reader(variable: StateVariable, elements: Elements) -> Callable[..., pa.Array]:
    """Return the function that decodes a variable."""

    def read(*columns: Any) -> pa.Array:
        words = [column.combine_chunks().to_numpy(zero_copy_only=False) for column in columns]
        return decode(variable, elements, words, len(columns[0]))

    return read


def _duck_type(of: pa.DataType) -> str:
    """Return what DuckDB calls a type of a column."""
    if pa.types.is_map(of):
        return f"MAP({_duck_type(of.key_type)}, {_duck_type(of.item_type)})"
    if pa.types.is_list(of):
        return f"{_duck_type(of.value_type)}[]"
    if pa.types.is_struct(of):
        fields = (f'"{field.name}" {_duck_type(field.type)}' for field in of)
        return f"STRUCT({', '.join(fields)})"
    names = {"bool": "BOOLEAN", "int32": "INTEGER", "int64": "BIGINT", "string": "VARCHAR"}
    return names[str(of)]


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _listed(values: list[str]) -> str:
    return f"CAST([{', '.join(map(_text, values))}] AS VARCHAR[])"


def _nested(numbers: list[tuple[int, ...]]) -> str:
    return f"CAST({json.dumps(numbers)} AS BIGINT[][])"


# -- what is wrong ------------------------------------------------------------------------------


def _said(error: str, sql: str) -> str:
    """Say what DuckDB says: what is wrong, and where."""
    message, _, place = error.partition("\n\nLINE ")
    lines = [line for line in message.splitlines() if line.strip()]
    message = re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", lines[0] if lines else "it fails")
    message = message.rstrip("!")
    if found := re.search(r"Python exception occurred[^:]*: (.*)", message):
        return f"the query: {re.sub('^(FileChanged|ValueError): ', '', found[1])}"
    where = re.match(r"(\d+): (.*)\n(\s*)\^", place)
    if where is None:
        return placed(sql, None, message)
    line, text, column = int(where[1]), where[2], len(where[3]) - len(f"LINE {where[1]}: ")
    # A long line is shown in part.
    whole = sql.split("\n")[line - 1]
    column += max(whole.find(text.strip(". ")) - (len(text) - len(text.lstrip(". "))), 0)
    hint = f"; d{lines[1][1:]}" if len(lines) > 1 and lines[1].startswith("Did you") else ""
    return placed(sql, (line, column + 1), f"{message}{hint}")
