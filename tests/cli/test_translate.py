"""`ackproof translate` writes a module and its configuration, or a model, and over nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.cli.main import app
from typer.testing import CliRunner, Result

from tests.cli.checking import DIE_HARD


def translate(*args: str) -> Result:
    result = CliRunner().invoke(app, ["translate", *args], env={"COLUMNS": "80"})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result


def test_it_writes_two_files_and_says_how_to_use_them(tmp_path: Path) -> None:
    file = tmp_path / "jugs.tla"
    result = translate(str(file), DIE_HARD)
    assert result.exit_code == 0
    assert result.stdout == (
        f"wrote {file} and jugs.cfg: die_hard on jugs\n  java -cp tla2tools.jar tlc2.TLC jugs.tla\n"
    )
    assert " MODULE jugs " in file.read_text()
    assert "SPECIFICATION Spec" in file.with_suffix(".cfg").read_text()
    assert translate(str(file), DIE_HARD).exit_code == 0  # its own it writes over


def test_a_design_is_translated_on_an_instance(tmp_path: Path) -> None:
    file = tmp_path / "eager.tla"
    result = translate(str(file), "b10", "-i", "tiny")
    assert result.exit_code == 0
    assert result.stdout.endswith("tlc2.TLC -deadlock eager.tla\n")
    assert " MODULE eager " in file.read_text()


def test_a_model_in_promela_is_one_file(tmp_path: Path) -> None:
    file = tmp_path / "two-jugs.pml"
    result = translate(str(file), DIE_HARD)
    assert result.exit_code == 0
    assert result.stdout == (
        f"wrote {file}: die_hard on jugs\n"
        "  spin -a two-jugs.pml && gcc -O2 -DSAFETY -o pan pan.c && ./pan -m1000000\n"
    )
    assert "active proctype System()" in file.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["two-jugs.pml"]
    assert translate(str(file), DIE_HARD).exit_code == 0  # its own it writes over


def test_where_runs_are_spoken_of_it_is_said_how_they_are_asked_for(tmp_path: Path) -> None:
    result = translate(str(tmp_path / "tiny.pml"), "-i", "tiny")
    assert result.exit_code == 0
    _, states, runs = result.stdout.splitlines()
    assert states.startswith("  spin -a tiny.pml && gcc -O2 -DSAFETY ")
    assert runs.startswith("  spin -a -DRUNS tiny.pml && gcc -O2 -DNFAIR=")
    assert runs.endswith("./pan -m1000000 -a -f -A -E -N EveryPublishSettles")


def test_what_does_not_fit_into_spin_is_refused(tmp_path: Path) -> None:
    text = Path(DIE_HARD).read_text()
    assert "Range(0, 5)" in text
    wide = tmp_path / "wide.py"
    wide.write_text(text.replace("Range(0, 5)", "Range(0, 2**40)"))
    result = translate(str(tmp_path / "wide.pml"), str(wide))
    assert result.exit_code == 2
    assert result.stderr == (
        "error: instance jugs: big may have 1,099,511,627,777 values, and integers of SPIN have 31"
        " bits\n  instead: choose smaller sizes, or less in one record\n"
    )
    assert not (tmp_path / "wide.pml").exists()


@pytest.mark.parametrize("name", ["jugs.tla", "jugs.cfg"])
def test_what_somebody_else_wrote_stays(name: str, tmp_path: Path) -> None:
    other = tmp_path / name
    other.write_text("mine")
    result = translate(str(tmp_path / "jugs.tla"), DIE_HARD)
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: {other} is there, and was not written by `ackproof translate`\n"
        "  instead: give another name, or move it away\n"
    )
    assert other.read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("jugs.txt", "a module of TLA+ is a file in .tla, and a model in Promela one in .pml"),
        ("two-jugs.tla", "a module is called as its file is, and 'two-jugs' is no name in TLA+"),
    ],
)
def test_a_file_is_called_as_a_module_can_be(name: str, said: str, tmp_path: Path) -> None:
    result = translate(str(tmp_path / name), DIE_HARD)
    assert result.exit_code == 2
    assert said in result.stderr
