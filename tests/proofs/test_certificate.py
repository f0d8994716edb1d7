"""A certificate has the invariant, a file for each obligation, and a manifest that binds them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import z3
from ackproof.proofs.attempt import prepare
from ackproof.proofs.certificate import MANIFEST, clear, write

from tests.proofs.closet import LIBRARY, MODEL


def written(folder: Path, *requested: str) -> dict[str, Any]:
    """Write the certificate of a proof about the closet; return the manifest."""
    attempt = prepare(MODEL, LIBRARY, requested)
    return write(folder, attempt, (*MODEL.properties, *LIBRARY.claims()))


def test_there_is_a_file_with_its_hash_for_each_obligation(tmp_path: Path) -> None:
    manifest = written(tmp_path / "new")
    assert len(manifest["obligations"]) == 9
    for o in manifest["obligations"]:
        data = (tmp_path / "new" / o["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == o["sha256"]
        assert o["expected"] == "unsat"
    assert json.loads((tmp_path / "new" / MANIFEST).read_text()) == manifest


def test_a_file_is_a_script_that_other_solvers_read(tmp_path: Path) -> None:
    manifest = written(tmp_path, "AloneInside")
    one = next(o for o in manifest["obligations"] if o["name"] == "AloneInside/enter")
    text = (tmp_path / one["file"]).read_text()
    assert text.startswith("; AloneInside/enter: consecution\n(set-logic ALL)\n")
    assert "(declare-fun s.inside (sort.Guest) Bool)" in text
    assert text.endswith("(check-sat)\n")
    solver = z3.Solver(ctx=z3.Context())
    solver.from_string(text)
    assert solver.check() == z3.unsat


def test_the_same_proof_is_written_in_the_same_words(tmp_path: Path) -> None:
    first = written(tmp_path / "a")
    assert written(tmp_path / "b") == first


def test_what_was_translated_before_does_not_change_a_file(tmp_path: Path) -> None:
    both = {o["name"]: o["sha256"] for o in written(tmp_path / "both")["obligations"]}
    other = written(tmp_path / "other", "NoPair", "FreeIsEmpty")["obligations"]
    assert [o["name"] for o in other][:2] == ["NoPair/always", "FreeIsEmpty/initially"]
    for o in other:
        assert both[o["name"]] == o["sha256"]


def test_the_manifest_says_by_which_rule_a_property_is_shown(tmp_path: Path) -> None:
    manifest = written(tmp_path)
    rules = {c["name"]: (c["rule"], c["origin"], c["untouched"]) for c in manifest["goals"]}
    assert rules == {
        "AloneInside": ("induction", "property", []),
        "NoPair": ("consequence", "property", []),
        "EntersAnEmptyCloset": ("steps", "property", ["leave"]),
        "WhoLeavesIsOutside": ("steps", "property", ["enter"]),
        "FreeIsEmpty": ("induction", "written", []),
    }
    assert manifest["actions"] == ["enter", "leave"]
    assert [s["name"] for s in manifest["assumptions"]] == ["TheDoorIsLocked"]


def test_the_invariant_is_there_as_text(tmp_path: Path) -> None:
    written(tmp_path, "AloneInside")
    text = (tmp_path / "invariant.txt").read_text()
    assert "# assumed: There is a lock.\n@assumption\ndef TheDoorIsLocked(" in text
    assert "# written; proved with: AloneInside, TheDoorIsLocked\n" in text
    assert "return not s.free or not s.inside" in text


def test_a_certificate_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    written(tmp_path, "AloneInside")
    files = sorted(p.name for p in (tmp_path / "obligations").iterdir())
    assert len(files) == 6
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_only_files_of_the_folder_are_removed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    folder = tmp_path / "proof"
    folder.mkdir()
    (folder / MANIFEST).write_text(json.dumps({"obligations": [{"file": "../outside.txt"}]}))
    clear(folder)
    assert outside.exists()
    assert not (folder / MANIFEST).exists()
