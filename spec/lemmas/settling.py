"""Settling: why whatever is published is acked or nacked in the end, if its channel stays open.

Fairness makes the broker's own steps happen: what is on its way arrives, what a store has taken
reaches the disk, and what a channel has made up its mind about it tells (INV-A10).  Nothing makes a
client publish, or a consumer take anything, and nothing has to.

A message of the channel goes one way, and none goes back (`Queueing`):

    not published, on its way, with the store, with the process, answered, settled, told

So the sets of those that have not come further get no larger, where the earlier ones count more:
a publish makes new work, and there is one message less to be published.  All messages of the
channel are looked at together, so nobody has to ask which of them is the next.

A partition stops messages on their way.  It is noticed in the end, and then nobody waits for what
is on the other side; or the channel's node is the one that pauses, and the channel closes (A12.2).
That the network is whole again is nothing that has to happen, and happens once for each partition.
"""

from __future__ import annotations

from ackproof.lang import Ranking, helper, helpful, lemma, measure, restriction
from ackproof.spec.sorts import ChannelId, Level, Msg, Node, Replica, TxMode
from ackproof.spec.system import Confirms


@restriction
def QueuesAreAlone(s: Confirms) -> bool:
    """No queue has a mirror."""
    return all(x == r for r in Replica for x in s.siblings(r))


@restriction
def NobodyKeepsCredit(s: Confirms) -> bool:
    """There is no flow control by credit."""
    return not s.credit


#: What it takes to know that a process is no mirror.
_ALONE = ("EachQueueHasAMaster", "JoinedIsNoMaster", "QueuesAreAlone")

#: The steps that only mirrors take, or that are taken for their sake.
_OF_MIRRORS = {
    "catch_up": _ALONE,
    "deliver_to_mirror": _ALONE,
    "enlist": _ALONE,
    "forget_sender": _ALONE,
    "join": _ALONE,
    "master_removes": _ALONE,
    "master_tells": _ALONE,
    "promote": _ALONE,
    "stop_unsynchronised": _ALONE,
    "synchronise": _ALONE,
}


@lemma("BatchBelongs", "LostIsAway", promote=_ALONE)
def CalledIsAble(s: Confirms) -> bool:
    """What is on its way to a process is on its way to one that began, and is not given up (A9)."""
    return all(
        s.replicas[r].begun() and not s.given_up(r)
        for m in Msg
        for r in Replica
        if m in s.casts[Msg.owner(m)].publishes[r]
    )


@lemma("NobodyKeepsCredit")
def NobodyIsBumped(s: Confirms) -> bool:
    """Where nobody keeps credit, none is on its way (E1.3)."""
    return all(
        s.casts[c].credit[r].bumps == 0 and s.casts[c].credit[r].deferred == 0
        for c in ChannelId
        for r in Replica
    )


@lemma("NobodyKeepsCredit")
def MailboxesAreEmpty(s: Confirms) -> bool:
    """Where nobody keeps credit, a store has what it is sent at once (C2.1)."""
    return all(not s.mailboxes[r].writes for r in Replica)


# -- what gets less ----------------------------------------------------------------------------


@measure()
def NodesAway(s: Confirms, node: Node) -> bool:
    """Nodes on the other side: nobody goes there but by a fault."""
    return node in s.cluster.away


@measure()
def NodesUnnoticed(s: Confirms, node: Node) -> bool:
    """Those of them that the channels' node has not given up."""
    return node in s.cluster.away and node not in s.cluster.lost


@measure("NextBelongs")
def Unpublished(s: Confirms, channel: ChannelId, msg: Msg) -> bool:
    """Messages of the channel that have no number yet."""
    following = s.channels[channel].next_seq
    return Msg.owner(msg) == channel and following is not None and following <= msg


@measure("IdleIsEmpty", "ConfirmXorTransaction", "WaitingBelongs", "NextBelongs")
def Untold(s: Confirms, channel: ChannelId, msg: Msg) -> bool:
    """Messages that the publisher waits for."""
    return (
        bool(s.channels[channel].unconfirmed[msg])
        or msg in s.channels[channel].confirmed | s.channels[channel].rejected
    )


