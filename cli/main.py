"""The command `ackproof`.

A command is a function in a module of its own, and the modules load what they need when they run:
`ackproof --help` imports neither the compiler nor the specification.
"""

from __future__ import annotations

from typing import Annotated

import typer
from ackproof.cli.check import check
from ackproof.cli.eras import eras
from ackproof.cli.museum import museum
from ackproof.cli.prove import prove
from ackproof.cli.query import query
from ackproof.cli.serve import serve
from ackproof.cli.serve_options import as_command
from ackproof.impl.version import VERSION

__all__ = ["app"]

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
app.command("prove")(prove)
app.command("query")(query)
app.command("serve")(as_command(serve))


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"ackproof {VERSION}")
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
