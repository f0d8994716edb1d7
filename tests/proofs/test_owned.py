"""Properties of owned sorts are proved for all sizes, and by the certificate's own solvers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from ackproof.lang.model import Design
from ackproof.model.check import check
from ackproof.proofs import recheck
from ackproof.proofs.attempt import prepare
from ackproof.proofs.certificate import write
from ackproof.proofs.report import Proof, ProofVerdict
from ackproof.proofs.sizes import decide_sizes

from tests.proofs.ferry import LIBRARY, MODEL, hasty


def proved(*requested: str, design: Design | None = None) -> Proof:
    """Return what becomes of a proof about the ferry."""
    return prepare(MODEL, LIBRARY, requested, design, "hasty" if design else None).run(limit=5.0)


def test_properties_of_owners_and_successors_are_proved() -> None:
    proof = proved()
    assert {proof.verdict(name) for name in proof.requested} == {ProofVerdict.PROVED}
    assert len(proof.requested) == 5


def test_they_hold_on_an_instance_too() -> None:
    report = check(MODEL, MODEL.instances[0])
    assert report.complete
    assert not report.outcome.violations


def test_a_pier_that_leaves_tickets_out_is_not_proved() -> None:
    proof = proved("NoneIsLeftOut", "SoldInOrder", design=hasty)
    assert proof.verdict("NoneIsLeftOut") != ProofVerdict.PROVED
    assert proof.verdict("SoldInOrder") == ProofVerdict.PROVED
    assert "NoneIsLeftOut" in check(MODEL, MODEL.instances[0], hasty).outcome.violations


def test_an_obligation_is_refuted_at_the_sizes_at_which_it_is_false() -> None:
    attempt = prepare(MODEL, LIBRARY, ("NoneIsLeftOut",), hasty, "hasty")
    obligation = next(o for o in attempt.run(limit=1.0).unproved).obligation
    answer = decide_sizes(MODEL, hasty, LIBRARY, obligation, most=3)
    assert answer.refuted is not None
    assert set(answer.refuted.values()) == {2} or set(answer.refuted.values()) == {3}


def test_what_is_known_of_owned_sorts_is_in_the_certificate(tmp_path: Path) -> None:
    attempt = prepare(MODEL, LIBRARY, ())
    manifest = write(tmp_path, attempt, (*MODEL.properties, *LIBRARY.claims()))
    file = next(o["file"] for o in manifest["obligations"] if o["name"] == "AllBeforeAreSold/sell")
    text = (tmp_path / file).read_text()
    assert "(declare-fun owner.Ticket (Int) sort.Pier)" in text
    assert "(succ.Ticket element)" in text
    done = subprocess.run(
        [sys.executable, "-P", str(Path(recheck.__file__)), str(tmp_path), "10"],
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(manifest["obligations"])
    assert {(a.get("cvc5"), a.get("z3")) for a in answers} == {("unsat", "unsat")}
