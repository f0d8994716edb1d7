"""Asking: a query over the tables of a search, answered as plain data, or refused in one message.

Spark's own errors repeat the whole plan of the query.  Of them are kept what is wrong and where.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ackproof.pipeline.session import Session
from ackproof.pipeline.tables import Tables

if TYPE_CHECKING:
    from pyspark.errors import PySparkException

__all__ = ["QueryError", "answer"]


#: What suits an answer, and not a search: small parts may be joined, and rows are small.
_SETTINGS = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16384",
}


class QueryError(Exception):
    """A query that cannot be answered; the text says where and why."""


def answer(
    session: Session, tables: Tables, sql: str, most: int
) -> tuple[list[dict[str, str]], list[list[Any]]]:
    """Answer a query over the tables of a search.

    Args:
        session: where it is computed.
        tables: the search.
        sql: the query.
        most: how many rows to return at most.

    Returns:
        The columns, each with `name` and `type`, and the rows, as values that JSON has.

    Raises:
        QueryError: the query is wrong, or it fails.
        SearchRefused: files of states are missing.
    """
    from pyspark.errors import PySparkException

    tables.register(session.spark)
    for setting, value in _SETTINGS.items():
        session.spark.conf.set(setting, value)

    def ask() -> tuple[list[dict[str, str]], list[list[Any]]]:
        frame = session.spark.sql(sql)
        types = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
        rows = frame.limit(most).collect()
        columns = [{"name": name, "type": of} for name, of in types]
        return columns, [[_plain(value) for value in row] for row in rows]

    try:
        return session.run(ask, "query")
    except PySparkException as error:
        raise QueryError(_said(error, sql)) from error


def _plain(value: Any) -> Any:
    """Return a value of a row as one that JSON has."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {_key(k): _plain(v) for k, v in value.items()}
    if hasattr(value, "asDict"):
        return {k: _plain(v) for k, v in value.asDict().items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return str(value)


def _key(value: Any) -> str:
    """Return the key of a map as one of a JSON object."""
    return value if isinstance(value, str) else str(_plain(value))


# -- what is wrong ------------------------------------------------------------------------------


def _said(error: PySparkException, sql: str) -> str:
    """Say in a few lines what Spark says in many."""
    place = _place(str(error))
    message = _message(error)
    if place is None:
        return f"the query: {message}"
    line, column = place
    shown = sql.split("\n")[line - 1 : line]
    marked = [f"  {text}\n  {' ' * (column - 1)}^" for text in shown if text.strip()]
    return "\n".join([f"the query, line {line}, column {column}: {message}", *marked])


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
