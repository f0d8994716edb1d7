"""Constructors are described by their own docstrings and signatures, and none is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from specdoc.constructors import arguments_of, lead_of

from tests.docs.test_build import build, text_of

_DOC = """A thing.

More of it.

Args:
    one: the first,
        on two lines.
    two: the second: with a colon.

Raises:
    ValueError: it is not.
"""


def test_prose_stands_above_the_arguments() -> None:
    assert lead_of(_DOC) == "A thing.\n\nMore of it."
    assert lead_of("Alone.") == "Alone."


def test_an_argument_has_its_entry_and_no_other() -> None:
    assert arguments_of(_DOC) == {
        "one": "the first, on two lines.",
        "two": "the second: with a colon.",
    }
    assert arguments_of("Alone.") == {}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Model", "deadlock_free False with deadlock_free=True a state without any enabled action"),
        ("Instance", "faults {} how often each fault may happen in a run"),
        ("Instance", "sizes must be given number of elements of each sort"),
        ("Design", "replace () subclasses of the model's processes"),
        ("Breaks", "steps must be given length of the shortest run"),
        ("Holds", "property None the name of the property that holds"),
    ],
)
def test_a_constructor_has_its_arguments_with_defaults(
    tmp_path: Path, name: str, said: str
) -> None:
    html, warnings = build(tmp_path, index=f".. constructor:: {name}\n")
    assert said in text_of(html).replace("&#x27;", "'").replace("’", "'")
    assert "must tell of" not in warnings


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Toaster", "the language has no class 'Toaster'"),
        ("Range", "the docstring of Range must tell of"),
    ],
)
def test_what_cannot_be_described_is_a_warning(tmp_path: Path, name: str, problem: str) -> None:
    _, warnings = build(tmp_path, index=f".. constructor:: {name}\n")
    assert problem in warnings
