"""`ackproof eras` prints which property holds in which era, and exits by what the eras expect."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from ackproof.cli.main import app
from ackproof.cli.targets import Target
from ackproof.lang.model import Breaks
from ackproof.model.era_document import schema
from ackproof.model.eras import Surveyor
from ackproof.model.outcome import Limit
from typer.testing import CliRunner, Result

from tests.model.harbour import MODEL, lazy, open_air, shallow

Run = Callable[..., Result]

TABLE = """\

                                                             open_
 property                            documented   shallow    air
 ────────────────────────────────────────────────────────────────────
 properties of states
   ToldIsKept                        holds        breaks 4   breaks 2
                                                  @pair      @single
   ToldIsInside                      holds        breaks 5   breaks 3
                                                  @pair      @single
 properties of steps
   NothingIsUntold                   holds        holds      holds
 what must happen
   QuayEmpties                       holds        holds      breaks 5
                                                             @pair
 situations that must be reachable
   TwoStored                         reached      never      –
 built in
   NoAssertionFails                  holds        holds      holds
   StepsAreDefined                   holds        holds      holds

shallow: ToldIsKept breaks on pair after 4 steps: land, land, store, store
shallow: ToldIsInside breaks on pair after 5 steps: land, land, store, store,
  land
open_air: ToldIsKept breaks on single after 2 steps: land, store
open_air: ToldIsInside breaks on single after 3 steps: land, store, land
open_air: QuayEmpties breaks on pair after 5 steps: land, land, store, land,
  store; then for ever land, store, land, store

to see one in full: ackproof check open_air --property QuayEmpties --instance pair

"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command where the eras of a harbour are all there are."""
    eras = {
        "shallow": SimpleNamespace(design=shallow, __doc__=""),
        "open_air": SimpleNamespace(design=open_air, __doc__=""),
    }
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("ackproof.model.eras.era_names", lambda _: tuple(eras))
    monkeypatch.setattr("ackproof.cli.targets._imported", lambda module, name: eras[name])
    monkeypatch.setattr("ackproof.cli.targets.base_target", lambda: Target(MODEL))

    def invoke(*args: str) -> Result:
        # What is replaced here is so in this process alone.
        result = CliRunner().invoke(app, ["eras", "--engine", "plain", "--workers", "1", *args])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return invoke


def test_the_table_has_a_row_for_each_property_and_a_line_for_each_counterexample(
    run: Run,
) -> None:
    result = run()
    assert result.exit_code == 0
    table, _, rest = result.stdout.partition("9 runs")
    assert table == TABLE
    assert rest.startswith(", 0 of them the same search as another's; ")
    assert rest.endswith("7 of 7 expectations came true\n")


def test_eras_are_named_by_their_beginning_and_the_base_is_one_of_them(run: Run) -> None:
    head = run("shal", "documented").stdout.splitlines()[1]
    assert head.split() == ["property", "shallow", "documented"]


def test_a_file_is_a_column_like_any_other(run: Run) -> None:
    result = run("tests/model/harbour.py")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1].split() == ["property", "harbour"]


