"""That no step fails is proved like a property of steps, and where it is not, a proof says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ackproof.cli.page import console
from ackproof.cli.proof_page import show_proof
from ackproof.lang import Design
from ackproof.lang.binding import Bound
from ackproof.lang.frontend import compile_model
from ackproof.lang.lemmas import Library
from ackproof.lang.properties import FAILURES
from ackproof.model.cache import Cache
from ackproof.model.check import check
from ackproof.proofs.attempt import Attempt, prepare
from ackproof.proofs.certificate import write
from ackproof.proofs.contradiction import held_against
from ackproof.proofs.cti import counterexample
from ackproof.proofs.failures import may_fail, unsure
from ackproof.proofs.finished import Finished
from ackproof.proofs.reachability import Reachability
from ackproof.proofs.recheck import shape
from ackproof.proofs.report import RELIES_ON, Proof, ProofVerdict
from ackproof.spec.lemmas import LIBRARY as CONFIRM_LEMMAS
from ackproof.spec.model import MODEL as CONFIRMS

from tests.proofs import lottery
from tests.proofs.tickets import LIBRARY, MODEL, Careful, Forgetful, Idle, Remarking

IDLE = Design("The clerk need not look.", replace=(Idle,))
FORGETFUL = Design("The clerk need not strike anything out.", replace=(Forgetful,))


def proof_of(
    *requested: str, design: Design | None = None, library: Library = LIBRARY
) -> tuple[Attempt, Proof]:
    """Return what becomes of a proof about the office."""
    attempt = prepare(MODEL, library, requested, design)
    return attempt, attempt.run(limit=5.0)


def test_that_no_step_fails_is_proved_with_what_the_library_names() -> None:
    _, proof = proof_of()
    assert proof.requested == ("CountsUp", *FAILURES)
    assert [proof.verdict(name).value for name in proof.requested] == ["proved"] * 3
    own = [o.obligation.name for name in FAILURES for o in proof.by_goal[name]]
    assert own == ["NoAssertionFails/serve", "StepsAreDefined/call"]
    assert (proof.relies_on, proof.exit_code) == ((), 0)


@pytest.mark.parametrize(
    ("design", "name", "lost"),
    [
        (IDLE, "StepsAreDefined", "StepsAreDefined/call"),
        (FORGETFUL, "NoAssertionFails", "CalledDoNotWait/call"),
    ],
    ids=["min of nothing", "asserted in vain"],
)
def test_a_design_whose_steps_fail_is_not_proved(design: Design, name: str, lost: str) -> None:
    _, proof = proof_of(name, design=design)
    assert proof.verdict(name) is ProofVerdict.REFUTED
    assert lost in [o.obligation.name for o in proof.failed(name)]


def test_without_its_lemma_it_is_not_proved() -> None:
    for name in FAILURES:
        less = replace(LIBRARY, proofs={**LIBRARY.proofs, name: ()})
        _, proof = proof_of(name, library=less)
        assert proof.verdict(name) is ProofVerdict.REFUTED, name
        [failed] = proof.failed(name)
        found = counterexample(MODEL, None, less, failed.obligation)
        assert found is not None
        assert found.trace.property == name


def test_a_proof_of_something_else_says_that_it_relies_on_it() -> None:
    _, proof = proof_of("CountsUp")
    assert proof.relies_on == FAILURES
    assert proof.exit_code == 0


def test_where_it_relies_on_it_and_a_run_fails_that_is_shown(tmp_path: Path) -> None:
    attempt, proof = proof_of("CountsUp", design=IDLE)
    assert proof.exit_code == 0
    held = held_against(attempt, proof)
    [one] = held.failing
    assert (one.name, one.instance, one.run) == ("StepsAreDefined", "three", ("call()",))
    assert held.verdict("CountsUp") is ProofVerdict.PROVED
    assert held.exit_code == 1
    finished = Finished(Cache(tmp_path), MODEL, LIBRARY, ["CountsUp"], IDLE)
    finished.keep(held)
    assert finished.proof(5.0, 1) is None


def test_an_integer_without_bounds_is_no_failure_of_a_proof() -> None:
    """Three tickets may be called more than three times: that is where an instance ends."""
    attempt, proof = proof_of()
    held = held_against(attempt, proof)
    assert {t.property for t in check(MODEL, MODEL.instances[0]).traces} == {"StepsAreDefined"}
    assert "StepsAreDefined" not in held.searched[0].runs
    assert held.searched[0].outside == "count would be 4, outside 0..3"
    assert held.verdict("CountsUp") is ProofVerdict.PROVED


def test_what_the_source_says_is_no_reason_to_take_a_failure_for_another() -> None:
    design = Design("The clerk need not look.", replace=(Remarking,))
    [one] = held_against(*proof_of("CountsUp", design=design)).failing
    assert (one.name, one.run) == ("StepsAreDefined", ("call()",))


def test_an_integer_that_leaves_its_range_makes_no_state_reachable() -> None:
    less = replace(LIBRARY, proofs={**LIBRARY.proofs, "StepsAreDefined": ()})
    _, proof = proof_of("StepsAreDefined", library=less)
    [failed] = proof.failed("StepsAreDefined")
    found = counterexample(MODEL, None, less, failed.obligation)
    assert found is not None
    assert found.reached.answer is not Reachability.REACHABLE


def test_what_is_asserted_after_a_step_would_have_failed_is_true() -> None:
    design = Design("The clerk need not look.", replace=(Careful,))
    _, proof = proof_of("NoAssertionFails", design=design)
    [one] = [o for o in proof.by_goal["NoAssertionFails"] if o.obligation.action == "call"]
    assert one.status == "proved"


def test_a_page_says_that_integers_have_no_ranges(capsys: pytest.CaptureFixture[str]) -> None:
    less = replace(LIBRARY, proofs={**LIBRARY.proofs, "StepsAreDefined": ()})
    show_proof(console(), held_against(*proof_of("CountsUp")), [], detailed=False)
    show_proof(console(), proof_of("StepsAreDefined", library=less)[1], [], detailed=False)
    shown = " ".join(capsys.readouterr().out.split())
    assert "on three count would be 4, outside 0..3; what comes then was not searched" in shown
    assert "what is known of count has to be said in lemmas" in shown
    assert "integers stay in range" not in shown


@pytest.mark.parametrize(
    ("requested", "relied"),
    [
        (("WinnerTookPart", "StepsAreDefined"), ()),
        (("NobodyLeaves", "StepsAreDefined"), ("StepsAreDefined",)),
        (("NobodyLeaves",), ("StepsAreDefined",)),
    ],
    ids=["as restricted", "less restricted", "not shown"],
)
def test_what_is_shown_with_a_restriction_is_relied_on_by_what_has_none(
    tmp_path: Path, requested: tuple[str, ...], relied: tuple[str, ...]
) -> None:
    attempt = prepare(lottery.MODEL, lottery.LIBRARY, requested)
    held = held_against(attempt, attempt.run(limit=5.0))
    assert held.relies_on == relied
    assert [(c.name, c.instance) for c in held.failing] == [(name, "unfair") for name in relied]
    assert held.exit_code == (1 if relied else 0)
    manifest = write(tmp_path, attempt, lottery.MODEL.properties)
    assert manifest["relies_on"] == [RELIES_ON[name] for name in relied]


def test_whether_an_instance_meets_an_assumption_is_known_without_its_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attempt = prepare(lottery.MODEL, lottery.LIBRARY)
    monkeypatch.setattr(Bound, "instances", None)
    assert attempt.unmet_on("fair") == frozenset()
    assert attempt.unmet_on("unfair") == {"IsFair"}


def test_only_what_asserts_or_takes_a_least_element_may_fail() -> None:
    actions = compile_model(MODEL).actions
    assert {a.name for a in actions if may_fail("NoAssertionFails", a)} == {"serve"}
    assert {a.name for a in actions if may_fail("StepsAreDefined", a)} == {"call"}
    assert unsure(a for a in actions if a.name == "draw") == ()


def test_a_certificate_has_a_file_for_each_step_that_may_fail(tmp_path: Path) -> None:
    attempt, _ = proof_of()
    manifest: dict[str, Any] = write(tmp_path, attempt, (*MODEL.properties, *LIBRARY.claims()))
    assert list(shape(manifest)) == []
    assert manifest["relies_on"] == []
    goals = {g["name"]: g for g in manifest["goals"]}
    assert goals["NoAssertionFails"]["rule"] == "steps"
    assert goals["NoAssertionFails"]["untouched"] == ["draw", "call"]
    without = [o for o in manifest["obligations"] if o["goal"] != "NoAssertionFails"]
    assert list(shape({**manifest, "obligations": without})) == [
        "nothing shows NoAssertionFails for serve"
    ]


def test_no_step_of_the_specification_fails() -> None:
    attempt = prepare(CONFIRMS, CONFIRM_LEMMAS, FAILURES)
    assert {(o.goal, o.action) for o in attempt.todo} == {
        ("NoAssertionFails", "deliver"),
        ("NoAssertionFails", "hand_on"),
        ("StepsAreDefined", "flush"),
    }
    proof = attempt.run(limit=5.0)
    assert [proof.verdict(name) for name in FAILURES] == [ProofVerdict.PROVED] * 2
