"""How the options of `ackproof serve` are read, and what is loaded for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ackproof.cli.main import app
from typer.testing import CliRunner

from tests.impl.sockets import blocking


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `ackproof serve` to its end."""
    command = [sys.executable, "-m", "ackproof.cli", "serve", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("--port", "Option '--port' requires an argument."),
        ("--port 65536", "Invalid value for '--port': 65536 is not in the range 0<=x<=65535."),
        ("--port x", "Invalid value for '--port': 'x' is not a valid integer"),
        ("--replicas 10", "Invalid value for '--replicas': 10 is not in the range 1<=x<=9."),
        (
            "--sync-interval -1",
            "Invalid value for '--sync-interval': -1.0 is not in the range x>=0",
        ),
        ("--sync-interval nan", "error: --sync-interval is nan; give a number of milliseconds"),
        ("--sync-interval inf", "error: --sync-interval is inf; give a number of milliseconds"),
        ("--in-memory=yes", "Option '--in-memory' does not take a value."),
        ("--memory 5", "No such option"),
        ("--quiet --verbose", "error: --quiet logs little and --verbose everything; choose one"),
        ("here", "Got unexpected extra argument"),
    ],
)
def test_mistakes_are_told(line: str, error: str) -> None:
    result = run(*line.split())
    assert result.returncode == 2
    assert result.stdout == ""
    assert error in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help_is_there_and_names_every_option(word: str) -> None:
    result = run(word)
    assert result.returncode == 0
    assert "Usage: ackproof serve [OPTIONS]" in result.stdout
    assert "Log in as guest" in result.stdout
    for name in ("--port", "--users", "--max-connections", "--memory-limit", "--tls-cert"):
        assert name in result.stdout
    assert "[default: 5672; 0<=x<=65535]" in result.stdout


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"scenario": 1,\n', "line 2: no JSON"),
        ('{"scenario": 1, "faults": [{"fault": "nak_next"}]}', 'fault 1: there is no fault "nak_'),
        ('{"scenario": 1, "options": {"seed": []}}', "the scenario, options: seed cannot be []"),
        ('{"scenario": 1, "options": {"seed": 2}}', "with seed 2, and 1 is asked for; leave seed"),
    ],
)
def test_a_scenario_that_cannot_be_played_is_told(tmp_path: Path, text: str, error: str) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(text)
    result = run("--in-memory", "--port", "0", "--seed", "1", "--scenario", str(file))
    assert (result.returncode, result.stdout) == (2, "")
    assert error in result.stderr
    assert "Traceback" not in result.stderr


def test_a_scenario_that_cannot_be_written_is_told() -> None:
    result = run("--in-memory", "--port", "0", "--record-scenario", "/nowhere/at/all")
    assert (result.returncode, result.stdout) == (2, "")
    assert "error: cannot write the scenario /nowhere/at/all: No such file" in result.stderr


def test_it_stops_when_the_program_ends_that_has_started_it_and_says_little() -> None:
    command = [sys.executable, "-m", "ackproof.cli", "serve", "--port", "0", "--in-memory"]
    with subprocess.Popen(
        [*command, "--stop-at-eof", "--quiet"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        ready = process.stdout.readline()
        port = int(ready.partition(",")[0].rpartition(":")[2])
        with blocking(port) as channel:
            channel.queue_declare("q")
        process.stdin.write("more\n")
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_it_is_listed_among_the_commands() -> None:
    result = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"})
    assert "Run the reference broker" in result.output
    result = CliRunner().invoke(app, ["serf"])
    assert result.exit_code == 2
    assert "Did you mean 'serve'?" in result.output


def test_a_broker_is_started_without_loading_what_it_does_not_need() -> None:
    code = (
        "import sys, ackproof.cli.serve, ackproof.cli.serving\n"
        "unneeded = {'typer', 'rich', 'numpy', 'numba', 'networkx', 'h11', 'tempfile'}\n"
        "print(unneeded & set(sys.modules), 'ackproof.lang.ir' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set() False\n"
