"""Two ways to read the options of `ackproof serve`, which must agree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from ackproof.cli.main import app
from ackproof.cli.serve_options import Asked, as_command, read
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

NAMES = [
    "--port",
    "--host",
    "--data",
    "--in-memory",
    "--sync-interval",
    "--seed",
    "--replicas",
    "--control",
    "--users",
    "--max-channels",
    "--memory-limit",
    "--verbose",
    "--verb",
    "--",
    "-h",
]
VALUES = ["0", "7", "-1", "70000", "1.5", "1e3", " 5", "1_000", "x", "", "/tmp", "--seed", "0x10"]

words = st.lists(
    st.one_of(
        st.sampled_from(NAMES),
        st.sampled_from(VALUES),
        st.builds("{}={}".format, st.sampled_from(NAMES), st.sampled_from(VALUES)),
        st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)).map(" ".join),
    ),
    max_size=4,
).map(lambda parts: [word for part in parts for word in part.split(" ")])


def read_by_typer(arguments: list[str]) -> Asked | None:
    """Return what typer makes of these arguments; None if it refuses them, or helps."""
    heard: list[Asked] = []
    alone = typer.Typer(pretty_exceptions_enable=False)
    alone.command()(as_command(heard.append))
    CliRunner().invoke(alone, arguments)
    return heard[0] if heard else None


@settings(max_examples=150, deadline=None)
@given(words)
def test_what_is_read_without_typer_is_what_typer_reads(arguments: list[str]) -> None:
    asked = read(arguments)
    if asked is not None:
        assert asked == read_by_typer(arguments)


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("", Asked()),
        ("--port 7 --in-memory", Asked(port=7, in_memory=True)),
        ("--data=there --sync-interval 2.5", Asked(data=Path("there"), sync_interval=2.5)),
        ("--seed 1 --seed 2", Asked(seed=2)),
        ("--max-connections 3", Asked(max_connections=3)),
        ("--help", None),
        ("--port", None),
        ("--port 65536", None),
        ("--port x", None),
        ("--seed -1", None),
        ("--in-memory=yes", None),
        ("--memory 5", None),
        ("here", None),
    ],
)
def test_what_is_no_plain_option_is_left_to_typer(line: str, asked: Asked | None) -> None:
    assert read(line.split()) == asked


def test_mistakes_are_told_as_for_other_commands() -> None:
    result = CliRunner().invoke(app, ["serve", "--replicas", "10"])
    assert result.exit_code == 2
    assert "Invalid value for '--replicas'" in result.output


def test_help_is_there_and_names_every_option() -> None:
    result = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "200"})
    assert "Log in as guest" in result.output
    for name in ("--port", "--users", "--max-connections", "--memory-limit", "--tls-cert"):
        assert name in result.output


def test_a_broker_is_started_without_loading_what_it_does_not_need() -> None:
    code = (
        "import sys, ackproof.cli.serving\n"
        "from ackproof.cli.serve_options import read; read(['--port', '0'])\n"
        "print({'typer', 'rich', 'numpy', 'numba', 'tempfile'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
