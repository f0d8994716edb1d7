"""Each file is checked with the modules beside it, or refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from ackproof.cli import modules_beside

from tests.cli.checking import CORRIDOR, Run

#: What a check ends with of a design that does not change what can happen.
UNCHANGED = 3

DESIGN = """
from ackproof.lang import *
from corridor_beside import MODEL, Corridor

class Straight(Corridor):
    @action
    def walk(self) -> None:
        super().walk()
        self.at = self.at

design = Design("It is straight.", "test", replace=(Straight,))
"""


@pytest.fixture(autouse=True)
def nothing_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what other tests have imported, and what these do."""
    monkeypatch.setattr(modules_beside, "_BESIDE", {})
    monkeypatch.setattr(sys, "modules", dict(sys.modules))


def written(folder: Path, rooms: int) -> str:
    """Write a design and the specification beside it, and return the path of the design."""
    folder.mkdir()
    (folder / "corridor_beside.py").write_text(CORRIDOR.replace("2", str(rooms)))
    (folder / "straight.py").write_text(DESIGN)
    return str(folder / "straight.py")


def test_a_module_of_the_same_name_from_another_folder_is_refused(run: Run, tmp_path: Path) -> None:
    one, other = written(tmp_path / "one", 2), written(tmp_path / "other", 4)
    result = run(one, other)
    assert result.exit_code == 2
    assert "other/straight.py imports corridor_beside from" in result.stderr
    assert "one at a time" in result.stderr
    assert Path(sys.modules["corridor_beside"].__file__ or "").parent == tmp_path / "one"


def test_two_files_of_one_folder_share_what_is_beside_them(run: Run, tmp_path: Path) -> None:
    one = written(tmp_path / "one", 2)
    other = tmp_path / "one" / "other.py"
    other.write_text(DESIGN)
    assert run(one, str(other)).exit_code == UNCHANGED
    assert "corridor_beside" in modules_beside._BESIDE


def test_what_is_beside_a_file_and_not_imported_is_in_nobody_s_way(
    run: Run, tmp_path: Path
) -> None:
    one = written(tmp_path / "one", 2)
    other = tmp_path / "other"
    other.mkdir()
    (other / "corridor_beside.py").write_text("raise AssertionError\n")
    (other / "alone.py").write_text(CORRIDOR)
    assert run(one, str(other / "alone.py")).exit_code == UNCHANGED
