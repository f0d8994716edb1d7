"""The tables of a search, as temporary views for Spark SQL.

=========  =========================================================================================
`levels`   a row for each level: how many states were found on it, what it took to find them
`actions`  a row for each level and action: how many of its steps led from the level before to this
`states`   a row for each state: where it stands, what led there first, and a column for each
           variable of the specification
`steps`    a row for each step of each state: where it begins, what it is called, where it leads
`path_to`  a function: a row for each state of a shortest run to the state of a level and position
=========  =========================================================================================

A state has a *position* in its level, from 0.  `predecessor` is a position in the level before; the
states that follow it back to the first level, which has null there, are a shortest run to the
state.

Columns of variables are decoded only where a query asks for them.  Each is an expression of the
words that the variable lies in, so Spark's own optimiser leaves out what a query does not mention,
reads of the files only those words, and only the levels that the query is about.  Where the
expression is evaluated, a Python worker needs this package, and nothing of the specification.
What is fixed in an instance is a literal.  Steps are made anew of the states that a query is about,
and looked up among all of them (`ackproof.pipeline.steps`).

Only what the manifests of finished levels name is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.lang.data import Elements
from ackproof.lang.types import EnumT, OptionT, RecordT, SeqT, SetT, Type
from ackproof.pipeline.columns import column_names, sql_literal, sql_type, type_text
from ackproof.pipeline.decode import decode, words_of
from ackproof.pipeline.errors import SearchRefused, StoreFailed
from ackproof.pipeline.folder import Folder, Level
from ackproof.pipeline.identity import read_search
from ackproof.pipeline.places import LocalPlace, Place
from ackproof.pipeline.runs import PATH, Followed
from ackproof.pipeline.schema import Schema, SchemaError, StateVariable
from ackproof.pipeline.sealed import FileChanged, read_sealed, read_text, require_seal
from ackproof.pipeline.states import LevelStates
from ackproof.pipeline.steps import STEPS, list_type, successors
from ackproof.pipeline.storage import placed

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["VIEWS", "Fetch", "Tables", "register"]

_LEVELS = {
    "level": "int",
    "states": "bigint",
    "generated": "bigint",
    "candidates": "bigint",
    "shuffled": "bigint",
    "stored": "bigint",
    "seconds": "double",
}
_ACTIONS = {"level": "int", "action": "string", "steps": "bigint"}
_LINKS = {
    "level": "int",
    "position": "bigint",
    "part": "int",
    "row": "bigint",
    "predecessor": "bigint",
    "action": "string",
    "step": "string",
}
VIEWS = ("levels", "actions", "states", "steps")


def register(spark: SparkSession, folder: Path | str) -> Tables:
    """Make the tables of a search views of a session; they are `VIEWS`.

    Args:
        spark: the session.
        folder: the folder of the search, which all machines must see at the same path; or its
            address in an object store.

    Raises:
        SearchRefused: it holds no search, or one that this version cannot read, or half of one.
    """
    tables = Tables(folder)
    tables.register(spark)
    return tables


class Tables:
    """The tables of one search, as far as it has come.

    Args:
        folder: the folder of the search, or its address.

    Raises:
        SearchRefused: it holds no search, or one that this version cannot read.
    """

    def __init__(self, folder: Path | str) -> None:
        try:
            self.folder = Folder(placed(folder).absolute())
            self.search = read_search(self.folder)
            self.levels = self.folder.levels()
        except StoreFailed as error:
            raise SearchRefused(str(error)) from None
        except FileChanged as error:
            raise SearchRefused(f"{error}\n  instead: {self.folder.remedy(error.path)}") from None
        try:
            self.schema = Schema.of(self.search.state)
        except SchemaError as error:
            raise SearchRefused(f"{self.folder.search}: {error}") from None
        self._steps = [(i.action, i.text) for i in self.search.instances]
        # What the instance switches off is asked for less often, and stands behind the rest.
        self.variables = sorted(self.schema.variables, key=lambda v: not words_of(v))
        self.names = column_names([v.name for v in self.variables], _LINKS)

    @property
    def finished(self) -> bool:
        """Whether all states were found: the last level has none."""
        return bool(self.levels) and self.levels[-1].states == 0

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions that the instance has."""
        return tuple(dict.fromkeys(action for action, _ in self._steps))

    @property
    def fixed(self) -> list[str]:
        """The columns of variables that have the same value in all states."""
        return [self.names[v.name] for v in self.variables if not words_of(v)]

    def columns(self) -> dict[str, dict[str, str]]:
        """Return the columns of each view with their types."""
        elements = self.schema.elements
        variables = {self.names[v.name]: sql_type(v.type, elements) for v in self.variables}
        states = {**_LINKS, **variables}
        return {"levels": _LEVELS, "actions": _ACTIONS, "states": states, "steps": STEPS}

    def members(self) -> dict[str, list[str]]:
        """Return the members of the enums that are in columns of `states`, by the columns."""
        found = {self.names[v.name]: _enums(v.leaf) for v in self.variables}
        return {
            column: [member for enum in enums for member in enum.members]
            for column, enums in found.items()
            if enums
        }

    def register(self, spark: SparkSession) -> None:
        """Make the tables views of a session, in the place of those of another search.

        Raises:
            SearchRefused: files of states are missing.
        """
        from pyspark.sql.functions import udtf

        for name, frame in zip(VIEWS, self._frames(spark), strict=True):
            frame.createOrReplaceTempView(name)
        followed = Followed(self.folder, tuple(self.levels), *self.step_names())
        path_to: Any = udtf(followed.table(), returnType=_ddl(PATH))
        spark.udtf.register("path_to", path_to)

    def _frames(self, spark: SparkSession) -> tuple[DataFrame, ...]:
        counts, taken = self.level_rows().to_pylist(), self.action_rows().to_pylist()
        small = _rows(spark, counts, _LEVELS), _rows(spark, taken, _ACTIONS)
        return *small, self.states(spark), self.steps(spark)

    def level_rows(self) -> pa.Table:
        """Return the table `levels`."""
        counts = [{name: getattr(x, name) for name in _LEVELS} for x in self.levels]
        return pa.Table.from_pylist(counts, _schema(_LEVELS))

    def action_rows(self) -> pa.Table:
        """Return the table `actions`."""
        taken = ((x.level, *of) for x in self.levels for of in x.actions.items())
        steps = [dict(zip(_ACTIONS, row, strict=True)) for row in taken]
        return pa.Table.from_pylist(steps, _schema(_ACTIONS))

    def offsets(self) -> list[tuple[int, ...]]:
        """Return for each level the position of the first state of each part."""
        return [x.offsets for x in self.levels]

    def step_names(self) -> tuple[list[str], list[str]]:
        """Return for each instance of an action the action's name, and what the step is called."""
        return [action for action, _ in self._steps], [step for _, step in self._steps]

    def states(self, spark: SparkSession) -> DataFrame:
        """Return the states with their links and variables.

        Raises:
            SearchRefused: files of states are missing.
        """
        stored = self._stored(spark)
        links = [column.alias(name) for name, column in self._links().items()]
        variables = [
            _decoded(v, self.schema.elements).alias(self.names[v.name]) for v in self.variables
        ]
        return stored.select(*links, *variables)

    def steps(self, spark: SparkSession) -> DataFrame:
        """Return every step of every state; where one leads is null if it was not found yet.

        Raises:
            SearchRefused: files of states are missing.
        """
        from pyspark.sql import functions as f
        from pyspark.sql.pandas.functions import arrow_udf

        words = [f"w{i}" for i in range(self.schema.words)]
        udf: Any = arrow_udf
        made = udf(successors(self.folder, len(words)), type_text(list_type(len(words))))
        stored, links = self._stored(spark), self._links()
        place = [links[name].alias(name) for name in ("level", "position")]
        begun = stored.select(*place, f.explode(made(*words)).alias("made"))
        begun = begun.select("level", "position", "made.*")
        to = [links[name].alias(f"to_{name}") for name in ("level", "position")]
        found = begun.join(stored.select(*words, *to), words, "left")
        return found.select(
            *("level", "position"),
            *(links[name].alias(name) for name in ("action", "step")),
            *("to_level", "to_position"),
        )

    def _stored(self, spark: SparkSession) -> DataFrame:
        """Return the states as their files have them."""
        ddl = _ddl(self._stored_columns())
        if not isinstance(self.folder.root, LocalPlace):
            return self._fetched(spark, ddl)
        self.require_files()
        places = [place for level in self.levels for place in self._places(level)]
        if not places:
            return spark.createDataFrame([], ddl)
        base = f"file://{self.folder.states(1, 0, 0).parent.parent}"
        reader = spark.read.schema(ddl).option("basePath", base)
        return reader.parquet(*(f"file://{_literal(place)}" for place in places))

    def _places(self, level: Level) -> list[Place]:
        """Return the folder of a level's files, or these if others are in it, too.

        A driver that was given up for dead may have left some.
        """
        if not level.files:
            return []
        found = LevelStates.on(self.folder, level)
        own = [found.path_of(file) for file in level.files]
        folder = own[0].parent
        return [folder] if [p.name for p in folder.files()] == [p.name for p in own] else own

    def _stored_columns(self) -> dict[str, str]:
        words = {f"w{i}": "bigint" for i in range(self.schema.words)}
        links = {"predecessor": "bigint", "instance": "int", "level": "int"}
        return {"part": "int", "row": "bigint", **words, **links}

    def stored_schema(self) -> pa.Schema:
        """Return the columns of the files, with the level."""
        return _schema(self._stored_columns())

    def _fetched(self, spark: SparkSession, ddl: str) -> DataFrame:
        """Return the states as workers read them from a store that Spark has no way to."""
        files = tuple(self.files())
        tasks = spark.range(0, len(files), 1, max(1, len(files)))
        return tasks.mapInArrow(Fetch(files), ddl)

    def files(self) -> Iterator[tuple[Place, int, str]]:
        """Yield each file of states with its level and its seal."""
        for level in self.levels:
            found = LevelStates.on(self.folder, level)
            for file in level.files:
                yield found.path_of(file), level.level, file.seal

    def require_files(self, copies: Path | None = None) -> None:
        """Refuse to count states of which some are gone, or others; Spark reads what it finds.

        Of a compiled model, which steps are made with, it may be that there is none.

        Args:
            copies: the folder that copies of the files of states are put into, if any; each has
                that of its level.

        Raises:
            SearchRefused: files are not as they were written.
        """
        files = []
        for path, _, seal in self.files():
            copy = copies and copies / path.parent.name / path.name
            files.append((path, seal, copy))
        # To compute a digest takes no lock of Python's.
        with ThreadPoolExecutor() as threads:
            for (path, _, _), wrong in zip(files, threads.map(_wrong_with, files), strict=True):
                if wrong:
                    raise SearchRefused(
                        f"{path} {wrong}\n  instead: bring it back as it was; or "
                        f"{self.folder.remedy(path)}"
                    )
        try:
            if self.folder.kernel.exists():
                read_text(self.folder.kernel)
        except FileChanged as error:
            raise SearchRefused(f"{error}\n  instead: {self.folder.remedy(error.path)}") from None

    def _links(self) -> dict[str, Column]:
        """Return what says where a state stands and what led there."""
        from pyspark.sql import functions as f

        def looked_up(table: Sequence[Any], of: str, *by: Column) -> Column:
            found = f.from_json(f.lit(json.dumps(table)), of)
            for column in by:
                found = f.get(found, column)
            return found

        places = "array<array<bigint>>"
        offset = looked_up(self.offsets(), places, f.col("level") - 1, f.col("part"))
        actions, steps = self.step_names()
        predecessor = f.col("predecessor")
        return {
            "level": f.col("level"),
            "position": offset + f.col("row"),
            "part": f.col("part"),
            "row": f.col("row"),
            "predecessor": f.when(predecessor >= 0, predecessor),
            "action": looked_up(actions, "array<string>", f.col("instance")),
            "step": looked_up(steps, "array<string>", f.col("instance")),
        }


