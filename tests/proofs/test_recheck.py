"""A certificate that was changed, that lacks something, or that proves nothing is found out."""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ackproof.proofs import recheck, solving
from ackproof.proofs.attempt import prepare
from ackproof.proofs.certificate import MANIFEST, write

from tests.proofs.closet import LIBRARY, MODEL, forgetful

Manifest = dict[str, Any]
Answers = list[dict[str, Any]]
PROGRAM = Path(recheck.__file__)


def made(folder: Path, design: Any = None) -> Path:
    """Write a certificate about the closet into a folder."""
    attempt = prepare(MODEL, LIBRARY, (), design, "changed" if design else None)
    write(folder, attempt, (*MODEL.properties, *LIBRARY.claims()))
    return folder


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a certificate that shows what it says."""
    return made(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def certificate(original: Path, tmp_path: Path) -> Path:
    """Return a copy of it that may be changed."""
    return Path(shutil.copytree(original, tmp_path / "copy"))


def checked(folder: Path) -> Answers:
    """Return what the program prints of a certificate, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-P", str(PROGRAM), str(folder), "5"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_program_asks_in_each_kind_of_way_that_the_prover_asks() -> None:
    said = {option for way in solving.WAYS if way.solver == "z3" for option in way.options}
    assert said == {option for options, _ in recheck.Z3_WAYS for option in options}


def strange(answers: Answers) -> Answers:
    """Return what is not as it should be."""
    return [a for a in answers if (a.get("cvc5"), a.get("z3")) != ("unsat", "unsat")]


def test_two_solvers_agree_on_each_file_of_a_sound_certificate(original: Path) -> None:
    answers = checked(original)
    assert len(answers) == 9
    assert strange(answers) == []


def test_a_file_with_another_hash_a_missing_one_and_one_that_has_a_model(certificate: Path) -> None:
    manifest = json.loads((certificate / MANIFEST).read_text())
    changed, missing, weakened, strangely = manifest["obligations"][:4]
    with (certificate / changed["file"]).open("a") as file:
        file.write("; harmless\n")
    (certificate / missing["file"]).unlink()
    for obligation, text in (
        (weakened, "(set-logic ALL)\n(check-sat)\n"),
        (strangely, "(set-logic ALL)\n(assert false"),
    ):
        (certificate / obligation["file"]).write_text(text)
        obligation["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    (certificate / MANIFEST).write_text(json.dumps(manifest))
    first, second, third, fourth = strange(checked(certificate))
    assert first["name"] == changed["name"]
    assert first["problem"] == "it is not the file that the manifest names: its hash differs"
    assert second["name"] == missing["name"]
    assert second["problem"] == "it cannot be read: No such file or directory"
    assert (third["name"], third["cvc5"], third["z3"]) == (weakened["name"], "sat", "sat")
    assert "problem" in fourth


def test_the_certificate_of_a_failed_proof_is_found_out(tmp_path: Path) -> None:
    [wrong] = strange(checked(made(tmp_path, forgetful)))
    assert wrong["name"] == "FreeIsEmpty/enter"
    assert wrong["z3"] == "sat"
    assert wrong["cvc5"] != "unsat"


def without(name: str) -> Callable[[Manifest], None]:
    """Return what takes an obligation out of a manifest."""

    def change(manifest: Manifest) -> None:
        manifest["obligations"] = [o for o in manifest["obligations"] if o["name"] != name]

    return change


def goal(manifest: Manifest, name: str) -> Any:
    """Return what a manifest says of a goal."""
    return next(c for c in manifest["goals"] if c["name"] == name)


def assuming(name: str, other: str) -> Callable[[Manifest], None]:
    """Return what gives an obligation one more hypothesis."""

    def change(manifest: Manifest) -> None:
        next(o for o in manifest["obligations"] if o["name"] == name)["hypotheses"].append(other)

    return change


def circular(manifest: Manifest) -> None:
    """Have two goals follow from each other."""
    manifest["obligations"] = [
        o
        for o in manifest["obligations"]
        if o["goal"] != "AloneInside" or o["kind"] == "initiation"
    ]
    goal(manifest, "AloneInside").update(rule="consequence", by=["NoPair"])


def left_out(manifest: Manifest) -> None:
    """Say that the action that a goal is about does not touch it."""
    without("WhoLeavesIsOutside/leave")(manifest)
    goal(manifest, "WhoLeavesIsOutside")["untouched"] = ["enter", "leave"]


def expecting(manifest: Manifest) -> None:
    """Expect of an obligation that it can be satisfied."""
    manifest["obligations"][0]["expected"] = "sat"


def undone(manifest: Manifest) -> None:
    """Say that something is proved that no goal is about."""
    manifest["proved"].append("Everything")


def unruly(manifest: Manifest) -> None:
    """Show a goal by a rule that there is none of."""
    goal(manifest, "AloneInside")["rule"] = "authority"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without("AloneInside/initially"), "nothing shows that AloneInside holds at first"),
        (without("AloneInside/leave"), "nothing shows AloneInside for leave"),
        (without("EntersAnEmptyCloset/enter#1"), "nothing shows EntersAnEmptyCloset for enter"),
        (without("NoPair/always"), "NoPair does not follow from other goals, which do not "),
        (
            assuming("FreeIsEmpty/enter", "NoPair"),
            "FreeIsEmpty/enter assumes NoPair, which FreeIsEmpty is not proved with",
        ),
        (
            assuming("AloneInside/initially", "FreeIsEmpty"),
            "AloneInside/initially assumes FreeIsEmpty before the first state",
        ),
        (
            assuming("FreeIsEmpty/leave", "EntersAnEmptyCloset"),
            "FreeIsEmpty/leave assumes EntersAnEmptyCloset, which FreeIsEmpty is not proved with",
        ),
        (left_out, "nothing shows WhoLeavesIsOutside for leave"),
        (circular, "NoPair does not follow from other goals, which do not follow from it"),
        (expecting, "is expected to be sat, and must be unsat"),
        (undone, "Everything is said to be proved, and is no goal of it"),
        (unruly, "AloneInside is shown by authority, which is no rule"),
    ],
)
def test_goals_that_are_not_put_together_by_the_rules(
    original: Path, change: Callable[[Manifest], None], said: str
) -> None:
    manifest = json.loads((original / MANIFEST).read_text())
    assert list(recheck.shape(manifest)) == []
    change(manifest)
    assert any(said in problem for problem in recheck.shape(manifest))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"proved": 3, "goals": [], "assumptions": []}'])
def test_a_manifest_that_is_none_is_told_in_a_line(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    [answer] = checked(tmp_path)
    assert answer["problem"].startswith("the manifest cannot be read: ")


def test_the_checker_is_short_and_knows_nothing_of_the_prover() -> None:
    text = PROGRAM.read_text()
    assert len(text.splitlines()) < 230
    modules = {
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {m.partition(".")[0] for m in modules} - sys.stdlib_module_names == {"cvc5", "z3"}
