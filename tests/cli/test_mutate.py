"""`ackproof mutate` says which mistakes nothing notices, and exits by that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from ackproof.cli.main import app
from ackproof.model.mutation.document import schema
from typer.testing import CliRunner, Result

PETERSON = str(Path(__file__).parents[1] / "models" / "peterson.py")


def run(*args: str) -> Result:
    result = CliRunner().invoke(app, ["mutate", *args])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result


def refused(*args: str) -> str:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is known from other runs."""
    monkeypatch.setenv("ACKPROOF_CACHE", str(tmp_path / "cache"))
    return


def test_what_nothing_notices_is_shown_with_its_place() -> None:
    result = run(PETERSON, "--step", "may_enter", "--workers", "1")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].endswith(" of 48 mutants")
    assert any("peterson.py:65  Peterson.may_enter" in line for line in lines)
    assert lines[-1] == "0 of those that nothing notices are explained; 1 not"


def test_json_has_each_mutant_with_who_noticed_it() -> None:
    result = run(PETERSON, "--step", "Peterson.yield_turn", "--json", "--workers", "1")
    found = json.loads(result.stdout)
    jsonschema.validate(found, schema())
    assert found["judged"] == len(found["entries"]) < found["mutants"] == 48
    assert result.exit_code == found["exit_code"] == 0
    for entry in found["entries"]:
        assert entry["place"] == "Peterson.yield_turn"
        assert entry["fate"] == "killed"
        assert entry["killers"]
    assert sum(p["first"] for p in found["properties"]) == found["judged"]


def test_a_second_run_takes_verdicts_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (PETERSON, "--step", "Peterson.yield_turn", "--json", "--workers", "1")
    first = run(*arguments)

    def forbidden(*_: object) -> None:
        raise AssertionError("judged again")

    monkeypatch.setattr("ackproof.cli.mutant_runs._judge", forbidden)
    assert run(*arguments).stdout == first.stdout


def test_what_is_explained_can_be_left_out() -> None:
    of_one = ("--step", "Channel.note", "--states", "500", "--workers", "1", "--json")
    everything, rest = (json.loads(run(*of_one, *more).stdout) for more in ((), ("--unexplained",)))
    explained = [m for m in everything["entries"] if m["explanation"]]
    assert explained
    assert rest["entries"] == [m for m in everything["entries"] if not m["explanation"]]


def test_several_processes_find_what_one_finds() -> None:
    arguments = (PETERSON, "--sample", "4", "--seed", "7", "--json", "--no-cache")
    one, two = (run(*arguments, "--workers", n) for n in ("1", "2"))
    assert one.stdout == two.stdout
    assert json.loads(one.stdout)["judged"] == 4


def test_a_survivor_of_the_base_is_kept_as_a_design_that_check_takes(tmp_path: Path) -> None:
    folder = tmp_path / "found"
    some = ("--step", "Casts.next_for", "--states", "500", "--workers", "1")
    assert run(*some, "--keep", str(folder)).exit_code == 1
    (file,) = folder.iterdir()
    checked = CliRunner().invoke(app, ["check", str(file), "-i", "tiny", "-e", "plain"])
    assert "claim: Casts.next_for: has `max` for `min`" in checked.stdout


def test_wrong_input_is_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    assert "did you mean yield_turn?" in refused(PETERSON, "--step", "yield_turns")
    assert "there is no file" in refused("nowhere.py")
    assert "is a design, and mistakes are made in a model" in refused("b10")
    assert "--keep writes designs" in refused(PETERSON, "--keep", str(tmp_path))
    file = tmp_path / "file"
    file.touch()
    assert "is not a directory" in refused("--keep", str(file))
