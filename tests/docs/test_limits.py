"""The page of limits says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

from ackproof.model import limits
from ackproof.proofs.smt import finite

_PAGE = (Path(__file__).parents[2] / "docs/limits.rst").read_text()
_ROW = re.compile(r"^\S.*?  +([\d,]+)  ``(\w+)``$", re.MULTILINE)


def test_each_number_of_the_page_is_the_constant_beside_it() -> None:
    rows = _ROW.findall(_PAGE)
    assert {name: int(said.replace(",", "")) for said, name in rows} == {
        name: value for name, value in vars(limits).items() if name in {n for _, n in rows}
    }
    for said, name in rows:
        assert f"{getattr(limits, name):,}" == said


def test_each_limit_is_on_the_page() -> None:
    constants = {n for n in limits.__all__ if isinstance(getattr(limits, n), int)}
    named = {name for _, name in _ROW.findall(_PAGE)}
    assert constants - named == {"MOST_WORDS"}  # said in bits


def test_the_limit_of_the_prover_is_on_the_page() -> None:
    assert f"sets of up to {finite._WORD_BITS} elements" in " ".join(_PAGE.split())
