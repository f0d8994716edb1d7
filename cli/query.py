"""`ackproof query`: what SQL says of the states that a search has found, by DuckDB or by Spark.

Without a query nothing is started: what tables there are the folder itself says.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer
from ackproof.cli.engines import say
from ackproof.cli.inputs import InputError, clean_exit, located
from ackproof.cli.options import AsJson

if TYPE_CHECKING:
    from ackproof.pipeline.tables import Tables

__all__ = ["query"]

T = TypeVar("T")

#: The columns of an answer, and its rows.
Answer = tuple[list[dict[str, str]], list[list[Any]]]

_SCHEMA = "ackproof/query/1"

#: Parts that Spark divides what it groups, sorts or joins into.
_PARTS = 16

_HELP = """
Ask in SQL about the states that a search has found.

FOLDER is what `ackproof check --work` has printed: the search's own folder in its working
directory. The tables are `levels`, `actions`, `states` and `steps`; without SQL they are listed
with their columns. DuckDB answers, in this process; with `--engine spark`, or `--master`, Spark
does, for what is large. Exit codes: 0 if there is an answer, 2 if there is none.

Examples:

    ackproof query work/confirms-core

    ackproof query work/confirms-core "SELECT level, states FROM levels"

    ackproof query work/confirms-core "SELECT count(*) FROM states WHERE NOT channels_open['ch1']"

    ackproof query work/confirms-core "SELECT * FROM path_to(29, 0)"

    ackproof query work/confirms-core --file question.sql --output answer.parquet
