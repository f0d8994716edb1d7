"""The first example of the language page is a file that the command line accepts as it stands."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from specdoc.commands import run_command

PAGE = Path(__file__).resolve().parents[2] / "docs" / "language.rst"


def whole_examples() -> list[str]:
    """Return the examples that say of themselves that they are whole files."""
    _, *blocks = PAGE.read_text(encoding="utf-8").split("\n.. checked::\n")
    found = []
    for block in blocks:
        lines = block.splitlines()
        inside = next((n for n, line in enumerate(lines) if line[:1].strip()), len(lines))
        options, _, text = "\n".join(lines[:inside]).partition("\n\n")
        if ":whole:" in options:
            found.append(textwrap.dedent(text).strip() + "\n")
    return found


def test_there_is_one_whole_example() -> None:
    assert len(whole_examples()) == 1


@pytest.mark.parametrize("text", whole_examples(), ids=["room"])
def test_a_whole_example_can_be_copied_and_checked(tmp_path: Path, text: str) -> None:
    file = tmp_path / "room.py"
    file.write_text(text, encoding="utf-8")
    code, printed = run_command(f"ackproof check {file}")
    assert code == 0, printed
    assert printed.splitlines()[-1].startswith("verified")
