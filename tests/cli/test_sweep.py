"""`ackproof check --sweep` shows the instance that breaks something, and an honest table."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
from ackproof.cli.main import app
from ackproof.model.sweep.document import schema
from typer.testing import CliRunner, Result

MODELS = Path(__file__).parents[1] / "models"
ORCHARD = str(Path(__file__).parents[1] / "model" / "sweep" / "orchard.py")


def run(*args: str) -> Result:
    result = CliRunner().invoke(app, ["check", *args, "--workers", "1"])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result


def refused(*args: str) -> str:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


def test_what_breaks_is_shown_with_the_instance_that_shows_it() -> None:
    result = run(ORCHARD, "--sweep", "20000")
    assert result.exit_code == 1
    assert "EachIsPickedOnce is false after 2 steps" in result.stdout
    assert "sizes={Basket: 2, Apple: 1}," in result.stdout
    assert '"Orchard.careful": False,' in result.stdout
    assert result.stdout.splitlines()[-1] == "violated  EachIsPickedOnce"


def test_the_instance_can_be_checked_by_itself(tmp_path: Path) -> None:
    shown = run(ORCHARD, "--sweep", "20000").stdout
    text = shown.partition("the instance:\n")[2].partition("\n\n")[0]
    (tmp_path / "orchard.py").write_text(
        Path(ORCHARD).read_text() + f"\ninstances = (\n{text},\n)\n"
    )
    again = run(str(tmp_path / "orchard.py"))
    assert again.exit_code == 1
    assert "EachIsPickedOnce after 2 steps" in again.stdout


def test_where_one_process_searches_a_file_is_run_once(tmp_path: Path) -> None:
    file, runs = tmp_path / "orchard.py", tmp_path / "runs"
    noting = f"\nwith open({str(runs)!r}, 'a') as file:\n    file.write('once ')\n"
    file.write_text(Path(ORCHARD).read_text() + noting)
    assert run(str(file), "--sweep", "2000").exit_code == 1
    assert runs.read_text() == "once "


def test_json_has_every_instance_and_the_table_that_counts_them() -> None:
    result = run(ORCHARD, "--sweep", "20000", "--json")
    found = json.loads(result.stdout)
    jsonschema.validate(found, schema())
    assert result.exit_code == found["exit_code"] == 1
    fates = [i["fate"] for i in found["instances"] if not i["same_as"]]
    assert fates.count("finished") == sum(row["finished"] for row in found["table"])
    assert fates.count("broken") == 1
    assert [v["property"] for v in found["results"][0]["violations"]] == ["EachIsPickedOnce"]


def test_a_model_without_sorts_has_its_constants() -> None:
    result = run(str(MODELS / "peterson.py"), "--sweep", "1000")
    assert result.exit_code == 0
    end = result.stdout.splitlines()[-1]
    assert end == "swept  nothing breaks in what was finished: 2 instances, 84 states"


def test_plain_python_finds_the_same() -> None:
    kernel, plain = (
        json.loads(run(ORCHARD, "--sweep", "2000", "--json", "--engine", e).stdout)
        for e in ("kernel", "plain")
    )
    assert kernel["results"][0]["instance"] == plain["results"][0]["instance"]


def test_a_design_is_searched_only_where_it_changes_something() -> None:
    result = run("b02", "--sweep", "2000", "--json", "--property", "MultipleCoversTheAcked")
    assert result.exit_code == 2  # there is no such property
    result = run("b18", "--sweep", "100", "--json")
    found = json.loads(result.stdout)
    assert found["instances"][0]["fate"] == "as the base"


def test_a_sweep_may_begin_with_an_instance() -> None:
    result = run("--sweep", "400", "--instance", "tiny", "--json")
    found = json.loads(result.stdout)
    first = found["instances"][0]
    assert first["growth"] == 0
    assert (first["sizes"]["Node"], first["constants"]) == (0, [])


def test_what_does_not_go_with_a_sweep_is_refused() -> None:
    assert "--depth is about one instance" in refused("--sweep", "10", "--depth", "3")
    assert "--export is about one instance" in refused("--sweep", "10", "--export", "run.svg")
    assert "several are named" in refused("--sweep", "10", "-i", "tiny", "-i", "core")
    assert "several are named" in refused("b01", "b02", "--sweep", "10")
    assert "there is no instance 'tin'" in refused("--sweep", "10", "-i", "tin")
