"""The command `ackproof`.

A command is a function in a module of its own, by the same name.  The module is imported when the
command is asked for, and loads what it needs when it runs: `ackproof --help` imports neither the
compiler nor the specification, and `ackproof serve` no other command.
"""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import click
import typer
from ackproof.impl.version import VERSION
from typer.core import TyperGroup

__all__ = ["app"]

#: The commands, in the order in which the help shows them.
_COMMANDS = ("check", "museum", "eras", "prove", "query", "serve", "record", "audit")


class _Commands(TyperGroup):
    """The commands, each imported when it is first looked at."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # Of one that there is not, all are loaded: what is like it will be suggested.
        for name in (cmd_name,) if cmd_name in _COMMANDS else _COMMANDS:
            if name not in self.commands:
                self.commands[name] = _load(name)
        return super().get_command(ctx, cmd_name)


def _load(name: str) -> Any:
    command = getattr(import_module(f"ackproof.cli.{name}"), name)
    if isinstance(command, click.Command):
        return command
    alone = typer.Typer(add_completion=False, **_STYLE)
    alone.command(name)(command)
    return typer.main.get_command(alone)


_STYLE: dict[str, Any] = {
    "rich_markup_mode": "markdown",
    "context_settings": {"help_option_names": ["-h", "--help"]},
}

app = typer.Typer(
    cls=_Commands,
    name="ackproof",
    help="Publisher confirms, said once and precisely: check the specification, or a change to it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    **_STYLE,
)


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
