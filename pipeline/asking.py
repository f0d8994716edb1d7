"""Asking: a query over the tables of a search, answered as plain data, or refused in one message.

Spark's own errors repeat the whole plan of the query.  Of them are kept what is wrong and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pyarrow as pa
import pyarrow.parquet as pq
from ackproof.pipeline.answers import received, sent, whole
from ackproof.pipeline.columns import plain_rows, type_text
from ackproof.pipeline.compared import require_values
from ackproof.pipeline.query_error import QueryError, not_a_question, placed
from ackproof.pipeline.session import Session
from ackproof.pipeline.tables import Tables

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Asking"]

T = TypeVar("T")

_PLANS = "org.apache.spark.sql.catalyst.plans.logical"
#: Commands that only ask, and plans that are no commands and do more: a script may do anything.
_ASKS = ("DescribeQueryCommand", "DescribeRelation", "ExplainCommand", "ShowTables")
_WRITES = "Insert|ScriptTransformation|.*ExecuteImmediate"
#: What becomes a name, of a function for instance, when the query is looked at.
_NAMED_LATER = "WithUnresolvedIdentifier"

#: Functions that call whatever the JVM has.
_CALLS = ("java_method", "reflect", "try_reflect")

#: What suits an answer, and not a search: small parts may be joined, and rows are small.
_SETTINGS = {
    # A query names tables, and no files.
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16384",
}


@dataclass(frozen=True)
class Asking:
    """Whoever asks Spark.

    Args:
        session: where answers are computed.
    """

    session: Session

    def rows(
        self, tables: Tables, sql: str, most: int
    ) -> tuple[list[dict[str, str]], list[list[Any]]]:
        """Answer a query over the tables of a search.

        Args:
            tables: the search.
            sql: the query.
            most: how many rows to return at most.

        Returns:
            The columns, each with `name` and `type`, and the rows, as values that JSON has.

        Raises:
            QueryError: the query is wrong, or it fails.
            SearchRefused: files of states are missing.
        """
        answer = self._asked(tables, sql, lambda frame: frame.limit(most).toArrow())
        columns = [{"name": f.name, "type": type_text(f.type)} for f in answer.schema]
        return columns, plain_rows(answer)

    def put(self, tables: Tables, sql: str, path: Path) -> int:
        """Write all rows of an answer into a file of Parquet of this machine.

        The rows come a part at a time, so that the largest part of the answer is all that there
        must be room for.

        Returns:
            How many there are.

        Raises:
            QueryError: the query is wrong, or it fails.
            SearchRefused: files of states are missing.
            OSError: the file cannot be written.
        """

        def write(frame: DataFrame) -> int:
            count = 0
            schema = frame.limit(0).toArrow().schema
            parts = frame.mapInArrow(sent, "rows binary").toLocalIterator()
            with whole(path) as beside, pq.ParquetWriter(beside, schema) as file:
                for batch in received(bytes(part.rows) for part in parts):
                    file.write_table(pa.Table.from_batches([batch]).cast(schema))
                    count += len(batch)
            return count

        return self._asked(tables, sql, write)

    def _asked(self, tables: Tables, sql: str, of: Callable[[DataFrame], T]) -> T:
        from pyspark.errors import PySparkException

        require_values(tables, sql, "spark")
        spark = self.session.spark
        tables.register(spark)
        for setting, value in _SETTINGS.items():
            spark.conf.set(setting, value)
        try:
            return self.session.run(lambda: of(_question(spark, sql)), "query")
        except PySparkException as error:
            raise QueryError(_said(error, sql)) from error


def _question(spark: SparkSession, sql: str) -> DataFrame:
    """Return what a query asks for, if it only asks: Spark does what is a command at once.

    Raises:
        QueryError: it does not.
        PySparkException: Spark cannot read it.
    """
    if not sql.strip():
        raise QueryError(not_a_question(0))
    plan = spark._jsparkSession.sessionState().sqlParser().parsePlan(sql)
    command = cast(Any, spark._jvm).java.lang.Class.forName(f"{_PLANS}.Command")
    if plan.getClass().getSimpleName() not in _ASKS and any(
        command.isInstance(one) or re.match(_WRITES, one.getClass().getSimpleName())
        for one in _within(plan)
    ):
        raise QueryError(not_a_question(1))
    for function in _functions(plan):
        if function.lower() in (*_CALLS, _NAMED_LATER.lower()):
            name = "IDENTIFIER" if function == _NAMED_LATER else function
            raise QueryError(
                placed(sql, None, f"{name} may call what is no part of a search; leave it out")
            )
    return spark.sql(sql)


def _functions(plan: Any) -> Iterator[str]:
    """Yield the names of the functions that a plan calls which was only read."""
    plans = list(_within(plan))
    if any(one.getClass().getSimpleName().endswith(_NAMED_LATER) for one in plans):
        yield _NAMED_LATER
    waiting = [_listed(one.expressions()) for one in plans]
    while waiting:
        for expression in waiting.pop():
            kind = expression.getClass().getSimpleName()
            if kind == "UnresolvedFunction":
                yield str(expression.nameParts().last())
            elif kind.endswith(_NAMED_LATER):
                yield _NAMED_LATER
            waiting.append(_listed(expression.children()))


def _listed(some: Any) -> list[Any]:
    """Return what is in a sequence of Scala's."""
    return [some.apply(number) for number in range(some.size())]


def _within(plan: Any) -> Iterator[Any]:
    """Yield a plan of Spark, and those that it is made of."""
    yield plan
    for inner in (plan.children(), plan.innerChildren()):
        for one in _listed(inner):
            yield from _within(one)


# -- what is wrong ------------------------------------------------------------------------------


def _said(error: PySparkException, sql: str) -> str:
    """Say in a few lines what Spark says in many."""
    return placed(sql, _place(str(error)), _message(error))


def _place(text: str) -> tuple[int, int] | None:
    """Return the line and the column that an error is at, both from 1, if it says so."""
    # What runs says a position from 1, what reads the query one from 0.
    if found := re.search(r"\(line (\d+), position (\d+)\)", text):
        return int(found[1]), int(found[2])
    if found := re.search(r"\bline (\d+),? pos (\d+)", text):
        return int(found[1]), int(found[2]) + 1
    return None


def _message(error: PySparkException) -> str:
    """Return what is wrong, without codes and plans."""
    lines = [line.strip() for line in (error.getMessage() or str(error)).splitlines()]
    lines = [line for line in lines if line]
    if error.getCondition() == "PYTHON_EXCEPTION" and lines:
        # A traceback from a worker ends with what happened there.
        said = re.sub(r"\s*SQLSTATE: \w+.*$", "", lines[-1]) or lines[-2]
        return f"a Python worker failed: {said}"
    first = re.sub(r"^\[[A-Z0-9_.]+\]\s*", "", lines[0] if lines else type(error).__name__)
    return re.sub(r"\s*SQLSTATE: \w+.*$", "", first)
