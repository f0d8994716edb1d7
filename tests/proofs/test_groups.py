"""What is proved besides the worth of an ack: of commits, masters, names, tags and alarms."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ackproof.model.check import check
from ackproof.model.report import Report
from ackproof.proofs import cvc5_solver, solving
from ackproof.proofs.discharge import discharged
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.solving import PROVED, UNKNOWN, WAYS, solve
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL

OBLIGATIONS = Obligations(MODEL, LIBRARY)

#: For an obligation of each group a lemma that it takes.
TAKES = {
    "AckMeansAccepted/": "RefusedIsUnaccepted",
    "AckMeansEveryMirror/": "OwingIsAsked",
    "ConfirmedOnceByQueue/": "VouchingIsDone",
    "ConfirmedOnceByStore/": "MasterAsksItsStoreOnce",
    "CommitMeansAccepted/complete": "UnacceptedIsAwaited",
    "CommitFailsOnlyWithCause/": "FailureHasACause",
    "RollbackLeavesNoTrace/": "AbandonedIsNotKept",
    "OneMaster/": "TwoLeadOnTwoSides",
    "TwoLeadOnTwoSides/declare": "QueuesBeginAsOne",
    "AnsweredIsShared/confirm_arrives:1": "AllHaveTheSame",
    "AskedTogether/publish": "OlderAreListed",
    "GoneFromOneIsGoneFromAll/lose_node": "RemovedIsThereOrUnmet",
    "LeaderIsOldest/join": "OlderHaveJoined",
    "UntoldIsUnheard/crash_queue": "MissedIsUnknown",
    "OneQueueOfAName/declare": "QueuesEndAsOne",
    "HeldUntilSettled/tx_commit:2": "CollectedIsFinished",
    "DeliveryTagsIncrease/hand_out": "SeenWasCounted",
    "EachCopyHasOnePlace/": "UnderOneTag",
    "UnsettledIsPending/tx_commit:2": "UnderOneTag",
    "MandatoryIsReturned/": "MandatoryCameBack",
    "NoAckAfterClose/flush": "ClosedIsEmpty",
    "CreditIsConserved/": "MirrorsAreEven",
    "CreditNeverNegative/publish": "StarvedIsBlocked",
    "PrefetchRespected/hand_out": "LoadIsWhatIsUnsettled",
    "SharedPrefetchRespected/hand_on:2": "LoadIsWhatIsUnsettled",
}


def _obligation(name: str) -> Obligation:
    goal, action = name.split("/")
    return next(o for o in OBLIGATIONS.of_one(goal) if name == o.name or o.action == action)


@pytest.mark.parametrize("name", TAKES)
def test_it_is_proved_with_a_lemma(name: str) -> None:
    assert discharged(OBLIGATIONS, _obligation(name), 30).status == PROVED


@pytest.mark.parametrize("name", TAKES)
def test_and_not_without_it(name: str) -> None:
    whole = _obligation(name)
    assert TAKES[name] in whole.hypotheses
    less = replace(whole, hypotheses=tuple(h for h in whole.hypotheses if h != TAKES[name]))
    assert discharged(OBLIGATIONS, less, 2).status != PROVED


def test_names_of_sets_that_lead_to_each_other_are_unfolded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    query = OBLIGATIONS.query(_obligation("AnsweredIsSafe/tx_commit:2"))
    monkeypatch.setattr(cvc5_solver, "available", lambda: False)
    unfolding = [way for way in WAYS if "smt.macro_finder" in way.options]
    assert solve(query, 2).status == PROVED
    monkeypatch.setattr(solving, "WAYS", tuple(way for way in WAYS if way not in unfolding))
    assert solve(query, 2).status == UNKNOWN


#: What restricts the proofs of what happens in the end.
RUNS = ("QueuesAreAlone", "NobodyKeepsCredit")


def test_few_properties_are_proved_with_a_restriction() -> None:
    restricted = {n: LIBRARY.restricted(n) for n in (*LIBRARY.proofs, *LIBRARY.follows)}
    assert {name: found for name, found in restricted.items() if found} == {
        "EveryPublisherHears": RUNS,
        "AckMeansAccepted": ("RefusersAreAlone",),
    }


def test_what_happens_in_the_end_is_proved_for_queues_without_mirrors() -> None:
    assert {name: set(LIBRARY.restricted(name)) for name in LIBRARY.rankings} == {
        "EveryCommitAnswers": set(RUNS),
        "EveryPublishSettles": set(RUNS),
        "NeedlessBodyGoes": set(),
        "RemovedIsForgotten": set(),
    }


def _refusing(lost: int) -> Report:
    limits = MODEL.instance("limits")
    assert limits is not None
    constants = {**limits.constants, "Confirms.consumers": True}
    instance = replace(limits, constants=constants, faults={"lose_node": lost})
    return check(MODEL, instance, properties=["AckMeansAccepted"])


def test_what_both_processes_of_a_queue_have_taken_or_lost_may_be_acked_and_refused() -> None:
    [trace] = _refusing(lost=2).traces
    assert trace.property == "AckMeansAccepted"
    steps = [step.instance.action.name for step in trace.steps]
    assert steps.count("lose_node") == 2
    assert "deliver" in steps[steps.index("promote") :]


def test_where_one_of_them_is_left_it_is_not() -> None:
    report = _refusing(lost=1)
    assert not report.traces
    assert report.complete
    assert report.outcome.states > 100_000
