"""The publishing channel: numbers what is published, waits for the queues, tells the publisher.

In confirm mode every publish gets the next sequence number (A4).  A publish is one step (L3): the
message is cast to the queues it was routed to, returned if it was mandatory and found none, and
entered in `unconfirmed` with the queues that still have to take responsibility (A6.1, A7).

A queue may have several processes, its master and its mirrors, and each is waited for by itself.
So `unconfirmed` holds processes, and whoever calls says which of them are of one queue.  A queue
has accepted a message when each of its processes has confirmed it, or ended and was not to blame,
and at least one has confirmed (A8.3, A9) that was not, by then, a mirror without all that its
master has: such a one is waited for, and does not decide (D5.3, D7.4).

From there a message goes one of two ways.  It is *confirmed* when the last of its queues has
accepted it, or was deleted, which counts as acceptance (A9.3).  It is *rejected* when a process has
refused it or crashed, or all processes of a queue are gone and none has confirmed, whatever the
other queues have done with it (A8.4, A9, L6.11).  A message routed nowhere is confirmed at once
(A7.2, L6.1).

Settling is not telling.  `confirmed` and `rejected` collect what is settled, and a flush turns
them into frames (A10): acks before nacks (A10.5), with as few frames as the meaning of `multiple`
allows.  The publisher takes a frame with `multiple` for everything up to its tag that is not
settled yet (A11.5), so it may be used only below a *cutoff*: the smallest number that is still
unconfirmed, or that the other half of this very flush is about to settle the other way (A11.3).

Everything here is the documented guarantee: the column "3.9+" of the rules A8 and A9.
"""

from __future__ import annotations

from ackproof.lang import Const, Ghost, Key, Map, Option, Process, Set, handler, helper, require
from ackproof.spec.sorts import ChannelId, Msg, Queue, Reason, Replica
from ackproof.spec.wire import Ack, Nack, Return, SelectOk

__all__ = ["Channel"]


