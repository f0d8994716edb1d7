"""`ackproof check --watch` checks again when a file of the check is saved, and Ctrl-C ends it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ackproof.cli.main import app
from ackproof.cli.watching import sources_of
from typer.testing import CliRunner

COUNTER = """
from typing import Annotated
from ackproof.lang import *
from size import SIZE

class Counter(System):
    n: Annotated[int, Range(0, SIZE)]

    @action
    def up(self) -> None:
        require(self.n < SIZE)
        self.n += 1

@invariant
def Small(s: Counter) -> bool:
    return s.n < 3

MODEL = Model("counter", Counter, properties_in(Small), (Instance("one", "counts", {}),))
"""


class Watching:
    """A command that watches, and what it says, line by line."""

    def __init__(self, folder: Path, *args: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ackproof.cli", "check", "--watch", "-e", "plain", *args],
            cwd=folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        # Who waits for a line that never comes sees the end instead.
        self.limit = threading.Timer(60, self.process.kill)
        self.limit.start()

    def said(self, pattern: str) -> str:
        """Return the next line that has a pattern."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            assert "Traceback" not in line
            if re.search(pattern, line):
                return line.rstrip()
        raise AssertionError(f"it ended, and never said {pattern!r}")

    def ends(self, by: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """Press Ctrl-C, or end it otherwise; return the exit code, and what is still said."""
        self.process.send_signal(by)
        rest, _ = self.process.communicate(timeout=60)
        return self.process.returncode, rest


Watch = Callable[..., Watching]


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    started: list[Watching] = []

    def start(*args: str) -> Watching:
        started.append(Watching(tmp_path, *args))
        return started[-1]

    yield start
    for one in started:
        one.limit.cancel()
        one.process.kill()
        one.process.wait()


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    (tmp_path / "size.py").write_text("SIZE = 2\n")
    (tmp_path / "counter.py").write_text(COUNTER)
    return tmp_path


def save_within_the_second(file: Path, text: str) -> None:
    """Save a text that is as long as the one before, in the same second as that."""
    assert len(file.read_text()) == len(text)
    before = file.stat().st_mtime_ns
    file.write_text(text)
    second = before // 10**9 * 10**9
    os.utime(file, ns=(before, second + (before - second + 1) % 10**9))


def test_it_checks_again_when_the_file_is_saved_and_ctrl_c_ends_it_with_the_last_exit_code(
    watch: Watch, counter: Path
) -> None:
    watching = watch("counter.py")
    watching.said("^verified")
    watching.said("watching; Ctrl-C ends it")
    save_within_the_second(counter / "counter.py", COUNTER.replace("s.n < 3", "s.n < 1"))
    watching.said("counter.py has changed")
    assert watching.said("^violated") == "violated  Small after 1 step"
    watching.said("watching")
    code, rest = watching.ends()
    assert (code, rest.strip()) == (1, "")


def test_it_checks_again_when_a_module_is_saved_that_the_file_imports(
    watch: Watch, counter: Path
) -> None:
    watching = watch("counter.py")
    watching.said("watching")
    (counter / "size.py").write_text("SIZE = 4\n")
    watching.said("size.py has changed")
    assert watching.said("^violated") == "violated  Small after 3 steps"


def test_a_mistake_in_a_file_is_told_and_its_repair_is_noticed(watch: Watch, counter: Path) -> None:
    (counter / "size.py").write_text("SIZE = (2\n")
    watching = watch("counter.py")
    watching.said("^error: .*'\\(' was never closed")
    watching.said("watching")
    (counter / "size.py").write_text("SIZE = 2\n")
    watching.said("^verified")


def test_a_file_that_is_not_there_is_waited_for(watch: Watch, counter: Path) -> None:
    (counter / "counter.py").rename(counter / "other")
    watching = watch("counter.py")
    watching.said("^error: there is no file counter.py")
    (counter / "other").rename(counter / "counter.py")
    watching.said("^verified")
    watching.said("watching")
    assert watching.ends()[0] == 0


def test_a_check_of_what_is_no_longer_there_is_interrupted(watch: Watch, counter: Path) -> None:
    (counter / "size.py").write_text("SIZE = 1000000\n")
    watching = watch("counter.py", "-p", "NoAssertionFails")
    watching.said(r"counter on one  \d")
    (counter / "size.py").write_text("SIZE = 2\n")
    assert watching.said("^truncated").startswith("truncated  it was interrupted")
    watching.said("size.py has changed")
    watching.said("^verified")


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_ends_it_ends_a_check_that_is_at_work_and_that_says_how_far_it_came(
    watch: Watch, counter: Path, by: signal.Signals
) -> None:
    (counter / "size.py").write_text("SIZE = 1000000\n")
    watching = watch("counter.py", "-p", "NoAssertionFails")
    watching.said(r"counter on one  \d")
    code, rest = watching.ends(by)
    assert code == 3
    assert rest.rstrip().endswith(
        "truncated  it was interrupted; no property is false in what was seen"
    )


@pytest.mark.parametrize("other", [["--json"], ["--engine", "spark", "--work", "found"]])
def test_what_is_not_for_people_is_refused(other: list[str]) -> None:
    result = CliRunner().invoke(app, ["check", "--watch", *other])
    assert result.exit_code == 2
    assert "--watch shows each check to somebody who waits for it" in result.stderr


def test_the_files_of_a_check_are_the_modules_beside_it_and_what_they_import(
    tmp_path: Path,
) -> None:
    texts = {
        "mine.py": "import parts.first\nimport json\nfrom ackproof.lang import *\nimport missing\n",
        "parts/__init__.py": "",
        "parts/first.py": "from parts import second\n",
        "parts/second.py": "",
        "other.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(textwrap.dedent(text))
    found = {file.relative_to(tmp_path) for file in sources_of(tmp_path / "mine.py")}
    there = {str(file) for file in found if (tmp_path / file).exists()}
    assert there == texts.keys() - {"other.py"}
    assert Path("missing.py") in found
