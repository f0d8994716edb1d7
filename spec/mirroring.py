"""Mirroring: mirrors follow their master, join, catch up and are promoted.

A new mirror hears what the master does from the moment it joins, and gets copies from channels
once it is in the queue's record, which is a later step (D1.2): `enlisted`.  It starts with nothing,
and is *unsynchronised* until it has all that the master has: when it was given that (D7.3), or when
the rest was consumed meanwhile (D7.2).

When the master is gone, the oldest synchronised mirror takes its place.  RabbitMQ promotes the
oldest mirror, synchronised or not (D5.1), and with ha-promote-on-failure = when-synced none at all
if no mirror is (D5.3).  What a user may rely on is the meaning of that setting, which is said here:
what is promoted is synchronised, and a queue of which nothing is left that could be waits for its
old master.  A mirror learns of the death when all that the dead master had
told has arrived (D1.3).  Then the queue's record is made true again (D5.2): `trimmed`.
"""

from __future__ import annotations

from ackproof.lang import Set, action, handler, helper, require
from ackproof.spec.queueing import Queueing
from ackproof.spec.sorts import Born, ChannelId, Msg, Replica, Seen, Status

__all__ = ["Mirroring"]


class Mirroring(Queueing):
    """Mirrored queues: the two copies, joining, synchronisation, promotion (D1-D7)."""

    # -- the mirrors follow ----------------------------------------------------------------------

    @action(fair="weak")
    def deliver_to_mirror(self, msg: Msg, replica: Replica) -> None:
        """The direct copy of a message arrives at a mirror, which acks it (D4.1-D4.5, E3.1)."""
        blocked = self.storing[replica].blocks()
        require(self.casts[Msg.owner(msg)].next_for(replica) == msg)
        require(self.replicas[replica].mirrors() and self.reaches(replica))
        self.casts[Msg.owner(msg)].receive(msg, replica)
        self.replicas[replica].hear(msg, msg in self.persistent, self.confirming(msg))
        self.take_from_channel(msg, replica, False, blocked)

    @action(fair="weak")
    def master_tells(self, msg: Msg, replica: Replica) -> None:
        """The master's copy of a message arrives at a mirror, which acks it (D4.6-D4.11, E3.1)."""
        blocked = self.storing[replica].blocks()
        require(self.replicas[replica].mirrors() and self.hears_master(replica))
        require(self.multicast.next_from_master(replica) == msg)
        if msg in self.multicast.discards[replica]:
            self.learn(msg, replica, Seen.DISCARDED)
        elif msg in self.multicast.refusals[replica]:
            self.learn(msg, replica, Seen.REFUSED)
        else:
            self.learn(msg, replica, Seen.PUBLISHED)
        self.multicast.learnt(msg, replica)
        self.take_from_master(msg, replica, blocked)

    @handler
    def learn(self, msg: Msg, replica: Replica, fate: Seen) -> None:
        """A mirror learns what its master did with a message (D4.6-D4.11)."""
        sent = set(self.replicas[replica].direct_of(Msg.owner(msg)))
        persistent = msg in self.persistent
        if fate == Seen.PUBLISHED:
            self.replicas[replica].place(msg)
        self.replicas[replica].learn(msg, fate, persistent, self.confirming(msg), sent)
        if fate == Seen.PUBLISHED:
            self.send_to_store(msg, replica)

    @helper
    def hears_master(self, replica: Replica) -> bool:
        """Tell whether what a master has sent to a mirror can arrive there (D1.3, D9)."""
        return all(self.linked(r, replica) for r in self.masters_of(replica))

    @action(fair="weak")
    def master_removes(self, msg: Msg, replica: Replica) -> None:
        """A mirror hears that a message has left the queue (D4.15)."""
        require(self.replicas[replica].mirrors() and self.hears_master(replica))
        require(msg in self.multicast.removals[replica])
        require(msg not in self.multicast.copies[replica])
        self.multicast.removed(msg, replica)
        self.replicas[replica].remove(msg)
        self.replicas[replica].displace({msg})

    @action(fair="weak")
    def forget_sender(self, channel: ChannelId, replica: Replica) -> None:
        """A mirror has heard from both sides that a channel is gone (D4.16-D4.18)."""
        require(not self.channels[channel].open and self.replicas[replica].mirrors())
        require(self.replicas[replica].remembers(channel))
        require(not self.casts[channel].publishes[replica] and self.multicast.silent(replica))
        known = set(self.of_channel(self.replicas[replica].known(), channel))
        self.replicas[replica].forget_sender(known)

    # -- joining and catching up -----------------------------------------------------------------

    @action
    def join(self, mirror: Replica, master: Replica) -> None:
        """A mirror starts, with nothing, and hears the master from now on (D1.2, D7.2)."""
        require(self.replicas[mirror].of == self.replicas[master].of)
        require(self.replicas[master].leads() and self.linked(master, mirror))
        require(self.older_first(mirror))
        self.multicast.join(mirror, set(self.siblings(master)))
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
        unlisted = {
            r
            for r in self.siblings(replica)
            if self.replicas[r].joined and self.runs(r) and not self.listed(r)
        }
        require(min(unlisted, default=None) == replica)
        self.enlisted.add(replica)

    @action
    def synchronise(self, mirror: Replica, master: Replica) -> None:
        """A mirror is given all that its master has, while the queue does nothing else (D7.3).

        What it had and its master has not, goes.  What has left goes from its files, too, and does
        not come back (C5.2).  The rest gets the master's order.
        The order to do so comes by multicast, after all that the master had told before: so this
        mirror now counts as having got that (D1.3).  One that a younger process has passed over
        stops when it hears of that (D5.3), and does so before it hears of an order of that one.
        """
        require(mirror in self.unsynced and self.follows(mirror, master))
        require(self.multicast.silent(mirror))
        held = set(self.replicas[master].holds())
        had = set(self.replicas[mirror].ready)
        for msg in had - held:
            self.replicas[mirror].remove(msg)
        for msg in set(self.replicas[mirror].store.leaving):
            self.replicas[mirror].store.forget(msg)
        for msg in held - had:
            self.replicas[mirror].enqueue(msg, msg in self.persistent, False)
        self.take_order(mirror, master)
        self.multicast.missed[mirror].clear()
        if self.replicas[mirror].born == Born.LATER:
            for other in self.siblings(mirror):
                for msg in self.multicast.removals[other]:
                    self.told_gone[msg].add(mirror)
        self.synchronised(mirror)

    @handler
    def take_order(self, mirror: Replica, master: Replica) -> None:
        """What a mirror was given stands as it does in its master (D7.3)."""
        held = set(self.replicas[master].holds())
        self.replicas[mirror].order.keep(held)
        for msg in held:
            ahead = self.replicas[master].order.ahead[msg] & held
            self.replicas[mirror].order.stand(msg, ahead)

    @handler
    def synchronised(self, mirror: Replica) -> None:
        """A mirror has all that its master has; from now on it counts as a copy (INV-D4)."""
        self.unsynced.discard(mirror)
        for msg in self.replicas[mirror].ready:
            self.backed[msg].add(mirror)

    @action(fair="weak")
    def catch_up(self, mirror: Replica, master: Replica) -> None:
        """What a mirror lacked is consumed: it has what its master has, and no more (D7.2).

        One that has more, since a new master has not all that it was given, is still no copy.
        Nor is one that must stop (D5.3), whatever it has.
        """
        require(mirror in self.unsynced and self.follows(mirror, master))
        require(self.expected(mirror) == self.replicas[master].holds())
        self.synchronised(mirror)

    @helper
    def follows(self, mirror: Replica, master: Replica) -> bool:
        """Tell whether a mirror may be given what a master has (D7.2, D7.3).

        One that a younger process has passed over may not, for it must stop (D5.3).
        """
        led = self.replicas[master].leads() and mirror in self.mirrors_of(master)
        return led and self.linked(master, mirror) and master < mirror

    # -- promotion -------------------------------------------------------------------------------

    @helper
    def masters_of(self, replica: Replica) -> Set[Replica]:
        """Return the masters of its queue that a process does not take for dead (D5.1, D9).

        That one has died is not known across a partition before the two give each other up.
        """
        return {
            r
            for r in self.siblings(replica)
            if self.replicas[r].leads() or self.dies_unseen(r, replica)
            if self.knows(r, replica)
        }

    @helper
    def dies_unseen(self, master: Replica, mirror: Replica) -> bool:
        """Tell whether a master has died across a partition from a mirror (D9)."""
        return self.was_last_master(master) and not self.linked(master, mirror)

    @helper
    def candidates(self, replica: Replica) -> Set[Replica]:
        """Return the mirrors that could take over, as far as a process of the queue sees (D5.3)."""
        return self.mirrors_of(replica) - self.unsynced

    @helper
    def chosen(self, replica: Replica) -> bool:
        """Tell whether a mirror is to be promoted: the oldest synchronised one (D5.3, D8 L1)."""
        return min(self.candidates(replica), default=None) == replica

    @helper
    def leaderless(self, replica: Replica) -> bool:
        """Tell whether a mirror's master is gone as far as the mirror sees (D1.3, D5.1, D9)."""
        return self.multicast.silent(replica) and not self.masters_of(replica)

    @action(fair="weak")
    def promote(self, replica: Replica) -> None:
        """The oldest synchronised mirror becomes the master (D5.1, D5.5).

        What it knows from a channel only it treats as just arriving (step 6): before anything
        that the channel has sent since.  Mirrors that do not have what it has are not synchronised
        any more (step 3).  Its queue does not know what was handed out (B7.4); so what was sent to
        it as a mirror and is still to come counts as handed out (B1.5).

        What its master had handed out is ready now, and may be too much (B5.2).
        """
        require(self.replicas[replica].mirrors() and self.leaderless(replica))
        require(self.chosen(replica) and self.listed(replica))
        for msg in self.replicas[replica].direct:
            self.casts[Msg.owner(msg)].publishes[replica].add(msg)
        self.replicas[replica].promote()
        for other in self.mirrors_of(replica):
            if self.expected(other) != self.replicas[replica].ready:
                self.unsynced.add(other)
        if self.replicas[replica].marking:
            self.replicas[replica].delivered |= self.in_flight(replica)
        self.apply_limit(replica)

    @helper
    def hopeless(self, replica: Replica) -> bool:
        """Tell whether a mirror has no master, and none is left to take over (D5.3)."""
        return self.passed_over(replica) or (
            self.leaderless(replica) and not self.candidates(replica)
        )

    @helper
    def passed_over(self, replica: Replica) -> bool:
        """Tell whether a younger process has taken over, since this one must not (D5.1, D5.3).

        What a channel has sent to this one it may not have sent to that, which was not in the
        record yet; so this one would wait for a master's copy of it for ever.
        """
        return any(replica < r for r in self.masters_of(replica))

    @action(fair="weak")
    def stop_unsynchronised(self, replica: Replica) -> None:
        """A mirror that must not take over deletes what it has, and stops (D5.3, D8 L13).

        Its queue is there again when the process that was its master is (C5.1).  What waited for
        this mirror's confirm need not wait any longer.  What it had cast and would still have
        arrived, had arrived before: it vouches for nothing that is gone.
        """
        require(self.replicas[replica].mirrors() and self.hopeless(replica))
        self.perish(replica, self.news(replica, self.normal_end(replica)))
        self.replicas[replica].store.wipe()
        self.replicas[replica].order.keep(set())
        for msg in Msg:
            self.owing[msg].discard(replica)
            self.vouchers[msg].discard(replica)
            self.backed[msg].discard(replica)

    @helper
    def expected(self, mirror: Replica) -> Set[Msg]:
        """Return what a mirror will have when all that it was told has arrived (D1.3)."""
        has = self.replicas[mirror].ready | self.multicast.copies[mirror]
        return has - self.multicast.removals[mirror]

    @action(fair="weak")
    def trim(self, replica: Replica) -> None:
        """A dead process is taken out of its queue's record, by those left (D5.1, D5.2)."""
        require(self.replicas[replica].status == Status.DOWN and self.listed(replica))
        require(
            any(
                self.replicas[r].leads() and self.linked(r, replica) for r in self.siblings(replica)
            )
        )
        self.trimmed.add(replica)
