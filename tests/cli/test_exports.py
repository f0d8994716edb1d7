"""`ackproof check --export` writes what the name of a file asks for, and pytest runs its tests."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from ackproof.cli.main import app
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parents[2]
MAIL = str(ROOT / "tests/model/mailroom.py")
HASTY = (ROOT / "docs/examples/hasty.py").read_text()


def check(*args: object) -> Result:
    result = CliRunner().invoke(app, ["check", *map(str, args)], env={"COLUMNS": "80"})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def mail(*args: object) -> Result:
    return check(MAIL, "--engine", "plain", *args)


def run_pytest(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file.name]
    return subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False)


def test_each_file_gets_the_form_that_its_name_asks_for(tmp_path: Path) -> None:
    chart, picture, test = (tmp_path / n for n in ("run.mmd", "run.svg", "test_run.py"))
    result = mail("-p", "ToldIsKept", "--export", chart, "--export", picture, "--export", test)
    assert result.exit_code == 1
    assert [line.split(":")[0] for line in result.stderr.splitlines()[-3:]] == [
        f"wrote {file}" for file in (chart, picture, test)
    ]
    assert chart.read_text().startswith("sequenceDiagram\n")
    assert ET.parse(picture).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    compile(test.read_text(), "test_run.py", "exec")


def test_each_counterexample_has_files_of_its_own_and_tests_stay_tests(tmp_path: Path) -> None:
    mail("--continue", "--export", tmp_path / "run.svg", "--export", tmp_path / "run_test.py")
    names = {file.name for file in tmp_path.iterdir()}
    assert {"run.svg", "run-2.svg", "run_test.py", "run-2_test.py"} <= names


def test_a_program_that_was_not_exported_is_never_overwritten(tmp_path: Path) -> None:
    design, test = tmp_path / "hasty.py", tmp_path / "test_run.py"
    design.write_text(HASTY)
    result = check(design, "-i", "tiny", "--export", design)
    assert result.exit_code == 2
    assert "this file is there, and was not exported" in result.stderr
    assert design.read_text() == HASTY
    options = ("-p", "ToldIsKept", "--export", test)
    assert [mail(*options).exit_code, mail(*options).exit_code] == [1, 1]


def test_numbered_files_that_would_be_one_are_refused(tmp_path: Path) -> None:
    options = ("--continue", "--export", tmp_path / "c.svg", "--export", tmp_path / "c-2.svg")
    result = mail(*options)
    assert result.exit_code == 2
    assert "two counterexamples would go to c-2.svg" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_design_that_breaks_nothing_leaves_no_file(tmp_path: Path) -> None:
    result = check("-i", "tiny", "--engine", "plain", "--export", tmp_path / "run.svg")
    assert result.exit_code == 0
    assert "there is no counterexample" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["run.png", "run", "run.tex"])
def test_a_name_that_asks_for_nothing_known_is_refused_before_the_search(name: str) -> None:
    result = mail("--export", name)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: --export {name}: nothing is known to be written")
    assert "instead: end it in .mmd" in result.stderr


def test_a_file_that_has_no_place_is_refused_before_the_search(tmp_path: Path) -> None:
    result = mail("--export", tmp_path / "nowhere" / "run.svg")
    assert result.exit_code == 2
    assert "there is no directory" in result.stderr


def test_the_pytest_fails_until_the_design_is_mended(tmp_path: Path) -> None:
    design, test = tmp_path / "design" / "hasty.py", tmp_path / "tests" / "test_hasty.py"
    design.parent.mkdir()
    test.parent.mkdir()
    design.write_text(HASTY)
    check(design, "-i", "power", "-p", "ConfirmedSurvives", "--export", test)
    broken = run_pytest(test)
    assert broken.returncode == 1
    assert "2 failed" in broken.stdout
    assert "ConfirmedSurvives is false after this run:" in broken.stdout
    assert "crash_machine()" in broken.stdout
    design.write_text(HASTY.replace("        self.confirm(msg)\n", ""))
    mended = run_pytest(test)
    assert "2 passed" in mended.stdout, mended.stdout


def test_the_pytest_of_a_design_of_the_museum_names_it(tmp_path: Path) -> None:
    test = tmp_path / "test_b10.py"
    check("b10", "--export", test)
    assert 'load("b10_deletion_nacks")' in test.read_text()
    assert "2 failed" in run_pytest(test).stdout


def test_a_client_program_is_for_clients_of_a_broker_only(tmp_path: Path) -> None:
    result = mail("--export", tmp_path / "client.py")
    assert result.exit_code == 2
    assert "the clients of mailroom are not those of a message broker" in " ".join(
        result.stderr.split()
    )
    assert "instead: leave it out, or name it test_….py" in result.stderr


def test_another_python_file_is_a_client_program(tmp_path: Path) -> None:
    file = tmp_path / "client.py"
    assert check("b10", "--export", file).exit_code in (0, 1)
    assert "import pika" in file.read_text()
    compile(file.read_text(), "client.py", "exec")
