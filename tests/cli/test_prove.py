"""`ackproof prove` says what is proved, where a proof fails, and ends with the right exit code."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ackproof.cli.main import app
from ackproof.cli.targets import Target
from ackproof.proofs import attempt as attempts
from ackproof.proofs.discharge import Outcome
from ackproof.proofs.document import schema
from ackproof.proofs.solving import UNKNOWN
from typer.testing import CliRunner, Result

from tests.proofs import closet

Run = Callable[..., Result]

DESIGN = '''
"""A design of the closet."""
from ackproof.lang import *
from tests.proofs.closet import Closet, Entered, Guest

class Forgetful(Closet):
    @action
    def enter(self, guest: Guest) -> None:
        require(self.free)
        self.inside.add(guest)
        self.emit(Entered(guest))

design = Design("The key may stay where it is.", replace=(Forgetful,))
'''

OWN = '''
"""A system of its own, with its lemma beside it."""
from ackproof.lang import *

class Lamp(System):
    on: bool = False
    warm: bool = False

    @action
    def switch(self) -> None:
        self.on = not self.on
        self.warm = self.on

@invariant
def WarmIsOn(s: Lamp) -> bool:
    """What is warm is on."""
    return s.on or not s.warm

@lemma()
def SameAlways(s: Lamp) -> bool:
    """It is warm as long as it is on."""
    return s.on == s.warm

PROOFS = {"WarmIsOn": ("SameAlways",)}
MODEL = Model("lamp", Lamp, properties_in(WarmIsOn), (Instance("one", "", {}),))
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


def lines(result: Result) -> list[str]:
    """Return what was printed, without times."""
    return [line.rpartition("  ")[0].strip() for line in result.stdout.splitlines()]


def test_what_is_proved_is_told_with_what_it_stands_on(run: Run) -> None:
    result = run()
    assert result.exit_code == 0
    assert "  sizes       any number of Guest, any constants, any number of faults" in result.stdout
    assert "assumed     TheDoorIsLocked: There is a lock." in result.stdout
    assert "AloneInside          proved      1 initiation, 2 consecution" in lines(result)
    assert "with FreeIsEmpty, TheDoorIsLocked" in result.stdout
    assert "follows from AloneInside" in result.stdout
    assert "FreeIsEmpty          proved      written   1 initiation, 2 consecution" in lines(result)
    assert result.stdout.endswith(
        "proved      for all sizes: AloneInside, NoPair, EntersAnEmptyCloset, WhoLeavesIsOutside\n"
    )


def test_a_constraint_is_not_assumed_and_that_is_said(run: Run) -> None:
    text = OWN.replace("properties_in(WarmIsOn)", "properties_in(WarmIsOn, IsCold)").replace(
        "PROOFS =", "@constraint\ndef IsCold(s: Lamp) -> bool:\n    return not s.on\n\n\nPROOFS ="
    )
    Path("cold.py").write_text(text)
    result = run("cold.py", "WarmIsOn")
    assert "  not assumed IsCold: what is proved holds beyond it, too\n" in result.stdout
    assert result.exit_code == 0


def test_each_obligation_of_a_property_that_is_named_has_a_line(run: Run) -> None:
    result = run("AloneInside")
    for said in ("initiation   initially", "consecution  enter", "consecution  leave"):
        assert f"      {said}" in result.stdout
    assert "EntersAnEmptyCloset" not in result.stdout


def test_a_design_that_breaks_a_property_fails_at_a_named_obligation(run: Run) -> None:
    result = run("NoPair", "forgetful.py")
    assert result.exit_code == 1
    assert "closet, forgetful\n  claim: The key may stay where it is.\n" in result.stdout
    assert "      fails at FreeIsEmpty/enter\n" in result.stdout
    assert "FreeIsEmpty/enter: a step after which it is false" in result.stdout
    assert "Reachable" in result.stdout
    assert result.stdout.splitlines()[-1].endswith("NoPair")


def test_the_document_has_the_obligations_and_the_counterexample(run: Run) -> None:
    result = run("NoPair", "forgetful.py", "--json")
    told = json.loads(result.stdout)
    jsonschema.validate(told, schema())
    [proof] = told["results"]
    assert (told["exit_code"], result.exit_code) == (1, 1)
    assert proof["design"] == {"name": "forgetful", "claim": "The key may stay where it is."}
    assert proof["properties"][0]["fails"] == ["FreeIsEmpty/enter"]
    [found] = proof["counterexamples"]
    assert found["answer"] == "reachable"
    assert found["step"] == ["enter(guest=g1)"]


def test_no_counterexample_is_looked_for_where_none_is_wanted(run: Run) -> None:
    result = run("NoPair", "forgetful.py", "--json", "--counterexamples", "0")
    assert json.loads(result.stdout)["results"][0]["counterexamples"] == []
    assert result.exit_code == 1


def test_a_timeout_is_unknown_and_the_exit_code_says_incomplete(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(_: Any, chosen: Any, *__: Any) -> Iterator[Outcome]:
        yield from (Outcome(one, UNKNOWN, 0.1, "timeout") for one in chosen)

    monkeypatch.setattr(attempts, "discharge", late)
    result = run("AloneInside")
    assert result.exit_code == 3
    assert "unknown after 0.1 s: timeout" in result.stdout
    # Each is true, so there is nothing to be found in small sizes either.
    assert "AloneInside/initially: no counterexample to induction was found" in result.stdout


@pytest.fixture
def gullible(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a prover that proves whatever it is asked."""

    def believed(_: Any, chosen: Any, *__: Any) -> Iterator[Outcome]:
        yield from (Outcome(one, "proved", 0.1) for one in chosen)

    monkeypatch.setattr(attempts, "discharge", believed)


