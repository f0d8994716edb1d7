"""A design that breaks what is proved of the base fails at the step where a reader would look.

Of each design the obligations of that step are decided; and, for comparison, those of the base.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import pytest
from ackproof.lang.model import Breaks
from ackproof.proofs.attempt import prepare
from ackproof.proofs.discharge import discharged
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.solving import PROVED
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL

from tests.exploring import sample

#: For each design a property that it breaks, and the obligation at which its proof fails.
FAILS = {
    "ack_after_write": ("ConfirmedSurvives", "StoredIsSafe/write"),
    "ack_before_fsync": ("NoAckBeforeDurable", "StoredIsSafe/sync"),
    "ack_on_channel": ("NoAckBeforeDurable", "UnacceptedIsAwaited/publish"),
    "ack_on_queue": ("NoAckBeforeDurable", "CastIsSafe/deliver"),
    "acks_on_any_channel": ("NoPhantomConfirm", "ToldWasSent/flush"),
    "always_multiple": ("LoneAckIsSingle", "LoneAckIsSingle/flush#1"),
    "b01_benign_down_confirms": ("AckMeansAccepted", "UnacceptedIsAwaited/down_arrives"),
    "b02_multiple_ignores_rejected": ("MultipleIsExact", "MultipleIsExact/flush"),
    "b03_mandatory_advances_counter": ("SequenceIsDense", "CountsAgree/publish_unroutable"),
    "b04_purge_forgets_confirms": ("AwaitedIsUnderWay", "AwaitedIsUnderWay/drop"),
    "b06_mandatory_is_tracked": (
        "UnconfirmedLeavesNoTrace",
        "UnconfirmedLeavesNoTrace/publish_plain",
    ),
    "b08_flush_without_guard": ("NoAckFromMinority", "NoAckFromMinority/flush#1"),
    "b10_deletion_nacks": ("NackOnlyWithCause", "RejectedIsExcused/down_arrives"),
    "b11_nack_keeps_entry": ("NeverBothAckAndNack", "EachMessageHasOnePlace/down_arrives"),
    "b12_return_after_ack": ("ReturnPrecedesAck", "NothingIsReturnedLate/flush"),
    "b13_remove_always_confirms": ("ConfirmedOnceByStore", "MasterAsksItsStoreOnce/drop"),
    "b14_second_write_is_not_answered": ("UnstoredIsUnderWay", "UnstoredIsUnderWay/deliver"),
    "b15_confirm_on_write_cast": ("NoAckBeforeDurable", "StoredIsSafe/deliver"),
    "b16_requeue_confirms_again": ("ConfirmedOnceByQueue", "VouchingIsDone/requeue"),
    "b18_mirrors_are_not_awaited": ("AckMeansEveryMirror", "OwingIsAsked/publish"),
    "b19_confirm_overrides_reject": ("AckMeansAccepted", "UnacceptedIsAwaited/reject_arrives"),
    "b20_transfer_to_unsynchronised": ("AckedIsAvailable", "AnsweredIsShared/transfer"),
    "b21_unavailable_is_unroutable": ("NoQueueIsOverlooked", "NothingIsOverlooked/publish"),
    "b23_recovery_stops_at_a_gap": ("ConfirmedSurvives", "StoredIsSafe/restart"),
    "b24_select_resets_the_count": ("SequenceIsDense", "CountsAgree/select"),
    "b25_acks_outlive_a_restart": ("EachCopyHasOnePlace", "UnsettledIsPending/crash_queue"),
    "b26_several_take_over": ("OneMaster", "TwoLeadOnTwoSides/promote"),
    "bad_news_is_repeated": ("EachIsNamedOnce", "EachIsNamedOnce/flush"),
    "closing_forgets_all_senders": ("SomebodyOwesAnAnswer", "SomebodyOwesAnAnswer/forget_sender"),
    "closing_keeps_the_rest": ("NoAckAfterClose", "ClosedIsEmpty/crash_node"),
    "confirms_for_one_channel": ("SomebodyOwesAnAnswer", "SomebodyOwesAnAnswer/confirm_arrives:1"),
    "credit_after_promotion": ("CreditIsConserved", "LeadersAreEven/deliver"),
    "d01_duplicate_before_confirm": ("SomebodyOwesAnAnswer", "SomebodyOwesAnAnswer/deliver"),
    "d02_nack_at_once": ("MultipleIsExact", "MultipleIsExact/flush"),
    "d03_guard_starts_with_yes": ("NoAckFromMinority", "NoAckFromMinority/flush#1"),
    "d04_mirrors_confirm_the_refused": ("AckedIsAvailable", "CastIsPresent/deliver_to_mirror"),
    "d05_limit_before_duplicate": ("NoAssertionFails", "NoAssertionFails/deliver"),
    "d06_when_synced_for_any": ("AckedIsAvailable", "LeaderIsSynchronised/promote"),
    "deletion_leaves_the_files": ("DeletedLeavesNothing", "DeletedLeavesNothing/delete_queue"),
    "e01_ends_by_name": ("NoAckBeforeDurable", "UnacceptedIsAwaited/down_arrives"),
    "e02_limit_before_overflow": ("NoAckBeforeDurable", "StoredIsSafe/restart"),
    "every_unroutable_returns": ("OnlyMandatoryIsReturned", "OnlyMandatoryIsReturned/publish"),
    "l01_promote_always": ("AckedIsAvailable", "LeaderIsSynchronised/promote"),
    "l02_partition_counts": ("AckedIsAvailable", "ApartMeansParted/partition"),
}

pytestmark = pytest.mark.slow


@cache
def base() -> Obligations:
    """Return what is to be shown of the base."""
    return prepare(MODEL, LIBRARY, sorted({broken for broken, _ in FAILS.values()})).obligations


def status(obligations: Obligations, name: str, limit: float) -> str:
    """Return what becomes of an obligation; of a step that touches nothing there is none."""
    own = obligations.of_one(name.partition("/")[0])
    found = next((o for o in own if o.name == name), None)  # no step after it is translated
    return discharged(obligations, found, limit).status if found else PROVED


def broken_by(name: str) -> set[str]:
    """Return the properties that a design of the museum is expected to break."""
    design = importlib.import_module(f"{MODEL.designs}.{name}").design
    return {e.property for e in design.expect if isinstance(e, Breaks)}


#: Designs that break what is proved by a constant of which something is assumed.
BEYOND = {"d07_excess_credit": ("NoExcessCredit", "MirrorsCostTwo")}


def test_every_design_that_breaks_what_is_proved_is_here() -> None:
    proved = {*LIBRARY.proofs, *LIBRARY.follows}
    museum = [m.name for m in pkgutil.iter_modules(importlib.import_module(MODEL.designs).__path__)]
    assert {name for name in museum if broken_by(name) & proved} == {*FAILS, *BEYOND}


@pytest.mark.parametrize("name", BEYOND)
def test_of_a_design_with_another_constant_what_is_assumed_is_a_restriction(name: str) -> None:
    broken, assumed = BEYOND[name]
    design = importlib.import_module(f"{MODEL.designs}.{name}").design
    assert broken in broken_by(name)
    assert assumed in LIBRARY.closure([broken])
    assert assumed not in prepare(MODEL, LIBRARY, [broken]).unmet()
    assert assumed in prepare(MODEL, LIBRARY, [broken], design).unmet()


@pytest.mark.parametrize("name", sample(list(FAILS), 14))
def test_a_design_fails_where_the_base_is_proved(name: str) -> None:
    broken, obligation = FAILS[name]
    design = importlib.import_module(f"{MODEL.designs}.{name}").design
    assert broken in broken_by(name)
    assert status(base(), obligation, limit=20.0) == PROVED
    # Of any number of channels, a state that shows it is not always found in time.
    theirs = prepare(MODEL, LIBRARY, [broken], design).obligations
    assert status(theirs, obligation, limit=5.0) != PROVED
