"""What must hold of credit: it is neither lost nor made, and it stops the publisher and no more.

The first group is about the books of each pair of processes: written with what is *used* of a
credit, which is `initial` less the credit itself (E1.1).  The second is about the reader, who is
the only one that stops, and about what its client is told.  The third says that it goes on in the
end, and the last what must be possible for any of that to mean something.
"""

from __future__ import annotations

from ackproof.spec.crediting import Crediting
from ackproof.spec.lang import eventually, invariant, reachable, step_property
from ackproof.spec.reader import ReaderState
from ackproof.spec.sorts import Replica
from ackproof.spec.wire import Ack, Blocked, Unblocked

# -- the books ----------------------------------------------------------------------------------


@invariant
def CreditIsConserved(s: Crediting) -> bool:
    """What is used of a credit is under way, or on its way back: no more, no less (E1.5, INV-E1).

    Under way are messages, on their way back are acks not yet bumped, and bumps.  Credit that gets
    lost blocks the publisher for ever in the end; credit from nothing lets queues be flooded.  It
    holds between two that were never parted, and of which neither is gone.
    """
    channels = not s.channel.open or s.reading.used == s.reading.given()
    processes = all(
        s.casting[r].used
        == len(s.network.publishes[r])
        + len(s.half_acked(r)) * (s.mirror_cost - 1)
        + s.casting[r].given()
        for r in Replica
        if s.credit and s.meets(r) and not s.cluster.parted
    )
    stores = all(s.storing[r].used == len(s.writes[r]) + s.storing[r].given() for r in Replica)
    return channels and processes and stores


@invariant
def NoExcessCredit(s: Crediting) -> bool:
    """Nobody has more credit than it began with, unless there was a partition (E1.1, E3.2).

    Excess credit never goes away, and the more there is, the later anybody is blocked.
    """
    return s.reading.used >= 0 and all(
        s.storing[r].used >= 0 and (s.casting[r].used >= 0 or s.cluster.parted) for r in Replica
    )


@invariant
def CreditNeverNegative(s: Crediting) -> bool:
    """The reader never sends without credit (E1.2).

    It is the one process that can stop.  What comes after it has no choice but to pass on what it
    has accepted, so its credit may fall below nothing: see `OverdraftIsBounded`.
    """
    return s.reading.used <= s.reading.initial


@invariant
def OverdraftIsBounded(s: Crediting) -> bool:
    """How far credit falls below nothing depends on constants only (E1.2, E1.3).

    A channel goes below with one publish at most; once blocked it bumps the reader no more, which
    has credit for `initial` others.  A process that its store blocks bumps the channel no more; all
    that the channel has paid for by then, and all that it can still overdraw, may arrive.  Only a
    transaction knows no bound: it is paid for when it is committed, all at once (A13.3).
    """
    return s.transactions or all(
        s.casting[r].used - s.casting[r].initial <= s.deepest()
        and s.storing[r].used - s.storing[r].initial <= s.casting[r].initial + s.deepest()
        for r in Replica
    )


# -- what a client notices ----------------------------------------------------------------------


@step_property
def BlockedStops(before: Crediting, after: Crediting) -> bool:
    """Only a running connection publishes (E4.1, E4.2).

    A publisher that goes on while the broker is short of memory brings it down.
    """
    still = after.publisher.next_tag == before.publisher.next_tag
    return before.reader.state == ReaderState.RUNNING or still


@invariant
def ClientKnowsWhy(s: Crediting) -> bool:
    """A client knows that it is blocked if an alarm is the reason, and only then (E4.3).

    An alarm may last for hours, and a client can do something else; credit is a matter of moments.
    """
    return s.reader.told == (s.reader.alarmed and s.reader.state == ReaderState.BLOCKED)


@step_property
def BlockedIsToldOnce(before: Crediting, after: Crediting, told: Blocked) -> bool:
    """A client is not told twice in a row that it is blocked (E4.3).

    One that counts would wait for two ends.
    """
    return not before.reader.told


@step_property
def UnblockedFollowsBlocked(before: Crediting, after: Crediting, told: Unblocked) -> bool:
    """What is over the client had been told of, and no alarm is left (E4.3).

    One that goes on then would only be blocked again.
    """
    return before.reader.told and not after.reader.alarmed


@step_property
def AlarmSettlesNothingDifferently(before: Crediting, after: Crediting) -> bool:
    """No alarm, and no credit that comes, rejects or nacks a message (E4.5).

    That a nack needs another cause is what `NackOnlyWithCause` says.
    """
    same = before.reader.state == after.reader.state
    same = same and before.reader.alarmed == after.reader.alarmed
    nacked = after.channel.rejected | after.publisher.nacked
    return same or nacked <= before.channel.rejected | before.publisher.nacked


@eventually
def NoCreditDeadlock(s: Crediting) -> bool:
    """A blocked connection is read again (E1.3, E1.4, E4.3).

    All that blocks it passes: alarms clear, stores and processes take what waits for them, and of
    those that are gone the channel hears.
    """
    return s.reader.state != ReaderState.BLOCKED


# -- what must be possible ----------------------------------------------------------------------


@reachable
def ReaderIsBlocked(s: Crediting) -> bool:
    """The connection is blocked for want of credit, and nothing else (E1.2, E4.1)."""
    return s.reader.state == ReaderState.BLOCKED and not s.reader.alarmed


@reachable
def BumpIsDeferred(s: Crediting) -> bool:
    """The channel owes the reader credit, and is itself blocked (E1.3)."""
    return s.reading.deferred > 0


@reachable
def BumpIsDeferredByStore(s: Crediting) -> bool:
    """A process owes the channel credit, and its store blocks it (E1.3, E2)."""
    return any(s.casting[r].deferred > 0 for r in Replica)


@reachable
def CreditBelowZeroDownstream(s: Crediting) -> bool:
    """The channel has sent more to a process than it had credit for (E1.2)."""
    return any(s.casting[r].used > s.casting[r].initial for r in Replica)


@reachable
def ConfirmsFlowWhileBlocked(before: Crediting, after: Crediting, ack: Ack) -> bool:
    """A message is acked to a client that is blocked (E4.2)."""
    return before.reader.state == ReaderState.BLOCKED


@reachable
def PromotedOwesTwice(s: Crediting) -> bool:
    """A message that was cast to a mirror arrives at a master, which acks it twice (E3.1, B1.5)."""
    return any(
        s.replicas[r].promoted and s.acks_twice(m, r) for r in Replica for m in s.as_mirrors[r]
    )
