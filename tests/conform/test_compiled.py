"""What is compiled is compiled once, and kept where the user keeps what took long."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ackproof.conform.judging import compiled
from ackproof.model.cache import OFF, VARIABLE


def added(a: int, b: int) -> int:
    """The sum of two numbers."""
    return a + b


@pytest.fixture(autouse=True)
def _folder() -> Iterator[None]:
    """Ask for the folder in each test, and after it."""
    compiled._folder.cache_clear()
    yield
    compiled._folder.cache_clear()


def test_a_function_is_compiled_once_for_all_numbers_that_it_is_called_with() -> None:
    add: Any = compiled.compiled(added)

    def thrice(a: int) -> int:
        return int(add(a, 1) + add(a, 2) + add(3, a))

    assert compiled.compiled(thrice)(4) == 18
    assert len(add.signatures) == 1


def test_machine_code_lies_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert compiled.kept(added)(1, 2) == 3
    assert list(tmp_path.glob("judge-*/*/*.nbi")), list(tmp_path.rglob("*"))


@pytest.mark.parametrize("said", [OFF, "/dev/null/nowhere"])
def test_without_a_cache_nothing_is_kept(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, said)
    assert compiled._folder() is None
    assert compiled.kept(added)(1, 2) == 3