@measure("IdleIsEmpty", "ConfirmXorTransaction", "NextBelongs")
def Waited(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """Processes that the channel waits for."""
    return replica in s.channels[channel].unconfirmed[msg]


@measure("IdleIsEmpty", "ConfirmXorTransaction", "NextBelongs", **_OF_MIRRORS)
def OnItsWay(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """Messages on their way to a process."""
    return msg in s.casts[channel].publishes[replica]


@helper
def waits(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """Tell whether a store has still to confirm a message of a channel (C2.1)."""
    return Msg.owner(msg) == channel and msg in s.replicas[replica].store.unconfirmed


@helper
def entered(s: Confirms, msg: Msg, replica: Replica) -> bool:
    """Tell whether an entry is on the disk (C2.4)."""
    return s.replicas[replica].store.level[msg] == Level.SYNCED


@measure("CastsBelong", forget=("LeavingIsWritten",), **_OF_MIRRORS)
def Entering(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """Messages that a store has still to confirm, and whose entry is not on the disk."""
    return waits(s, channel, msg, replica) and not entered(s, msg, replica)


@measure("CastsBelong", **_OF_MIRRORS)
def Storing(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """Messages that a store has still to confirm."""
    return waits(s, channel, msg, replica)


@measure("CastsBelong", **_OF_MIRRORS)
def Stored(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """Messages that it has confirmed, and its process has not heard of."""
    return Msg.owner(msg) == channel and msg in s.replicas[replica].store.confirmed


@measure("CastsBelong", **_OF_MIRRORS)
def Answered(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """Messages that a process has answered, and the channel has not heard of."""
    answered = s.replicas[replica].outbox | s.replicas[replica].refused
    return Msg.owner(msg) == channel and msg in answered


#: What it takes to know that what a channel has under its tags can be put back (F3.2).
_PUT_BACK = ("MemoryEndsWithItsProcess", "UnderOneTag", "UnsettledIsPending")


# -- what helps --------------------------------------------------------------------------------


@helper
def sees_most(s: Confirms) -> bool:
    """Tell whether the channels' node sees more than half of the cluster, or need not (A12.2)."""
    majority = not s.cluster.lost or 2 * len(s.cluster.lost) < len(Node)
    return not s.cluster.pausing or majority


@helpful("notice")
def ToBeNoticed(s: Confirms, node: Node) -> bool:
    """A node on the other side is given up in the end (A12.7)."""
    return node in s.cluster.away and node not in s.cluster.lost


@helpful("pause", pause=("ClosedHasNoTransaction", *_PUT_BACK))
def ToPause(s: Confirms, channel: ChannelId) -> bool:
    """In a minority the channel's node pauses, unless the network is whole before (A12.2)."""
    return not sees_most(s)


@helpful("flush", "IdleIsEmpty", "ConfirmXorTransaction", flush=("EachMessageHasOnePlace",))
def ToBeTold(s: Confirms, channel: ChannelId) -> bool:
    """What is settled is told (A10.4)."""
    settled = bool(s.channels[channel].confirmed) or bool(s.channels[channel].rejected)
    return settled and s.transactions[channel].mode == TxMode.NONE and sees_most(s)


@helpful("complete", "ConfirmXorTransaction", "RejectedIsNoticed", complete=_PUT_BACK)
def ToBeCommitted(s: Confirms, channel: ChannelId) -> bool:
    """A commit is answered when nothing is waited for (A13.4)."""
    done = not s.channels[channel].unconfirmed and not s.transactions[channel].answers()
    return done and sees_most(s)


@helpful("confirm_arrives", confirm_arrives=("OnePhaseAtATime",))
def ConfirmIsSent(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """A confirm arrives (A8.3)."""
    confirms = s.of_channel(s.replicas[replica].outbox, channel)
    return msg in confirms and s.reaches(replica)


@helpful("reject_arrives", reject_arrives=("OnePhaseAtATime",))
def RejectIsSent(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """A reject arrives (A8.4)."""
    rejects = s.of_channel(s.replicas[replica].refused, channel)
    return msg in rejects and s.reaches(replica)


@helpful("down_arrives", "NobodyIsBumped", **_OF_MIRRORS)
def EndIsNews(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """That a process is gone is heard, after all that it has sent (A9)."""
    gone = s.casts[channel].downs[replica] is not None and not s.last_words(channel, replica)
    return gone and replica in s.channels[channel].unconfirmed[msg]


@helpful("drain", "MemoryEndsWithItsProcess")
def ToBeNoted(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """What a store has confirmed its process hears (B6.1)."""
    return Msg.owner(msg) == channel and msg in s.replicas[replica].store.confirmed


@helpful("sync", "MemoryEndsWithItsProcess", "MailboxesAreEmpty", "StoringIsPossible")
def ToBeSynced(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """What a store has taken reaches the disk (C3.1)."""
    return waits(s, channel, msg, replica) and not entered(s, msg, replica)


@helpful(
    "sync_body",
    "AwaitedBodyIsUnsynced",
    "EntriesHaveBodies",
    "StoringIsPossible",
    "UnstoredIsUnderWay",
    forget=("LeavingIsWritten",),
    **_OF_MIRRORS,
)
def BodyToBeSynced(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """So does its body, where that lies apart (C2.2)."""
    return waits(s, channel, msg, replica) and entered(s, msg, replica)


@helpful(
    "deliver",
    "CastsBelong",
    "NextBelongs",
    publish=("ConfirmXorTransaction",),
    publish_again=("ConfirmXorTransaction",),
    dead_letter=("ConfirmXorTransaction",),
    tx_commit=("ConfirmXorTransaction", "IdleIsEmpty"),
    **_OF_MIRRORS,
)
def ToBeDelivered(s: Confirms, channel: ChannelId, msg: Msg, replica: Replica) -> bool:
    """The oldest message on its way to a master arrives (B1)."""
    oldest = min(s.casts[channel].publishes[replica], default=None)
    first = oldest == msg and Msg.owner(msg) == channel
    return first and s.replicas[replica].leads() and s.reaches(replica)


FOLLOWS = {
    "EveryPublisherHears": (
        "EveryPublishSettles",
        "EachMessageHasOnePlace",
        "MultipleIsExact",
        "NothingIsSentBefore",
        "SentBelongs",
    )
}

#: What is left of the way of a message that was published, and which steps help it on.
_WAY = ("Waited", "OnItsWay", "Entering", "Storing", "Stored", "Answered")
_HELP = (
    "ToBeNoticed",
    "ToPause",
    "ToBeCommitted",
    "ConfirmIsSent",
    "RejectIsSent",
    "EndIsNews",
    "ToBeNoted",
    "ToBeSynced",
    "BodyToBeSynced",
    "ToBeDelivered",
)

#: What it takes to know that one of these steps can be taken while something is waited for.
_WAITED = (
    "AwaitedIsUnderWay",
    "CalledIsAble",
    "CastsBelong",
    "ConfirmXorTransaction",
    "DeadIsNotAwaited",
    "EndedIsNotAsked",
    "IdleIsEmpty",
    "LeaderIsToldNothing",
    "LostIsAway",
    "MasterIsNoMirror",
    "NobodyIsBumped",
    "SomebodyOwesAnAnswer",
    "WaitingBelongs",
    *_ALONE,
)

RANKINGS = {
    "EveryPublishSettles": Ranking(
        measure=("NodesAway", "NodesUnnoticed", "Unpublished", "Untold", *_WAY),
        helpful=("ToBeTold", *_HELP),
        by=_WAITED,
    ),
    "EveryCommitAnswers": Ranking(
        measure=("NodesAway", "NodesUnnoticed", *_WAY), helpful=_HELP, by=_WAITED
    ),
}
