"""The page about tables of states shows what the commands print.

What it shows of `core` is looked at in `test_on_spark`, where that is searched.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
from ackproof.cli.main import app
from ackproof.lang.binding import Bound, bind
from ackproof.lang.model import Design
from ackproof.pipeline.search import explorer
from ackproof.spec.instances import INSTANCES
from ackproof.spec.model import MODEL
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PAGE = (ROOT / "docs" / "state-tables.rst").read_text()

pytestmark = pytest.mark.spark


def shown(of: str) -> list[str]:
    """Return the lines of output that the page shows under a comment."""
    block = PAGE.partition(f"\n.. {of}\n")[2].partition("\n\n    ")[2]
    lines = ("    " + block).splitlines()
    end = next((i for i, line in enumerate(lines) if not line.startswith("    ")), len(lines))
    return [line[3:].rstrip() for line in lines[:end]]


def hasty() -> Design:
    """Return the design of the example file."""
    found = importlib.util.spec_from_file_location("hasty", EXAMPLES / "hasty.py")
    assert found is not None
    assert found.loader is not None
    module: Any = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    design: Design = module.design
    return design


def searched(bound: Bound, work: Path) -> Path:
    """Search a bound program on Spark; return the folder."""
    engine = explorer(work=work, share=50)
    try:
        engine(bound)
    finally:
        engine.close()
    (found,) = work.glob("*/search.json")
    return found.parent


def printed(folder: Path, query: str) -> list[str]:
    """Return the lines that a query prints, but the empty one before them."""
    result = CliRunner().invoke(app, ["query", str(folder), "--file", str(EXAMPLES / query)])
    assert result.exit_code == 0
    return [line.rstrip() for line in result.stdout.splitlines() if line.strip()]


def steps(lines: list[str]) -> list[str]:
    """Return the lines without positions, which hang on how a state is packed."""
    return [re.sub(r"^( +\d+) +\d+ ", r"\1", line) for line in lines]


@pytest.mark.usefixtures("session")
def test_the_tables_of_a_design_show_what_is_wrong_with_it(tmp_path: Path) -> None:
    small = next(i for i in INSTANCES if i.name == "small")
    folder = searched(bind(MODEL, small, hasty(), ["ConfirmedSurvives"]), tmp_path)
    assert f"work/{folder.name}" in PAGE
    assert printed(folder, "only-copy.sql") == shown("only-copy on hasty")
    assert steps(printed(folder, "run-to.sql")) == steps(shown("run-to on hasty"))
