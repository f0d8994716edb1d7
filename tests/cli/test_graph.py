"""`ackproof graph` writes the state graph that the file's name asks for, or says why not."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest
from ackproof.cli.main import app
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parents[2]
DIE_HARD = str(ROOT / "tests/models/die_hard.py")


def graph(*args: str) -> Result:
    result = CliRunner().invoke(app, ["graph", *args], env={"COLUMNS": "80"})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result


def test_it_writes_the_form_that_the_name_ends_in(tmp_path: Path) -> None:
    result = graph(str(tmp_path / "jugs.graphml"), DIE_HARD)
    assert result.exit_code == 0
    assert result.stdout == (
        f"wrote {tmp_path}/jugs.graphml: 16 states and 96 steps of die_hard on jugs\n"
    )
    assert len(nx.read_graphml(tmp_path / "jugs.graphml")) == 16
    assert graph(str(tmp_path / "jugs.dot"), DIE_HARD).exit_code == 0
    assert (tmp_path / "jugs.dot").read_text().startswith("digraph {")


def test_the_end_of_a_name_may_be_in_capitals(tmp_path: Path) -> None:
    assert graph(str(tmp_path / "JUGS.DOT"), DIE_HARD).exit_code == 0
    assert (tmp_path / "JUGS.DOT").read_text().startswith("digraph {")
    assert graph(str(tmp_path / "JUGS.GraphML"), DIE_HARD).exit_code == 0
    assert len(nx.read_graphml(tmp_path / "JUGS.GraphML")) == 16


def test_only_the_properties_that_are_named_are_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "jugs.dot"
    assert graph(str(file), DIE_HARD, "-p", "NeverFourGallons").exit_code == 0
    assert "✗ NeverFourGallons" in file.read_text()
    assert graph(str(file), DIE_HARD, "-p", "NoDeadlock").exit_code == 0
    assert "✗" not in file.read_text()


def test_one_with_more_states_than_allowed_is_refused_with_their_number(tmp_path: Path) -> None:
    file = tmp_path / "jugs.dot"
    result = graph(str(file), DIE_HARD, "--states", "15")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: die_hard on jugs has 16 states, and the graph may have 15\n"
        "  instead: name a smaller instance, or allow more with --states\n"
    )
    assert not file.exists()


def test_the_states_of_a_design_are_counted(tmp_path: Path) -> None:
    result = graph(str(tmp_path / "b10.dot"), "b10", "-i", "tiny", "--states", "20")
    assert result.exit_code == 2
    assert "b10_deletion_nacks on tiny has 506 states, and the graph may have 20\n" in result.stderr


def test_a_name_that_says_no_form_is_refused(tmp_path: Path) -> None:
    result = graph(str(tmp_path / "jugs.png"), DIE_HARD)
    assert result.exit_code == 2
    assert "  instead: end it in .graphml, .dot, or .svg\n" in result.stderr


def test_a_drawing_needs_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    result = graph(str(tmp_path / "jugs.svg"), DIE_HARD)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {tmp_path}/jugs.svg: there is no `dot`; it comes with")


def test_there_must_be_a_directory_for_it(tmp_path: Path) -> None:
    result = graph(str(tmp_path / "none/jugs.dot"), DIE_HARD)
    assert result.exit_code == 2
    assert result.stderr == f"error: FILE {tmp_path}/none/jugs.dot: there is no directory " + (
        f"{tmp_path}/none\n"
    )
