"""What one channel has to do with another: nothing.

Channels share queues, nodes and alarms, and that is all they share.  A step is of one channel at
most, and what another one has published, was delivered, has settled or keeps in a transaction is
as it was.  So these properties do not ask whose step it was.  They ask whether one step has changed
what is known of two channels, which nothing may do but what ends them both: a queue ends for all
who consume from it, and the node for everybody.

The deliveries that a channel has under way, and its casts, belong to its queues as much, and no
property here speaks of them.
"""

from __future__ import annotations

from ackproof.lang import helper, invariant, step_property
from ackproof.spec.properties_parting import on_this_side
from ackproof.spec.sorts import ChannelId, Consumer, Msg, Replica, TxMode
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Return


@step_property
def ReturnGoesHome(before: Confirms, after: Confirms, ret: Return) -> bool:
    """A message is returned to who has published it (A6.1, A6.2).

    Nobody else has it, or knows what it is for.
    """
    return ret.msg is None or Msg.owner(ret.msg) == ret.channel


@step_property
def ChannelsCloseAlone(before: Confirms, after: Confirms) -> bool:
    """A channel that closes leaves others as they are, unless all goes down (A2.4, A14).

    A client that has lost count on one channel must not silence the confirms of another.
    """
    closed = {c for c in ChannelId if before.channels[c].open and not after.channels[c].open}
    return len(closed) <= 1 or not after.listening()


@step_property
def SelectsAlone(before: Confirms, after: Confirms) -> bool:
    """A channel that enters a mode leaves the others in theirs (A1.1, A1.3, A1.7).

    A client that has not asked for confirms does not count, and may not be counted for.
    """
    entered = {
        c
        for c in ChannelId
        if before.channels[c].confirming != after.channels[c].confirming
        or (
            before.transactions[c].mode == TxMode.NONE and after.transactions[c].mode == TxMode.OPEN
        )
    }
    return len(entered) <= 1


@step_property
def SettlesItsOwn(before: Confirms, after: Confirms) -> bool:
    """What a client settles was delivered on its channel (F1.2, F1.4, F1.5, F3.2).

    Another client's deliveries are under tags of its own, and it still works on them.
    """
    return all_end(after) or len({c for c in ChannelId if settles(before, after, c)}) <= 1


@step_property
def TransactsAlone(before: Confirms, after: Confirms) -> bool:
    """What one channel commits or takes back is nothing of another's (A13.2, A13.3, A13.6).

    What a client has not committed it may still take back.
    """
    return all_end(after) or not any(
        c != d
        and transacts(before, after, c)
        and (transacts(before, after, d) or settles(before, after, d))
        for c in ChannelId
        for d in ChannelId
    )


@step_property
def ConsumersEndAlone(before: Confirms, after: Confirms) -> bool:
    """Consumers that end together have lost their channel, or their queue (B7.6, F3.2, F3.3).

    One that ended for another one's sake is told nothing, and waits for ever; and so does one that
    ended since its client has settled something, or asked for a message.
    """
    ended = {
        c
        for c in Consumer
        if before.subscriptions[c].at is not None and after.subscriptions[c].at is None
    }
    return all(
        not after.consuming[Consumer.owner(c)].open
        or lost_its_queue(before, after, c)
        or (len(ended) == 1 and has_the_same(before, after, Consumer.owner(c)))
        for c in ended
    )


@helper
def has_the_same(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """Tell whether a client gets nothing on a channel in a step, and settles nothing (F1.1)."""
    return (
        before.consuming[channel].unsettled() == after.consuming[channel].unsettled()
        and before.consuming[channel].last_tag == after.consuming[channel].last_tag
    )


@invariant
def AlarmIsForAll(s: Confirms) -> bool:
    """Every connection hears of an alarm, and of its end (E4.3, E4.4).

    One that publishes on fills the memory that all others were stopped to save.
    """
    return all(s.readers[c].alarmed == s.readers[d].alarmed for c in ChannelId for d in ChannelId)


@helper
def all_end(after: Confirms) -> bool:
    """Tell whether no channel is left, so that a step may have ended them all (C5)."""
    return not any(after.channels[c].open for c in ChannelId)


@helper
def settles(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """Tell whether a step gives, settles or takes away deliveries of a channel (F1.1, F1.2)."""
    return set(before.consuming[channel].unacked) != set(after.consuming[channel].unacked) or set(
        before.consuming[channel].collected
    ) != set(after.consuming[channel].collected)


@helper
def transacts(before: Confirms, after: Confirms, channel: ChannelId) -> bool:
    """Tell whether a step changes the transaction of a channel (A13)."""
    return (
        before.transactions[channel].mode != after.transactions[channel].mode
        or before.transactions[channel].batch != after.transactions[channel].batch
        or before.transactions[channel].abandoned != after.transactions[channel].abandoned
    )


@helper
def lost_its_queue(before: Confirms, after: Confirms, consumer: Consumer) -> bool:
    """Tell whether the master that a consumer was started with is gone, or given up (F3.3).

    What has ended across a partition is not known to be gone (A12.7).
    """
    return any(
        before.subscriptions[consumer].at == r
        and (
            any(after.replicas[r].node == n for n in after.cluster.lost)
            or (on_this_side(after, r) and not after.replicas[r].leads())
        )
        for r in Replica
    )
