"""The tutorial says what happens: the Python in it is run, and its output compared."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_tutorial_runs_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS / "examples"))
    result = doctest.testfile(str(DOCS / "write-a-design.rst"), module_relative=False)
    assert result.attempted > 10
    assert result.failed == 0
