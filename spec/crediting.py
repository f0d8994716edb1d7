"""Crediting: back-pressure from the disk to the socket.

A message passes through three pairs of processes that keep credit (E2): reader and channel, channel
and each process of a queue, each process and its store.  Where one is slow, those before it run out
of credit, one after the other, until the reader stops (E1, `CreditPair`).

A mirror gets each message twice, and acks both copies to the channel, the one from the channel and
the one from the master.  So a publish costs two towards a mirror (E3.1).  When its master dies
between the two, the mirror is promoted, and acks for the copy that never comes: with the message,
if that arrives after the promotion, or when it puts what it has into its queue (B1.5, D5.5).

A promoted process that the old master had told of a message has acked for the master's copy
already.  RabbitMQ acks twice even then, and hands out credit that nobody paid [derived]; here it
acks once.

The reader hands a publish to the channel, which acks it before anything else (B1.5), and a publish
is one step here (A6.1): so nothing is ever under way between those two.  What a store has not taken
from its mailbox is in `writes`; only then can it reach the disk.
"""

from __future__ import annotations

from typing import Annotated

from ackproof.spec.alarming import Alarming
from ackproof.spec.credit import CreditPair
from ackproof.spec.lang import (
    Const,
    Each,
    Map,
    Option,
    Range,
    Set,
    action,
    fault,
    handler,
    helper,
    require,
)
from ackproof.spec.sorts import Born, Consumer, Msg, Queue, Replica, Seen, Status

__all__ = ["Crediting"]


