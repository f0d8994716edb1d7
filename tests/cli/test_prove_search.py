"""`ackproof prove` finds runs, says what a proof needs, and ends with the right code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from ackproof.cli.main import app
from ackproof.cli.targets import Target
from typer.testing import CliRunner, Result

from tests.cli.test_prove import DESIGN, OWN
from tests.proofs import closet

Run = Callable[..., Result]

WRONG = '''
"""A queue at which somebody is served after a while, and a lemma that denies it."""
from ackproof.lang import *

class Guest(Sort):
    """Somebody."""

class Bar(System):
    came: Set[Guest]
    full: bool
    served: Set[Guest]

    @action
    def come(self, guest: Guest) -> None:
        self.came.add(guest)

    @action
    def fill(self) -> None:
        require(self.came == set(Guest))
        self.full = True

    @action
    def serve(self, guest: Guest) -> None:
        require(self.full and guest in self.came)
        self.served.add(guest)

@invariant
def NeverServed(s: Bar) -> bool:
    """Nobody is served; this is false in the end."""
    return not s.served

@lemma()
def NobodyComes(s: Bar) -> bool:
    """Nobody is there; this is false."""
    return not s.came or not s.full

MODEL = Model(
    "bar", Bar, properties_in(NeverServed), (Instance("two", "two guests", {Guest: 2}),)
)
'''


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run the command in an empty directory, where the closet is all there is to prove."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("ackproof.cli.targets.base_target", lambda: Target(closet.MODEL))
    Path("forgetful.py").write_text(DESIGN)
    Path("lamp.py").write_text(OWN)

    def invoke(*args: str) -> Result:
        result = CliRunner().invoke(app, ["prove", "--workers", "1", *args])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return invoke


# -- what a proof needs ---------------------------------------------------------------------------


def test_each_lemma_is_told_needed_with_what_fails_without_it(run: Run) -> None:
    result = run("AloneInside", "--core")
    assert result.exit_code == 0
    assert "AloneInside  needed: without it FreeIsEmpty/leave is refuted" in result.stdout
    assert "FreeIsEmpty  needed: without it AloneInside/enter is refuted" in result.stdout
    assert "FreeIsEmpty is proved without TheDoorIsLocked" in result.stdout


def test_a_lemma_that_the_rest_does_without_is_told(run: Run) -> None:
    result = run("lamp.py", "--core")
    assert result.exit_code == 0
    assert "SameAlways  not needed: the rest is a proof without it" in result.stdout
    assert "WarmIsOn is proved without SameAlways" in result.stdout
    assert result.stdout.endswith("core has 0 of 1 hypotheses; unused names: 1\n")


def test_what_a_proof_needs_is_told_to_programs(run: Run) -> None:
    told = json.loads(run("AloneInside", "--core", "--json").stdout)
    assert told["lemmas"][1] == {
        "name": "FreeIsEmpty",
        "in_core": True,
        "without": "AloneInside/enter",
        "result": "refuted",
    }
    assert told["unused_hypotheses"] == {"FreeIsEmpty": ["TheDoorIsLocked"]}


def test_a_proof_that_fails_is_not_asked_what_it_needs(run: Run) -> None:
    result = run("AloneInside", "forgetful.py", "--core", "--counterexamples", "0")
    assert result.exit_code == 1
    assert result.stderr == "only a complete proof has a core\n"
    assert "refuted" in result.stdout


# -- runs -----------------------------------------------------------------------------------------


def test_a_run_that_breaks_a_property_is_shown(run: Run) -> None:
    result = run("NoPair", "forgetful.py", "--depth", "4", "--instance", "pair")
    assert result.exit_code == 1
    assert "NoPair is false after 2 steps; no shorter run does it" in result.stdout
    assert "violated  NoPair, in " in result.stdout


def test_a_run_that_is_not_there_up_to_a_depth_is_no_proof(run: Run) -> None:
    result = run("NoPair", "--depth", "3")
    assert result.exit_code == 3
    assert "closet on pair  (2 Guest)" in result.stdout
    assert result.stdout.endswith(
        "  no run of at most 3 steps breaks it; what lies deeper was not looked at\n"
    )


def test_an_induction_at_given_sizes_verifies_with_what_it_assumes(run: Run) -> None:
    assert run("FreeIsEmpty", "--induction", "1").exit_code == 3
    result = run("FreeIsEmpty", "--induction", "1", "--using", "AloneInside")
    assert result.exit_code == 0
    assert "  with AloneInside: proved together, or nothing is\n" in result.stdout
    assert "verified  FreeIsEmpty, in " in result.stdout


def test_an_induction_with_a_lemma_that_is_false_verifies_nothing(run: Run) -> None:
    Path("wrong.py").write_text(WRONG)
    result = run("NeverServed", "wrong.py", "--induction", "1", "--using", "NobodyComes")
    assert result.exit_code == 3
    assert "verified" not in result.stdout
    said = " ".join(result.stdout.split())
    assert "NobodyComes is assumed, and 1 step does not imply it; give lemmas for it, too" in said


def test_nothing_is_assumed_in_its_own_proof(run: Run) -> None:
    result = run("FreeIsEmpty", "--induction", "1", "--using", "FreeIsEmpty", "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["results"][0]["assumed"]) == (3, [])
    assert told["results"][0]["verdict"] == "bounded"


def test_each_instance_that_is_named_is_searched(run: Run) -> None:
    Path("two.py").write_text(
        "from dataclasses import replace\n"
        "from ackproof.lang import Instance\n"
        "from tests.proofs.closet import MODEL as BASE, Guest\n"
        'one = Instance("one", "one guest", {Guest: 1})\n'
        "MODEL = replace(BASE, instances=(*BASE.instances, one))\n"
    )
    result = run("NoPair", "two.py", "--depth", "2", "-i", "pair", "-i", "one", "-i", "pair")
    titles = [line for line in result.stdout.splitlines() if line.startswith("closet on")]
    assert titles == ["closet on pair  (2 Guest)", "closet on one  (1 Guest)"]


def test_what_was_searched_is_told_to_programs(run: Run) -> None:
    result = run("NoPair", "forgetful.py", "--depth", "4", "--json")
    told = json.loads(result.stdout)
    [entry] = told["results"]
    assert (told["exit_code"], result.exit_code) == (1, 1)
    assert (entry["verdict"], entry["depth"], entry["instance"]) == ("violated", 2, "pair")
    assert [step.partition("(")[0] for step in entry["run"]] == ["enter", "enter"]


# -- wrong input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--depth", "3"], "error: --depth needs something to prove: name a property\n"),
        (["NoPair", "--core", "--depth", "3"], "error: --core and --depth are two things to do"),
        (["--list", "--core"], "error: --list and --core are two things to do"),
        (["--core", "--certificate", "x"], "error: --core and --certificate are two things to"),
        (["NoPair", "--instance", "pair"], "error: --instance goes with --depth or"),
        (["NoPair", "--depth", "2", "--using", "NoPair"], "error: --using goes with --induction"),
        (["NoPair", "--depth", "2", "-i", "pear"], "error: there is no instance 'pear'; did you"),
        (["NoPair", "--induction", "1", "--using", "Alone"], "error: there is no lemma 'Alone'"),
        (["EverybodyLeaves", "--depth", "2"], "error: EverybodyLeaves is not false at the end"),
    ],
)
def test_wrong_input_is_told_in_a_sentence(run: Run, args: list[str], said: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(said)
