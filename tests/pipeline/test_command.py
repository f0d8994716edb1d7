"""`ackproof check --engine spark` finds what the kernel finds; it can be stopped, and goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ackproof.cli.main import app
from ackproof.model.document import schema
from ackproof.pipeline.session import Session
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parents[2]
DIE_HARD = "tests/models/die_hard.py"
DINING = "tests/models/dining.py"
TWO_PHASE = "tests/models/two_phase_commit.py"

#: Levels that grow without end, soon beyond what the driver does by itself.
ENDLESS = """
from typing import Annotated
from ackproof.lang import *

class Place(Sort):
    pass

class Endless(System):
    step: Const[Annotated[int, Range(0, 9)]] = 1
    at: Map[Place, Annotated[int, Range(0, 100000)]]

    @action
    def up(self, place: Place) -> None:
        require(self.at[place] < 99990)
        self.at[place] += 1

MODEL = Model("endless", Endless, (), (Instance("one", "counts", {Place: 8}),))
"""

#: All that a search may write on standard error.
OURS = re.compile(
    r"Spark's own pages: http://127\.0\.0\.1:\d+|the search is kept in /\S+"
    r"|\S+ on \w+  level \d+  [\d,]+ new  [\d,]+ states  [\d,]+/s  \d+\.\d s(  \d+ %)?"
)

Run = Callable[..., Result]


@pytest.fixture
def run(session: Session, work: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `ackproof check` on the session that is open."""
    monkeypatch.chdir(ROOT)

    def invoke(*args: str) -> Result:
        options = ["--engine", "spark", "--work", str(work), "--partitions", "3"]
        result = CliRunner().invoke(app, ["check", *options, *args])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return invoke


def decided(text: str) -> list[dict[str, Any]]:
    """Return what a document says that does not depend on how it was found.

    Of several shortest runs that break a property, each is as good.
    """
    found = json.loads(text)
    jsonschema.validate(found, schema())
    own = {"engine", "workers", "timing", "memory", "kept"}
    entries = [{k: v for k, v in r.items() if k not in own} for r in found["results"]]
    for entry in entries:
        entry["violations"] = {v["property"]: v["steps"] for v in entry["violations"]}
    return entries


def kernel(*args: str) -> list[dict[str, Any]]:
    return decided(CliRunner().invoke(app, ["check", *args, "--json"]).stdout)


@pytest.mark.spark
def test_it_says_what_the_kernel_says_and_each_search_has_a_folder(run: Run, work: Path) -> None:
    asked = [TWO_PHASE, DIE_HARD, "ack_on_channel", "--json"]
    result = run(*asked)
    assert result.exit_code == 1
    assert decided(result.stdout) == kernel(*asked)
    folders = [Path(r["kept"]["folder"]) for r in json.loads(result.stdout)["results"]]
    assert len(set(folders)) >= 3
    assert {folder.parent for folder in folders} == {work}
    assert all((folder / "search.json").exists() for folder in folders)


@pytest.mark.spark
def test_a_search_that_was_bounded_goes_on(run: Run) -> None:
    assert run(DIE_HARD, "--depth", "3").exit_code == 3
    result = run(DIE_HARD, "--resume")
    assert "engine       spark, 3 partitions, local[2], resumed after level 3\n" in result.stdout
    assert decided(run(DIE_HARD, "--resume", "--json").stdout) == kernel(DIE_HARD)


@pytest.mark.spark
@pytest.mark.parametrize("level", [4, 12])
def test_spark_ends_what_this_process_began_and_the_other_way_round(
    run: Run, work: Path, tmp_path: Path, level: int
) -> None:
    search, depth = [TWO_PHASE, "-i", "rm5"], ["--depth", str(level)]
    here = ["check", *search, "--partitions", "3", "--work"]
    assert CliRunner().invoke(app, [*here, str(work), *depth]).exit_code == 3
    result = run(*search, "--resume", "--json")
    assert json.loads(result.stdout)["results"][0]["kept"]["resumed_levels"] == level
    assert decided(result.stdout) == kernel(*search)
    other = str(tmp_path / "other")
    assert run(*search, *depth, "--work", other).exit_code == 3
    result = CliRunner().invoke(app, [*here, other, "--resume", "--json"])
    assert json.loads(result.stdout)["results"][0]["kept"]["resumed_levels"] == level
    assert decided(result.stdout) == kernel(*search)


