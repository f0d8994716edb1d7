"""The command `ackproof`.

A command is a function in a module of its own, and the modules load what they need when they run:
`ackproof --help` imports neither the compiler nor the specification.
"""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer
from ackproof.cli.check import check
from ackproof.cli.eras import eras
from ackproof.cli.inputs import refused_by_system
from ackproof.cli.museum import museum
from ackproof.cli.serve import serve

__all__ = ["app", "main"]

app = typer.Typer(
    name="ackproof",
    help="Publisher confirms, said once and precisely: check the specification, or a change to it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("check")(check)
app.command("museum")(museum)
app.command("eras")(eras)
app.command("serve")(serve)


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"ackproof {version('ackproof')}")
        except PackageNotFoundError:
            typer.echo("ackproof, run from its sources without being installed")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and leave."
        ),
    ] = False,
) -> None:
    """Publisher confirms, said once and precisely: check the specification, or a change to it."""


def main() -> None:
    """Run the command line; what the output cannot encode is replaced, never an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except OSError as error:
        sys.exit(refused_by_system(error))


if __name__ == "__main__":
    main()
