"""What is proved besides the worth of an ack: of commits, masters, names, tags and alarms."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ackproof.proofs.discharge import PROVED, discharged
from ackproof.proofs.obligations import Obligation, Obligations
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL

OBLIGATIONS = Obligations(MODEL, LIBRARY)

#: For an obligation of each group a lemma that it takes.
TAKES = {
    "AckMeansEveryMirror/": "OwingIsAsked",
    "CommitMeansAccepted/complete": "UnacceptedIsAwaited",
    "CommitFailsOnlyWithCause/": "FailureHasACause",
    "RollbackLeavesNoTrace/": "AbandonedIsNotKept",
    "OneMaster/": "TwoLeadOnTwoSides",
    "OneLeads/declare": "QueuesBeginAsOne",
    "OneQueueOfAName/declare": "QueuesEndAsOne",
    "DeliveryTagsIncrease/hand_out": "SeenWasCounted",
    "MandatoryIsReturned/": "MandatoryCameBack",
    "NoAckAfterClose/flush": "ClosedIsEmpty",
    "CreditNeverNegative/publish": "StarvedIsBlocked",
}


def _obligation(name: str) -> Obligation:
    goal, action = name.split("/")
    return next(o for o in OBLIGATIONS.of_one(goal) if o.action == action)


@pytest.mark.parametrize("name", TAKES)
def test_it_is_proved_with_a_lemma(name: str) -> None:
    assert discharged(OBLIGATIONS, _obligation(name), 30).status == PROVED


@pytest.mark.parametrize("name", TAKES)
def test_and_not_without_it(name: str) -> None:
    whole = _obligation(name)
    assert TAKES[name] in whole.hypotheses
    less = replace(whole, hypotheses=tuple(h for h in whole.hypotheses if h != TAKES[name]))
    assert discharged(OBLIGATIONS, less, 2).status != PROVED


def test_only_what_is_on_disk_is_proved_with_a_restriction() -> None:
    restricted = {n for n in (*LIBRARY.proofs, *LIBRARY.follows) if LIBRARY.restricted(n)}
    assert restricted == {
        "NoAckBeforeDurable",
        "ConfirmedSurvives",
        "NoCommitBeforeDurable",
        "CommittedSurvives",
    }
    assert LIBRARY.restrictions == {"MirrorsStay"}
