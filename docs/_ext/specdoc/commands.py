"""The command line as the program itself describes it, and what it prints when it is run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import typer
from docutils import nodes
from sphinx.util import logging

from specdoc.markup import Cell, SpecDirective, section, table

__all__ = ["CommandList", "RunDirective", "anywhere", "run_command"]

logger = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[3]

#: Columns that commands may use when the documentation shows what they print.
_COLUMNS = 92

#: Lines that tell of the machine or of the cache, and times.
_OF_MACHINE = re.compile(r"  (time|memory|engine|cached) +\S|\d+ of \d+ are from the cache")
_SECONDS = re.compile(r"\b\d+\.\d+ s\b")


def run_command(command: str, columns: int = _COLUMNS, written: str = "") -> tuple[int, str]:
    """Run `ackproof …` in the root of the project; return its exit code and what it prints.

    What goes to the error stream comes after the rest.  `written` is what it reads.
    """
    words = shlex.split(command)
    assert words[0] == "ackproof", "only the project's own command is run"
    environment = {**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        [sys.executable, "-m", "ackproof.cli", *words[1:]],
        cwd=_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        input=written,
    )
    return done.returncode, (done.stdout + done.stderr).rstrip()


class RunDirective(SpecDirective):
    """`.. run:: ackproof check --list`: a command and what it printed during this build.

    `:exit:` is the exit code that is expected, 0 if it is not given; `:without:` leaves out the
    paragraph that has this text.  What depends on the machine is left out, too.  The directive's
    content is what the command reads.
    """

    required_arguments = 1
    has_content = True
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {"exit": int, "without": str}

    def run(self) -> list[nodes.Node]:
        """Return the command and its output as one block."""
        command = self.arguments[0]
        written = "".join(f"{line}\n" for line in self.content)
        exit_code, text = run_command(command, written=written)
        if exit_code != self.options.get("exit", 0):
            logger.warning(
                "%s ends with %d:\n%s", command, exit_code, text, location=self.get_location()
            )
        if "without" in self.options:
            text = _without(text, self.options["without"])
        shown = f"$ {command}\n{anywhere(text)}"
        block = nodes.literal_block(shown, shown, language="text", classes=["spec-run"])
        return [block]


def anywhere(text: str) -> str:
    """Return what a command printed without what another machine, or another run, would change."""
    lines = [line for line in text.splitlines() if not _OF_MACHINE.match(line)]
    return _SECONDS.sub("… s", "\n".join(lines))


def _without(text: str, start: str) -> str:
    """Return text without the paragraph that has a line with `start`."""
    paragraphs = text.split("\n\n")
    return "\n\n".join("  …" if start in p else p for p in paragraphs)


class CommandList(SpecDirective):
    """`.. commands::`: a section for each command, with its help, arguments and options."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        from ackproof.cli.main import app

        group: Any = typer.main.get_command(app)
        return [self._command(n, group.get_command(None, n)) for n in group.list_commands(None)]

    def _command(self, name: str, command: Any) -> nodes.section:
        part = section(f"command-{name}", nodes.literal("", f"ackproof {name}"))
        part += self.prose(_literal_blocks(command.help or ""))
        rows: list[list[Cell]] = []
        for parameter in command.params:
            if parameter.param_type_name == "argument":
                rows.append(
                    [
                        nodes.literal("", parameter.metavar or parameter.name.upper()),
                        self.sentence(parameter.help or ""),
                    ]
                )
            else:
                value = "" if parameter.is_flag else f" {parameter.metavar or _value(parameter)}"
                names = ", ".join(parameter.opts) + value
                rows.append([nodes.literal("", names), self.sentence(_help(parameter))])
        part += table(["Argument or option", "Meaning"], rows, "spec-options")
        return part


def _value(parameter: Any) -> str:
    """Return what stands for an option's value where the command names nothing better."""
    return {int: "N", float: "NUMBER"}.get(type(parameter.default), "VALUE")


def _help(parameter: Any) -> str:
    """Return an option's help with its default, if it has one worth saying."""
    text: str = parameter.help or ""
    said = isinstance(parameter.default, int | float | str) and parameter.show_default is not False
    if parameter.is_flag or not said:
        return text
    return f"{text} Default: `{parameter.default}`."


def _literal_blocks(text: str) -> str:
    """Have indented lines shown as they are; blank lines between them are for terminals only."""
    found: list[str] = []
    inside = False
    for line in text.splitlines():
        indented = line.startswith("    ")
        if indented and not inside:
            found += ["::", ""]
        if not line.strip() and inside:
            continue
        if inside and not indented:
            found.append("")
        inside = indented
        found.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(found))
