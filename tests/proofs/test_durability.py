"""What an ack is worth, for any number of channels, messages and mirrors."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ackproof.proofs.discharge import discharged
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.solving import PROVED
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL

OBLIGATIONS = Obligations(MODEL, LIBRARY)


def _obligation(name: str) -> Obligation:
    goal, action = name.split("/")
    return next(o for o in OBLIGATIONS.of_one(goal) if name == o.name or o.action == action)


@pytest.mark.parametrize(
    "name",
    [
        "ConfirmedSurvives/",
        "NoAckBeforeDurable/flush",
        "AnsweredIsSafe/confirm_arrives:1",
        "StoredIsSafe/sync",
        "UntoldIsUnheard/deliver",
        "CopiesComeInOrder/lose_node",
        "CastMeansSynced/drain",
        "ConfirmedByStoreIsSafe/deliver",
        "GoneFromOneIsGoneFromAll/lose_node",
    ],
)
def test_an_ack_means_that_the_message_is_safe(name: str) -> None:
    assert discharged(OBLIGATIONS, _obligation(name), 30).status == PROVED


@pytest.mark.parametrize(
    ("name", "lemma"),
    [
        ("ConfirmedSurvives/", "AnsweredIsSafe"),
        ("ConfirmedSurvives/", "UnacceptedIsAwaited"),
        ("AnsweredIsSafe/confirm_arrives:1", "CastIsSafe"),
        ("StoredIsSafe/sync", "WaitingIsPresent"),
        ("UntoldIsUnheard/master_tells", "UntoldIsLater"),
        ("CastMeansSynced/drain", "ConfirmedByStoreIsSafe"),
        ("ConfirmedByStoreIsSafe/forget", "LeavingIsWritten"),
        ("MasterHasTheSame/join", "UnstartedHasNothing"),
    ],
)
def test_it_takes_the_lemma_that_says_so(name: str, lemma: str) -> None:
    whole = _obligation(name)
    assert lemma in whole.hypotheses
    less = replace(whole, hypotheses=tuple(h for h in whole.hypotheses if h != lemma))
    assert discharged(OBLIGATIONS, less, 2).status != PROVED


@pytest.mark.parametrize(
    "name",
    ["NoAckBeforeDurable", "ConfirmedSurvives", "CastMeansSynced", "MirrorFollowsMaster"],
)
def test_it_is_proved_whoever_joins_and_whatever_falls_apart(name: str) -> None:
    assert LIBRARY.restricted(name) == ()
