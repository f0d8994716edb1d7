"""`ackproof simulate` walks at random, says what it met and what it did not, and exits by that."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from ackproof.cli.main import app
from ackproof.model.simulation_document import schema
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parents[2]
MAIL = str(ROOT / "tests/model/mailroom.py")
DEPOT = str(ROOT / "tests/model/lower/depot.py")
DIE_HARD = str(ROOT / "tests/models/die_hard.py")
DINING = str(ROOT / "tests/models/dining.py")


def run(*args: str) -> Result:
    result = CliRunner().invoke(app, ["simulate", *args])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result


def test_what_is_false_is_shown_first_with_a_run_and_the_seed() -> None:
    result = run(DIE_HARD, "--seed", "5")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "die hard on jugs"
    assert lines[3].startswith("NeverFourGallons is false after ")
    assert lines[3].endswith(" steps; a shorter run may do it, too")
    assert "  s.big == 4   is True and must not be" in lines
    assert any(line.startswith("  seed         5; with --seed 5 the same walks") for line in lines)
    assert lines[-1].startswith("violated  NeverFourGallons after ")


def test_walks_that_find_nothing_are_no_proof() -> None:
    result = run(DINING, "--walks", "50")
    assert result.exit_code == 3
    assert "  walks        50 of at most 100 steps, " in result.stdout
    assert "  actions      5 taken\n" in result.stdout
    assert result.stdout.endswith(
        "\nnothing found  no property is false where walks came by; the rest was not looked at\n"
    )


def test_what_was_not_met_is_counted_and_verbose_names_it() -> None:
    few = (DINING, "--walks", "1", "--steps", "2", "--seed", "1")
    assert " never taken\n" in run(*few).stdout
    assert "\n  (--verbose names them)\n" in run(*few).stdout
    named = run(*few, "--verbose").stdout
    assert "    actions, never taken: " in named
    assert "  steps taken by action\n    take_first  " in named
    assert "    actions, off: insure, claim, load," in run(DEPOT, "-v", "--walks", "9").stdout


def test_one_property_can_be_looked_at_alone() -> None:
    result = run(MAIL, "-i", "pair", "-p", "ToldIsKept")
    assert result.exit_code == 1
    assert "ToldIsKept is false after 3 steps" in result.stdout
    assert "NothingIsLost" not in result.stdout


def test_json_has_the_same_and_fits_its_schema() -> None:
    result = run(DIE_HARD, "--seed", "5", "--json")
    found = json.loads(result.stdout)
    jsonschema.validate(found, schema())
    assert (found["exit_code"], found["seed"]) == (result.exit_code, 5) == (1, 5)
    (violation,) = found["violations"]
    assert violation["steps"] == len(violation["trace"])
    assert found["steps"] == sum(found["taken"].values())
    nothing = json.loads(run(DINING, "--walks", "20", "--json").stdout)
    jsonschema.validate(nothing, schema())
    assert nothing["walks"] == 20


def test_without_a_seed_one_is_drawn_and_said() -> None:
    first, second = (json.loads(run(DINING, "--walks", "2", "--json").stdout) for _ in range(2))
    assert first["seed"] != second["seed"]
    again = json.loads(run(DINING, "--walks", "2", "--seed", str(first["seed"]), "--json").stdout)
    assert again["taken"] == first["taken"]


def test_a_design_is_tried_on_an_instance(tmp_path: Path) -> None:
    result = run(
        str(ROOT / "docs/examples/hasty.py"),
        "-i",
        "power",
        "-p",
        "ConfirmedSurvives",
        "--seed",
        "1",
    )
    assert result.exit_code == 1
    assert result.stdout.startswith("confirms, hasty on power")
    assert "crash_machine()" in result.stdout


def test_a_property_of_runs_is_for_a_search() -> None:
    result = run("-i", "tiny", "-p", "EveryPublishSettles")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: EveryPublishSettles is a property of runs that go on for ever, and a walk ends\n"
        "  instead: search all states: ackproof check --property EveryPublishSettles\n"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((DINING, "-i", "seats"), "there is no instance 'seats'"),
        ((DINING, "-p", "Fair"), "there is no property 'Fair'"),
        (("nowhere.py",), "there is no file nowhere.py"),
        ((DINING, "--steps", "20000"), "Usage: ackproof simulate"),
    ],
)
def test_wrong_input_is_told(args: tuple[str, ...], said: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""
