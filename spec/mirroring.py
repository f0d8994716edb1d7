"""Mirroring: masters tell their mirrors, mirrors follow, join, catch up and are promoted.

Each step of a master is told to its mirrors in the step that makes it (D2.1), and nobody waits for
them.  A new mirror hears what the master does from the moment it joins, and gets copies from
channels once it is in the queue's record, which is a later step (D1.2): `enlisted`.  It starts with
nothing, and is *unsynchronised* until it has all that the master has: when it was given that
(D7.3), or when the rest was consumed meanwhile (D7.2).

When the master is gone, the oldest synchronised mirror takes its place.  RabbitMQ promotes the
oldest mirror, synchronised or not (D5.1), and with ha-promote-on-failure = when-synced none at all
if no mirror is (D5.3).  What a user may rely on is the meaning of that setting, which is said here:
what is promoted is synchronised.  A mirror learns of the death when all that the dead master had
told has arrived (D1.3).  Then the queue's record is made true again (D5.2): `trimmed`.
"""

from __future__ import annotations

from ackproof.spec.lang import Set, action, handler, helper, require
from ackproof.spec.serving import Serving
from ackproof.spec.sorts import Born, Msg, Replica, Seen, Status

__all__ = ["Mirroring"]


class Mirroring(Serving):
    """Mirrored queues: the two copies, joining, synchronisation, promotion (D1-D7)."""

    enlisted: Set[Replica]  # mirrors that joined and are in the record
    trimmed: Set[Replica]  # dead processes that were taken out of it
    unsynced: Set[Replica]

    @helper
    def listed(self, replica: Replica) -> bool:
        """Tell whether a process is in its queue's record (D1.1, D1.2, D5.2)."""
        there = self.replicas[replica].born != Born.LATER or replica in self.enlisted
        return there and replica not in self.trimmed

    @helper
    def linked(self, one: Replica, other: Replica) -> bool:
        """Tell whether two processes of a queue can speak to each other (D9)."""
        return True

    @helper
    def mirrors_of(self, replica: Replica) -> Set[Replica]:
        """Return the mirrors that hear what a master does (D1.2, D2.1)."""
        return {
            r
            for r in self.siblings(replica)
            if self.replicas[r].mirrors() and self.knows(replica, r)
        }

    @helper
    def knows(self, master: Replica, mirror: Replica) -> bool:
        """Tell whether a master counts a mirror among those it tells (D2.1)."""
        return True

    # -- the master tells ------------------------------------------------------------------------

    @handler
    def enqueue(self, msg: Msg, replica: Replica) -> None:
        """What a master enqueues, its mirrors hear of first (D2.1)."""
        for mirror in self.mirrors_of(replica):
            self.network.copies[mirror].add(msg)
        super().enqueue(msg, replica)

    @handler
    def hand_past(self, msg: Msg, replica: Replica) -> None:
        """What it gives away, too (B3.3, D2.1)."""
        super().hand_past(msg, replica)
        for mirror in self.mirrors_of(replica):
            self.network.discards[mirror].add(msg)

    @handler
    def refuse(self, msg: Msg, replica: Replica) -> None:
        """And what it refuses (D2.1)."""
        super().refuse(msg, replica)
        self.tell_refusal(msg, replica)

    @handler
    def tell_refusal(self, msg: Msg, replica: Replica) -> None:
        """Tell mirrors of a refused message, whether or not anybody waits for it (B5.4, B5.6)."""
        for mirror in self.mirrors_of(replica):
            self.network.refusals[mirror].add(msg)

    @handler
    def leaves(self, msg: Msg, replica: Replica) -> None:
        """And what leaves the queue (D2.1, D4.15)."""
        super().leaves(msg, replica)
        for mirror in self.mirrors_of(replica):
            self.network.removals[mirror].add(msg)

    # -- the mirrors follow ----------------------------------------------------------------------

    @action(fair="weak")
    def deliver_to_mirror(self, msg: Msg, replica: Replica) -> None:
        """The direct copy of a message arrives at a mirror (D4.1-D4.5)."""
        require(self.network.next_for(replica) == msg)
        require(self.replicas[replica].mirrors() and self.reaches(replica))
        self.network.receive(msg, replica)
        self.replicas[replica].hear(msg, msg in self.persistent, msg not in self.plain)

    @action(fair="weak")
    def master_tells(self, msg: Msg, replica: Replica) -> None:
        """The master's copy of a message arrives at a mirror (D4.6-D4.11)."""
        require(self.replicas[replica].mirrors() and self.hears_master(replica))
        require(self.network.next_from_master(replica) == msg)
        if msg in self.network.discards[replica]:
            self.learn(msg, replica, Seen.DISCARDED)
        elif msg in self.network.refusals[replica]:
            self.learn(msg, replica, Seen.REFUSED)
        else:
            self.learn(msg, replica, Seen.PUBLISHED)
        self.network.learnt(msg, replica)

    @handler
    def learn(self, msg: Msg, replica: Replica, fate: Seen) -> None:
        """A mirror learns what its master did with a message (D4.6-D4.11)."""
        sent = set(self.replicas[replica].direct)
        self.replicas[replica].learn(msg, fate, msg in self.persistent, msg not in self.plain, sent)

    @helper
    def hears_master(self, replica: Replica) -> bool:
        """Tell whether what a master sent still gets to a mirror (D1.3)."""
        return True

    @action(fair="weak")
    def master_removes(self, msg: Msg, replica: Replica) -> None:
        """A mirror hears that a message has left the queue (D4.15)."""
        require(self.replicas[replica].mirrors() and self.hears_master(replica))
        require(msg in self.network.removals[replica])
        require(msg not in self.network.copies[replica])
        self.network.removed(msg, replica)
        self.replicas[replica].remove(msg)

    @action(fair="weak")
    def forget_sender(self, replica: Replica) -> None:
        """A mirror has heard from both sides that the channel is gone (D4.16-D4.18)."""
        require(not self.channel.open and self.replicas[replica].mirrors())
        require(self.replicas[replica].remembers())
        require(not self.network.publishes[replica] and self.network.silent(replica))
        self.replicas[replica].forget_sender(set(self.replicas[replica].known()))

    # -- joining and catching up -----------------------------------------------------------------

    @action
    def join(self, mirror: Replica, master: Replica) -> None:
        """A mirror starts, with nothing, and hears the master from now on (D1.2, D7.2)."""
        require(self.replicas[mirror].of == self.replicas[master].of)
        require(self.replicas[master].leads() and self.linked(master, mirror))
        require(self.older_first(mirror))
        self.network.join(mirror, self.siblings(master) - {mirror})
        self.replicas[mirror].join()
        if self.replicas[master].holds():
            self.unsynced.add(mirror)

    @helper
    def older_first(self, replica: Replica) -> bool:
        """Tell whether those of a queue that are older have started: age is their order (D1.1)."""
        return all(
            self.replicas[r].born != Born.LATER or self.replicas[r].joined
            for r in self.siblings(replica)
            if r < replica
        )

    @action(fair="weak")
    def enlist(self, replica: Replica) -> None:
        """A mirror that joined enters the record; channels call it from now on (A5.5, D1.2).

        What was routed before does not wait for it (D8 L5); what comes now does, synchronised or
        not (D7.4).

        Its place in the record is its age (D1.1).
        """
        require(self.replicas[replica].mirrors() and self.replicas[replica].joined)
        require(replica not in self.enlisted and self.older_enlisted(replica))
        self.enlisted.add(replica)

    @helper
    def older_enlisted(self, replica: Replica) -> bool:
        """Tell whether those of a queue that are older are in the record, or gone (D1.2)."""
        return all(
            self.replicas[r].born != Born.LATER
            or r in self.enlisted
            or self.replicas[r].status != Status.RUNNING
            for r in self.siblings(replica)
            if r < replica
        )

    @action
    def synchronise(self, mirror: Replica, master: Replica) -> None:
        """A mirror is given all that its master has, while the queue does nothing else (D7.3).

        What it had and its master has not, goes.
        The order to do so comes by multicast, after all that the master had told before: so this
        mirror now counts as having got that (D1.3).
        """
        require(mirror in self.unsynced and self.replicas[mirror].mirrors())
        require(self.replicas[mirror].of == self.replicas[master].of)
        require(self.replicas[master].leads() and self.linked(master, mirror))
        require(self.network.silent(mirror))
        for msg in self.replicas[mirror].ready - self.replicas[master].holds():
            self.replicas[mirror].remove(msg)
        for msg in self.replicas[master].holds() - self.replicas[mirror].ready:
            self.replicas[mirror].enqueue(msg, msg in self.persistent, False)
        self.network.missed[mirror].clear()
        self.synchronised(mirror)

    @handler
    def synchronised(self, mirror: Replica) -> None:
        """A mirror has all that its master has; from now on it counts as a copy (INV-D4)."""
        self.unsynced.discard(mirror)
        for msg in self.replicas[mirror].ready:
            self.backed[msg].add(mirror)

    @action(fair="weak")
    def catch_up(self, mirror: Replica, master: Replica) -> None:
        """What a mirror lacked is consumed: it has what its master has (D7.2)."""
        require(mirror in self.unsynced and self.replicas[mirror].mirrors())
        require(self.replicas[mirror].of == self.replicas[master].of)
        require(self.replicas[master].leads() and self.linked(master, mirror))
        require(
            self.replicas[master].holds()
            <= self.replicas[mirror].ready | self.network.copies[mirror]
        )
        self.synchronised(mirror)

    # -- promotion -------------------------------------------------------------------------------

    @helper
    def gone(self, other: Replica, witness: Replica) -> bool:
        """Tell whether a process does not run, as another one of its queue sees it (D5.1)."""
        return self.replicas[other].status != Status.RUNNING or not self.linked(other, witness)

    @helper
    def chosen(self, replica: Replica) -> bool:
        """Tell whether a mirror is to be promoted: the oldest synchronised one (D5.3, D8 L1)."""
        return replica not in self.unsynced and all(
            self.gone(r, replica) or r in self.unsynced or not self.replicas[r].mirrors()
            for r in self.siblings(replica)
            if r < replica
        )

    @helper
    def leaderless(self, replica: Replica) -> bool:
        """Tell whether a mirror's master is gone, and all it said has arrived (D1.3, D5.1)."""
        return self.network.silent(replica) and not any(
            self.replicas[r].leads() and self.linked(r, replica) for r in self.siblings(replica)
        )

    @action(fair="weak")
    def promote(self, replica: Replica) -> None:
        """The oldest synchronised mirror becomes the master (D5.1, D5.5).

        What it knows from the channel only it treats as just arriving (step 6): before anything
        that the channel has sent since.  Mirrors that do not have what it has are not synchronised
        any more (step 3).
        """
        require(self.replicas[replica].mirrors() and self.leaderless(replica))
        require(self.chosen(replica) and self.listed(replica))
        self.network.publishes[replica] |= self.replicas[replica].direct
        self.replicas[replica].promote()
        for other in self.mirrors_of(replica) - {replica}:
            if self.expected(other) != self.replicas[replica].ready:
                self.unsynced.add(other)

    @helper
    def expected(self, mirror: Replica) -> Set[Msg]:
        """Return what a mirror will have when all that it was told has arrived (D1.3)."""
        has = self.replicas[mirror].ready | self.network.copies[mirror]
        return has - self.network.removals[mirror]

    @action(fair="weak")
    def trim(self, replica: Replica) -> None:
        """A dead process is taken out of its queue's record, by those left (D5.1, D5.2)."""
        require(self.replicas[replica].status == Status.DOWN and self.listed(replica))
        require(self.mirrored(replica))
        require(
            any(
                self.replicas[r].leads() and self.linked(r, replica) for r in self.siblings(replica)
            )
        )
        self.trimmed.add(replica)
