"""What a checker finds to be false is never proved, in systems where that is easily overlooked."""

from __future__ import annotations

import pytest
from ackproof.lang import Design, Model
from ackproof.lang.binding import bind
from ackproof.lang.lemmas import Library
from ackproof.model.plain_search import explore
from ackproof.proofs.attempt import prepare
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.report import ProofVerdict

from tests.proofs.traps import CLOCK, HOMES, NAMES, QUEUES, TWICE, Busy

_BUSY = Design(claim="Light does not hurt.", replace=(Busy,))

#: Systems, and what is true of each.
_SYSTEMS: list[tuple[Model, Design | None, set[str]]] = [
    (CLOCK, None, {"NeverEarlier", "ThenLate"}),
    (CLOCK, _BUSY, {"NeverEarlier"}),
    (TWICE, None, {"BothAreSwitched"}),
    (QUEUES, None, {"TheFirstHasALater", "UrgentQueueIsFound"}),
    (HOMES, None, {"HomesAreHouses"}),
    (NAMES, None, {"KindFollowsFlag"}),
]


@pytest.mark.parametrize(
    ("model", "design", "true"), _SYSTEMS, ids=lambda x: getattr(x, "name", "")
)
def test_what_is_proved_is_what_the_checker_finds_no_run_against(
    model: Model, design: Design | None, true: set[str]
) -> None:
    outcome = explore(bind(model, model.instances[0], design), survey=True)
    names = [p.name for p in model.properties]
    assert {n for n in names if n not in outcome.violations} == true
    proof = prepare(model, Library(), names, design).run(limit=10.0)
    assert {n for n in names if proof.verdict(n) is ProofVerdict.PROVED} == true


def test_a_property_that_stutters_is_shown_to_once_for_all_steps_that_it_does_not_read() -> None:
    obligations = Obligations(CLOCK, Library())
    named = [o.name for o in obligations.of_one("NeverEarlier")]
    assert named == ["NeverEarlier/stuttering", "NeverEarlier/tick"]


def test_one_that_does_not_is_asked_of_each_step() -> None:
    obligations = Obligations(CLOCK, Library())
    named = [o.name for o in obligations.of_one("ThenLate")]
    assert named == ["ThenLate/tick", "ThenLate/shine"]
