"""The command as a process: how it starts, is interrupted, and writes its output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from ackproof.cli.main import app
from typer.testing import CliRunner

from tests.cli.checking import DIE_HARD, ROOT


def command(*args: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ackproof.cli", *args],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **env},
    )


@pytest.mark.parametrize("engine", ["plain", "kernel"])
def test_an_interrupted_search_ends_with_what_is_known(tmp_path: Path, engine: str) -> None:
    file = tmp_path / "endless.py"
    file.write_text(
        textwrap.dedent("""
        from typing import Annotated
        from ackproof.lang import *

        class Endless(System):
            a: Annotated[int, Range(0, 100000)]
            b: Annotated[int, Range(0, 100000)]

            @action
            def up(self) -> None:
                require(self.a < 100000)
                self.a += 1

            @action
            def across(self) -> None:
                require(self.b < 100000)
                self.b += 1

        MODEL = Model("endless", Endless, (), (Instance("one", "counts", {}),))
    """)
    )
    process = command("check", str(file), "--engine", engine)
    assert process.stderr is not None
    assert " states " in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert out.endswith("truncated  it was interrupted; no property is false in what was seen\n")
    assert "Traceback" not in err
    assert "  states" in out


def test_results_are_plain_text_when_they_do_not_go_to_a_terminal() -> None:
    out, err = command("check", DIE_HARD, "--engine", "plain").communicate(timeout=60)
    assert "\x1b" not in out + err
    assert not [line for line in out.splitlines() if line != line.rstrip()]


def test_an_output_without_box_characters_gets_ascii() -> None:
    process = command("check", DIE_HARD, "--engine", "plain", PYTHONIOENCODING="ascii")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, "")
    assert "  1     @    fill_big()" in out


def test_help_loads_no_compiler_and_has_an_example() -> None:
    for args in (["--help"], ["check", "--help"], ["museum", "--help"]):
        code = (
            "import sys; from ackproof.cli.main import app\n"
            f"try: app({args!r})\n"
            "except SystemExit: pass\n"
            "print(sorted({'numba', 'llvmlite', 'numpy'} & set(sys.modules)))"
        )
        found = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        assert found.splitlines()[-1] == "[]"
        assert args == ["--help"] or f"ackproof {args[0]} " in found


@pytest.mark.parametrize("args", [["check", "--list"], ["check", DIE_HARD, "-e", "plain"], ["-h"]])
def test_an_output_that_is_full_is_told_in_a_line(args: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ackproof.cli", *args],
            cwd=ROOT,
            text=True,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == (
        "error: the output cannot be written: No space left on device\n"
        "  instead: make room for it, or ask for less of it, and try again\n"
    )


def test_an_interruption_while_the_program_is_loaded_is_told_in_a_line() -> None:
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "from ackproof.cli.__main__ import main\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert done.stderr == "interrupted before there was anything to report\n"


def test_the_version_is_shown() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout.startswith("ackproof")
