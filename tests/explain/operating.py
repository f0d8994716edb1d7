"""The specification's steps for an operation of a client, where it is possible at once.

These are shared by both ways of finding explanations.  What a fault has been asked to do to a
message that arrives is here, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ackproof.lang import require
from ackproof.spec.sorts import Status
from ackproof.spec.wire import Blocked, Unblocked

from tests.explain.explanations import Place
from tests.explain.machine import CHANNEL, State
from tests.explain.operations import Crash, Cut, Delete, Get, Operation, Purge, Restart, Settle
from tests.explain.seen import ENDING, Fate
from tests.explain.stepping import Stepping

__all__ = ["Operating"]


def refuse_arriving(system: Any, msg: Any, replica: Any) -> None:
    """A message arrives at a queue that refuses it, as `deliver` does where that is full (B5.4)."""
    require(system.casts[CHANNEL].next_for(replica) == msg and system.replicas[replica].leads())
    require(not system.replicas[replica].recognises(msg))
    system.casts[CHANNEL].receive(msg, replica)
    system.refuse(msg, replica)


class Operating(Stepping):
    """Operations as steps."""

    def led(self, state: State, queue: str) -> str:
        """Return the process that leads a queue, or led it last."""
        siblings = self.machine.siblings[self.queues[queue]]
        leading = [r for r in siblings if self.of(state, r, "promoted")]
        return leading[-1] if leading else siblings[0]

    def at_once(self, state: State, replica: str, operation: Operation) -> State | None:
        """Return the state after an operation, if it is possible right here."""
        if self.of(state, replica, "status") is not Status.RUNNING:
            return None
        ready = self.of(state, replica, "ready")
        if isinstance(operation, Crash):
            return self.quietly(state, "crash_queue", replica)
        if isinstance(operation, Settle):
            step = "requeue" if operation.requeue else "acknowledge"
            return self.quietly(state, step, operation.msg, replica)
        if isinstance(operation, Get):
            if operation.msg is None or not ready:
                return state if operation.msg is None and not ready else None
            return self._handed_out(state, replica, operation)
        if isinstance(operation, Purge):
            return self._emptied(state, replica) if len(ready) == operation.count else None
        assert isinstance(operation, Delete)
        if operation.count not in (None, len(ready)):
            return None
        return self.quietly(state, "delete_queue", self.machine.queue[replica])

    def _handed_out(self, state: State, replica: str, get: Get) -> State | None:
        """Return the state after the head of a queue was got, if it is the one that was got."""
        if (get.msg in self.of(state, replica, "delivered")) != get.redelivered:
            return None
        if get.msg is not None and self.expires(get.msg, replica):
            return None
        return self.quietly(state, "drop" if get.no_ack else "take", get.msg, replica)

    def _emptied(self, state: State, replica: str) -> State | None:
        """Return the state after all that was ready in a queue was dropped."""
        after: State | None = state
        for msg in sorted(self.of(state, replica, "ready")):
            if after is not None:
                after = self.quietly(after, "drop", msg, replica)
        return after

    def trimmed(self, state: State, replica: str) -> State:
        """Take the dead out of the record of a queue.

        The specification may do that later; a broker is expected to do it where it notices.
        """
        for other in self.machine.siblings[replica]:
            state = self.quietly(state, "trim", other) or state
        return state

    # -- arriving, and expiring -----------------------------------------------------------------

    def arriving(self, state: State, replica: str) -> int | None:
        """Return the message that reaches a process next."""
        coming = self.machine.get(state, "casts[ch1].publishes").get(replica)
        return min(coming) if coming else None

    def deliver(self, state: State, replica: str) -> State | None:
        """Return the state after the next message has arrived, unless its queue dies of it."""
        msg = self.arriving(state, replica)
        if msg is None or self.seen.fates.get(msg) in ENDING:
            return None
        if self.seen.fates.get(msg) is Fate.REFUSED:
            return self.quietly(state, refuse_arriving, msg, replica)
        return self.quietly(state, "deliver", msg, replica)

    def expires(self, msg: int, replica: str) -> bool:
        """Tell whether a message has no time in a queue (B4.1)."""
        return self.machine.kind[replica].expiring or self.seen.fates.get(msg) is Fate.EXPIRING

    def _expire(self, place: Place) -> Iterator[Place]:
        """Yield the places where the head of a queue has expired, as soon as it is that (B4.2)."""
        for replica in self.machine.replicas:
            if not (self.machine.kind[replica].expiring or self.seen.fates):
                continue
            state: State | None = place.state
            while state is not None:
                ready = self.of(state, replica, "ready")
                if ready and self.expires(min(ready), replica):
                    after = self.quietly(state, "drop", min(ready), replica)
                    if after is not None:
                        yield place._replace(state=after)
                    break
                msg = self.arriving(state, replica)
                if msg is None or not self._any_expires(state, replica):
                    break
                state = self.deliver(state, replica)

    def _any_expires(self, state: State, replica: str) -> bool:
        coming = self.machine.get(state, "casts[ch1].publishes").get(replica, set())
        return any(self.expires(msg, replica) for msg in coming | self.of(state, replica, "ready"))

    # -- nodes, connections, alarms -------------------------------------------------------------

    def started_again(self, state: State, restart: Restart) -> State:
        """Return the state in which a node that was killed runs again (C5)."""
        crashed = self.quietly(state, "crash_node")
        assert crashed is not None
        state = crashed
        for replica in self.machine.replicas:
            state = self.quietly(state, "restart", replica) or state
        return self.machine.reborn(state, restart.following)

    def cut(self, state: State, cut: Cut) -> State:
        """Return the state in which a connection broke, and there is another one (A14.3, B7.5)."""
        # What has failed to commit has closed the channel before.
        state = self.quietly(state, "close", CHANNEL) or state
        for replica in self.machine.replicas:
            for msg in sorted(self.of(state, replica, "pending")):
                state = self.quietly(state, "requeue", msg, replica) or state
        return self.machine.reborn(state, cut.following)

    def _stop_reading(self, place: Place) -> Iterator[Place]:
        """Yield the places where an alarm stops the reader, or begins to, or is over (E4.3)."""
        frames, held = self.seen.frames, place.held
        coming = frames[place.written] if place.written < len(frames) else None
        if isinstance(coming, Blocked):
            yield from self._after(place, self.machine.step(place.state, "publish_waits", CHANNEL))
            if "failing" in held:
                yield from self._after(place, self.machine.step(place.state, "alarm"))
        if "clearing" in held or (isinstance(coming, Unblocked) and "failing" in held):
            clear = place._replace(held=held - {"clearing"})
            yield from self._after(clear, self.machine.step(place.state, "alarm_clears"))
