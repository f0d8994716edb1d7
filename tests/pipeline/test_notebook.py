"""The page on notebooks is one notebook: all of its cells run, one after the other."""

from __future__ import annotations

import re
import shutil
import textwrap
from pathlib import Path
from typing import Any

import pytest
from ackproof.cli.main import app
from ackproof.spec.model import MODEL
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "notebook.rst"
STATES = next(i.states for i in MODEL.instances if i.name == "tiny")
LOCAL, SPARK = PAGE.read_text().split("\nWith Spark\n")


def cells(text: str) -> list[str]:
    """The pieces of Python of a part of the page."""
    found = re.findall(r"code-block:: python\n\n((?:   .*\n|\n)+)", text)
    return [textwrap.dedent(cell) for cell in found]


def run(text: str, **given: Any) -> dict[str, Any]:
    """Run the cells of a part; return the names that they leave, and what each cell ends with."""
    names, shown = dict(given), []
    for cell in cells(text):
        *before, last = cell.strip().rsplit("\n", 1)
        try:
            code = compile(last, str(PAGE), "eval")
        except SyntaxError:
            exec(compile(cell, str(PAGE), "exec"), names)
            continue
        exec(compile("".join(before), str(PAGE), "exec"), names)
        shown.append(eval(code, names))
    return {**names, "shown": shown}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the page speaks of, which the notebook runs in."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "docs/examples/doubled-ack.jsonl", tmp_path / "traffic.jsonl")
    CliRunner().invoke(app, ["check", "--instance", "tiny", "--work", "work"])
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_its_cells_run() -> None:
    found = run(LOCAL)
    verdict, steps, (judged, violations), kinds = found["shown"]
    assert verdict == ("verified", STATES, "holds")
    assert steps
    assert (judged, [name for name, *_ in violations]) == ("violated", ["SettledOnce"])
    assert kinds["Ack"] == 5
    assert found["levels"].states.sum() == STATES
    assert list(found["run"].level) == list(range(1, found["last"] + 1))


@pytest.mark.spark
def test_its_cells_run_with_spark(session: Any, folder: Path) -> None:
    found = run(SPARK, spark=session.spark)
    assert found["levels"].states.sum() == STATES
    assert found["document"].verdict == "violated"
    assert found["channels"].acked.sum() == 4
    assert session.spark.range(3).count() == 3, "the session was closed"
    assert (folder / "found" / "audit.json").exists()
