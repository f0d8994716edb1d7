"""Files that a check writes when it is asked to: counterexamples for other tools, results as tests.

Whether they can be written is looked at before the search, and the names of those that were written
go to the standard error.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from ackproof.cli.inputs import InputError

if TYPE_CHECKING:
    from ackproof.cli.output import Result

__all__ = ["check_writable", "write_file", "write_itf", "write_junit"]


def check_writable(option: str, path: Path | None) -> None:
    """Look whether a file has a place.

    Raises:
        InputError: it has none.
    """
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{option} {path} is a directory; name a file")
    if not path.resolve().parent.is_dir():
        raise InputError(f"{option} {path}: there is no directory {path.resolve().parent}")


def write_itf(results: list[Result], path: Path | None) -> None:
    """Write each counterexample to a file of its own: trace.itf.json, trace-2.itf.json…

    Raises:
        InputError: a file cannot be written.
    """
    if path is None:
        return
    from ackproof.model.itf import itf_trace

    traces = [t for r in results for t in r.kept]
    if not traces:
        typer.echo(f"there is no counterexample, so {path} was not written", err=True)
    name, dot, suffix = path.name.partition(".")
    for number, trace in enumerate(traces, start=1):
        file = path if number == 1 else path.with_name(f"{name}-{number}{dot}{suffix}")
        write_file("--itf", file, json.dumps(itf_trace(trace)).encode() + b"\n")
        typer.echo(f"wrote {file}: the counterexample to {trace.property}", err=True)


def write_junit(results: list[Result], path: Path | None) -> None:
    """Write what checks found as JUnit's XML.

    Raises:
        InputError: the file cannot be written.
    """
    if path is None:
        return
    from ackproof.cli.junit import junit

    write_file("--junit", path, junit(results))


def write_file(option: str, path: Path, data: bytes) -> None:
    """Write a file that an option asked for.

    Raises:
        InputError: it cannot be written.
    """
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(f"{option} {path} cannot be written: {error.strerror}") from None