@dataclass(frozen=True)
class Fetch:
    """Reads files of states where a task runs; each is told which."""

    files: tuple[tuple[Place, int, str], ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                path, level, seal = self.files[number]
                states = pq.read_table(pa.BufferReader(read_sealed(path, seal)))
                levels = pa.array(np.full(len(states), level, np.int32))
                yield from states.append_column("level", levels).to_batches()


def _enums(of: Type) -> list[EnumT]:
    """Return the enums whose members are in values of a type, each once."""
    match of:
        case EnumT():
            return [of]
        case OptionT(inner=t) | SetT(elem=t) | SeqT(elem=t):
            return _enums(t)
        case RecordT(fields=fields):
            return list(dict.fromkeys(enum for _, t in fields for enum in _enums(t)))
    return []


def _wrong_with(file: tuple[Place, str, Path | None]) -> str:
    """Return what is wrong with a file of states; nothing if it is as it was written."""
    path, seal, copy = file
    try:
        if copy is None:
            require_seal(path, seal)
        else:
            copy.parent.mkdir(parents=True, exist_ok=True)
            with copy.open("wb") as target:
                require_seal(path, seal, target)
    except FileChanged as error:
        return error.what
    return ""


def _rows(spark: SparkSession, rows: list[dict[str, Any]], columns: dict[str, str]) -> DataFrame:
    """Return a small table, without a Python worker to make it."""
    from pyspark.sql import functions as f

    listed = f.from_json(f.lit(json.dumps(rows)), f"array<struct<{_ddl(columns)}>>")
    return spark.range(1).select(f.inline(listed))


def _schema(columns: dict[str, str]) -> pa.Schema:
    """Return the columns of a small table as Arrow has them."""
    types = {"int": pa.int32(), "bigint": pa.int64(), "double": pa.float64(), "string": pa.string()}
    return pa.schema([(name, types[of]) for name, of in columns.items()])


def _ddl(columns: dict[str, str]) -> str:
    return ", ".join(f"`{name}` {t}" for name, t in columns.items())


def _literal(path: Place) -> str:
    """Return a path so that Spark takes nothing in it for a pattern."""
    return "".join(f"\\{c}" if c in "{}[]*?\\" else c for c in str(path))


def _decoded(variable: StateVariable, elements: Elements) -> Column:
    """Return the values of a variable, as an expression of the words that it lies in."""
    from pyspark.sql import functions as f
    from pyspark.sql.pandas.functions import arrow_udf

    if not words_of(variable):
        (value,) = decode(variable, elements, [], 1).to_pylist()
        return f.expr(sql_literal(value, variable.type, elements))
    udf: Any = arrow_udf
    read = udf(_reader(variable, elements), sql_type(variable.type, elements))
    decoded: Column = read(*(f.col(f"w{i}") for i in words_of(variable)))
    return decoded


def _reader(variable: StateVariable, elements: Elements) -> Callable[..., pa.Array]:
    """Return the function that decodes a variable where Spark runs it."""

    def read(*columns: pa.Array) -> pa.Array:
        words = [column.to_numpy(zero_copy_only=False) for column in columns]
        return decode(variable, elements, words, len(columns[0]))

    return read
