"""What had to happen in a queue before an operation, and what may have happened before it.

A step that is not needed yet may as well be taken later, and so only the needed ones are taken.
But what leaves a queue before it is synced is confirmed by that, and is drained together with what
is synced by then; and in a queue with a limit, what arrives decides about the others.  There each
case is a state of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from ackproof.spec.sorts import Reason, Status

from tests.explain.machine import CHANNEL, State
from tests.explain.operating import Operating
from tests.explain.operations import Delete, Get, Operation, Purge, Settle
from tests.explain.seen import Fate

__all__ = ["Preparing", "some"]


def some(state: State | None) -> Iterator[State]:
    """Yield a state, if it is one."""
    if state is not None:
        yield state


class Preparing(Operating):
    """Operations with all that had to happen before them."""

    # -- restarts -------------------------------------------------------------------------------

    def restarted(self, state: State, queues: Iterable[str]) -> Iterator[State]:
        """Yield the states in which those queues that are down have, or have not, restarted.

        Of one that has not, the channel may have heard, or not.
        """
        states = {state}
        for queue in sorted(set(queues)):
            for one in list(states):
                states.update(self.replaced(one, queue))
        yield from states

    def replaced(self, state: State, queue: str) -> Iterator[State]:
        """Yield the states in which a queue that nobody leads is led again, or heard of."""
        replica = self.led(state, queue)
        if self.of(state, replica, "status") is Status.DOWN:
            for step in (self.hear, self.restart):
                yield from some(step(state, replica))

    def restart(self, state: State, replica: str) -> State | None:
        """Let a queue that is down start again; the channel hears of its death before."""
        if self.machine.get(state, "casts[ch1].downs").get(replica) is not None:
            heard = self.hear(state, replica)
            if heard is None:
                return None
            state = heard
        return self.quietly(state, "restart", replica)

    def hear(self, state: State, replica: str) -> State | None:
        """Let the channel hear that a queue is gone, and all that it said before."""
        after: State | None = state
        for part, step in (("outbox", "confirm_arrives"), ("refused", "reject_arrives")):
            if after is not None and self.of(after, replica, part):
                after = self.quietly(after, step, CHANNEL, replica)
        return None if after is None else self.quietly(after, "down_arrives", CHANNEL, replica)

    def leading(self, state: State, queue: str) -> Iterator[State]:
        """Yield the states in which a queue is led, if it can be."""
        replica = self.led(state, queue)
        if self.of(state, replica, "status") is Status.DOWN:
            yield from some(self.restart(state, replica))
        else:
            yield state

    # -- before an operation --------------------------------------------------------------------

    def prepared(
        self, state: State, held: frozenset[str], operation: Operation, queue: str
    ) -> Iterator[State]:
        """Yield the states after an operation, with all that had to happen before it."""
        for led in self.leading(state, queue):
            replica = self.led(led, queue)
            for ready in some(self._brought(led, replica, operation)):
                for ahead in self._ready(ready, held, replica, operation):
                    yield from some(self.at_once(ahead, replica, operation))

    def _ready(
        self, state: State, held: frozenset[str], replica: str, operation: Operation
    ) -> Iterator[State]:
        """Yield the states in which an operation may happen, from the first of them on.

        How many messages have arrived may be known; if not, more of them may be ahead.
        """
        selective = self._selective(replica)
        if isinstance(operation, Get) and operation.msg is None and not selective:
            yield state
            return
        yield from self._ahead(state, held, replica)
        if selective or isinstance(operation, Get | Settle):
            arrived = self.deliver(state, replica)
            while arrived is not None:
                for one in self._ahead(arrived, held, replica):
                    if selective or one != arrived:
                        yield one
                arrived = self.deliver(arrived, replica)

    def _selective(self, replica: str) -> bool:
        """Tell whether it matters for others when a message arrives."""
        return self.machine.kind[replica].limit is not None

    def _brought(self, state: State, replica: str, operation: Operation) -> State | None:
        """Let arrive what an operation speaks of."""
        after: State | None = state
        if isinstance(operation, Get) and operation.msg is not None:
            while after is not None and operation.msg not in self.of(after, replica, "ready"):
                after = self.deliver(after, replica)
        elif isinstance(operation, Purge | Delete) and operation.count is not None:
            while after is not None and len(self.of(after, replica, "ready")) < operation.count:
                after = self.deliver(after, replica)
        return after

    def _ahead(self, state: State, held: frozenset[str], replica: str) -> Iterator[State]:
        """Yield the states in which a queue has cast some confirms ahead of an operation.

        A message that leaves the queue before it is synced is confirmed by that, and whatever is
        drained later is drained with it.
        """
        for told in self.told(state, held, replica):
            yield told
            for chosen in self.unsynced(told, held, replica):
                yield from some(self.answer(told, replica, chosen))

    def told(self, state: State, held: frozenset[str], replica: str) -> Iterator[State]:
        """Yield the states in which the channel has processed some confirms of a queue."""
        yield state
        for chosen in [(), *self.unsynced(state, held, replica)]:
            answered = self.answer(state, replica, chosen) if chosen else state
            if answered is not None:
                yield from some(self.quietly(answered, "confirm_arrives", CHANNEL, replica))

    def unsynced(
        self, state: State, held: frozenset[str], replica: str
    ) -> Iterator[tuple[int, ...]]:
        """Yield all sets of messages whose sync might confirm them; not the empty one."""
        stored = [] if "sync" in held else sorted(self.of(state, replica, "store.unconfirmed"))
        for size in range(1, len(stored) + 1):
            yield from itertools.combinations(stored, size)

    def answer(self, state: State, replica: str, chosen: Iterable[int]) -> State | None:
        """Let messages be synced, and a queue cast their confirms."""
        after: State | None = state
        for msg in chosen:
            after = None if after is None else self.quietly(after, "sync", msg, replica)
        return None if after is None else self.quietly(after, "drain", replica)

    # -- on the way to a confirm ----------------------------------------------------------------

    def nearer(self, state: State, held: frozenset[str], msg: int, replica: str) -> State | None:
        """Take the next step of a message towards its confirm by one process."""
        if msg in self.of(state, replica, "outbox"):
            return self.quietly(state, "confirm_arrives", CHANNEL, replica)
        if msg in self.of(state, replica, "store.confirmed"):
            return self.quietly(state, "drain", replica)
        if msg in self.of(state, replica, "awaiting"):
            if "sync" not in held:
                return self.quietly(state, "sync", msg, replica)
            return self.deliver(state, replica) if self._selective(replica) else None
        if msg in self.machine.get(state, "casts[ch1].publishes").get(replica, ()):
            return self.deliver(state, replica)
        if self.machine.get(state, "casts[ch1].downs").get(replica) is Reason.NORMAL:
            return self.hear(state, replica)
        return None

    def worse(self, state: State, msg: int, replica: str) -> State | None:
        """Take the next step of a message towards being rejected by one process."""
        if msg in self.of(state, replica, "refused"):
            return self.quietly(state, "reject_arrives", CHANNEL, replica)
        reason = self.machine.get(state, "casts[ch1].downs").get(replica)
        if reason in (Reason.ABNORMAL, Reason.BENIGN):
            return self.hear(state, replica)
        if msg in self.machine.get(state, "casts[ch1].publishes").get(replica, ()):
            may = self.machine.kind[replica].refuses or self.seen.fates.get(msg) is Fate.REFUSED
            return self.deliver(state, replica) if may else None
        return None
