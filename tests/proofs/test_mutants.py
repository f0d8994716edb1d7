"""Of each small mistake that breaks what is proved of the base, the proof fails, and where.

Which mistakes these are, and where each is noticed, is in `noticed.py`.
"""

from __future__ import annotations

from functools import cache

import pytest
from ackproof.proofs.attempt import prepare
from ackproof.proofs.discharge import discharged
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.solving import PROVED
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL

from tests.exploring import sample
from tests.proofs.noticed import BEYOND, NOTICED, mistakes

#: How many of the mistakes are tried in a usual run.
SOME = 4

#: A channel that releases a queue at the first confirm of one of its processes.
AT_THE_FIRST_CONFIRM = ("AckMeansEveryMirror", "TrustingChannel")


@cache
def base() -> Obligations:
    """Return what is to be shown of the base."""
    return prepare(MODEL, LIBRARY).obligations


def status(obligations: Obligations, name: str) -> str:
    """Return what becomes of the obligation of that name in a moment."""
    [found] = [o for o in obligations.of_one(name.partition("/")[0]) if o.name == name]
    return discharged(obligations, found, 3).status


def fails_by(name: str, mistake: str) -> str:
    """Return what becomes, with a mistake, of the obligation by which it is noticed."""
    design = mistakes()[name, mistake].design
    theirs = prepare(MODEL, LIBRARY, [name], design).obligations
    failing = NOTICED[name, mistake]
    assert failing.partition("/")[0] in LIBRARY.closure([name])
    return status(theirs, failing)


def test_every_mistake_that_breaks_what_is_proved_is_here() -> None:
    assert set(mistakes()) == {*NOTICED, *BEYOND}


@pytest.mark.parametrize(("name", "mistake"), BEYOND)
def test_a_mistake_beyond_a_restriction_is_no_counterexample(name: str, mistake: str) -> None:
    assert BEYOND[name, mistake] in LIBRARY.restricted(name)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mistake"), sample(sorted(NOTICED), SOME))
def test_the_proof_of_what_a_mistake_breaks_fails(name: str, mistake: str) -> None:
    assert fails_by(name, mistake) != PROVED


@pytest.mark.slow
def test_who_counts_a_queue_as_safe_at_its_first_confirm_is_noticed() -> None:
    assert status(base(), NOTICED[AT_THE_FIRST_CONFIRM]) == PROVED
    assert fails_by(*AT_THE_FIRST_CONFIRM) != PROVED
