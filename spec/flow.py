"""Flow control: alarms, and credit from the disk back to the socket.

While the cluster is short of memory or disk, nothing is read from who publishes.  An *alarm* is
cluster-wide (E4.4), and stops every connection that publishes (E4.1).  What a blocked connection
has sent is in its socket.  What was read before is dealt with as ever, and confirmed to the blocked
client; no alarm nacks anything (E4.2, E4.5).

*Credit* is kept by three pairs of processes that a message passes through (E2): reader and channel,
channel and each process of a queue, each process and its store.  Where one is slow, those before it
run out of credit, one after the other, until the reader stops (E1, `CreditPair`).

A mirror gets each message twice, and acks both copies to the channel, the one from the channel and
the one from the master.  So a publish costs two towards a mirror (E3.1).  When its master dies
between the two, the mirror is promoted, and acks for the copy that never comes: with the message,
if that arrives after the promotion, or when it puts what it has into its queue (B1.5, D5.5).

A promoted process that the old master had told of a message has acked for the master's copy
already.  RabbitMQ acks twice even then, and hands out credit that nobody paid [derived]; here it
acks once.  What was cast before a mirror was in the record, nobody has paid for towards it.  The
mirror, which cannot know that, acks its master's copy all the same, here as in RabbitMQ (E3.3).

The reader hands a publish to the channel, which acks it before anything else (B1.5), and a publish
is one step here (A6.1): so nothing is ever under way between those two.  What a store has not taken
from its mailbox is in `mailboxes`; only then can it reach the disk.

The other chapters call what is offered here at the moments that cost or give credit.  Where
`credit` is off, none of it does anything.
"""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import Range, Set, action, fault, handler, helper, on, require
from ackproof.spec.parts import Parts
from ackproof.spec.sorts import Born, ChannelId, Msg, Reason, Replica, Seen, Status
from ackproof.spec.wire import Blocked, Unblocked

__all__ = ["Flow"]