@pytest.mark.spark
def test_a_folder_with_a_search_is_not_written_over(run: Run, work: Path) -> None:
    assert run(DINING).exit_code == 0
    result = run(DINING)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(
        f"error: {work}/dining-philosophers-seats3 holds a search already\n"
        "  instead: add --resume to go on with it, or give another --work\n"
    )


@pytest.mark.spark
@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("+= 1", "+= 2", "the specification"),
        ("Place: 8", "Place: 9", "the instance"),
        ("Place: 8}", 'Place: 8}, constants={"Endless.step": 2}', "the instance"),
        ("Range(0, 100000)", "Range(0, 200000)", "the specification"),
    ],
)
def test_a_search_of_something_else_is_not_gone_on_with(
    run: Run, work: Path, tmp_path: Path, before: str, after: str, said: str
) -> None:
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    assert before in ENDLESS
    first.write_text(ENDLESS)
    second.write_text(ENDLESS.replace(before, after))
    assert run(str(first), "--depth", "3").exit_code == 3
    result = run(str(second), "--depth", "3", "--resume")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(
        f"error: {work}/endless-one cannot be resumed: {said} has changed since it was begun\n"
        "  instead: search anew in another folder, or go back to what it was\n"
    )


@pytest.mark.spark
def test_a_search_keeps_its_number_of_partitions(run: Run, work: Path) -> None:
    assert run(DINING).exit_code == 0
    result = run(DINING, "--resume", "--partitions", "4")
    assert result.exit_code == 2
    assert result.stderr.endswith(
        f"error: {work}/dining-philosophers-seats3 cannot be resumed: it is divided into 3 "
        "partitions, not 4\n  instead: give --partitions 3, or leave it out\n"
    )


def test_what_is_not_installed_is_one_message(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", version)
    # It imports what is missing, and so cannot be imported.
    monkeypatch.setitem(sys.modules, "ackproof.pipeline.search", None)
    monkeypatch.chdir(ROOT)
    options = ["check", DINING, "--engine", "spark", "--work", str(work)]
    result = CliRunner().invoke(app, options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: pyspark: the Spark engine needs it, and it is not installed\n"
        '  instead: pip install "ackproof[spark]"\n'
    )


def command(*args: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ackproof.cli", "check", "--engine", "spark", *args],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **env},
        # A group of its own, all of which Ctrl-C reaches, as in a terminal.
        start_new_session=True,
    )


def test_a_java_that_is_none_is_one_message(work: Path) -> None:
    process = command(DINING, "--work", str(work), JAVA_HOME="/nowhere")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err == (
        "error: JAVA_HOME: it is /nowhere, and there is no bin/java in it that runs\n"
        "  instead: set it to the folder of Java 17 or newer, or unset it\n"
    )


@pytest.mark.spark
def test_an_interrupted_search_ends_quietly_and_goes_on(
    run: Run, work: Path, tmp_path: Path
) -> None:
    file = tmp_path / "endless.py"
    file.write_text(ENDLESS)
    process = command(str(file), "--work", str(work), "--partitions", "3", "--master", "local[2]")
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line.rstrip("\n"))
        # Level 9 is the first with more states than the driver expands by itself.
        if "level 9  " in line:
            os.killpg(process.pid, signal.SIGINT)
            break
    out, rest = process.communicate(timeout=120)
    said += rest.splitlines()
    assert [line for line in said if not OURS.fullmatch(line)] == []
    assert process.returncode == 3
    (last,) = re.findall(
        r"\ntruncated  it was interrupted, and --resume goes on after level (\d+); "
        r"no property is false in what was seen\n$",
        out,
    )
    depth = ["--depth", str(int(last) + 1)]
    assert decided(run(str(file), *depth, "--resume", "--json").stdout) == kernel(str(file), *depth)
