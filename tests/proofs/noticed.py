"""The mistakes that break what is proved of the base, and by which obligation each is noticed.

A mistake is a small change of the specification with which a search shows that a property can be
false.  What the checker sees violated must not be proved; so some obligation has to fail, and the
tables say which.  The tests hold them to it (`test_mutants.py`), `bench/mutations.py` goes through
all that a mistake breaks, and the page on proofs shows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ackproof.lang import Design, Instance
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL

from tests.spec.mistakes import MISTAKES
from tests.spec.mistakes import MODEL as CONSUMING
from tests.spec.mutants import MUTANTS
from tests.spec.mutants_crediting import CREDITING_MUTANTS
from tests.spec.mutants_of_steps import IN_STEPS
from tests.spec.test_crediting import MODEL as CREDITING

__all__ = ["BEYOND", "NOTICED", "Mistake", "mistakes"]

#: For each property that is proved, and each mistake that breaks it, the obligation that fails.
NOTICED = {
    ("ConsumersClosedIsNotOpen", "StaysSubscribed"): "ConsumersClosedIsNotOpen/close_consumers",
    ("DeclaredIsThere", "DeclaresLater"): "DeclaredIsThere/declare",
    ("EmptyAsAsked", "NothingIsEmpty"): "EmptyAsAsked/get_empty#1",
    ("FetchedIsNotReady", "EmptyAgain"): "FetchedIsNotReady/get",
    ("OthersStayPending", "AcksAll"): "OthersStayPending/acknowledge",
    ("PersistentStays", "TransientCommit"): "PersistentStays/tx_commit:2",
    ("RoutedAgain", "CopyIsNowhere"): "RoutedAgain/publish_again",
    ("StartedAsAsked", "OneConsumerOnly"): "StartedAsAsked/consume",
    ("AcknowledgedIsGone", "AckIsRequeue"): "AcknowledgedIsGone/acknowledge",
    ("BatchedAsAsked", "LaxTransaction"): "BatchedAsAsked/publish_in_tx",
    ("CancelledIsStopped", "CancelsNothing"): "CancelledIsStopped/cancel",
    ("ClosedIsNotOpen", "ClosesTransactions"): "ClosedIsNotOpen/close",
    ("DeletedIsGone", "DeletesTheMaster"): "DeletedIsGone/delete_queue",
    ("FetchedAsAsked", "GetsTheOtherWay"): "FetchedAsAsked/get#1",
    ("PersistentAsAsked", "PlainIsTransient"): "PersistentAsAsked/publish_plain",
    ("PersistentAsAsked", "PublishesPersistent"): "PersistentAsAsked/publish",
    ("PersistentAsAsked", "PublishesTransient"): "PersistentAsAsked/publish",
    ("PersistentAsAsked", "TransactsTransient"): "PersistentAsAsked/publish_in_tx",
    ("ReturnedAsAsked", "AlwaysMandatory"): "ReturnedAsAsked/publish",
    ("ReturnedAsAsked", "NeverMandatory"): "ReturnedAsAsked/publish",
    ("ReturnedOnlyIfAsked", "ReturnsUnasked"): "ReturnedOnlyIfAsked/publish_unroutable#1",
    ("RollbackSendsNothing", "RollsForward"): "RollbackSendsNothing/tx_rollback:2",
    ("RoutedAsAsked", "OneQueueOnly"): "RoutedAsAsked/publish",
    ("RoutedAtOnce", "RoutesLate"): "RoutedAtOnce/publish_in_tx",
    ("SelectBeginsConfirms", "TransactsInstead"): "SelectBeginsConfirms/select",
    ("TxSelectBeginsTransactions", "ConfirmsInstead"): "TxSelectBeginsTransactions/tx_select",
    ("NothingFallsOut", "ForgetfulSelect"): "NothingFallsOut/tx_select",
    ("NothingFallsOut", "LatestOnly"): "NothingFallsOut/publish_in_tx",
    ("WhoTellsStaysOpen", "BreaksAtNacks"): "WhoTellsStaysOpen/flush#4",
    ("CancelSettlesNothing", "CancelTakesBack"): "CancelSettlesNothing/cancel#1",
    ("ClosingRecallsNothing", "RecallingChannel"): "ClosingRecallsNothing/close",
    ("ConsumersEndAlone", "EndedByGet"): "ConsumersEndAlone/get",
    ("ConsumersEndAlone", "EndedByReject"): "ConsumersEndAlone/consumer_rejects:1",
    ("FetchedIsTaken", "ShownAndKept"): "FetchedIsTaken/get#1",
    ("MarkedWasFetched", "MarksAnswers"): "MarkedWasFetched/get#1",
    ("OneMessageAtATime", "SaidTwice"): "OneMessageAtATime/hand_out#1",
    ("OneQueueIsDeleted", "DeletesTwo"): "OneQueueIsDeleted/delete_queue",
    ("RecoverBringsAllBack", "HalfRecovery"): "RecoverBringsAllBack/recover#1",
    ("RecoverBringsAllBack", "IdleRecovery"): "RecoverBringsAllBack/recover#1",
    ("StartsWithAllItHad", "ForgottenRecovery"): "StartsWithAllItHad/restart",
    ("AckMeansAccepted", "OptimisticChannel"): "UnacceptedIsAwaited/confirm_arrives:2",
    ("AckMeansEveryMirror", "TrustingChannel"): "OwingIsAsked/confirm_arrives:1",
    ("AckSettlesWhatItNames", "GreedyAck"): "AckSettlesWhatItNames/consumer_acks",
    ("AcksComeFirst", "NacksFirstChannel"): "AcksComeFirst/flush",
    ("AlarmIsForAll", "AlarmForFirst"): "AlarmIsForAll/alarm",
    ("AlarmSettlesNothingDifferently", "DroppingBroker"): "AlarmSettlesNothingDifferently/alarm",
    ("AwaitedIsPresent", "LosingQueue"): "AwaitedIsPresent/acknowledge",
    ("AwaitedIsUnderWay", "DeafStore"): "AwaitedIsUnderWay/hand_on:2",
    ("AwaitedIsUnderWay", "ForgetfulStore"): "AwaitedIsUnderWay/drop",
    ("AwaitedIsUnderWay", "SilentAgain"): "AwaitedIsUnderWay/deliver",
    ("BlockedGivesNoCredit", "UnimpressedProcess"): "BlockedGivesNoCredit/deliver",
    ("BlockedIsNotRead", "ListeningReader"): "BlockedIsNotRead/consumer_acks:1",
    ("BlockedIsToldOnce", "RepeatingReader"): "BlockedIsToldOnce/reader_bumped",
    ("BlockedStops", "HeedlessReader"): "BlockedStops/publish",
    ("BooksEndWithTheirOwner", "LastingBooks"): "BooksEndWithTheirOwner/crash_queue",
    ("CastMeansPresent", "DroppingQueue"): "LearntIsPresent/master_tells",
    ("CastMeansSynced", "HastyMirror"): "CastMeansSynced/deliver_to_mirror",
    ("CastMeansSynced", "LossyMulticast"): "GoneFromOneIsGoneFromAll/crash_queue",
    ("ChannelsCloseAlone", "ContagiousConfirms"): "ChannelsCloseAlone/close",
    ("ClientKnowsWhy", "TalkativeReader"): "ClientKnowsWhy/publish_unroutable",
    ("ClosedHasNoTransaction", "LingeringTransaction"): "ClosedHasNoTransaction/close",
    ("ComplaintIsTrue", "VagueBroker"): "ComplaintIsTrue/tx_commit#1",
    ("ClosesOnce", "TirelessChannel"): "ClosesOnce/tx_commit#1",
    ("CommitFailsOnlyWithCause", "NervousChannel"): "RejectedIsExcused/down_arrives",
    ("CommitMeansAccepted", "ImpatientCommit"): "CommitMeansAccepted/complete",
    ("CommitSettles", "LateSettling"): "CommitSettles/tx_commit:2",
    ("CommittedSurvives", "LosingStore"): "StoredIsSafe/sync",
    ("ConfirmXorTransaction", "UndecidedChannel"): "ConfirmXorTransaction/tx_select",
    ("ConfirmedSurvives", "LosingStore"): "StoredIsSafe/sync",
    ("ConsumersEndAlone", "CancelAll"): "ConsumersEndAlone/cancel",
    ("ConsumersEndAlone", "EndConsumersOfAll"): "ConsumersEndAlone/tx_select",
    ("CopiesAreKnown", "HumbleMirrors"): "CopiesAreKnown/join",
    ("CreditNeverNegative", "TirelessReader"): "StarvedIsBlocked/publish_unroutable",
    ("DeliveryTagsIncrease", "RepeatingTags"): "SeenWasCounted/hand_out",
    ("EachAnswerIsAskedFor", "EchoingChannel"): "EachAnswerIsAskedFor/select",
    ("EachAnswerIsAskedFor", "MistakenAnswer"): "EachAnswerIsAskedFor/tx_rollback:2",
    ("EachAnswerIsAskedFor", "MistakenCommit"): "EachAnswerIsAskedFor/complete",
    ("EachAnswerIsAskedFor", "MistakenMode"): "EachAnswerIsAskedFor/select",
    ("EachAnswerIsAskedFor", "OpenCourier"): "EachAnswerIsAskedFor/select",
    ("EachAnswerIsAskedFor", "SwappedEnds"): "EachAnswerIsAskedFor/tx_commit:2",
    ("EachAnswerIsAskedFor", "TransactionalCourier"): "EachAnswerIsAskedFor/tx_select",
    ("EachCopyHasOnePlace", "StubbornChannel"): "UnsettledIsPending/consumer_acks:2",
    ("EachMethodIsAnswered", "WordlessTransaction"): "EachMethodIsAnswered/tx_rollback:2",
    ("EachPublishIsPaid", "GenerousChannel"): "EachPublishIsPaid/publish_plain",
    ("EachWriteIsPaid", "GenerousMirror"): "EachWriteIsPaid/master_tells",
    ("EachWriteIsPaid", "WastefulMirror"): "EachWriteIsPaid/master_tells",
    ("EachTagIsSeenOnce", "StutteringChannel"): "EachTagIsSeenOnce/get",
    ("EveryCommitAnswers", "IdleCommit"): "EveryCommitAnswers/ToBeCommitted/fairness",
    ("EveryPublishSettles", "DeafStore"): "AwaitedIsUnderWay/hand_on:2",
    ("EveryPublisherHears", "SilentCasts"): "DeadIsNotAwaited/crash_queue",
    ("FailedCommitCloses", "HopefulCommit"): "FailureIsNoticed/confirm_arrives:2",
    ("FailureIsNoticed", "HopefulCommit"): "FailureIsNoticed/confirm_arrives:2",
    ("FetchedAgainIsMarked", "ForgetfulQueue"): "PendingIsMarked/get",
    ("FifoPerPublisher", "DisorderlyCasts"): "DirectIsEarlier/deliver_to_mirror",
    ("GetTakesATag", "RepeatingTags"): "SeenWasCounted/hand_out",
    ("HeldUntilSettled", "LosingRequeue"): "HeldUntilSettled/consumer_rejects:2",
    ("KeptWhileRunning", "ForgetfulQueue"): "KeptWhileRunning/requeue",
    ("LoadIsWhatIsUnsettled", "BurdenedChannel"): "LoadIsWhatIsUnsettled/recover",
    ("MailEndsWithItsProcess", "HopefulChannel"): "MailEndsWithItsProcess/publish",
    ("MailEndsWithItsProcess", "LingeringMulticast"): "MailEndsWithItsProcess/stop_unsynchronised",
    ("MandatoryIsReturned", "BusyChannel"): "MandatoryCameBack/publish",
    ("MirrorsHearNothingAcross", "SharpEaredMirrors"): "MirrorsHearNothingAcross/master_tells",
    ("MirrorFollowsMaster", "EarlyRestart"): "MasterHasTheSame/restart",
    ("MirrorFollowsMaster", "HoardingMirror"): "MasterHasTheSame/master_removes",
    ("MirrorFollowsMaster", "LeadingMirror"): "MasterHasTheSame/deliver_to_mirror",
    ("MirrorFollowsMaster", "RoomyQueue"): "MasterHasTheSame/deliver",
    ("MirrorFollowsMaster", "SilentMaster"): "MasterHasTheSame/acknowledge",
    ("EntriesHaveBodies", "UncountedBodies"): "EntriesHaveBodies/collect_body",
    ("KnownBodyIsSynced", "RememberingStore"): "KnownBodyIsSynced/sync",
    ("LeavingIsWritten", "RestlessStore"): "LeavingIsWritten/forget",
    ("MailIsUnwritten", "ForesightedConfirms"): "MailIsUnwritten/sync",
    ("MirrorFollowsMaster", "HastySynchronisation"): "MasterHasTheSame/join",
    ("MemoryEndsWithItsNode", "LastingBodies"): "MemoryEndsWithItsNode/crash_node",
    ("MemoryEndsWithItsProcess", "RecallingProcess"): "MemoryEndsWithItsProcess/crash_queue",
    ("MemoryEndsWithItsProcess", "SparingStore"): "MemoryEndsWithItsProcess/crash_queue",
    ("NeedlessBodyGoes", "HoardingBodies"): "NeedlessBodyGoes/ToBeCollected/descent",
    ("NoBodyFromNowhere", "ConjuringBodies"): "NoBodyFromNowhere/sync_body",
    ("NoReturnInTransaction", "EagerReturns"): "NoReturnInTransaction/publish_in_tx#1",
    ("OnlyWhatExistsIsRoutedTo", "CarelessRouting"): "OnlyWhatExistsIsRoutedTo/publish_plain",
    ("OnlyWhatIsLedIsDeleted", "HastyDeletion"): "OnlyWhatIsLedIsDeleted/delete_queue",
    ("OnlyWhoIsCutOffIsGivenUp", "LastingEstrangement"): "OnlyWhoIsCutOffIsGivenUp/heal",
    ("PlainIsOfNoMode", "SecretivePublisher"): "PlainIsOfNoMode/publish_in_tx",
    ("RemovedIsForgotten", "ClingingStore"): "FiledIsHeldOrLeaving/forget",
    ("NoAckBeforeDurable", "BodyIsEnough"): "StoredIsSafe/sync_body",
    ("NoAckBeforeDurable", "IndexIsEnough"): "StoredIsSafe/sync",
    ("NoAckFromMinority", "LargeMinority"): "NoAckFromMinority/flush#1",
    ("NoAckInTransaction", "TalkativeChannel"): "NoAckInTransaction/flush#1",
    ("NoAssertionFails", "AmnesicMirror"): "NoAssertionFails/deliver",
    ("NoCommitBeforeDurable", "HastyStore"): "StoredIsSafe/write",
    ("NoNackFromMinority", "SpeakingCluster"): "NoNackFromMinority/flush#4",
    ("NoNackInTransaction", "TalkativeChannel"): "NoNackInTransaction/flush#4",
    ("NoNeedlessAck", "ChattyChannel"): "NoNeedlessAck/flush#4",
    ("NoNeedlessNack", "ChattyChannel"): "NoNeedlessNack/flush#7",
    ("NoSecondCopy", "DoublingQueue"): "NoSecondCopy/deliver",
    ("CastsEndWithTheirNode", "LastingWords"): "CastsEndWithTheirNode/lose_node",
    ("ConsumersEndWithTheirChannel", "RevivingConfirms"): "ConsumersEndWithTheirChannel/reopen",
    ("ConsumersEndWithTheirMaster", "FaithfulConsumers"): (
        "ConsumersEndWithTheirMaster/delete_queue"
    ),
    ("DeletedIsForGood", "RisingQueue"): "DeletedIsForGood/crash_machine",
    ("EndComesLast", "OvertakingEnds"): "EndComesLast/down_arrives",
    ("NobodyIsBlockedForNothing", "ShyReader"): "NobodyIsBlockedForNothing/publish",
    ("NothingCrosses", "CrossingBumps"): "NothingCrosses/channel_bumped",
    ("NothingCrosses", "LeakyPartition"): "NothingCrosses/deliver",
    ("NothingIsGivenUp", "DiscouragedRetrier"): "NothingIsGivenUp/flush",
    ("NothingIsGivenUp", "TrustingRetrier"): "NothingIsGivenUp/close",
    ("NothingOutlivesTheNode", "SurvivingCasts"): "NothingOutlivesTheNode/crash_node",
    ("RepeatedForACause", "ImpatientConfirms"): "RepeatedForACause/publish_again",
    ("NothingBeforeCommit", "HastyPublisher"): "BatchIsNumbered/publish_in_tx",
    ("NothingComesBack", "DoublingQueue"): "NothingComesBack/deliver",
    ("OnlyWhoMustDeletes", "ImpatientMirrors"): "OnlyWhoMustDeletes/stop_unsynchronised",
    ("OneMaster", "OneSidedHealing"): "TwoLeadOnTwoSides/heal",
    ("OneMaster", "UsurpingMirrors"): "TwoLeadOnTwoSides/promote",
    ("OneQueueOfAName", "ImpatientConfirms"): "OneQueueOfAName/declare",
    ("OverdraftIsBounded", "DoublePair"): "OverdrawnIsDeferred/publish",
    ("PrefetchRespected", "UnlimitedConsumer"): "PrefetchRespected/hand_out",
    ("PromotedIsSynchronised", "FallbackMirrors"): "PromotedIsSynchronised/promote",
    ("RedeliveredIsMarked", "ForgetfulQueue"): "PendingIsMarked/hand_out",
    ("RefusedOnce", "RepeatingChannel"): "MultipleIsExact/flush",
    ("ReturnGoesHome", "AstrayChannel"): "ReturnGoesHome/publish#1",
    ("ReturnPrecedesNack", "GloomyChannel"): "NothingIsReturnedLate/flush",
    ("ReturnedIsUnroutable", "ReturningChannel"): "ReturnedIsUnroutable/publish",
    ("RollbackLeavesNoTrace", "HastyPublisher"): "BatchIsNumbered/publish_in_tx",
    ("SelectsAlone", "SelectForAll"): "SelectsAlone/select",
    ("SettledOnce", "RepeatingChannel"): "MultipleIsExact/flush",
    ("SettlesItsOwn", "AckPutsAllBack"): "SettlesItsOwn/consumer_acks:1",
    ("SettlesItsOwn", "RecoverAll"): "SettlesItsOwn/recover",
    ("SettlesItsOwn", "RejectPutsAllBack"): "SettlesItsOwn/consumer_rejects:1",
    ("SharedPrefetchRespected", "UnlimitedChannel"): "SharedPrefetchRespected/hand_out",
    ("SomebodyOwesAnAnswer", "DeafMirror"): "SomebodyOwesAnAnswer/deliver_to_mirror",
    ("SomebodyOwesAnAnswer", "ForgettingPromotion"): "SomebodyOwesAnAnswer/promote",
    ("SomebodyOwesAnAnswer", "LostDirectCopies"): "SomebodyOwesAnAnswer/promote",
    ("SomebodyOwesAnAnswer", "MuteQueue"): "SomebodyOwesAnAnswer/deliver",
    ("SomebodyOwesAnAnswer", "PatientChannel"): "SomebodyOwesAnAnswer/confirm_arrives:2",
    ("SomebodyOwesAnAnswer", "SilentCasts"): "SomebodyOwesAnAnswer/crash_queue",
    ("SomebodyOwesAnAnswer", "UnmovedMirror"): "SomebodyOwesAnAnswer/drain",
    ("TagsAreOrdered", "RepeatingTags"): "TagsAreOrdered/hand_out",
    ("TransactsAlone", "CommitAppliesAll"): "TransactsAlone/tx_commit:2",
    ("RollbackUnsettles", "OneWayRollback"): "RollbackUnsettles/tx_rollback#2",
    ("TransactsAlone", "CommitForAll"): "TransactsAlone/tx_commit:2",
    ("TransactsAlone", "RollbackForAll"): "TransactsAlone/tx_rollback:2",
    ("UnblockedFollowsBlocked", "PoliteReader"): "UnblockedFollowsBlocked/alarm_clears#2",
    ("UnknownTagClosesChannel", "LenientChannel"): "UnknownTagClosesChannel/ack_unknown",
    ("AckedIsGone", "RetreatingAck"): "AckedIsGone/consumer_acks",
    ("RejectSettlesWhatItNames", "GreedyAck"): "RejectSettlesWhatItNames/consumer_rejects",
    ("RejectedComesBackIfAskedFor", "LosingRequeue"): (
        "RejectedComesBackIfAskedFor/consumer_rejects"
    ),
    ("DeliveredToWhoConsumes", "EagerQueue"): "DeliveredToWhoConsumes/hand_out#1",
    ("MarkedWasHandedOut", "SuspiciousChannel"): "MarkedWasHandedOut/hand_out#1",
    ("NothingIsFetchedFromNobody", "CurtQueue"): "NothingIsFetchedFromNobody/get_empty#1",
    ("CommitComesFirst", "DistractedChannel"): "CommitComesFirst/consumer_acks:2",
    ("CancelMeansBereft", "ThoroughCancellation"): "CancelMeansBereft/delete_queue#1",
    ("CancelledIsOver", "FarReachingCancel"): "CancelledIsOver/cancel#1",
    ("CancelledIsOver", "LastingSubscription"): "CancelledIsOver/cancel#1",
    ("ConsumersEndWithTheirMaster", "WaitingConsumers"): "ConsumersEndWithTheirMaster/notice",
    ("DeliveredToWhoConsumes", "InheritedConsumers"): "DeliveredToWhoConsumes/hand_out#1",
    ("CommitTellsQueues", "ForgetfulCommit"): "CommitTellsQueues/tx_commit:2",
    ("GivenUpGivesNoCredit", "DebtorMirror"): "GivenUpGivesNoCredit/notice",
    ("GivenUpGivesNoCredit", "LavishMirror"): "GivenUpGivesNoCredit/master_tells",
    ("LoserIsChosenOnce", "ShiftingLoser"): "LoserIsChosenOnce/lose_side",
    ("MirrorsHearNothingAcross", "ClairvoyantMirrors"): "MirrorsHearNothingAcross/master_tells",
    ("NobodyStopsForNothing", "HastyLoser"): "NobodyStopsForNothing/halt",
    ("PausedWaitsForOthers", "NarrowStanding"): "PausedWaitsForOthers/restart",
    ("PausedWaitsForOthers", "RestlessLoser"): "WhoEndsByItselfIsHalted/halt",
    ("OneSideHasStopped", "RashReunion"): "OneSideHasStopped/heal",
    ("GivenUpIsBenign", "RumouredCrash"): "GivenUpIsBenign/crash_queue",
    ("ConsumersDoNotMove", "MovingConsumer"): "ConsumersDoNotMove/consume",
    ("StopSavesWhatRuns", "ThoroughStop"): "StopSavesWhatRuns/stop_broker",
    ("GivenUpIsUnheard", "LastMinuteAcks"): "GivenUpIsUnheard/notice",
    ("LentToSomebody", "DistractedQueue"): "LentToSomebody/close",
    ("NothingCrosses", "FarReachingAck"): "NothingCrosses/consumer_acks:2",
    ("NothingCrosses", "FarReachingCommit"): "NothingCrosses/tx_commit:2",
    ("NothingOpensInMinority", "TirelessNode"): "NothingOpensInMinority/reopen",
    ("NothingCrosses", "FarReachingConsumer"): "NothingCrosses/consume",
    ("NothingCrosses", "FarReachingReturn"): "NothingCrosses/consumer_rejects:2",
    ("WhatWaitedArrives", "LossyReunion"): "WhatWaitedArrives/acks_arrive",
    ("FetchedFromItsQueue", "FarReachingGet"): "FetchedFromItsQueue/get#1",
    ("GivenUpIsUnheard", "FaithfulNode"): "GivenUpIsUnheard/notice",
    ("WordsEndWithTheirNode", "EloquentNodes"): "WordsEndWithTheirNode/halt",
    ("UnroutableIsConfirmed", "NackingChannel"): "UnroutableIsSettled/publish",
    ("AckedIsDone", "AlarmedRetrier"): "PendingIsUnacked/close",
    ("AckedIsDone", "LiteralRetrier"): "AckedIsDone/flush",
    ("CopyIsAsMandatory", "UnaskedCopies"): "CopyIsAsMandatory/publish_again",
    ("FullTakesNothing", "HospitableQueue"): "FullTakesNothing/pass_by",
    ("NoCommitFromMinority", "CommittingMinority"): "NoCommitFromMinority/complete#1",
    ("OneOfThemIsAwaited", "ObstinateRetrier"): "OneOfThemIsAwaited/publish_again",
    ("OnlyWhatExistsIsRoutedTo", "BlindCopies"): "OnlyWhatExistsIsRoutedTo/publish_again",
    ("OverIsForgotten", "OutlivingTransaction"): "OverIsForgotten/close",
    ("OverIsForgotten", "RetentiveTransaction"): "OverIsForgotten/tx_rollback:2",
    ("SeparateEndsAlone", "SociableClosing"): "SeparateEndsAlone/close",
    ("SeparateEndsAlone", "SilentClosing"): "SeparateEndsAlone/close",
    ("TheRecordIsAsked", "NostalgicChannel"): "TheRecordIsAsked/publish",
    ("AckMeansAccepted", "EasilyContentChannel"): "UnacceptedIsAwaited/down_arrives",
    ("DeadGoToAllTheirQueues", "BuriedAlive"): "DeadGoToAllTheirQueues/dead_letter",
    ("DeadGoToAllTheirQueues", "OneGrave"): "DeadGoToAllTheirQueues/dead_letter",
    ("ForgottenWithTheirQueue", "ForgetfulCourier"): "ForgottenWithTheirQueue/restart",
    ("OnlyWhoPassesOnSetsAside", "ExpiresAnywhere"): "OnlyWhoPassesOnSetsAside/expire",
    ("SetAsideHasDied", "QuietGraves"): "SetAsideHasDied/expire",
    ("FullTakesNothing", "OpenHandedQueue"): "FullTakesNothing/pass_by",
    ("FullTakesNothing", "WeightlessDead"): "FullTakesNothing/pass_by",
    ("NoFailureFromMinority", "FailingMinority"): "NoFailureFromMinority/complete#1",
}

#: Mistakes that break what is proved only where a restriction of the proofs is not met.
BEYOND = {
    ("AckMeansAccepted", "AgreeableMirror"): "RefusersAreAlone",
    ("EveryPublishSettles", "StayingMirrors"): "QueuesAreAlone",
    ("EveryPublisherHears", "HalfHealing"): "QueuesAreAlone",
}


@dataclass(frozen=True)
class Mistake:
    """A mistake that breaks something that is proved of the base.

    Attributes:
        broken: the property.
        design: the mistake.
        instance: where the checker sees that.
    """

    broken: str
    design: Design
    instance: Instance

    @property
    def name(self) -> str:
        """What the mistake is called: the class that makes it."""
        return self.design.replace[0].__name__

    @property
    def text(self) -> str:
        """What it does, in a sentence."""
        return (self.design.replace[0].__doc__ or "").partition("\n")[0]


@cache
def mistakes() -> dict[tuple[str, str], Mistake]:
    """Return the mistakes that break what is proved, by the property and their own name."""
    of_a_property = (
        *((name, *case, MODEL) for name, case in MUTANTS.items()),
        *((name, *case, CONSUMING) for name, case in MISTAKES.items()),
        *((name, *case, CREDITING) for name, case in CREDITING_MUTANTS.items()),
    )
    found = [
        *of_a_property,
        *((name, design, where, MODEL) for design, name, where in IN_STEPS.values()),
    ]
    proved = {*LIBRARY.proofs, *LIBRARY.follows, *LIBRARY.rankings}
    known = {}
    for name, design, where, model in found:
        instance = model.instance(where)
        assert instance is not None
        if name in proved:
            one = Mistake(name, design, instance)
            known[name, one.name] = one
    return known