class Flow(Parts):
    """Alarms and credit flow (E1-E4)."""

    # -- alarms ---------------------------------------------------------------------------------

    @fault
    def alarm(self) -> None:
        """The cluster is short of memory or disk (E4.4)."""
        for channel in sorted(ChannelId):
            self.readers[channel].sets_alarm()

    @action
    def publish_waits(self, channel: ChannelId) -> None:
        """A client publishes although there is an alarm, and is blocked (E4.1)."""
        require(self.channels[channel].open and self.channels[channel].next_seq is not None)
        self.readers[channel].meets_content()

    @action
    def alarm_clears(self) -> None:
        """All alarms are over (E4.3); nobody may count on it."""
        for channel in sorted(ChannelId):
            self.readers[channel].clears_alarm(self.starved(channel))

    @on(Blocked)
    def sees_alarm(self, told: Blocked) -> None:
        """A client reads that an alarm blocks it (E4.3)."""
        if told.channel in self.warned:
            self.misled.add(told.channel)
        self.warned.add(told.channel)

    @on(Unblocked)
    def sees_its_end(self, told: Unblocked) -> None:
        """A client reads that the alarm is over (E4.3)."""
        if told.channel not in self.warned:
            self.misled.add(told.channel)
        self.warned.discard(told.channel)

    @helper
    def starved(self, channel: ChannelId) -> bool:
        """Tell whether a reader has no credit with its channel (E1.2, E4.1)."""
        return self.reading[channel].blocks()

    # -- the reader and the channel -------------------------------------------------------------

    @helper
    def channel_blocked(self, channel: ChannelId) -> bool:
        """Tell whether a channel has no credit with some process (E1.2)."""
        return any(self.casts[channel].credit[r].blocks() for r in Replica)

    @handler
    def hand_over(self, channel: ChannelId, blocked: bool) -> None:
        """A publish went from the reader to the channel, which acks it (E1.3, E2).

        `blocked`: the channel was so before, since it acks before it casts.
        """
        if self.credit:
            self.reading[channel].send(1)
            self.reading[channel].ack(blocked)
            if self.reading[channel].blocks():
                self.readers[channel].starves()

    @action(fair="weak")
    def reader_bumped(self, channel: ChannelId) -> None:
        """The reader gets credit (E1.3)."""
        require(self.credit)
        self.reading[channel].bumped()
        self.readers[channel].revives()

    @handler
    def settle_accounts(self, channel: ChannelId) -> None:
        """A channel ends: nobody owes it anything, and its reader has nothing to read (E1.4)."""
        self.reading[channel].forget()
        self.readers[channel].revives()
        for replica in Replica:
            self.casts[channel].credit[replica].forget()
            self.casts[channel].as_mirrors[replica].clear()

    # -- the channel and the processes ----------------------------------------------------------

    @helper
    def cost(self, replica: Replica) -> Annotated[int, Range(1, 2)]:
        """Return what a message to a process costs, as the record has it (E3.1)."""
        return 1 if self.replicas[replica].led() else self.mirror_cost

    @handler
    def pay(self, channel: ChannelId, msgs: Set[Msg], replica: Replica) -> None:
        """A channel pays for what it casts, whoever is blocked, dead or alive (E1.2, E3)."""
        if self.credit:
            self.casts[channel].credit[replica].send_all(msgs, self.cost(replica))
            if self.able(replica) and not self.replicas[replica].led():
                self.casts[channel].as_mirrors[replica] |= msgs

    @helper
    def acks_twice(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether a promoted process acks for the copy that never comes, too (E3.1, B1.5).

        It has acked for the master's copy of what it recognises (D6.2).
        """
        as_mirror = msg in self.casts[Msg.owner(msg)].as_mirrors[replica]
        return as_mirror and not self.replicas[replica].recognises(msg)

    @handler
    def take_from_channel(self, msg: Msg, replica: Replica, twice: bool, blocked: bool) -> None:
        """A process acks a message to its channel, if there is one any more (E1.3).

        `blocked`: the process was so before, since it acks before it stores.
        """
        channel = Msg.owner(msg)
        if self.credit and self.channels[channel].open:
            self.casts[channel].as_mirrors[replica].discard(msg)
            self.casts[channel].credit[replica].ack(blocked)
            if twice:
                self.casts[channel].credit[replica].ack(blocked)

    @handler
    def take_from_master(self, msg: Msg, replica: Replica, blocked: bool) -> None:
        """A mirror acks the master's copy of a message, to the channel too (E2, E3.1).

        One that was given up has given up the channel, and has forgotten it (E1.4).
        """
        channel = Msg.owner(msg)
        if self.credit and self.channels[channel].open and not self.given_up(replica):
            self.casts[channel].credit[replica].ack(blocked)

    @action(fair="weak")
    def channel_bumped(self, channel: ChannelId, replica: Replica) -> None:
        """A channel gets credit from a process (E1.3)."""
        require(self.reaches(replica))
        self.casts[channel].credit[replica].bumped()
        if not self.channel_blocked(channel):
            self.reading[channel].release()

    @handler
    def forget_credit(self, channel: ChannelId, replica: Replica) -> None:
        """A channel forgets a process that is gone, when all it sent has arrived (E1.4, O1)."""
        if self.credit:
            self.casts[channel].credit[replica].forget()
            if not self.channel_blocked(channel):
                self.reading[channel].release()

    # -- a process and its store ----------------------------------------------------------------

    @handler
    def pay_store(self, msg: Msg, replica: Replica) -> None:
        """A process pays for a message that it sends to its store (C2.1, E2)."""
        if self.credit:
            self.mailboxes[replica].send(msg)
            self.storing[replica].send(1)

    @action(fair="weak")
    def store_takes(self, msg: Msg, replica: Replica) -> None:
        """A store takes a message from its mailbox; nothing ever blocks a store (E1.3, E2)."""
        require(self.credit and self.mailboxes[replica].next_write() == msg)
        self.mailboxes[replica].take(msg)
        self.storing[replica].ack(False)

    @action(fair="weak")
    def process_bumped(self, replica: Replica) -> None:
        """A process gets credit from its store (E1.3)."""
        require(self.credit)
        self.storing[replica].bumped()
        if not self.storing[replica].blocks():
            for channel in ChannelId:
                self.casts[channel].credit[replica].release()

    # -- endings --------------------------------------------------------------------------------

    @handler
    def forget_process(self, replica: Replica) -> None:
        """A process is gone, and what it knew of credit; its bumps may still arrive (E1.4, O1)."""
        for channel in ChannelId:
            self.casts[channel].credit[replica].receiver_ends()
            self.casts[channel].as_mirrors[replica].clear()
        self.storing[replica].forget()
        self.mailboxes[replica].vanish()

    @handler
    def perish(self, replica: Replica, reason: Reason) -> None:
        """A process ends, and what it had cast does not arrive any more (A9, C5)."""
        self.excuse(replica)
        self.replicas[replica].crash()
        self.replicas[replica].silence()
        self.end_process(replica, reason)
        self.forget_process(replica)

    @handler
    def lose_bumps(self, replica: Replica) -> None:
        """The node of a process is gone, and the bumps that were under way from it (A9)."""
        for channel in ChannelId:
            self.casts[channel].credit[replica].lose_bumps()

    # -- what properties ask --------------------------------------------------------------------

    @helper
    def half_acked(self, channel: ChannelId, replica: Replica) -> Set[Msg]:
        """Return the messages for whose master's copy a process has still to ack (E3.1, INV-E1).

        Or will ack for, when it is promoted and no such copy comes.
        """
        cast = self.casts[channel].as_mirrors[replica]
        untold = {m for m in cast if self.replicas[replica].seen[m] == Seen.ABSENT}
        return untold | self.replicas[replica].direct_of(channel)

    @helper
    def meets(self, channel: ChannelId, replica: Replica) -> bool:
        """Tell whether a channel and a process know each other from the start (E1.4, D1.2).

        A mirror that joins gets copies from the master that the channel has not paid for (E3.3).
        """
        running = self.replicas[replica].status == Status.RUNNING
        present = running and self.replicas[replica].born != Born.LATER
        heard = self.casts[channel].downs[replica] is None
        return present and self.channels[channel].open and heard

    @helper
    def deepest(self, channel: ChannelId) -> Annotated[int, Range(0, 99)]:
        """Return how far a channel's credit with a process may fall below nothing (E1.2)."""
        return self.mirror_cost * (1 + self.reading[channel].initial) - 1