def test_what_is_proved_is_held_against_what_the_checker_finds(run: Run) -> None:
    result = run("lamp.py")
    assert "  held against  2 states that the checker sees, all of one\n" in result.stdout


@pytest.mark.usefixtures("gullible")
def test_a_run_that_breaks_what_is_proved_is_told_as_a_defect_of_the_prover(run: Run) -> None:
    Path("dim.py").write_text(OWN.replace("return s.on or not s.warm", "return not s.warm"))
    result = run("dim.py")
    assert result.exit_code == 4
    said = " ".join(result.stdout.split())
    assert (
        "WarmIsOn is proved, and on one the checker finds a run that breaks it, which plain Python "
        "confirms: the prover is wrong 1 switch()"
    ) in said
    assert "contradicted every obligation is proved, and a run breaks it: a defect" in said
    assert "for all sizes" not in said


@pytest.mark.usefixtures("gullible")
def test_a_design_that_breaks_what_is_proved_of_it_is_told_so(run: Run) -> None:
    assert run("AloneInside", "forgetful.py").exit_code == 4
    assert run("AloneInside").exit_code == 0


def test_a_file_may_bring_a_model_with_its_own_lemmas(run: Run) -> None:
    result = run("lamp.py")
    assert result.exit_code == 0
    assert "proved      for all sizes: WarmIsOn" in result.stdout


def test_the_list_says_what_is_proved_with_what(run: Run) -> None:
    result = run("--list")
    assert result.exit_code == 0
    assert "      Where the key hangs, nobody is inside. [with AloneInside, " in result.stdout
    assert "assumed of the constants\n  TheDoorIsLocked\n" in result.stdout
    names = [c["name"] for c in json.loads(run("--list", "--json").stdout)["goals"]]
    properties = ["AloneInside", "NoPair", "EntersAnEmptyCloset", "WhoLeavesIsOutside"]
    assert names == [*properties, "FreeIsEmpty"]