class Channel(Process):
    """One channel, from its opening to its close (A1, A4, A6-A11, A14)."""

    channel: Key[ChannelId]
    carries_for: Const[Option[Queue]] = None  # the queue that publishes here what is dead (Q12.2)

    open: bool = True
    confirming: bool = False
    next_seq: Option[Msg] = Msg.first()
    unconfirmed: Map[Msg, Set[Replica]]
    vouched: Map[Msg, Set[Replica]]  # those that have confirmed, where others are waited for
    confirmed: Set[Msg]
    rejected: Set[Msg]

    acked: Ghost[Set[Msg]]  # those that the channel meant to ack, so far
    nacked: Ghost[Set[Msg]]  # those that it meant to nack

    # -- publishing -----------------------------------------------------------------------------

    @handler
    def select(self) -> None:
        """Enter confirm mode and say so; again is answered again, and resets nothing (A1.1)."""
        require(self.open)
        self.confirming = True
        self.emit(SelectOk(self.channel))

    @handler
    def serve(self) -> None:
        """A channel of the broker's own is in confirm mode, and nobody is told so (Q12.2)."""
        self.confirming = True

    @helper
    def takes_number(self, mandatory: bool) -> bool:
        """Tell whether a publish advances the counter: in confirm mode, each one does (A4.1)."""
        return self.confirming

    @handler
    def publish(self, targets: Set[Replica], mandatory: bool) -> None:
        """Return what must not get lost, register what must be confirmed (A6.1, A6.2, A7).

        `targets` are the processes that the message was cast to (A5.5).
        """
        require(self.open and (self.next_seq is not None or not self.takes_number(mandatory)))
        seq = self.next_seq
        if mandatory and not targets:
            self.give_back(seq if self.confirming else None)
        if self.confirming and seq is not None:
            self.register(seq, targets)
        if seq is not None and self.takes_number(mandatory):
            self.next_seq = Msg.succ(seq)

    @handler
    def skip(self) -> None:
        """A message was published that nobody counts; its number here is never used (A7.1)."""
        require(self.open and self.next_seq is not None)
        seq = self.next_seq
        if seq is not None:
            self.next_seq = Msg.succ(seq)

    @handler
    def give_back(self, seq: Option[Msg]) -> None:
        """Send the return, now: what settles this message comes after it (A6.1, A6.4, A6.7)."""
        self.emit(Return(self.channel, seq))

    @handler
    def register(self, seq: Msg, targets: Set[Replica]) -> None:
        """Wait for each process; with none to wait for, confirm at once (A7.2, A7.3, A7.4)."""
        if targets:
            self.unconfirmed[seq] = set(targets)
        else:
            self.confirmed.add(seq)

    # -- settling -------------------------------------------------------------------------------

    @handler
    def settle(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        """A process has confirmed; the last one of its queue settles the queue's part (A8.3).

        A confirm for a message that is no longer waited for has no effect (A8.1).  `siblings` are
        the processes of the same queue, itself included.
        """
        if replica in self.unconfirmed[seq]:
            if self.unconfirmed[seq] & siblings - {replica}:
                self.unconfirmed[seq].discard(replica)
                self.vouched[seq].add(replica)
            else:
                self.release(seq, siblings)

    @handler
    def note(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        """A process has confirmed on which nobody may build: one fewer to wait for (D5.3, D7.4)."""
        if replica in self.unconfirmed[seq]:
            self.lose(seq, replica, siblings)

    @handler
    def release(self, seq: Msg, siblings: Set[Replica]) -> None:
        """A queue has accepted the message; the last one confirms it (A8.3)."""
        self.unconfirmed[seq] -= siblings
        self.vouched[seq] -= siblings
        if not self.unconfirmed[seq]:
            self.confirmed.add(seq)

    @handler
    def reject(self, seq: Msg, replica: Replica) -> None:
        """A queue will not take responsibility, and that decides for all of them (A8.4, A9)."""
        if replica in self.unconfirmed[seq]:
            self.unconfirmed[seq].clear()
            self.vouched[seq].clear()
            self.rejected.add(seq)

    @helper
    def counts_as_accepted(self, reason: Reason) -> bool:
        """Tell whether the end of a queue settles what waits for it: its deletion does (A9.3).

        Not of a copy that was to be in that queue (Q12.5).
        """
        return reason == Reason.NORMAL and self.carries_for is None

    @handler
    def process_down(self, replica: Replica, reason: Reason, siblings: Set[Replica]) -> None:
        """A process is gone; nothing that waits for it waits any longer (A9).

        If it ends normally, its queue is deleted (A9.3).  A crash rejects what waits for the
        crashed process, even for a mirror's sake (A9.2).  Otherwise the other processes decide.
        """
        for seq in set(self.unconfirmed):
            if replica in self.unconfirmed[seq]:
                if self.counts_as_accepted(reason):
                    self.release(seq, siblings)
                elif reason == Reason.ABNORMAL:
                    self.reject(seq, replica)
                else:
                    self.lose(seq, replica, siblings)

    @handler
    def lose(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        """One process fewer to wait for; with none left, those that had confirmed decide (A9)."""
        if self.unconfirmed[seq] & siblings - {replica}:
            self.unconfirmed[seq].discard(replica)
        elif self.vouched[seq] & siblings:
            self.release(seq, siblings)
        else:
            self.reject(seq, replica)

    # -- telling --------------------------------------------------------------------------------

    @helper
    def cutoff(self, others: Set[Msg]) -> Option[Msg]:
        """Return the smallest number that `multiple` must not reach, if there is one (A11.3)."""
        still_open = min(self.unconfirmed, default=None)
        otherwise = min(others, default=None)
        if still_open is None or (otherwise is not None and otherwise < still_open):
            return otherwise
        return still_open

    @helper
    def coverable(self, settled: Set[Msg], others: Set[Msg]) -> Set[Msg]:
        """Return those of `settled` that one frame with `multiple` may cover (A11.3)."""
        limit = self.cutoff(others)
        return {seq for seq in settled if limit is None or seq < limit}

    @handler
    def flush(self) -> None:
        """Tell the publisher what is settled: acks, then nacks (A10.4, A10.5, A11.1)."""
        require(bool(self.confirmed) or bool(self.rejected))
        self.send_acks()
        self.send_nacks()
        self.acked |= self.confirmed
        self.nacked |= self.rejected
        self.confirmed.clear()
        self.rejected.clear()

    @handler
    def send_acks(self) -> None:
        """A lone ack is single; of several, one covers what it may, the rest are single (A11)."""
        covered = set(self.coverable(self.confirmed, self.rejected))
        if len(self.confirmed) == 1:
            self.emit(Ack(self.channel, min(self.confirmed), False))
        else:
            if covered:
                self.emit(Ack(self.channel, max(covered), True))
            for seq in sorted(self.confirmed - covered):
                self.emit(Ack(self.channel, seq, False))

    @handler
    def send_nacks(self) -> None:
        """As acks, but even a lone nack may be sent with `multiple` (A11.3, A11.4)."""
        covered = set(self.coverable(self.rejected, self.confirmed))
        if covered:
            self.emit(Nack(self.channel, max(covered), True))
        for seq in sorted(self.rejected - covered):
            self.emit(Nack(self.channel, seq, False))

    # -- closing --------------------------------------------------------------------------------

    @handler
    def close(self) -> None:
        """Close the channel: what is not told by now is never told (A14.1, A14.3)."""
        self.open = False
        self.unconfirmed.clear()
        self.vouched.clear()
        self.confirmed.clear()
        self.rejected.clear()
