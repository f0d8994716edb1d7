"""The bookkeeping: what must hold behind the door for publishers to be told the truth.

Channels, queues and mirrors each keep a part of what is known of a message: who waits for it, who
has it, who has answered.  What the promises of `properties` rest on is that these parts agree: each
message has one place, somebody owes an answer for each that is awaited, and mirrors have what their
master has, in its order.
"""

from __future__ import annotations

from ackproof.lang import invariant, step_property
from ackproof.spec.sorts import ChannelId, Msg, Replica, Seen
from ackproof.spec.system import Confirms


@invariant
def EachMessageHasOnePlace(s: Confirms) -> bool:
    """What was published is unconfirmed, confirmed, rejected or told, and only one (INV-A8).

    What is nowhere is never settled, and what is in two places is settled twice.
    """
    return all(
        not (m in s.channels[c].acked and m in s.channels[c].nacked)
        and not (m in s.channels[c].confirmed and m in s.channels[c].rejected)
        and not (
            m in s.channels[c].acked | s.channels[c].nacked
            and m in s.channels[c].confirmed | s.channels[c].rejected
        )
        and not (
            s.channels[c].unconfirmed[m]
            and (
                m in s.channels[c].acked | s.channels[c].nacked
                or m in s.channels[c].confirmed | s.channels[c].rejected
            )
        )
        and (
            not s.channels[c].open
            or not s.channels[c].confirming
            or (m in s.publishers[c].sent)
            == (
                bool(s.channels[c].unconfirmed[m])
                or m in s.channels[c].confirmed | s.channels[c].rejected
                or m in s.channels[c].acked | s.channels[c].nacked
            )
        )
        for c in ChannelId
        for m in Msg
    )


@invariant
def SomebodyOwesAnAnswer(s: Confirms) -> bool:
    """What the channel waits for is under way, or the news that it never comes is (INV-A9).

    Otherwise the publisher would wait for ever.
    """
    return all(
        m in s.casts[c].publishes[r] | s.replicas[r].owes() or s.casts[c].downs[r] is not None
        for c in ChannelId
        for m in s.channels[c].unconfirmed
        for r in s.channels[c].unconfirmed[m]
    )


@invariant
def AwaitedIsPresent(s: Confirms) -> bool:
    """What a queue still has to confirm it has, or its removal is confirmed next (INV-B1).

    An entry without a message would stay in the table as long as the queue lives.
    """
    return all(
        s.replicas[r].awaiting <= s.replicas[r].holds() | s.replicas[r].store.confirmed
        for r in Replica
    )


@invariant
def AwaitedIsUnderWay(s: Confirms) -> bool:
    """The store will confirm, or has confirmed, whatever the queue awaits (C2.1, C2.6).

    The two keep separate books, and the queue asks only once.
    """
    return all(
        s.replicas[r].awaiting <= s.replicas[r].store.unconfirmed | s.replicas[r].store.confirmed
        for r in Replica
    )


@invariant
def ConfirmedOnceByQueue(s: Confirms) -> bool:
    """A process confirms a message to the channel at most once (INV-B2).

    Whatever it still awaits, or has just cast, is something it had not answered before.
    """
    return all(
        not s.replicas[r].awaiting & s.replicas[r].outbox
        and all(s.unanswered(m, r) for m in s.replicas[r].awaiting | s.replicas[r].outbox)
        for r in Replica
    )


@invariant
def FifoPerPublisher(s: Confirms) -> bool:
    """What is on its way to a queue is newer than all of its channel that is there (INV-B4, O2).

    Then a queue that hands out its messages as they came hands those of each channel out in the
    order of publishing.
    """
    return all(
        k < m
        for r in Replica
        if s.replicas[r].leads()
        for m in s.in_flight(r)
        if s.replicas[r].seen[m] == Seen.ABSENT
        for k in s.replicas[r].holds() | s.replicas[r].awaiting
        if Msg.owner(k) == Msg.owner(m)
    )


@step_property
def ServedInOrderOfArrival(before: Confirms, after: Confirms) -> bool:
    """What leaves a queue leaves nothing behind that came before it from elsewhere (B7.2, INV-B4).

    A consumer may count on a queue to be one, whoever has published to it; after a partition there
    have been two.
    """
    return before.cluster.parted or all(
        not before.seniors[before.replicas[r].of][m] & after.replicas[r].ready
        for r in Replica
        if before.replicas[r].leads() and after.replicas[r].leads()
        for m in before.replicas[r].ready - after.replicas[r].ready
    )


@invariant
def MirrorFollowsMaster(s: Confirms) -> bool:
    """A synchronised mirror has what its master has, but for what is on its way (INV-D2).

    It lags, and never leads: so it may take the master's place at any time.
    """
    return all(
        s.expected(x) == s.replicas[r].holds()
        for r in Replica
        if s.replicas[r].leads()
        for x in s.mirrors_of(r) - s.unsynced
    )


@invariant
def MirrorStandsAsMaster(s: Confirms) -> bool:
    """What a mirror has stands there as in its master, unless there was a partition (INV-D2).

    It is handed out in that order when the mirror has taken the master's place.  Of any two one
    stands first, and so it is with what a mirror has still to hear (D1.4).
    """
    told = all(
        s.multicast.order[r].before(k, m) != s.multicast.order[r].before(m, k)
        for r in Replica
        for k in s.multicast.coming(r)
        for m in s.multicast.coming(r)
        if k != m
    )
    return told and (
        s.cluster.parted
        or all(
            s.replicas[x].order.before(k, m) == s.replicas[r].order.before(k, m)
            and s.replicas[r].order.before(k, m) != s.replicas[r].order.before(m, k)
            for r in Replica
            if s.replicas[r].leads()
            for x in s.mirrors_of(r)
            for k in s.replicas[r].holds() & s.replicas[x].ready
            for m in s.replicas[r].holds() & s.replicas[x].ready
            if k != m
        )
    )


@invariant
def OneMaster(s: Confirms) -> bool:
    """A queue has one master, unless a partition has made two (D1.4, D9).

    Two would each tell their mirrors what to do, and confirm what the other does not have.
    """
    return all(
        x == r or not (s.replicas[x].leads() and s.linked(x, r))
        for r in Replica
        if s.replicas[r].leads()
        for x in s.siblings(r)
    )
