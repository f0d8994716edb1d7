"""The command `ackproof`.

A command is a function in a module of its own, by the same name.  The module is imported when the
command is asked for, and loads what it needs when it runs: `ackproof --help` imports neither the
compiler nor the specification, and `ackproof serve` no other command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Annotated, Any, get_type_hints

import click
import typer
from ackproof.impl.version import VERSION
from typer.core import TyperCommand, TyperGroup

__all__ = ["app"]

#: The commands, in the order in which the help shows them.
_COMMANDS = (
    "check",
    "simulate",
    "explore",
    "diff",
    "graph",
    "translate",
    "museum",
    "mutate",
    "eras",
    "prove",
    "query",
    "serve",
    "record",
    "audit",
    "conform",
)


class _Commands(TyperGroup):
    """The commands, each imported when it is first looked at."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _taking_text(super().get_params(ctx), {})

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
    hints = get_type_hints(command)

    class Quick(TyperCommand):
        """A command whose parameters take text as it is."""

        def get_params(self, ctx: Any) -> list[Any]:
            return _taking_text(super().get_params(ctx), hints)

    alone.command(name, cls=Quick)(command)
    return typer.main.get_command(alone)


def _taking_text(parameters: list[Any], hints: Mapping[str, Any]) -> list[Any]:
    """Have parameters take no value, a text, or texts, without what converts all others.

    To import that takes a fifth of the time of a small check.
    """
    for parameter in parameters:
        if "process_value" not in vars(parameter):
            parameter.process_value = _taking(parameter, hints.get(parameter.name))
    return parameters


def _taking(parameter: Any, hint: Any) -> Callable[[Any, Any], Any]:
    convert, callback = parameter.process_value, parameter.callback

    def process(context: Any, value: Any) -> Any:
        if value is None and not parameter.required:
            return callback(context, parameter, None) if callback else None
        if callback is None and isinstance(value, str) and hint in (str, str | None):
            return value
        if callback is None and isinstance(value, tuple | list) and hint == list[str] | None:
            return list(value) or None
        return convert(context, value)

    return process


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
