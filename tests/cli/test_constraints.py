"""What bounds a search is said wherever it is shown: what is cut, and within what it holds."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from ackproof.cli.main import app
from ackproof.model.document import schema
from typer.testing import CliRunner, Result

COUNTING = str(Path(__file__).parents[2] / "tests/model/counting.py")


FAR_AWAY = '''"""A design whose counters part where nobody looks."""
from ackproof.lang import Design, action, require

from tests.model.counting import MODEL, Counting


class Far(Counting):
    """Takes the first one back when the second is far."""

    @action(fair="weak")
    def raise_b(self) -> None:
        """Raise the second one."""
        require(self.b < 40)
        self.b += 1
        if self.b > 30:
            self.a = 0


design = Design(claim="It makes no difference.", replace=(Far,))
'''


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is found apart from other tests."""
    monkeypatch.setenv("ACKPROOF_CACHE", str(tmp_path / "cache"))


def run(command: str, *args: str, written: str = "") -> Result:
    result = CliRunner().invoke(app, [command, COUNTING, *args], input=written)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result


def test_a_report_says_how_many_states_are_cut_and_within_what_it_holds() -> None:
    for again in (False, True):
        result = run("check", "-p", "Cut")
        lines = result.stdout.splitlines()
        assert result.exit_code == 0
        assert any("from the cache" in line for line in lines) is again
        at = lines.index("  states       60 distinct")
        assert lines[at + 1] == (
            "  cut          16 of them are not expanded: there SmallSum or NotAhead is false"
        )
        assert lines[-1] == (
            "verified  every property holds within SmallSum and NotAhead; "
            "what lies behind 16 states was not looked at"
        )


def test_two_systems_are_alike_within_what_bounds_them() -> None:
    last = " ".join(run("diff", COUNTING).stdout.split("alike")[-1].split())
    assert last == (
        "what is seen does not tell them apart on small, within SmallSum and NotAhead; "
        "what lies beyond was not looked at"
    )


def test_a_design_that_changes_what_lies_beyond_is_unchanged_within(tmp_path: Path) -> None:
    design = tmp_path / "far.py"
    design.write_text(FAR_AWAY)
    result = CliRunner().invoke(app, ["check", str(design), "-p", "Cut"])
    assert result.exit_code == 3, result.output
    assert "unchanged  every property holds" in result.stdout
    assert "within SmallSum and NotAhead; what lies behind 16 states" in result.stdout


def test_a_sweep_says_what_bounds_it() -> None:
    result = run("check", "-p", "Cut", "--sweep", "200")
    assert "  within           SmallSum and NotAhead; what lies beyond was not" in result.stdout


def test_a_document_has_the_states_that_are_cut_and_the_constraints() -> None:
    document = json.loads(run("check", "--json", "-p", "Cut").stdout)
    jsonschema.validate(document, schema())
    (result,) = document["results"]
    assert (result["states"], result["cut"]) == (60, 16)
    assert result["constraints"] == ["SmallSum", "NotAhead"]
    assert {p["name"] for p in result["properties"]}.isdisjoint(result["constraints"])


@pytest.mark.parametrize("command", ["check", "prove"])
def test_a_constraint_is_no_property(command: str) -> None:
    name = ("-p", "SmallSum") if command == "check" else ("SmallSum",)
    result = run(command, *name)
    assert result.exit_code == 2
    assert "there is no property 'SmallSum'" in result.stderr


def test_the_list_has_constraints_of_their_own() -> None:
    printed = run("check", "--list").stdout
    assert "constraints: no step is taken from where one is false" in printed
    assert "The counters are small together." in printed


def test_who_steps_by_hand_is_told_why_no_step_is_possible() -> None:
    result = run("explore", written="raise_a\nraise_a\nraise_a\n")
    assert result.stdout.count("  no step is taken from here: NotAhead is false\n") == 1


def test_random_walks_say_where_they_end() -> None:
    printed = run("simulate", "-p", "Cut", "--seed", "1", "--walks", "10").stdout
    assert "came to where nothing changes, or SmallSum or NotAhead is false" in " ".join(
        printed.split()
    )