def test_a_certificate_is_written_and_found_good(run: Run) -> None:
    result = run("--certificate", "kept/proof")
    assert result.exit_code == 0
    assert "wrote kept/proof: 9 obligations; check it: ackproof prove --recheck" in result.stderr
    again = run("--recheck", "kept/proof")
    assert again.exit_code == 0
    assert "  cvc5  9 of 9 obligations are met\n  z3    9 of 9" in again.stdout
    assert "  assumed: TheDoorIsLocked\n" in again.stdout


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a certificate."""
    from ackproof.proofs.certificate import write

    folder = tmp_path_factory.mktemp("certificate")
    attempt = attempts.prepare(closet.MODEL, closet.LIBRARY, ["AloneInside"])
    claims = (*closet.MODEL.properties, *closet.LIBRARY.claims())
    write(folder, attempt, claims)
    return folder


def test_a_file_that_was_changed_is_named(run: Run, original: Path) -> None:
    shutil.copytree(original, "proof")
    file = next(Path("proof/obligations").glob("*FreeIsEmpty-leave*"))
    file.write_text("(check-sat)")
    result = run("--recheck", "proof")
    assert result.exit_code == 1
    assert "FreeIsEmpty/leave (obligations/0006-FreeIsEmpty-leave.smt2): it is not the file" in (
        " ".join(result.stdout.split())
    )
    told = json.loads(run("--recheck", "proof", "--json").stdout)
    assert [w["name"] for w in told["wrong"]] == [
        f"FreeIsEmpty/leave ({file.relative_to('proof')})"
    ]
    assert told["exit_code"] == 1


def test_a_certificate_of_what_has_changed_since_is_no_success(run: Run, original: Path) -> None:
    shutil.copytree(original, "proof")
    manifest = json.loads(Path("proof/manifest.json").read_text())
    Path("proof/manifest.json").write_text(json.dumps({**manifest, "digest": "0" * 64}))
    result = run("--recheck", "proof")
    assert result.exit_code == 3
    assert "closet has changed since, or its lemmas have: prove it again" in result.stdout


def hashed(manifest: dict[str, Any], number: int, text: str) -> None:
    """Give an obligation another file, and its hash."""
    one = manifest["obligations"][number]
    (Path("proof") / one["file"]).write_text(text)
    one["sha256"] = hashlib.sha256(text.encode()).hexdigest()


def all_untouched(manifest: dict[str, Any]) -> None:
    """Say that no step writes anything that a goal reads."""
    for goal in manifest["goals"]:
        goal["untouched"] = manifest["actions"]
    kept = [o for o in manifest["obligations"] if o["kind"] == "initiation"]
    manifest["obligations"] = kept


def one_action_less(manifest: dict[str, Any]) -> None:
    """Say that there is no such action."""
    manifest["actions"].remove("enter")
    kept = [o for o in manifest["obligations"] if o["action"] != "enter"]
    manifest["obligations"] = kept


def false_file(manifest: dict[str, Any]) -> None:
    """Put a contradiction in the place of an obligation."""
    hashed(manifest, 3, "(set-logic ALL)\n(assert false)\n(check-sat)\n")


def one_file_for_all(manifest: dict[str, Any]) -> None:
    """Let one file stand for each obligation."""
    one = manifest["obligations"][0]
    for other in manifest["obligations"]:
        other.update(file=one["file"], sha256=one["sha256"])


def swapped_files(manifest: dict[str, Any]) -> None:
    """Let the files of two obligations change places."""
    one, other = manifest["obligations"][2:4]
    for key in ("file", "sha256"):
        one[key], other[key] = other[key], one[key]


def nothing(manifest: dict[str, Any]) -> None:
    """Prove nothing."""
    manifest.update(proved=[], goals=[], obligations=[], assumptions=[])


def unnamed_assumption(manifest: dict[str, Any]) -> None:
    """Keep quiet about an assumption, and call it a goal."""
    [one] = manifest["assumptions"]
    manifest["assumptions"] = []
    goal = {**manifest["goals"][0], "name": one["name"], "untouched": manifest["actions"]}
    manifest["goals"].append(goal)
    first = {**manifest["obligations"][0], "goal": one["name"], "hypotheses": []}
    manifest["obligations"].append(first)


def another_text(manifest: dict[str, Any]) -> None:
    """Say of a goal that it says something else."""
    manifest["goals"][0]["text"] = "return all(nobody is ever inside)"


@pytest.mark.parametrize(
    "change",
    [
        all_untouched,
        one_action_less,
        false_file,
        one_file_for_all,
        swapped_files,
        nothing,
        unnamed_assumption,
        another_text,
    ],
)
def test_a_certificate_that_is_not_of_the_specification_does_not_pass(
    run: Run, original: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    shutil.copytree(original, "proof")
    assert run("--recheck", "proof").exit_code == 0
    manifest = json.loads(Path("proof/manifest.json").read_text())
    change(manifest)
    Path("proof/manifest.json").write_text(json.dumps(manifest))
    result = run("--recheck", "proof")
    assert result.exit_code == 1
    assert "wrong  the certificate does not show what it says" in result.stdout


def test_an_invariant_that_reads_otherwise_does_not_pass(run: Run, original: Path) -> None:
    shutil.copytree(original, "proof")
    Path("proof/invariant.txt").write_text("Nobody is ever inside.")
    result = run("--recheck", "proof")
    assert result.exit_code == 1
    assert "invariant.txt does not say what is proved" in result.stdout


def test_what_is_shown_names_the_obligation_that_is_another(run: Run, original: Path) -> None:
    shutil.copytree(original, "proof")
    manifest = json.loads(Path("proof/manifest.json").read_text())
    false_file(manifest)
    Path("proof/manifest.json").write_text(json.dumps(manifest))
    said = " ".join(run("--recheck", "proof").stdout.split())
    file = manifest["obligations"][3]["file"]
    name = manifest["obligations"][3]["name"]
    assert f"the certificate: file {file} is not {name}, as the specification has it" in said


@pytest.mark.parametrize("key", ["proved", "assumptions", "obligations", "model", "design"])
def test_a_manifest_that_lacks_something_is_wrong_input(run: Run, original: Path, key: str) -> None:
    shutil.copytree(original, "proof")
    manifest = json.loads(Path("proof/manifest.json").read_text())
    Path("proof/manifest.json").write_text(json.dumps({**manifest, key: 7}))
    result = run("--recheck", "proof")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "manifest.json does not say what is proved, of which model, by which" in result.stderr


def test_a_certificate_of_a_design_is_compared_with_that(run: Run) -> None:
    assert run("lamp.py", "--certificate", "proof").exit_code == 0
    assert run("--recheck", "proof", "lamp.py").exit_code == 0
    other = run("--recheck", "proof")
    assert other.exit_code == 3
    assert "it is of lamp; name that to have it compared" in " ".join(other.stdout.split())


def test_a_model_whose_lemmas_are_not_there_is_wrong_input(run: Run) -> None:
    Path("lost.py").write_text(
        OWN + "from dataclasses import replace\nMODEL = replace(MODEL, lemmas='nowhere')\n"
    )
    result = run("lost.py")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(
        "error: the lemmas of lamp cannot be imported from nowhere: No module named 'nowhere'\n"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["aloneinside"], "error: there is no design 'aloneinside'"),
        (["AloneOutside"], "error: there is no property 'AloneOutside'; did you mean AloneInside?"),
        (["EverybodyLeaves"], "error: EverybodyLeaves is of the kind 'eventually'"),
        (["forgetful.py", "lamp.py"], "error: forgetful.py and lamp.py are two designs"),
        (["nowhere.py"], "error: there is no file nowhere.py"),
        (["--certificate", "lamp.py"], "error: --certificate lamp.py is a file; name a directory"),
        (["--certificate", "."], "error: --certificate . has something else in it"),
        (["--recheck", "nowhere"], "error: nowhere has no certificate: there is no nowhere/mani"),
        (["--recheck", "x", "--list"], "error: --recheck proves nothing; leave out --certificate"),
        (["--recheck", "x", "NoPair"], "error: --recheck checks all that a certificate has; "),
        (["--workers", "9999"], "error: --workers 9999: "),
    ],
)
def test_wrong_input_is_told_in_a_sentence(run: Run, args: list[str], said: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(said)


def test_the_certificate_of_what_is_not_proved_does_not_pass(run: Run) -> None:
    result = run("AloneInside", "forgetful.py", "--certificate", "proof", "--counterexamples", "0")
    assert result.exit_code == 1
    assert result.stderr.endswith("1 of them is not proved\n")
    again = run("--recheck", "proof", "forgetful.py")
    assert again.exit_code == 1
    assert "z3 finds a model of it: it is not shown" in " ".join(again.stdout.split())


def test_what_an_interruption_has_left_is_written_over(run: Run) -> None:
    Path("proof/obligations").mkdir(parents=True)
    assert run("--certificate", "proof").exit_code == 0


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "another/1"}'])
def test_a_manifest_of_something_else_is_wrong_input(run: Run, text: str) -> None:
    Path("proof").mkdir()
    Path("proof/manifest.json").write_text(text)
    result = run("--recheck", "proof")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "proof/manifest.json is not " in result.stderr


def test_without_cvc5_nothing_is_rechecked(
    run: Run, original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    result = run("--recheck", str(original))
    assert result.exit_code == 2
    assert result.stderr.startswith("error: cvc5 is not installed, which checks certificates\n")


def test_without_the_cache_all_is_proved_again(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ACKPROOF_CACHE", str(tmp_path / "kept"))
    assert "earlier run" not in run().stdout
    assert "earlier run" in run().stdout
    assert "earlier run" not in run("--no-cache").stdout
