"""Explanations that are found by taking the steps that are needed, and no others.

Between two frames a broker takes many steps that nobody sees, in nearly any order; three messages
in two queues have some hundred thousand states.  But a step that is not needed yet may as well be
taken later.  So nothing is done ahead: given which messages the next frames settle, there is one
way for each of them, through queue, disk, and back, and one step in it drains or processes whatever
else is there.

Not everything can be put off.  What leaves a queue before it is synced is confirmed by that, and is
drained together with what is synced by then; and at a crash it matters how far each message had
come.  There each case is a place of its own.  When the disk is held, all must be settled.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from ackproof.spec.lang import Event
from ackproof.spec.sorts import Level, Reason, Status, TxMode
from ackproof.spec.wire import Ack, Nack

from tests.explain.explanations import Explanations, Place
from tests.explain.machine import State
from tests.explain.seen import Crash, Delete, Get, Hold, Operation, Purge, Restart, Settle

__all__ = ["Directed"]

#: How many frames one flush may write, at most, for all that is tried.
LONGEST = 6

_DOWN = Status.DOWN
_COMMITTING, _FAILED = TxMode.COMMITTING, TxMode.FAILED


class Directed(Explanations):
    """The places that explain what was seen, found by what was seen."""

    def following(self, place: Place) -> Iterator[Place]:
        """Yield the places next to one: an input taken, a flush seen, an operation done."""
        yield from self._take_input(place)
        yield from self._see_flush(place)
        yield from self._see_end_of_transaction(place)
        yield from self._do_operation(place)

    # -- restarts -------------------------------------------------------------------------------

    def restarted(self, state: State, queues: Iterable[str]) -> Iterator[State]:
        """Yield the states in which those queues that are down have, or have not, restarted.

        Of one that has not, the channel may have heard, or not.
        """
        states = {state}
        for replica in {self.queues[queue] for queue in queues}:
            if self._of(state, replica, "status") is _DOWN:
                for one in list(states):
                    for step in (self._hear, self._restart):
                        states.update(self._some(step(one, replica)))
        yield from states

    def _restart(self, state: State, replica: str) -> State | None:
        """Let a queue that is down start again; the channel hears of its death before."""
        if self.machine.get(state, "network.downs").get(replica) is not None:
            heard = self._hear(state, replica)
            if heard is None:
                return None
            state = heard
        return self._quietly(state, "restart", replica)

    def _hear(self, state: State, replica: str) -> State | None:
        """Let the channel hear that a queue is gone, and all that it said before."""
        after: State | None = state
        for part, step in (("outbox", "confirm_arrives"), ("refused", "reject_arrives")):
            if after is not None and self._of(after, replica, part):
                after = self._quietly(after, step, replica)
        return None if after is None else self._quietly(after, "down_arrives", replica)

    # -- flushes --------------------------------------------------------------------------------

    def _see_flush(self, place: Place) -> Iterator[Place]:
        """Yield the places after a flush that wrote the next frame, or the next few."""
        frames = self.seen.frames[place.written : place.written + LONGEST]
        for length, frame in enumerate(frames, 1):
            if not isinstance(frame, Ack | Nack):
                return
            goal = self._settled(place.state, frames[:length])
            if goal is None:
                return
            for state in self._gather(place.state, place.held, *goal):
                yield from self._after(place, self.machine.step(state, "flush"))

    def _settled(self, state: State, frames: list[Event]) -> tuple[set[int], set[int]] | None:
        """Return which messages these frames ack and nack; None if any names a strange one."""
        get = self.machine.get
        unknown = get(state, "publisher.sent") - get(state, "publisher.confirmed")
        unknown = unknown - get(state, "publisher.nacked")
        acked: set[Any] = set()
        nacked: set[Any] = set()
        for one in frames:
            assert isinstance(one, Ack | Nack)
            if one.tag not in unknown:
                return None
            some = {m for m in unknown if m <= one.tag} if one.multiple else {one.tag}
            unknown = unknown - some
            if isinstance(one, Ack):
                acked |= some
            else:
                nacked |= some
        return acked, nacked

    def _gather(
        self, state: State, held: bool, acked: set[int], nacked: set[int]
    ) -> Iterator[State]:
        """Yield the states in which the channel has got to know what it is about to tell."""
        confirmed = self.machine.get(state, "channel.confirmed")
        rejected = self.machine.get(state, "channel.rejected")
        if not (confirmed <= acked and rejected <= nacked):
            return
        waiting = self.machine.get(state, "channel.unconfirmed")
        for msg in sorted(acked - confirmed):
            if not waiting.get(msg):
                return
            nearer = self._nearer(state, held, msg, min(waiting[msg]))
            if nearer is not None:
                yield from self._gather(nearer, held, acked, nacked)
            return
        for msg in sorted(nacked - rejected):
            for replica in sorted(waiting.get(msg, ())):
                worse = self._worse(state, msg, replica)
                if worse is not None:
                    yield from self._gather(worse, held, acked, nacked)
            return
        yield state

    def _nearer(self, state: State, held: bool, msg: int, replica: str) -> State | None:
        """Take the next step of a message towards its confirm by one queue."""
        if msg in self._of(state, replica, "outbox"):
            return self._quietly(state, "confirm_arrives", replica)
        if msg in self._of(state, replica, "store.confirmed"):
            return self._quietly(state, "drain", replica)
        if msg in self._of(state, replica, "awaiting"):
            return None if held else self._quietly(state, "sync", msg, replica)
        if msg in self.machine.get(state, "network.publishes").get(replica, ()):
            return self._deliver(state, replica)
        if self.machine.get(state, "network.downs").get(replica) is Reason.NORMAL:
            return self._hear(state, replica)
        return None

    def _worse(self, state: State, msg: int, replica: str) -> State | None:
        """Take the next step of a message towards being rejected by one queue."""
        if msg in self._of(state, replica, "refused"):
            return self._quietly(state, "reject_arrives", replica)
        reason = self.machine.get(state, "network.downs").get(replica)
        if reason in (Reason.ABNORMAL, Reason.BENIGN):
            return self._hear(state, replica)
        return None

    def _see_end_of_transaction(self, place: Place) -> Iterator[Place]:
        """Yield the places after a commit that was answered, or that has failed."""
        state = place.state
        if self.machine.get(state, "transaction.mode") not in (_COMMITTING, _FAILED):
            return
        get = self.machine.get
        known = get(state, "channel.confirmed") | get(state, "channel.rejected")
        waiting = set(get(state, "channel.unconfirmed")) | known
        for size in range(len(waiting) + 1):
            for some in itertools.combinations(sorted(waiting), size):
                for gathered in self._gather(state, place.held, waiting - set(some), set(some)):
                    yield from self._after(place, self.machine.step(gathered, "complete"))

    # -- operations -----------------------------------------------------------------------------

    def operated(
        self, state: State, held: bool, operation: Operation
    ) -> Iterator[tuple[State, bool]]:
        """Yield the states after an operation, with all that had to happen before it."""
        if isinstance(operation, Hold):
            yield state, operation.held
            return
        if isinstance(operation, Restart):
            for written in self._written_everywhere(state):
                yield self.started_again(written, operation), False
            return
        replica = self.queues[operation.queue]
        if isinstance(operation, Crash):
            for crashed in self._crash(state, held, replica):
                yield crashed, held
            return
        for ready in self._some(self._prepare(state, replica, operation)):
            for ahead in self._ready(ready, held, replica, operation):
                for after in self._some(self.at_once(ahead, replica, operation)):
                    yield after, held

    def _ready(
        self, state: State, held: bool, replica: str, operation: Operation
    ) -> Iterator[State]:
        """Yield the states in which an operation may happen, from the first of them on.

        How many messages have arrived may be known; if not, more of them may be ahead.
        """
        if isinstance(operation, Get) and operation.msg is None:
            yield state
            return
        yield from self._ahead(state, held, replica)
        if isinstance(operation, Get | Settle):
            arrived = self._deliver(state, replica)
            while arrived is not None:
                yield from (one for one in self._ahead(arrived, held, replica) if one != arrived)
                arrived = self._deliver(arrived, replica)

    def _prepare(self, state: State, replica: str, operation: Operation) -> State | None:
        """Take the steps without which an operation is not possible."""
        after: State | None = state
        if self._of(state, replica, "status") is _DOWN:
            after = self._restart(state, replica)
        if isinstance(operation, Get) and operation.msg is not None:
            while after is not None and operation.msg not in self._of(after, replica, "ready"):
                after = self._deliver(after, replica)
        elif isinstance(operation, Purge | Delete) and operation.count is not None:
            while after is not None and len(self._of(after, replica, "ready")) < operation.count:
                after = self._deliver(after, replica)
        return after

    def _ahead(self, state: State, held: bool, replica: str) -> Iterator[State]:
        """Yield the states in which a queue has cast some confirms ahead of an operation.

        A message that leaves the queue before it is synced is confirmed by that, and whatever is
        drained later is drained with it.
        """
        for told in self._told(state, held, replica):
            yield told
            for some in self._unsynced(told, held, replica):
                yield from self._some(self._answer(told, replica, some))

    def _told(self, state: State, held: bool, replica: str) -> Iterator[State]:
        """Yield the states in which the channel has processed some confirms of a queue."""
        yield state
        for some in [(), *self._unsynced(state, held, replica)]:
            answered = self._answer(state, replica, some) if some else state
            if answered is not None:
                yield from self._some(self._quietly(answered, "confirm_arrives", replica))

    def _unsynced(self, state: State, held: bool, replica: str) -> Iterator[tuple[int, ...]]:
        """Yield all sets of messages whose sync might confirm them; not the empty one."""
        stored = [] if held else sorted(self._of(state, replica, "store.unconfirmed"))
        for size in range(1, len(stored) + 1):
            yield from itertools.combinations(stored, size)

    def _answer(self, state: State, replica: str, some: Iterable[int]) -> State | None:
        """Let messages be synced, and a queue cast their confirms."""
        after: State | None = state
        for msg in some:
            after = None if after is None else self._quietly(after, "sync", msg, replica)
        return None if after is None else self._quietly(after, "drain", replica)

    def _written_everywhere(self, state: State) -> Iterator[State]:
        """Yield the states in which queues have got some messages, and written some of them."""
        states = {state}
        for replica in self.machine.replicas:
            for one in list(states):
                arrived: State | None = one
                while arrived is not None:
                    states.update(self._written(arrived, replica))
                    arrived = self._deliver(arrived, replica)
        yield from states

    def _written(self, state: State, replica: str) -> Iterator[State]:
        level = self._of(state, replica, "store.level")
        buffered = sorted(m for m in level if level[m] is Level.BUFFERED)
        for size in range(len(buffered) + 1):
            for some in itertools.combinations(buffered, size):
                after: State | None = state
                for msg in some:
                    after = None if after is None else self._quietly(after, "write", msg, replica)
                yield from self._some(after)

    def _crash(self, state: State, held: bool, replica: str) -> Iterator[State]:
        """Yield the states after a crash: it matters which messages had come how far."""
        if self._of(state, replica, "status") is _DOWN:
            restarted = self._restart(state, replica)
            if restarted is None:
                return
            state = restarted
        arrived: State | None = state
        while arrived is not None:
            for told in self._told(arrived, held, replica):
                yield from self._crash_here(told, held, replica)
            arrived = self._deliver(arrived, replica)

    def _crash_here(self, state: State, held: bool, replica: str) -> Iterator[State]:
        level = self._of(state, replica, "store.level")
        buffered = sorted(m for m in level if level[m] is not Level.SYNCED)
        fates = ["lost", "written"] if held else ["lost", "written", "answered"]
        for each in itertools.product(fates, repeat=len(buffered)):
            yield from self._crash_with(state, replica, dict(zip(buffered, each, strict=True)))

    def _crash_with(self, state: State, replica: str, fates: dict[int, str]) -> Iterator[State]:
        """Yield the states after a crash, where what the store has answered is lost, or not."""
        after: State | None = state
        for msg, fate in fates.items():
            step = {"written": "write", "answered": "sync"}.get(fate)
            level = self._of(state, replica, "store.level")[msg]
            if step is not None and after is not None and (step, level) != ("write", Level.WRITTEN):
                after = self._quietly(after, step, msg, replica)
        if after is None:
            return
        if "answered" not in fates.values():
            yield from self._some(self._quietly(after, "crash_queue", replica))
        drained = self._quietly(after, "drain", replica)
        if drained is not None:
            yield from self._some(self._quietly(drained, "crash_queue", replica))

    def _deliver(self, state: State, replica: str) -> State | None:
        coming = self.machine.get(state, "network.publishes").get(replica)
        return self._quietly(state, "deliver", min(coming), replica) if coming else None

    def _some(self, state: State | None) -> Iterator[State]:
        if state is not None:
            yield state