"""

Folder = Annotated[
    str,
    typer.Argument(
        metavar="FOLDER",
        help="The folder of a search, or its address in an object store.",
        show_default=False,
    ),
]
Sql = Annotated[
    str | None,
    typer.Argument(metavar="SQL", help="What to ask.", show_default=False),
]
File = Annotated[
    Path | None,
    typer.Option("--file", "-f", metavar="FILE", help="Read the SQL from a file; - is the input."),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Where to compute the answer: a cluster, such as `spark://HOST:7077`, which sees "
        "FOLDER at the same path. All cores of this machine if not given.",
        show_default=False,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write all rows into this file of Parquet, and show none.",
        show_default=False,
    ),
]
Limit = Annotated[
    int,
    typer.Option(min=1, metavar="N", help="Show so many rows at most."),
]


class QueryEngine(StrEnum):
    """Who answers."""

    DUCKDB = "duckdb"
    SPARK = "spark"


Engine = Annotated[
    QueryEngine | None,
    typer.Option(help="Who answers; `duckdb` unless there is a master.", show_default=False),
]


@clean_exit
def query(
    folder: Folder,
    sql: Sql = None,
    file: File = None,
    engine: Engine = None,
    master: Master = None,
    output: Output = None,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> int:
    """Ask about a search; the text of the help is in `_HELP`."""
    from ackproof.cli.query_page import show_answer, show_views

    if file is not None:
        sql = _read(file, sql)
    if master is not None and engine is QueryEngine.DUCKDB:
        raise InputError("a master is Spark's; leave out --master, or say --engine spark")
    if output is not None and sql is None:
        raise InputError("there is no query whose rows could be written; give the SQL or --file")
    _require_text(sql or "")
    spark = engine is QueryEngine.SPARK or master is not None
    tables = _tables(located(folder), spark)
    if remark := _remark(tables):
        typer.echo(remark, err=True)
    if sql is None:
        document = {
            "schema": _SCHEMA,
            "search": {key: getattr(tables.search, key) for key in ("model", "design", "instance")},
            "finished": tables.finished,
            "views": tables.columns(),
            "members": tables.members(),
        }
        return _print(document) if as_json else show_views(tables)
    asking = _on_spark(master) if spark else _in_duckdb()
    if output is not None:
        _require_outside(output, located(folder))
        try:
            count = _asked(tables, lambda ask: ask.put(tables, sql, output), asking)
        except OSError as error:
            raise InputError(f"{output} cannot be written: {error.strerror or error}") from None
        typer.echo(f"{count:,} rows are in {output}")
        return 0
    columns, rows = _asked(tables, lambda ask: ask.rows(tables, sql, limit + 1), asking)
    complete, rows = len(rows) <= limit, rows[:limit]
    if as_json:
        return _print(
            {"schema": _SCHEMA, "columns": columns, "rows": rows, "complete": complete},
        )
    return show_answer(columns, rows, complete=complete)


query.__doc__ = _HELP


def _print(document: dict[str, Any]) -> int:
    typer.echo(json.dumps(document, indent=2))
    return 0


def _read(file: Path, sql: str | None) -> str:
    """Return the query that a file has.

    Raises:
        InputError: the file cannot be read, or a query was given as well.
    """
    if sql is not None:
        raise InputError("there are two queries; give the SQL or --file, not both")
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file} is not text in UTF-8") from None


def _require_text(sql: str) -> None:
    """Refuse a query that a command line could not say in characters.

    Raises:
        InputError: it is one.
    """
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise InputError("the query is not text in UTF-8") from None


def _require_outside(output: Path, folder: Path | str) -> None:
    """Refuse to write an answer where the search is, or where no file can be.

    Raises:
        InputError: that is asked for.
    """
    if output.is_dir():
        raise InputError(f"{output} is a directory; name a file in it")
    if isinstance(folder, Path) and output.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{output} is in the folder of the search; name a file elsewhere")
    if output.suffix != ".parquet":
        raise InputError(f"{output} would be a file of Parquet; end its name in .parquet")


def _tables(folder: Path | str, spark: bool) -> Tables:
    """Return the tables of a search.

    Raises:
        InputError: the folder holds no search that can be read, or something to read it is missing.
    """
    from ackproof.pipeline.errors import SearchRefused, SparkUnavailable
    from ackproof.pipeline.java import require_packages

    if isinstance(folder, Path):
        _require_search(folder)
    try:
        if spark:
            require_packages()
        from ackproof.pipeline.tables import Tables

        return Tables(folder)
    except (SearchRefused, SparkUnavailable) as error:
        raise InputError(str(error)) from error


def _require_search(folder: Path) -> None:
    """Refuse a folder that has searches in it, and is none.

    Raises:
        InputError: it has; the message names them.
    """
    within = sorted(path.parent.name for path in folder.glob("*/search.json"))
    if within and not (folder / "search.json").exists():
        raise InputError(
            f"{folder} holds {'a search' if len(within) == 1 else 'searches'}, and is none itself\n"
            f"  instead: name {' or '.join(str(folder / name) for name in within)}"
        )


def _remark(tables: Tables) -> str:
    """Say how far a search has come that did not find all states."""
    if tables.finished:
        return ""
    if not tables.levels:
        return "the search has not finished any level: the tables are empty"
    broken = [name for level in tables.levels for name in level.broken]
    why = f"ended where {broken[0]} is false" if broken else "is not finished"
    count = len(tables.levels)
    has = "its first level" if count == 1 else f"its first {count} levels"
    return f"the search {why}: the tables have {has}"


class _Asking(Protocol):
    """Who answers a query."""

    def rows(self, tables: Tables, sql: str, most: int) -> Answer:
        """Return the columns of an answer, and so many of its rows at most."""

    def put(self, tables: Tables, sql: str, path: Path) -> int:
        """Write all rows of an answer into a file; return how many there are."""


def _asked(
    tables: Tables, ask: Callable[[_Asking], T], asking: AbstractContextManager[_Asking]
) -> T:
    """Return what an engine says.

    Raises:
        InputError: the query is wrong, or nobody can answer it.
    """
    from ackproof.pipeline.errors import SearchRefused
    from ackproof.pipeline.query_error import QueryError

    try:
        with asking as engine:
            return ask(engine)
    except SearchRefused as error:
        raise InputError(str(error)) from error
    except QueryError as error:
        raise InputError(
            f"{error}\n  instead: see the columns: ackproof query {tables.folder.root.address}"
        ) from error


@contextmanager
def _in_duckdb() -> Iterator[_Asking]:
    from ackproof.pipeline import duck

    with _telling("asking"):
        yield duck


@contextmanager
def _on_spark(master: str | None) -> Iterator[_Asking]:
    """Start Spark, and yield who asks it.

    Raises:
        InputError: there is no Spark to ask.
    """
    from ackproof.pipeline.asking import Asking
    from ackproof.pipeline.errors import SparkUnavailable
    from ackproof.pipeline.session import open_session

    handle, name = tempfile.mkstemp(prefix="ackproof-", suffix=".log")
    os.close(handle)
    log, kept = Path(name), False
    try:
        with (
            _telling("starting Spark") as tell,
            open_session(master, _PARTS, log, "ackproof query", say) as session,
        ):
            tell("asking")
            yield Asking(session)
    except SparkUnavailable as error:
        # The message may name the log, for what Spark itself has said.
        kept = log.stat().st_size > 0
        raise InputError(str(error)) from error
    finally:
        if not kept:
            log.unlink(missing_ok=True)


@contextmanager
def _telling(what: str) -> Iterator[Callable[[str], None]]:
    """Say what is being waited for, and how long, until it is there."""
    from ackproof.cli.ticker import Ticker

    done, began, current = threading.Event(), time.monotonic(), [what]

    def tell(ticker: Ticker) -> None:
        while not done.wait(0.5):
            ticker(f"{current[0]}  {time.monotonic() - began:.0f} s")

    with Ticker(what) as ticker:
        thread = threading.Thread(target=tell, args=(ticker,), daemon=True)
        thread.start()
        try:
            yield lambda text: current.__setitem__(0, text)
        finally:
            done.set()
            thread.join()
