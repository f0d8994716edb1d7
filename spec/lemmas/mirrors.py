"""Lemmas of mirrors: who leads, who follows, and who is asked by the channel (D1).

One process of a queue leads it, and nobody tells it anything.  A mirror gets what the channel sends
in order, and waits for the master's word on each message.  The lemmas of the files after this one
are pairwise, of processes of one queue; what most of their steps take is gathered here.

They are about two processes that know each other: a partition divides a queue in two, each with a
master of its own, which have nothing to do with each other any more (`Parts.knows`, D9).  And what
they say of a mirror is so as long as it is *in line* (`in_line`).  One that is not synchronised
when its master dies is passed over if a younger one is, and what that has been asked and told is
not what the older one waits for.  It stops (D5.3); until then only its channels still count with
it.
"""

from __future__ import annotations

from typing import Any

from ackproof.lang import assumption, helper, lemma
from ackproof.spec.sorts import Born, ChannelId, Level, Msg, Replica, Seen, Status, TxMode
from ackproof.spec.system import Confirms


@assumption
def EachQueueHasOneMaster(s: Confirms) -> bool:
    """No queue begins with two masters (D1.1)."""
    return all(
        x == r or s.replicas[x].born != Born.MASTER or s.replicas[r].born != Born.MASTER
        for r in Replica
        for x in s.siblings(r)
    )


@assumption
def AgeIsOrder(s: Confirms) -> bool:
    """A queue's first master is older than its mirrors, and who joins later is younger (D1.1)."""
    return all(
        x == r
        or (
            (s.replicas[r].born != Born.MASTER or r < x)
            and (s.replicas[r].born != Born.LATER or s.replicas[x].born == Born.LATER or x < r)
        )
        for r in Replica
        for x in s.siblings(r)
    )


@helper
def in_line(s: Confirms, replica: Replica) -> bool:
    """Tell whether a process, or an older one that it knows, is synchronised and runs (D5.3).

    If none is, a younger one is promoted, and this one stops.
    """
    return any(
        s.runs(w) and w not in s.unsynced and w <= replica and s.knows(w, replica)
        for w in s.siblings(replica)
    )