def test_a_counterexample_may_go_on_for_ever_or_stay_where_it_is(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (line,) = (s for s in run("open_air").stdout.splitlines() if "QuayEmpties breaks on" in s)
    assert "; then for ever " in line
    module = SimpleNamespace(design=lazy, __doc__="")
    monkeypatch.setattr("ackproof.cli.targets._imported", lambda *_: module)
    assert (
        "shallow: QuayEmpties breaks on single after 1 step: land; there it stays\n"
        in run("shallow").stdout
    )


def test_json_is_a_document_of_its_schema(run: Run) -> None:
    result = run("--json")
    document = json.loads(result.stdout)
    jsonschema.validate(document, schema())
    assert [era["name"] for era in document["eras"]] == ["documented", "shallow", "open_air"]
    assert document["exit_code"] == result.exit_code == 0


def test_what_is_not_as_the_era_says_is_told_and_fails(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = replace(open_air, expect=(Breaks("ToldIsKept", "single", 7), open_air.expect[2]))
    module = SimpleNamespace(design=wrong, __doc__="")
    monkeypatch.setattr("ackproof.cli.targets._imported", lambda *_: module)
    result = run("open_air")
    assert result.exit_code == 1
    assert "\n".join(result.stdout.splitlines()[-7:]).partition("3 runs")[0] == (
        "✗ open_air: ToldIsKept breaks on single after 7 steps, but it breaks after 2\n"
        "    steps\n"
        "✗ open_air: ToldIsInside breaks on single after 3 steps, and no expectation says\n"
        "    so\n\n"
    )
    assert result.stdout.endswith("1 of 2 expectations came true\n")


@pytest.mark.parametrize("searching", [True, False])
def test_an_interruption_shows_what_was_found_until_then(
    run: Run, monkeypatch: pytest.MonkeyPatch, searching: bool
) -> None:
    plain, searched = Surveyor.run, []

    def interrupted(self: Surveyor, *args: Any) -> Any:
        searched.append(args)
        found = plain(self, *args)
        if len(searched) < 5:
            return found
        if not searching:
            raise KeyboardInterrupt
        outcome = replace(found.report.outcome, limit=Limit.INTERRUPTED, exhausted=False)
        return replace(found, report=replace(found.report, outcome=outcome))

    monkeypatch.setattr(Surveyor, "run", interrupted)
    result = run()
    assert result.exit_code == 3
    assert len(searched) == 5
    assert result.stdout.splitlines()[-1] == "incomplete  a search stopped early, or was not made"


def test_eras_in_several_processes_are_those_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ackproof.cli.process_pool.ProcessPool.few", 0)
    monkeypatch.setattr("ackproof.cli.era_runs.runs_here", lambda *_: [])
    files = []
    for design in ("shallow", "open_air"):
        (file := tmp_path / f"{design}.py").write_text(
            f"from tests.model.harbour import MODEL, {design} as design\n"
        )
        files.append(str(file))
    asked = ["eras", "--no-cache", "--json", *files, "--workers"]
    several = CliRunner().invoke(app, [*asked, "2"])
    monkeypatch.undo()
    one = CliRunner().invoke(app, [*asked, "1"])
    assert several.exit_code == one.exit_code == 0
    assert same(several.stdout) == same(one.stdout)


def test_what_is_wrong_with_an_era_is_told_by_whichever_process_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ackproof.cli.process_pool.ProcessPool.few", 0)
    (file := tmp_path / "odd.py").write_text(
        "from ackproof.lang import Design\n"
        "from tests.model.harbour import MODEL, Harbour, lazy\n"
        "class Odd(Harbour):\n"
        '    """Odd."""\n\n'
        "    def odd(self):\n"
        '        """Nobody decorates it."""\n\n'
        'design = Design(claim="Odd.", replace=(Odd,))\n'
    )
    said = [
        CliRunner().invoke(app, ["eras", "--no-cache", "--workers", workers, str(file)]).stderr
        for workers in ("2", "1")
    ]
    assert said[0] == said[1]
    assert "instead: " in said[0]


def same(text: str) -> Any:
    """Return a document without times and memory, and how many have searched."""

    def kept(value: Any) -> Any:
        if isinstance(value, dict):
            left_out = ("timing", "memory", "seconds", "workers")
            return {k: kept(v) for k, v in value.items() if k not in left_out}
        return [kept(v) for v in value] if isinstance(value, list) else value

    return kept(json.loads(text))


def test_an_era_is_a_design_to_other_commands(run: Run) -> None:
    args = ["check", "--engine", "plain", "open_air", "--instance", "single"]
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 1
    assert "ToldIsKept is false after 2 steps" in result.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["medieval"], "error: there is no design 'medieval'"),
        (["--engine", "steam"], "error: there is no engine 'steam'"),
        (["--memory", "much"], "error: --memory 'much' is not a size"),
    ],
)
def test_wrong_input_is_told_in_a_sentence(run: Run, args: list[str], said: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(said)


def test_an_expectation_of_what_is_not_there_is_told_before_the_first_search(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = replace(open_air, expect=(Breaks("ToldIsKept", "moon", 7),))
    module = SimpleNamespace(design=wrong, __doc__="")
    monkeypatch.setattr("ackproof.cli.targets._imported", lambda *_: module)
    monkeypatch.setattr(Surveyor, "run", lambda *_: pytest.fail("searched"))
    result = run("open_air")
    assert result.exit_code == 2
    assert result.stderr.startswith(
        "error: open_air: an expectation names the instance 'moon', which harbour does not have\n"
    )


def test_no_eras_are_no_success(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackproof.model.eras.era_names", lambda _: ())
    result = run()
    assert result.exit_code == 2
    assert result.stderr.startswith("error: there are no eras; give designs of the museum")


def test_progress_says_which_run_it_is(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackproof.cli.era_runs._PAUSE", 0.0)
    result = run()
    assert result.stderr.splitlines()[0] == "1 of 9  documented on pair"
    assert result.stderr.splitlines()[-1] == "9 of 9  open_air on unbuilt"
