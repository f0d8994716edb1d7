"""How a queue may have crashed: it matters which of its messages had come how far.

Nothing of that can be put off, so each case is a state of its own: which messages had arrived,
which confirms had been heard, and for each message that was not synced, whether it was written.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ackproof.spec.sorts import Level

from tests.explain.explanations import Place
from tests.explain.machine import State
from tests.explain.preparing import Preparing, some
from tests.explain.seen import ENDING, Fate

__all__ = ["Crashing"]


class Crashing(Preparing):
    """Crashes of queues, and what a node that is killed has written before."""

    def crashed(self, state: State, held: frozenset[str], queue: str) -> Iterator[State]:
        """Yield the states after a crash of the process that leads a queue."""
        for led in self.leading(state, queue):
            replica = self.led(led, queue)
            arrived: State | None = led
            while arrived is not None:
                for told in self.told(arrived, held, replica):
                    yield from self.ended(told, held, replica, "crash_queue")
                arrived = self.deliver(arrived, replica)

    def strike(self, place: Place) -> Iterator[Place]:
        """Yield the places where a queue has taken in a message that it ends of."""
        everything = self.machine.get(place.state, "casts[ch1].publishes")
        for replica, coming in everything.items():
            if ENDING.isdisjoint(self.seen.fates.get(msg) for msg in coming):
                continue
            state: State | None = place.state
            while state is not None:
                msg = self.arriving(state, replica)
                fate = None if msg is None else self.seen.fates.get(msg)
                if msg is not None and fate in ENDING:
                    for after in self._struck(state, place.held, replica, msg, fate):
                        yield place._replace(state=after)
                    break
                state = self.deliver(state, replica)

    def _struck(
        self, state: State, held: frozenset[str], replica: str, msg: int, fate: Fate | None
    ) -> Iterator[State]:
        """Yield the states in which a message has arrived at a queue, which has ended of it."""
        for told in self.told(state, held, replica):
            for taken in some(self.quietly(told, "deliver", msg, replica)):
                if fate is Fate.FATAL:
                    yield from self.ended(taken, held, replica, "crash_queue", unstored=msg)
                else:
                    queue = self.machine.queue[replica]
                    yield from some(self.quietly(taken, "delete_queue", queue))

    def ended(
        self,
        state: State,
        held: frozenset[str],
        replica: str,
        how: str,
        unstored: int | None = None,
    ) -> Iterator[State]:
        """Yield the states after the end of a process, right here.

        Args:
            state: the state before.
            held: what is held back in it.
            replica: the process.
            how: the fault that ends it.
            unstored: a message of which the disk knows nothing yet.
        """
        level = self.of(state, replica, "store.level")
        buffered = sorted(m for m in level if level[m] is not Level.SYNCED and m != unstored)
        fates = ["lost", "written"] if "sync" in held else ["lost", "written", "answered"]
        for each in itertools.product(fates, repeat=len(buffered)):
            yield from self._ended_with(state, replica, how, dict(zip(buffered, each, strict=True)))

    def _ended_with(
        self, state: State, replica: str, how: str, fates: dict[int, str]
    ) -> Iterator[State]:
        """Yield the states after that, where what the store has answered is lost, or not."""
        after: State | None = state
        for msg, fate in fates.items():
            step = {"written": "write", "answered": "sync"}.get(fate)
            level = self.of(state, replica, "store.level")[msg]
            if step is not None and after is not None and (step, level) != ("write", Level.WRITTEN):
                after = self.quietly(after, step, msg, replica)
        if after is None:
            return
        if "answered" not in fates.values():
            yield from some(self.quietly(after, how, replica))
        drained = self.quietly(after, "drain", replica)
        if drained is not None:
            yield from some(self.quietly(drained, how, replica))

    # -- nodes ----------------------------------------------------------------------------------

    def written_everywhere(self, state: State) -> Iterator[State]:
        """Yield the states in which queues have got some messages, and written some of them."""
        states = {state}
        for replica in self.machine.replicas:
            for one in list(states):
                arrived: State | None = one
                while arrived is not None:
                    states.update(self._written(arrived, replica))
                    arrived = self.deliver(arrived, replica)
        yield from states

    def _written(self, state: State, replica: str) -> Iterator[State]:
        level = self.of(state, replica, "store.level")
        buffered = sorted(m for m in level if level[m] is Level.BUFFERED)
        for size in range(len(buffered) + 1):
            for chosen in itertools.combinations(buffered, size):
                after: State | None = state
                for msg in chosen:
                    after = None if after is None else self.quietly(after, "write", msg, replica)
                yield from some(after)
