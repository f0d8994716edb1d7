"""`ackproof check --export FILE`: counterexamples in the form that the name of a file asks for.

=======================  ==========================================================================
`run.mmd`                a Mermaid sequence diagram
`run.svg`                an SVG sequence diagram
`test_run.py`            a pytest that fails until the design is mended; pytest looks for that name
`run.py`                 a client program that drives the reference broker along the run
=======================  ==========================================================================

Whether there is a form for a file, and a place, is looked at before the search.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from ackproof.cli.check_files import check_writable, write_file
from ackproof.cli.inputs import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackproof.cli.output import Result
    from ackproof.cli.targets import Target
    from ackproof.model.trace import Trace

__all__ = ["check_exports", "write_exports"]

_OPTION = "--export"


def check_exports(paths: Sequence[Path], targets: Sequence[Target]) -> None:
    """Look whether each file has a place, and a form that its counterexample can have.

    Raises:
        InputError: one has not.
    """
    for path in paths:
        if _form(path) is None:
            raise InputError(
                f"{_OPTION} {path}: nothing is known to be written to a file of that name\n"
                "  instead: end it in .mmd (Mermaid), .svg or .py (a client program), or name it "
                "test_….py (a pytest)"
            )
        if _form(path) == "client":
            _check_clients(path, targets)
        _check_is_free(path)
        check_writable(_OPTION, path)


def _check_is_free(path: Path) -> None:
    """Refuse a program that somebody has written: designs end in .py, too.

    Raises:
        InputError: it is there, and was not exported.
    """
    from ackproof.export.mark import is_export

    if path.suffix == ".py" and path.is_file() and not is_export(path):
        raise InputError(
            f"{_OPTION} {path}: this file is there, and was not exported\n"
            "  instead: give another name, or remove it first"
        )


def write_exports(results: Sequence[Result], paths: Sequence[Path]) -> None:
    """Write each counterexample to files of its own: run.svg, run-2.svg…

    Raises:
        InputError: a file cannot be written.
    """
    found = [(result.job.target, trace) for result in results for trace in result.kept]
    numbered = {path: [_numbered(path, n + 1) for n in range(len(found))] for path in paths}
    _check_apart([file.absolute() for files in numbered.values() for file in files])
    for path, files in numbered.items():
        if not found:
            typer.echo(f"there is no counterexample, so {path} was not written", err=True)
        for file, (target, trace) in zip(files, found, strict=True):
            _check_is_free(file)
            write_file(_OPTION, file, _text(target, trace, file).encode())
            typer.echo(f"wrote {file}: the counterexample to {trace.property}", err=True)


def _check_apart(files: Sequence[Path]) -> None:
    """Refuse to write two counterexamples to one file."""
    twice = next((file for file in files if files.count(file) > 1), None)
    if twice is not None:
        raise InputError(
            f"{_OPTION}: two counterexamples would go to {twice.name}\n"
            "  instead: give names that stay apart when they are numbered"
        )


def _check_clients(path: Path, targets: Sequence[Target]) -> None:
    from ackproof.cli.targets import base_target

    for target in targets:
        if not issubclass(target.model.system, base_target().model.system):
            raise InputError(
                f"{_OPTION} {path}: the clients of {target.label} are not those of a message "
                "broker\n"
                "  instead: leave it out, or name it test_….py for a pytest"
            )


def _form(path: Path) -> str | None:
    if path.suffix == ".py":
        test = path.stem.startswith("test_") or path.stem.endswith("_test")
        return "pytest" if test else "client"
    return {".mmd": "mermaid", ".svg": "svg"}.get(path.suffix)


def _numbered(path: Path, number: int) -> Path:
    """Return where a counterexample goes; a test stays one by its name."""
    if number == 1:
        return path
    stem, test, _ = path.stem.rpartition("_test")
    return path.with_name(f"{stem}-{number}_test{path.suffix}" if test else _after(path, number))


def _after(path: Path, number: int) -> str:
    return f"{path.stem}-{number}{path.suffix}"


def _text(target: Target, trace: Trace, file: Path) -> str:
    form = _form(file)
    if form == "pytest":
        return _pytest(target, trace, file)
    if form == "client":
        return _client(target, trace)
    from ackproof.export.mermaid import mermaid
    from ackproof.export.sequence import diagram
    from ackproof.export.svg import svg

    drawn = diagram(trace, target.label)
    return mermaid(drawn) if form == "mermaid" else svg(drawn)


def _pytest(target: Target, trace: Trace, file: Path) -> str:
    from ackproof.cli.targets import USER
    from ackproof.export.pytest_file import pytest_file

    module = target.module
    if module is not None and module.__name__.startswith(USER):
        design = Path(os.path.relpath(str(module.__file__), file.resolve().parent)).as_posix()
        return pytest_file(trace, target.label, design, file=True)
    return pytest_file(trace, target.label, target.name or "", file=False)


def _client(target: Target, trace: Trace) -> str:
    from ackproof.cli.targets import base_target
    from ackproof.export.client_program import client_program
    from ackproof.model.cache import default_cache
    from ackproof.model.check import chosen

    base = chosen(base_target().model, trace.bound.instance, properties=[], cache=default_cache())
    return client_program(trace, base, target.label)
