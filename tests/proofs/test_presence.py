"""What a queue says of a message it has, in order, and marks: for any number of processes."""

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
    return next(o for o in OBLIGATIONS.of_one(name.partition("/")[0]) if o.name == name)


@pytest.mark.parametrize(
    ("name", "lemma"),
    [
        ("AckedIsAvailable/always", "AnsweredIsShared"),
        ("AnsweredIsPresent/confirm_arrives:1", "CastIsPresent"),
        ("EachTagIsSeenOnce/get", "SeenWasCounted"),
        ("NothingComesBack/deliver", "ArrivingIsHeld"),
        ("FifoPerPublisher/always", "UntoldIsLast"),
        ("RedeliveredIsMarked/hand_on#1", "HandedIsMarked"),
    ],
)
def test_it_is_proved_with_the_lemma_that_says_so(name: str, lemma: str) -> None:
    whole = _obligation(name)
    assert discharged(OBLIGATIONS, whole, 30).status == PROVED
    less = replace(whole, hypotheses=tuple(h for h in whole.hypotheses if h != lemma))
    assert less != whole
    assert discharged(OBLIGATIONS, less, 2).status != PROVED


@pytest.mark.parametrize(
    "name",
    ["EachTagIsSeenOnce", "FetchedAgainIsMarked", "NothingComesBack", "RedeliveredIsMarked"],
)
def test_consumers_may_count_on_it_whoever_joins_and_whatever_falls_apart(name: str) -> None:
    assert LIBRARY.restricted(name) == ()


@pytest.mark.parametrize(
    "name", ["AckedIsAvailable", "CastMeansPresent", "FifoPerPublisher", "NoSecondCopy"]
)
def test_a_message_may_be_followed_whoever_joins_and_whatever_falls_apart(name: str) -> None:
    assert LIBRARY.restricted(name) == ()
