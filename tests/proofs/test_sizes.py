"""What is not proved for all sizes is decided for some."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.lang import Instance, Model
from ackproof.lang.binding import bind
from ackproof.lang.errors import BindError
from ackproof.lang.lemmas import Library
from ackproof.proofs.discharge import discharge
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.sizes import decide_sizes
from ackproof.proofs.smt.finite import Finite
from ackproof.proofs.solving import UNKNOWN

from tests.model.loading import load
from tests.proofs.office import MODEL, RUDE, Person

_ALTERNATING_BIT = Path(__file__).parents[1] / "models" / "alternating_bit.py"


def test_what_is_met_is_proved_for_the_largest_sizes_that_were_asked_for() -> None:
    obligation = Obligation("SeatsAreEnough", "consecution", "enter", ("SeatsAreEnough",))
    found = decide_sizes(MODEL, None, Library(), obligation, most=6)
    assert found.proved == {Person: 6}
    assert str(found) == "SeatsAreEnough/enter is proved for Person 6"


def test_what_is_not_met_is_refuted_for_the_smallest() -> None:
    obligation = Obligation("NobodyComesBack", "consecution", "leave", ("NobodyComesBack",))
    found = decide_sizes(MODEL, None, Library(), obligation)
    assert (found.proved, found.refuted) == (None, {Person: 1})
    assert str(found) == "NobodyComesBack/leave is refuted for Person 1"


def test_a_property_that_needs_two_elements_to_fail_is_proved_for_one() -> None:
    obligation = Obligation("NobodyElseIsThere", "consecution", "enter", ("NobodyElseIsThere",))
    found = decide_sizes(MODEL, None, Library(), obligation)
    assert (found.proved, found.refuted) == ({Person: 1}, {Person: 2})


def test_a_design_is_decided_by_itself() -> None:
    obligation = Obligation("ServedIsNotWaiting", "consecution", "call", ("ServedIsNotWaiting",))
    assert decide_sizes(MODEL, None, Library(), obligation).refuted is None
    assert decide_sizes(MODEL, RUDE, Library(), obligation).refuted == {Person: 1}


def test_without_time_nothing_is_decided() -> None:
    obligation = Obligation("SeatsAreEnough", "consecution", "enter", ("SeatsAreEnough",))
    found = decide_sizes(MODEL, None, Library(), obligation, limit=0.0)
    assert (found.proved, found.refuted) == (None, None)
    assert str(found) == "SeatsAreEnough/enter is not decided for any sizes"


def test_sets_that_are_too_wide_are_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackproof.proofs.smt.finite._WORD_BITS", 2)
    obligation = Obligation("SeatsAreEnough", "consecution", "enter", ("SeatsAreEnough",))
    found = decide_sizes(MODEL, None, Library(), obligation)
    assert (found.proved, found.refuted) == ({Person: 2}, None)


def test_a_set_that_fits_in_no_word_is_rejected() -> None:
    wide = bind(MODEL, Instance("crowd", "too many", sizes={Person: 65}))
    with pytest.raises(BindError, match="a set of Person has 65 possible elements, where 64 can"):
        Finite(wide)


def test_what_happens_to_sequences_is_unknown_for_all_sizes_and_decided_for_some() -> None:
    model: Model = load(_ALTERNATING_BIT, "sized_alternating_bit").MODEL
    obligations = Obligations(model, Library())
    unknown = [
        outcome
        for outcome in discharge(obligations, obligations.of(["AcknowledgedMeansReceived"]), 1, 1.0)
        if outcome.status == UNKNOWN
    ]
    sending = next(o for o in unknown if o.obligation.action == "send_new")
    assert "no formula says" in sending.reason
    found = decide_sizes(model, None, Library(), sending.obligation, most=2)
    assert str(found) == "AcknowledgedMeansReceived/send_new is proved for Value 2"
