"""Tests that a target of make picks by their mark stand where it looks for them.

To read all the other tests takes longer than many of those take, so it does not.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
MAKEFILE = (TESTS.parent / "Makefile").read_text()


@pytest.mark.parametrize("mark", ["peer", "spark"])
def test_make_looks_where_the_tests_with_a_mark_are(mark: str) -> None:
    (folder,) = re.findall(rf"-m {mark} tests/(\S+)", MAKEFILE)
    marked = [path for path in TESTS.rglob("*.py") if f".mark.{mark}" in path.read_text()]
    assert len(marked) > 5
    assert [path for path in marked if TESTS / folder not in path.parents] == []
