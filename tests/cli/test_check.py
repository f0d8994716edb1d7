"""`ackproof check` shows what it found, in the form and with the exit code that it promises."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from ackproof.model.document import schema
from typer.testing import Result

from tests.cli.checking import CORRIDOR, DEPOT, DIE_HARD, DINING, MAIL, TWO_PHASE, Run

DIE_HARD_TRACE = """\
die hard on jugs
  three and five gallons

NeverFourGallons is false after 6 steps; no shorter run does it
  The puzzle has no solution; it is false.  [tests/models/die_hard.py:58]

     DieHard
        │
  1     ●    fill_big()
        │      big  0 → 5
  2     ●    big_to_small()
        │      small  0 → 3
        │      big  5 → 2
  3     ●    empty_small()
        │      small  3 → 0
  4     ●    big_to_small()
        │      small  0 → 2
        │      big  2 → 0
  5     ●    fill_big()
        │      big  0 → 5
  6     ●    big_to_small()
        │      small  2 → 3
        │      big  5 → 4

  (● the process that acts)

  s.big == 4   is True and must not be
    where  s.big = 4

  states       14 distinct
  transitions  72
  depth        7 levels, the widest of 3 states
"""


def test_a_violation_is_shown_with_its_trace_its_reason_and_the_counts(run: Run) -> None:
    result = run(DIE_HARD)
    assert result.exit_code == 1
    assert result.stdout.startswith(DIE_HARD_TRACE)
    assert result.stdout.endswith("\nviolated  NeverFourGallons after 6 steps\n")
    assert result.stderr == ""


def test_without_a_violation_the_verdict_and_the_counts_are_shown(run: Run) -> None:
    result = run(DINING)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "dining philosophers on seats3  (3 Seat)"
    assert "  states       35 distinct" in lines
    assert "  properties   4 hold, 1 reached as they should be" in lines
    assert "  actions      5 taken" in lines
    assert lines[-1] == "verified  every property holds in the whole state space"


SEVERAL = (MAIL, "-i", "pair", "--continue")


def broken_and_lengths(result: Result) -> dict[str, int]:
    found = json.loads(result.stdout)["results"][0]["violations"]
    return {v["property"]: v["steps"] for v in found}


def test_the_first_violation_ends_a_search_and_the_report_says_how_to_go_on(run: Run) -> None:
    result = run(MAIL, "-i", "pair")
    assert "  (--verbose names them; --continue decides what is undecided)\n" in result.stdout
    assert len(broken_and_lengths(run(MAIL, "-i", "pair", "--json"))) < len(
        broken_and_lengths(run(*SEVERAL, "--json"))
    )


@pytest.mark.parametrize("engine", ["plain", "kernel"])
def test_with_continue_all_that_breaks_is_said_and_the_shortest_run_is_shown(
    run: Run, engine: str
) -> None:
    lengths = broken_and_lengths(run(*SEVERAL, "-e", engine, "--json"))
    result = run(*SEVERAL, "-e", engine)
    assert result.exit_code == 1
    shown, _, listed = result.stdout.partition(
        "\nalso false, by other runs, which --verbose shows:\n"
    )
    rows = dict(re.findall(r"^  (\w+) +after (\d+) step", listed, re.MULTILINE))
    assert shown.count("; no shorter run does it\n") == 1
    assert {name for name in lengths if f"\n{name} is false" not in shown} == set(rows)
    assert all(lengths[name] == int(steps) for name, steps in rows.items())
    assert f"is false after {min(lengths.values())} step" in shown
    assert "undecided" not in result.stdout
    assert "--continue" not in result.stdout


def test_with_verbose_every_run_is_shown(run: Run) -> None:
    shown = run(*SEVERAL, "--verbose").stdout
    for name in broken_and_lengths(run(*SEVERAL, "--json")):
        assert re.search(rf"^{name} (is|stays) false", shown, re.MULTILINE)


def test_the_verdict_names_a_few_of_what_breaks_and_counts_the_rest(run: Run) -> None:
    broken = broken_and_lengths(run(*SEVERAL, "--json"))
    verdict = run(*SEVERAL).stdout.splitlines()[-1]
    assert verdict.count(" after ") == min(len(broken), 3)
    assert verdict.endswith(f", and {len(broken) - 3} more") == (len(broken) > 3)


def test_what_never_happened_is_named(run: Run) -> None:
    result = run(MAIL, "-i", "small", "-p", "Impossible")
    assert result.exit_code == 3
    assert "  never reached: Impossible\n" in result.stdout
    assert result.stdout.endswith("\nunwitnessed  Impossible is never reached\n")


def test_what_the_instance_leaves_out_is_named_on_its_own(run: Run) -> None:
    result = run(DEPOT)
    assert result.exit_code == 0
    assert result.stdout.startswith("depot on off  (2 Parcel)\n")
    assert "1 reached as they should be, 2 off, 3 vacuous\n" in result.stdout
    assert "  actions      2 taken, 9 off\n\n  (--verbose names them)\n" in result.stdout
    assert "ClaimedIsInsured" not in result.stdout


def test_verbose_names_what_is_counted_and_counts_the_steps_of_each_action(run: Run) -> None:
    result = run(DEPOT, "--verbose")
    assert "    actions, off: insure, claim, load, fire, fraud," in result.stdout
    assert "    properties, vacuous: ClaimedIsInsured, StoredCameIn," in result.stdout
    assert "insure  " not in result.stdout
    assert "(--verbose" not in result.stdout
    assert "    take_first              18\n" in run(DINING, "-v").stdout
    assert "properties, undecided: " in run(DIE_HARD, "-v", "--depth", "3").stdout


def test_a_search_to_a_depth_says_what_it_did_not_look_at(run: Run) -> None:
    result = run(DINING, "--depth", "3")
    assert result.exit_code == 3
    assert result.stdout.endswith(
        "\nbounded  complete to level 3; what lies deeper was not looked at\n"
    )


def test_several_checks_make_a_table(run: Run) -> None:
    result = run(TWO_PHASE, DINING, DIE_HARD)
    assert result.exit_code == 1
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["two_phase_commit", "rm2", "verified", "56"] in [r[:4] for r in rows]
    assert ["dining", "seats3", "verified", "35"] in [r[:4] for r in rows]
    assert ["die_hard", "jugs", "violated", "14"] in [r[:4] for r in rows]
    assert "NeverFourGallons is false after 6 steps" in result.stdout


def test_json_is_alone_on_standard_output_and_fits_its_schema(run: Run) -> None:
    result = run(TWO_PHASE, DIE_HARD, "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    jsonschema.validate(found, schema())
    assert [r["verdict"] for r in found["results"]] == ["verified", "violated"]
    assert [r["states"] for r in found["results"]] == [56, 14]


def test_itf_writes_a_file_for_each_counterexample(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "trace.itf.json"
    result = run(MAIL, "-p", "NothingIsLost", "-p", "AllStored", "--itf", str(file))
    other = tmp_path / "trace-2.itf.json"
    assert set(result.stderr.splitlines()) == {
        f"wrote {file}: the counterexample to AllStored",
        f"wrote {other}: the counterexample to NothingIsLost",
    }
    assert len(json.loads(file.read_text())["states"]) == 3
    assert len(json.loads((tmp_path / "trace-2.itf.json").read_text())["states"]) == 3


def test_itf_without_a_counterexample_writes_nothing_and_says_so(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "trace.itf.json"
    result = run(DINING, "--itf", str(file))
    assert result.stderr == f"there is no counterexample, so {file} was not written\n"
    assert not file.exists()


def test_a_defect_of_the_program_is_reported_in_a_line(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("ackproof.model.check.check_bound", broken)
    result = run(DINING)
    assert result.exit_code == 70
    assert result.stderr == (
        "internal error: ZeroDivisionError: by zero\n"
        "this is a defect of ackproof; with ACKPROOF_TRACEBACK=1 it shows where\n"
    )


def test_a_file_of_the_specification_that_is_no_python_is_no_defect_of_the_program(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "store.py"
    file.write_text("class Store:\n    def put(\n")

    def broken(*_: object, **__: object) -> None:
        compile(file.read_text(), file, "exec")

    monkeypatch.setattr("ackproof.model.check.check_bound", broken)
    result = run(DINING)
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: {file}:2:12: this is not Python: '(' was never closed\n"
        "  2 |     def put(\n"
        "    |            ^\n"
        "  instead: correct the syntax; python -m py_compile shows the same place\n"
    )


@pytest.mark.parametrize("engine", ["plain", "kernel"])
def test_no_deadlock_is_checked_where_it_is_asked_for(
    run: Run, file: Callable[[str], str], engine: str
) -> None:
    mine = file(CORRIDOR)
    assert run(mine, "--engine", engine).exit_code == 0
    asked = run(mine, "--engine", engine, "-p", "NoDeadlock")
    assert asked.exit_code == 1
    assert asked.stdout.endswith("\nviolated  NoDeadlock after 2 steps\n")


def test_an_instance_that_is_named_twice_is_checked_once(run: Run) -> None:
    found = json.loads(run(DINING, "-i", "seats3", "-i", "seats3", "--json").stdout)
    assert len(found["results"]) == 1


def test_a_memory_that_is_too_small_for_a_state_truncates(run: Run) -> None:
    result = run(DINING, "--memory", "1B", "--engine", "kernel")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].startswith("truncated  the memory limit was reached")


def test_what_a_file_prints_is_no_result(run: Run, file: Callable[[str], str]) -> None:
    result = run(file("print('hello')\n" + CORRIDOR), "--json")
    assert json.loads(result.stdout)["exit_code"] == 0
    assert result.stderr == "hello\n"


def test_the_marks_of_a_listing_are_explained_once(
    run: Run, careless: Callable[[int], str]
) -> None:
    result = run(careless(2))
    assert result.stdout.count("● the process that acts") == 1
    assert "○ another that changes" in result.stdout
    assert "a set gets the element" in result.stdout


def test_the_specification_is_shown_as_it_is_at_an_instance(run: Run) -> None:
    result = run("--instance", "tiny", "--print-python")
    assert result.exit_code == 0
    compile(result.stdout, "<printed>", "exec")
    assert "class Confirms(_Confirms):" in result.stdout
    # `tiny` has no mirrors, and programs have no ghosts.
    promote = result.stdout.split("def promote(self, replica):")[1]
    assert promote.split("def ")[0].strip() == "raise NotEnabled"
    assert "seniors" not in result.stdout