class Crediting(Alarming):
    """Credit flow (E1-E3)."""

    credit: Const[bool] = False
    mirror_cost: Const[Annotated[int, Range(1, 2)]] = 2  # of a publish, towards a mirror (E3)

    reading: CreditPair  # from the reader to the channel
    casting: Each[Replica, CreditPair]  # from the channel to a process
    storing: Each[Replica, CreditPair]  # from a process to its store

    as_mirrors: Map[Replica, Set[Msg]]  # on their way to a process addressed as a mirror (A5.6)
    writes: Map[Replica, Set[Msg]]  # on their way from a process to its store (C2.1)

    # -- who is blocked -------------------------------------------------------------------------

    @helper
    def channel_blocked(self) -> bool:
        """Tell whether the channel has no credit with some process (E1.2)."""
        return any(self.casting[r].blocks() for r in Replica)

    # -- the reader and the channel -------------------------------------------------------------

    @action
    def publish_unroutable(self, mandatory: bool) -> None:
        """A publish that no queue matches costs the reader credit, too (A4.2, E2)."""
        blocked = self.channel_blocked()
        super().publish_unroutable(mandatory)
        self.hand_over(blocked)

    @action
    def publish_plain(self, msg: Msg, targets: Set[Queue], persistent: bool) -> None:
        """So does one that nobody confirms (A7.1, E2)."""
        blocked = self.channel_blocked()
        super().publish_plain(msg, targets, persistent)
        self.hand_over(blocked)

    @action
    def publish(self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool) -> None:
        """A publish is read and handed to the channel (E2)."""
        blocked = self.channel_blocked()
        super().publish(msg, targets, mandatory, persistent)
        self.hand_over(blocked)

    @action
    def publish_in_tx(
        self, msg: Msg, targets: Set[Queue], mandatory: bool, persistent: bool
    ) -> None:
        """So does one that waits for a commit (A13.1, E2)."""
        blocked = self.channel_blocked()
        super().publish_in_tx(msg, targets, mandatory, persistent)
        self.hand_over(blocked)

    @helper
    def starved(self) -> bool:
        """Tell whether the reader has no credit with the channel (E1.2, E4.1)."""
        return self.reading.blocks()

    @handler
    def hand_over(self, blocked: bool) -> None:
        """A publish went from the reader to the channel, which acks it (E1.3, E2).

        `blocked`: the channel was so before, since it acks before it casts.
        """
        if self.credit:
            self.reading.send(1)
            self.reading.ack(blocked)
            if self.reading.blocks():
                self.reader.starves()

    @action(fair="weak")
    def reader_bumped(self) -> None:
        """The reader gets credit (E1.3)."""
        require(self.credit)
        self.reading.bumped()
        if not self.reading.blocks():
            self.reader.revives()

    # -- the channel and the processes ----------------------------------------------------------

    @helper
    def cost(self, replica: Replica) -> Annotated[int, Range(1, 2)]:
        """Return what a message to a process costs, as the record has it (E3.1)."""
        return 1 if self.replicas[replica].led() else self.mirror_cost

    @handler
    def send(self, msg: Msg, replica: Replica) -> None:
        """What the channel casts it pays for, whoever is blocked, and dead or alive (E1.2, E3)."""
        super().send(msg, replica)
        if self.credit:
            self.casting[replica].send(self.cost(replica))
            if self.able(replica) and not self.replicas[replica].led():
                self.as_mirrors[replica].add(msg)

    @handler
    def send_all(self, msgs: Set[Msg], replica: Replica) -> None:
        """A commit pays for all of its messages (E1.2, E3)."""
        super().send_all(msgs, replica)
        if self.credit:
            self.casting[replica].send_all(msgs, self.cost(replica))
            if self.able(replica) and not self.replicas[replica].led():
                self.as_mirrors[replica] |= msgs

    @helper
    def acks_twice(self, msg: Msg, replica: Replica) -> bool:
        """Tell whether a promoted process acks for the copy that never comes, too (E3.1, B1.5).

        It has acked for the master's copy of what it recognises (D6.2).
        """
        return msg in self.as_mirrors[replica] and not self.replicas[replica].recognises(msg)

    @action(fair="weak")
    def deliver(self, msg: Msg, replica: Replica) -> None:
        """A master acks to the channel what arrives, before anything else (B1.5)."""
        twice = self.acks_twice(msg, replica)
        blocked = self.storing[replica].blocks()
        super().deliver(msg, replica)
        self.take_from_channel(msg, replica, twice, blocked)

    @action
    def pass_by(self, msg: Msg, replica: Replica) -> None:
        """Also if it hands it on at once (B1.5, B3.3)."""
        twice = self.acks_twice(msg, replica)
        blocked = self.storing[replica].blocks()
        super().pass_by(msg, replica)
        self.take_from_channel(msg, replica, twice, blocked)

    @action
    def hand_on(self, msg: Msg, replica: Replica, consumer: Consumer) -> None:
        """The same, for a consumer with a name (B1.5, B3.3)."""
        twice = self.acks_twice(msg, replica)
        blocked = self.storing[replica].blocks()
        super().hand_on(msg, replica, consumer)
        self.take_from_channel(msg, replica, twice, blocked)

    @action(fair="weak")
    def deliver_to_mirror(self, msg: Msg, replica: Replica) -> None:
        """A mirror acks the direct copy (E3.1)."""
        blocked = self.storing[replica].blocks()
        super().deliver_to_mirror(msg, replica)
        self.take_from_channel(msg, replica, False, blocked)

    @action(fair="weak")
    def master_tells(self, msg: Msg, replica: Replica) -> None:
        """And it acks the master's copy, to the channel too (E2, E3.1)."""
        blocked = self.storing[replica].blocks()
        super().master_tells(msg, replica)
        if self.credit and self.channel.open:
            self.casting[replica].ack(blocked)

    @handler
    def take_from_channel(self, msg: Msg, replica: Replica, twice: bool, blocked: bool) -> None:
        """A process acks a message to the channel, if there is one any more (E1.3).

        `blocked`: the process was so before, since it acks before it stores.
        """
        if self.credit and self.channel.open:
            self.as_mirrors[replica].discard(msg)
            self.casting[replica].ack(blocked)
            if twice:
                self.casting[replica].ack(blocked)

    @action(fair="weak")
    def channel_bumped(self, replica: Replica) -> None:
        """The channel gets credit from a process (E1.3)."""
        require(self.reaches(replica))
        self.casting[replica].bumped()
        if not self.channel_blocked():
            self.reading.release()

    @helper
    def last_words(self, replica: Replica) -> bool:
        """Tell whether the channel has still to hear what a process has sent: bumps, too (O1)."""
        return super().last_words(replica) or self.casting[replica].bumps > 0

    @action(fair="weak")
    def down_arrives(self, replica: Replica) -> None:
        """The channel forgets a process that is gone, when all it sent has arrived (E1.4, O1)."""
        super().down_arrives(replica)
        if self.credit:
            self.casting[replica].forget()
            if not self.channel_blocked():
                self.reading.release()

    # -- a process and its store ----------------------------------------------------------------

    @handler
    def enqueue(self, msg: Msg, replica: Replica) -> None:
        """What a master stores it pays for (E2)."""
        super().enqueue(msg, replica)
        self.cast_write(msg, replica)

    @handler
    def learn(self, msg: Msg, replica: Replica, fate: Seen) -> None:
        """So does a mirror (E2)."""
        super().learn(msg, replica, fate)
        if fate == Seen.PUBLISHED:
            self.cast_write(msg, replica)

    @handler
    def cast_write(self, msg: Msg, replica: Replica) -> None:
        """A process sends a persistent message to its store (C2.1, E2)."""
        if self.credit and msg in self.persistent and self.replicas[replica].durable:
            self.writes[replica].add(msg)
            self.storing[replica].send(1)

    @helper
    def next_write(self, replica: Replica) -> Option[Msg]:
        """Return the message that a store takes next (O1)."""
        return min(self.writes[replica], default=None)

    @action(fair="weak")
    def store_takes(self, msg: Msg, replica: Replica) -> None:
        """A store takes a message from its mailbox; nothing ever blocks a store (E1.3, E2)."""
        require(self.credit and self.next_write(replica) == msg)
        self.writes[replica].discard(msg)
        self.storing[replica].ack(False)

    @action
    def write(self, msg: Msg, replica: Replica) -> None:
        """A store writes what it has taken (C3)."""
        require(msg not in self.writes[replica])
        super().write(msg, replica)

    @action(fair="weak")
    def sync(self, msg: Msg, replica: Replica) -> None:
        """A store syncs what it has taken (C3)."""
        require(msg not in self.writes[replica])
        super().sync(msg, replica)

    @action(fair="weak")
    def process_bumped(self, replica: Replica) -> None:
        """A process gets credit from its store (E1.3)."""
        require(self.credit)
        self.storing[replica].bumped()
        if not self.storing[replica].blocks():
            self.casting[replica].release()

    # -- endings --------------------------------------------------------------------------------

    @handler
    def close_channel(self) -> None:
        """The channel ends: nobody owes it anything, and the reader has nothing to read (E1.4)."""
        super().close_channel()
        self.reading.forget()
        self.reader.revives()
        for replica in Replica:
            self.casting[replica].forget()
            self.as_mirrors[replica].clear()

    @handler
    def forget_process(self, replica: Replica) -> None:
        """A process is gone, and what it knew of credit; its bumps may still arrive (E1.4, O1)."""
        self.casting[replica].receiver_ends()
        self.as_mirrors[replica].clear()
        self.storing[replica].forget()
        self.writes[replica].clear()

    @fault
    def crash_queue(self, replica: Replica) -> None:
        """A process crashes; the bumps that it had sent still arrive (C5, O1)."""
        super().crash_queue(replica)
        self.forget_process(replica)

    @fault
    def lose_node(self, replica: Replica) -> None:
        """The node of a process is killed, and the bumps under way are lost (A9, C5)."""
        super().lose_node(replica)
        self.forget_process(replica)
        self.casting[replica].lose_bumps()

    @action(fair="weak")
    def halt(self, replica: Replica) -> None:
        """The node of a process pauses, which is the same for credit (A12.2, D9)."""
        super().halt(replica)
        self.forget_process(replica)
        self.casting[replica].lose_bumps()

    @handler
    def give_up(self, replica: Replica) -> None:
        """What is between the channel and a process that it gives up is lost, bumps too (A9)."""
        super().give_up(replica)
        self.as_mirrors[replica].clear()
        self.casting[replica].lose_bumps()

    @fault
    def delete_queue(self, queue: Queue) -> None:
        """A queue is deleted, its processes end normally (A9.3)."""
        super().delete_queue(queue)
        for replica in {r for r in Replica if self.replicas[r].of == queue}:
            self.forget_process(replica)

    @fault
    def crash_node(self) -> None:
        """The one node that everything runs on is killed (C5)."""
        super().crash_node()
        for replica in Replica:
            self.forget_process(replica)

    @fault
    def crash_machine(self) -> None:
        """The one machine that everything runs on loses power (C5)."""
        super().crash_machine()
        for replica in Replica:
            self.forget_process(replica)

    # -- what properties ask --------------------------------------------------------------------

    @helper
    def half_acked(self, replica: Replica) -> Set[Msg]:
        """Return the messages for whose master's copy a process has still to ack (E3.1, INV-E1).

        Or will ack for, when it is promoted and no such copy comes.
        """
        untold = {m for m in self.as_mirrors[replica] if not self.replicas[replica].recognises(m)}
        return untold | self.replicas[replica].direct

    @helper
    def meets(self, replica: Replica) -> bool:
        """Tell whether the channel and a process know each other from the start (E1.4, D1.2).

        A mirror that joins gets copies from the master that the channel has not paid for.
        """
        running = self.replicas[replica].status == Status.RUNNING
        present = running and self.replicas[replica].born != Born.LATER
        return present and self.channel.open and self.network.downs[replica] is None

    @helper
    def deepest(self) -> Annotated[int, Range(0, 99)]:
        """Return how far the channel's credit with a process may fall below nothing (E1.2)."""
        return self.mirror_cost * (1 + self.reading.initial) - 1
