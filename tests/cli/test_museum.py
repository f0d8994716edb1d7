"""`ackproof museum` says of each expectation whether it came true, and exits by that."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
from ackproof.cli import museum as museum_module
from ackproof.cli.main import app
from ackproof.lang.model import Breaks, Design, Holds
from ackproof.model.document import schema
from typer.testing import CliRunner, Result


def run(*args: str) -> Result:
    result = CliRunner().invoke(app, ["museum", "--engine", "plain", *args])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def test_a_design_is_named_by_its_beginning_and_its_expectations_are_ticked() -> None:
    result = run("ack_on_ch")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "ack_on_channel"
    assert all(line.startswith("  ✓ tiny") for line in lines[1:-2])
    assert lines[-1] == f"{len(lines) - 3} of {len(lines) - 3} expectations came true"


def test_json_is_a_report_with_the_museums_exit_code() -> None:
    result = run("ack_on_channel", "--json")
    found = json.loads(result.stdout)
    jsonschema.validate(found, schema())
    assert (result.exit_code, found["exit_code"]) == (0, 0)
    assert all(r["expectation"]["came_true"] for r in found["results"])
    assert {r["verdict"] for r in found["results"]} == {"violated"}


@pytest.fixture
def exhibit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A museum of one design, which is wrong about itself in two ways."""
    design = Design(
        "nothing changes",
        constants={"QueueProcess.durable": True},
        expect=(Breaks("SettledOnce", "tiny", 3), Holds("tiny")),
    )
    module = SimpleNamespace(design=design, __doc__="")
    monkeypatch.setattr("ackproof.model.museum.museum_names", lambda _: ("hopeful",))
    monkeypatch.setattr("ackproof.cli.targets._imported", lambda path, name: module)


@pytest.mark.usefixtures("exhibit")
def test_an_expectation_that_does_not_come_true_is_told_and_fails() -> None:
    result = run()
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[1].startswith("  ✗ tiny     SettledOnce breaks after 3 steps")
    assert lines[2] == "      but it holds"
    assert lines[3].startswith("  ✓ tiny     every property holds")
    assert lines[-1] == "1 of 2 expectations came true"


@pytest.mark.usefixtures("exhibit")
def test_an_incomplete_search_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = museum_module.run_museum
    monkeypatch.setattr(
        museum_module,
        "run_museum",
        lambda names, options, as_json: plain(names, {**options, "max_depth": 2}, as_json=as_json),
    )
    assert run().exit_code == 3


def test_an_empty_museum_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackproof.model.museum.museum_names", lambda _: ())
    result = run()
    assert result.exit_code == 2
    assert result.stderr == (
        "error: the museum has no designs; check a file of your own: ackproof check my_design.py\n"
    )


def test_a_file_is_judged_like_a_design_of_the_museum() -> None:
    result = run("docs/examples/patient.py")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "patient"
    assert result.stdout.splitlines()[-1] == "1 of 1 expectations came true"


#: Two designs, one that breaks a property and one that does not.
TWO = ("ack_on_channel", "docs/examples/patient.py", "--engine", "kernel")


def times_removed(text: str) -> list[str]:
    return [re.sub(r"[\d.]+ s *$", "", line).rstrip() for line in text.splitlines()]


def test_designs_in_several_processes_are_judged_as_in_one() -> None:
    alone, together = (run(*TWO, "--no-cache", "--workers", n) for n in ("1", "2"))
    assert times_removed(together.stdout) == times_removed(alone.stdout)
    assert together.exit_code == alone.exit_code == 0
    assert together.stdout.splitlines()[0] == "ack_on_channel"


def test_a_document_of_several_processes_is_that_of_one() -> None:
    words = (*TWO, "--no-cache", "--json", "--workers")
    alone, together = (json.loads(run(*words, n).stdout) for n in ("1", "2"))
    jsonschema.validate(together, schema())
    assert any(r["violations"] for r in alone["results"])
    for entry in (*alone["results"], *together["results"]):
        del entry["timing"], entry["memory"]
    assert together == alone


def test_what_is_wrong_with_a_design_is_told_by_whichever_process_compiles_it(
    tmp_path: Path,
) -> None:
    file = tmp_path / "odd.py"
    text = Path("docs/examples/patient.py").read_text()
    file.write_text(text.replace("require(not self.unconfirmed)", "print(self.unconfirmed)"))
    told = [run(*TWO, str(file), "--workers", n) for n in ("1", "2")]
    assert [t.exit_code for t in told] == [2, 2]
    assert "print" in told[0].stderr
    assert told[0].stderr == told[1].stderr