@helper
def asked(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """Tell whether a message is on its way from its channel to a process, or waits there (D3)."""
    return msg in s.casts[Msg.owner(msg)].publishes[replica] | s.replicas[replica].direct


@helper
def untold(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """Tell whether a process that was asked has not heard what became of a message (D4.1)."""
    heard = msg in s.multicast.coming(replica) or s.replicas[replica].seen[msg] != Seen.ABSENT
    return asked(s, msg, replica) and not heard


@lemma()
def EndedIsNotAsked(s: Confirms) -> bool:
    """Nothing is on its way to a process that has ended (A9)."""
    return all(
        m not in s.casts[Msg.owner(m)].publishes[r] | s.replicas[r].direct
        and m not in s.multicast.coming(r) | s.multicast.removals[r]
        and s.replicas[r].seen[m] == Seen.ABSENT
        for r in Replica
        if s.replicas[r].status != Status.RUNNING
        for m in Msg
    )


@lemma("RunningIsListed")
def EnlistedHasJoined(s: Confirms) -> bool:
    """Who came later is in the record when it has joined (D1.2)."""
    return all(s.replicas[r].joined for r in s.enlisted)


@lemma("EnlistedHasJoined", "EndedIsNotAsked", "EachQueueHasOneName")
def AskedIsThere(s: Confirms) -> bool:
    """Nothing is on its way to a process that was not started (A9.5, D1.2)."""
    return all(
        s.present(r)
        or (
            m not in s.casts[Msg.owner(m)].publishes[r] | s.replicas[r].direct
            and m not in s.multicast.coming(r) | s.multicast.removals[r]
        )
        for r in Replica
        for m in Msg
    )


@lemma("AgeIsOrder")
def OlderHaveJoined(s: Confirms) -> bool:
    """Those that join do so in the order of their age (D1.1)."""
    return all(
        s.replicas[x].joined or s.replicas[x].born != Born.LATER or r < x
        for r in Replica
        if s.replicas[r].joined
        for x in s.siblings(r)
    )


@lemma("EnlistedHasJoined", "LeaderIsListed", "OlderHaveJoined", "RunningIsListed")
def OlderAreListed(s: Confirms) -> bool:
    """Of those that came later an older one that runs is in the record before a younger (D1.2)."""
    return all(
        s.replicas[x].born != Born.LATER
        or x in s.enlisted
        or s.replicas[x].status != Status.RUNNING
        or r < x
        for r in s.enlisted
        for x in s.siblings(r)
    )


@lemma()
def PromotedWasMirror(s: Confirms) -> bool:
    """Whoever was promoted was a mirror, from the start or since it joined (D5.5)."""
    return all(
        s.replicas[r].born == Born.MIRROR or s.replicas[r].joined
        for r in Replica
        if s.replicas[r].promoted
    )


@lemma("JoinedIsNoMaster", "PromotedWasMirror")
def LeaderIsSynchronised(s: Confirms) -> bool:
    """Whoever leads, or led, counts as synchronised (D5.3)."""
    return all(s.replicas[r].born != Born.MASTER and not s.replicas[r].promoted for r in s.unsynced)


@lemma(
    "AgeIsOrder",
    "EachQueueHasOneMaster",
    "JoinedIsNoMaster",
    "OlderHaveJoined",
    "PromotedWasMirror",
    "QueuesBeginAsOne",
    "TwoLeadOnTwoSides",
)
def LeaderIsOldest(s: Confirms) -> bool:
    """Whoever leads is the oldest of those that are synchronised (D5.3)."""
    return all(
        r <= x
        for r in Replica
        if s.replicas[r].leads()
        for x in s.siblings(r)
        if s.knows(r, x) and s.runs(x) and x not in s.unsynced
    )


@lemma("AskedIsThere", "EachQueueHasOneName")
def UnstartedHasNothing(s: Confirms) -> bool:
    """A process that was not started has nothing, and has said nothing (A9.5, D1.2)."""
    return all(
        s.present(r)
        or (
            m not in s.replicas[r].holds() | s.replicas[r].awaiting | s.replicas[r].outbox
            and m not in s.replicas[r].store.unconfirmed | s.replicas[r].store.confirmed
            and s.replicas[r].store.level[m] == Level.ABSENT
            and s.replicas[r].seen[m] == Seen.ABSENT
            and r not in s.vouchers[m] | s.backed[m]
        )
        for r in Replica
        if s.replicas[r].status == Status.RUNNING
        for m in Msg
    )


@lemma("EndedIsNotAsked", "AskedIsThere", "LeaderIsToldNothing")
def GivenUpIsNotAsked(s: Confirms) -> bool:
    """Nothing is on its way to a process whose node was given up, or waits there (A9, D4.18)."""
    return all(
        m not in s.casts[Msg.owner(m)].publishes[r] | s.replicas[r].direct
        for r in Replica
        if s.given_up(r)
        for m in Msg
    )


@lemma()
def JoinedIsNoMaster(s: Confirms) -> bool:
    """A process that joins was not there from the start (D1.2)."""
    return all(s.replicas[r].born != Born.MASTER for r in Replica if s.replicas[r].joined)


@lemma("JoinedIsNoMaster", "MasterIsNoMirror")
def LeaderIsToldNothing(s: Confirms) -> bool:
    """Nobody tells a master what became of a message, and it waits for no such thing (D1.1)."""
    return all(
        m not in s.replicas[r].direct | s.multicast.coming(r) | s.multicast.removals[r]
        for r in Replica
        if s.replicas[r].led()
        for m in Msg
    )


@lemma()
def MirrorHandsNothingOut(s: Confirms) -> bool:
    """No consumer has anything from a mirror (D1.1)."""
    return all(not s.replicas[r].pending for r in Replica if not s.replicas[r].led())


@lemma("CouriersServePlainQueues", "NothingIsMarkedWithMirrors")
def NothingIsSetAsideWithMirrors(s: Confirms) -> bool:
    """Where mirrors are, nothing is set aside (Q12.1)."""
    return all(
        not s.replicas[r].aside or (s.replicas[r].born == Born.MASTER and x == r)
        for r in Replica
        for x in s.siblings(r)
    )


@lemma("CouriersServePlainQueues")
def NothingIsMarkedWithMirrors(s: Confirms) -> bool:
    """Nor will it be after a crash (Q12.4)."""
    return all(
        not s.replicas[r].store.marked or (s.replicas[r].born == Born.MASTER and x == r)
        for r in Replica
        for x in s.siblings(r)
    )


@lemma("ConfirmXorTransaction")
def BatchIsOpen(s: Confirms) -> bool:
    """Only a transaction that is open holds anything back (A13.1)."""
    return all(
        s.transactions[c].mode == TxMode.OPEN or not s.transactions[c].batch for c in ChannelId
    )


@lemma(
    "BatchBelongs", "BatchIsNumbered", "BatchIsOpen", "ConfirmXorTransaction", "NumberedInFlight"
)
def BatchIsLatest(s: Confirms) -> bool:
    """What a transaction holds back is later than all that is under way (A13.1)."""
    return all(
        k < m
        for c in ChannelId
        for m in s.transactions[c].batch
        for r in Replica
        for k in s.casts[Msg.owner(m)].publishes[r] | s.multicast.coming(r) | s.replicas[r].direct
        if Msg.owner(k) == Msg.owner(m)
    )


@lemma("BatchIsLatest", "NumberedInFlight", "BatchIsNumbered")
def DirectIsEarlier(s: Confirms) -> bool:
    """What came to a mirror from the channel is earlier than what is still to come (O2)."""
    return all(
        k < m
        for r in Replica
        for k in s.replicas[r].direct
        for m in s.casts[Msg.owner(k)].publishes[r]
        if Msg.owner(m) == Msg.owner(k)
    )


@lemma("BatchIsNumbered", "NumberedInFlight")
def DirectIsUnheard(s: Confirms) -> bool:
    """What came to a mirror from the channel only comes once, and its fate is not known (D4.1)."""
    return all(
        s.replicas[r].seen[m] == Seen.ABSENT and m not in s.casts[Msg.owner(m)].publishes[r]
        for r in Replica
        for m in s.replicas[r].direct
    )


@lemma("BatchIsNumbered", "DirectIsUnheard", "NumberedInFlight")
def CalledIsNotAsked(s: Confirms) -> bool:
    """What a mirror has called for comes from the channel no more (D4.2)."""
    return all(
        m not in s.casts[Msg.owner(m)].publishes[r]
        for r in Replica
        for m in Msg
        if s.replicas[r].seen[m] == Seen.CALLED
    )


#: The steps in which a channel sends a message, but for those of a transaction.
PUBLISHES = ("publish", "publish_again", "publish_plain", "dead_letter")

#: The steps in which a message arrives at a master.
ARRIVES = ("deliver", "pass_by", "hand_on")

#: The steps after which a mirror may have lost its master, and what that had told.
ENDS = ("crash_queue", "lose_node", "stop_node", "estrange", "halt")

#: The steps in which all processes of a queue end.
STOPS = ("crash_machine", "crash_node", "stop_broker", "delete_queue")


def at(steps: tuple[str, ...], *needed: str) -> dict[str, Any]:
    """Return what is needed in each of some steps."""
    return dict.fromkeys(steps, needed)


#: What it takes to know who leads, and who is in line behind.
LINE = (
    "AskedIsThere",
    "LeaderIsOldest",
    "EndedIsNotAsked",
    "LeaderIsSynchronised",
    "QueuesBeginAsOne",
    "TwoLeadOnTwoSides",
)

#: What it takes to know that whom a master tells is everybody else of its queue.
LED = (*LINE, "LeaderIsToldNothing")

#: What it takes to know that what a mirror has called for, or has in `direct`, comes no more.
CALLS = ("CalledIsNotAsked", "DirectIsUnheard")

#: What it takes to know that the first of `direct` is what a master tells of next.
FIRST = ("AheadIsTold", "AheadOfEarlierIsAheadOfLater", "DirectIsEarlier", "DirectIsUnheard")

#: What it takes to know which of the messages that mirrors are told of come first.
ORDER = ("AheadIsTold", "AheadOfEarlierIsAheadOfLater", "MirrorsLearnInOneOrder", "OneOfTwoIsAhead")

#: What it takes to know that what one of those that a dead master leaves has got, all get.
LEFT = (
    "AskedIsThere",
    "EndedIsNotAsked",
    "LeaderIsToldNothing",
    "MissedIsUnknown",
    "TwoLeadOnTwoSides",
    "UnstartedHasNothing",
)

#: What it takes to know that those who meet again when a partition is over were never apart (D9).
HEALED = (
    "AskedIsThere",
    "EndedIsNotAsked",
    "GivenUpIsNotAsked",
    "UnstartedHasNothing",
    "LostIsAway",
)

#: What it takes to know who comes to be in line where somebody joins, or catches up.
LINED: dict[str, Any] = {
    "join": (
        "AgeIsOrder",
        "AskedIsThere",
        "OlderHaveJoined",
        "PromotedWasMirror",
        "UnstartedHasNothing",
    ),
    "synchronise": ("LeaderIsSynchronised",),
    "catch_up": ("LeaderIsSynchronised",),
    "declare": ("AskedIsThere", "EachQueueHasOneName", "QueuesBeginAsOne", "UnstartedHasNothing"),
}
