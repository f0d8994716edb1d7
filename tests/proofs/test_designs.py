"""A design that breaks what is proved of the base fails at the step where a reader would look.

Of each design the obligations of that step are asked about; and, for comparison, those of the base.
"""

from __future__ import annotations

import importlib
from functools import cache

import pytest
from ackproof.cli.targets import MUSEUM
from ackproof.proofs.discharge import PROVED, REFUTED, discharged
from ackproof.proofs.lemmas import LIBRARY
from ackproof.proofs.prove import Attempt, prepare
from ackproof.spec.lang.model import Breaks
from ackproof.spec.model import MODEL

#: For each design a property that it breaks, and the obligation at which its proof fails.
FAILS = {
    "b02_multiple_ignores_rejected": ("MultipleIsExact", "MultipleIsExact/flush"),
    "b03_mandatory_advances_counter": ("SequenceIsDense", "CountsAgree/publish_unroutable"),
    "b08_flush_without_guard": ("NoAckFromMinority", "NoAckFromMinority/flush#1"),
    "b11_nack_keeps_entry": ("NeverBothAckAndNack", "EachMessageHasOnePlace/down_arrives"),
    "b12_return_after_ack": ("ReturnPrecedesAck", "NothingIsReturnedLate/flush"),
}

pytestmark = pytest.mark.slow


@cache
def base(name: str) -> Attempt:
    """Return the proof of a property of the base."""
    return prepare(MODEL, LIBRARY, [name])


def status(attempt: Attempt, name: str) -> str:
    """Return what becomes of an obligation; of a step that touches nothing there is none."""
    found = [o for o in attempt.todo if o.name == name]
    return discharged(attempt.obligations, found[0], 30.0).status if found else PROVED


@pytest.mark.parametrize("name", FAILS)
def test_a_design_fails_where_the_base_is_proved(name: str) -> None:
    broken, obligation = FAILS[name]
    design = importlib.import_module(f"{MUSEUM}.{name}").design
    assert broken in {e.property for e in design.expect if isinstance(e, Breaks)}
    assert status(base(broken), obligation) == PROVED
    assert status(prepare(MODEL, LIBRARY, [broken], design), obligation) == REFUTED
