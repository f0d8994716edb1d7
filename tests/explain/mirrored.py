"""Explanations of queues with mirrors: who leads, who follows, and how far each of them had come.

What mirrors do is put off as everything is, until a confirm needs it, or a process dies.  Then each
case is a state of its own: what the master had taken in and the mirrors had heard of that, and what
the channel had heard of the dead.
"""

from __future__ import annotations

from collections.abc import Iterator

from ackproof.spec.sorts import Reason, Seen, Status

from tests.explain.directed import Directed
from tests.explain.machine import CHANNEL, State
from tests.explain.operations import Kill, Operation, Revive
from tests.explain.preparing import some

__all__ = ["Mirrored"]


class Mirrored(Directed):
    """As `Directed`, where queues may have mirrors."""

    def operated(self, state: State, held: frozenset[str], operation: Operation) -> Iterator[State]:
        """Yield the states after an operation, with all that had to happen before it."""
        if isinstance(operation, Kill):
            for led in self.leading(state, operation.queue):
                yield from self._ended(led, held, operation.replica, "lose_node")
        elif isinstance(operation, Revive):
            for led in self.leading(state, operation.queue):
                yield from some(self._joined(led, operation))
        else:
            yield from super().operated(state, held, operation)

    def crashed(self, state: State, held: frozenset[str], queue: str) -> Iterator[State]:
        """Yield the states after a crash of the process that leads a queue."""
        for led in self.leading(state, queue):
            yield from self._ended(led, held, self.led(led, queue), "crash_queue")

    # -- who leads ------------------------------------------------------------------------------

    def leading(self, state: State, queue: str) -> Iterator[State]:
        """Yield the states in which a queue is led: by who led it, by its heir, or from files."""
        if self.of(state, self.led(state, queue), "status") is not Status.DOWN:
            yield state
            return
        heirs = self._mirrors(state, queue)
        yield from some(self._promoted(state, heirs[0]) if heirs else None)
        if not heirs:
            yield from super().leading(state, queue)

    def replaced(self, state: State, queue: str) -> Iterator[State]:
        """Yield the states in which a queue that nobody leads is led again, or heard of."""
        replica = self.led(state, queue)
        if self.of(state, replica, "status") is Status.DOWN:
            yield from self.leading(state, queue)
            yield from some(self.hear(state, replica))

    def _mirrors(self, state: State, queue: str) -> list[str]:
        """Return the mirrors of a queue, by age."""
        return [
            r
            for r in self.machine.siblings[self.queues[queue]]
            if self.of(state, r, "status") is Status.RUNNING
            and not self.of(state, r, "promoted")
            and (self.machine.is_mirror(r) or self.of(state, r, "joined"))
        ]

    def _promoted(self, state: State, mirror: str) -> State | None:
        """Let a mirror hear all that its master has told, and take its place."""
        after: State | None = state
        while after is not None and (nearer := self._learnt(after, mirror)) is not None:
            after = nearer
        after = None if after is None else self.quietly(after, "promote", mirror)
        return None if after is None else self.trimmed(after, mirror)

    def _joined(self, state: State, revive: Revive) -> State | None:
        """Let a process join, and be given everything."""
        master = self.led(state, revive.queue)
        after = self.quietly(state, "join", revive.replica, master)
        after = None if after is None else self.quietly(after, "enlist", revive.replica)
        if after is None:
            return None
        return self.quietly(after, "synchronise", revive.replica, master) or after

    # -- following ------------------------------------------------------------------------------

    def _coming(self, state: State, mirror: str) -> set[int]:
        """Return the messages whose fate is on its way to a mirror."""
        parts = ("copies", "discards", "refusals")
        return {
            msg
            for part in parts
            for msg in self.machine.get(state, f"multicast.{part}").get(mirror, ())
        }

    def _learnt(self, state: State, mirror: str) -> State | None:
        """Let a mirror hear the next thing that its master has told; None if there is nothing."""
        removed = self.machine.get(state, "multicast.removals").get(mirror, set())
        coming = self._coming(state, mirror)
        ready = sorted(removed - self.machine.get(state, "multicast.copies").get(mirror, set()))
        if ready:
            return self.quietly(state, "master_removes", ready[0], mirror)
        return self.quietly(state, "master_tells", min(coming), mirror) if coming else None

    def nearer(self, state: State, held: frozenset[str], msg: int, replica: str) -> State | None:
        """Take the next step of a message towards its confirm by one process."""
        if self.machine.get(state, "casts[ch1].downs").get(replica) is Reason.BENIGN:
            return self.hear(state, replica)
        if len(self.machine.siblings[replica]) == 1 or self._leads(state, replica):
            return super().nearer(state, held, msg, replica)
        if msg in self.of(state, replica, "outbox"):
            return self.quietly(state, "confirm_arrives", CHANNEL, replica)
        if replica in held:
            return None
        if msg in self.of(state, replica, "store.confirmed"):
            return self.quietly(state, "drain", replica)
        if msg in self.machine.get(state, "casts[ch1].publishes").get(replica, ()):
            return self._heard(state, replica)
        if self.of(state, replica, "seen").get(msg) is Seen.CALLED:
            return None if "sync" in held else self.quietly(state, "sync", msg, replica)
        return self._told(state, msg, replica)

    def _leads(self, state: State, replica: str) -> bool:
        siblings = self.machine.siblings[replica]
        return replica == siblings[0] or bool(self.of(state, replica, "promoted"))

    def _heard(self, state: State, mirror: str) -> State | None:
        """Let the next direct copy arrive at a mirror."""
        msg = self.arriving(state, mirror)
        return self.quietly(state, "deliver_to_mirror", msg, mirror) if msg else None

    def _told(self, state: State, msg: int, mirror: str) -> State | None:
        """Bring the master's copy of a message nearer to a mirror, or let the mirror lead."""
        if msg in self._coming(state, mirror):
            return self._learnt(state, mirror)
        queue = next(q for q, r in self.queues.items() if r == self.machine.siblings[mirror][0])
        leader = self.led(state, queue)
        if self.of(state, leader, "status") is Status.DOWN:
            return next(self.leading(state, queue), None)
        return self.deliver(state, leader)

    # -- deaths ---------------------------------------------------------------------------------

    def _ended(self, state: State, held: frozenset[str], replica: str, how: str) -> Iterator[State]:
        """Yield the states after the end of a process, whatever it and its mirrors had done."""
        alone = not any(
            self.of(state, r, "status") is Status.RUNNING
            and (self.machine.is_mirror(r) or self.of(state, r, "joined") or self._leads(state, r))
            for r in self.machine.siblings[replica]
            if r != replica
        )
        for before in self._progress(state, replica):
            for told in self.told(before, held, replica):
                if alone:
                    yield from self.ended(told, held, replica, how)
                    continue
                for cast in {told, *self._cast(told, held, replica)}:
                    for dead in some(self.quietly(cast, how, replica)):
                        yield self.trimmed(dead, replica)

    def _cast(self, state: State, held: frozenset[str], replica: str) -> Iterator[State]:
        """Yield the states in which a process has cast some more confirms."""
        for chosen in self.unsynced(state, held, replica):
            yield from some(self.answer(state, replica, chosen))

    def _progress(self, state: State, replica: str) -> set[State]:
        """Return the states in which a process, or its mirrors, may have taken more in."""
        reached, waiting = {state}, [state]
        siblings = self.machine.siblings[replica]
        while waiting:
            one = waiting.pop()
            steps = [self.deliver(one, r) for r in siblings if self._leads(one, r)]
            for mirror in siblings:
                if not self._leads(one, mirror):
                    steps += [self._learnt(one, mirror)]
                    steps += [self._heard(one, mirror)] if mirror == replica else []
            for after in steps:
                if after is not None and after not in reached:
                    reached.add(after)
                    waiting.append(after)
        return reached
