"""Random programs are compared, and one on which translations differ is kept."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench import programs
from tests import exploring


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Draw two programs from a seed, and as the other tests do afterwards."""
    monkeypatch.setattr(programs, "_EACH", 2)
    before = exploring._seed, exploring._factor
    yield
    exploring.explore(before[0], long=before[1] > 1)


def test_programs_of_a_seed_are_compared(tmp_path: Path) -> None:
    found = programs.Comparison(tmp_path)
    found.draw(7, (2, 2, 0.3))
    assert len(found.seen) == 2
    assert sum(found.compared.values()) > 0
    assert (found.differing, list(tmp_path.iterdir())) == (0, [])


def test_a_program_on_which_they_differ_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def differing(*_: Any) -> Counter[str]:
        raise AssertionError("the steps differ")

    monkeypatch.setattr(programs, "compare", differing)
    found = programs.Comparison(tmp_path)
    found.draw(7, (2, 2, 0.3))
    assert found.differing == len(found.seen)
    text = (tmp_path / "program_1.py").read_text()
    assert "A random specification." in text
    assert "AssertionError: the steps differ" in text
