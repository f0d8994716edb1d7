"""Explanations of a cluster that falls apart, and comes together again.

What is on the other side is not heard of until it was given up.  Nothing of that can be seen but by
what is acked, and what is not; so all that a partition leads to happens at once, and how far the
mirrors had come before it is what is left open.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.explain.machine import CHANNEL, State
from tests.explain.mirrored import Mirrored
from tests.explain.operations import Heal, Notice, Operation, Part, Pause
from tests.explain.preparing import some

__all__ = ["Parted"]


class Parted(Mirrored):
    """As `Mirrored`, where the processes of queues are on nodes."""

    def operated(self, state: State, held: frozenset[str], operation: Operation) -> Iterator[State]:
        """Yield the states after an operation, with all that had to happen before it."""
        if isinstance(operation, Part):
            states = {state}
            for master in self.queues.values():
                states = {after for one in states for after in self._progress(one, master)}
            for one in states:
                yield from some(self.quietly(one, "partition", operation.nodes))
        elif isinstance(operation, Notice):
            yield self._noticed(state)
        elif isinstance(operation, Heal):
            for healed in some(self.quietly(state, "heal")):
                yield self._known(healed)
        elif isinstance(operation, Pause):
            for paused in some(self.quietly(self._noticed(state), "pause", CHANNEL)):
                yield self.machine.reborn(self._mended(paused), operation.following)
        else:
            yield from super().operated(state, held, operation)

    def _noticed(self, state: State) -> State:
        """Let each side give up the other one, and a minority over there pause (A12.7, D9)."""
        away = self.machine.get(state, "cluster.away")
        for node in sorted(away):
            state = self.quietly(state, "notice", node) or state
        for replica in self.machine.replicas:
            state = self.quietly(state, "estrange", replica) or state
        there = [r for r in self.machine.replicas if self.machine.node(r) in away]
        return self._halted(state, there)

    def _halted(self, state: State, replicas: list[str]) -> State:
        for replica in replicas:
            state = self.quietly(state, "halt", replica) or state
        return state

    def _mended(self, state: State) -> State:
        """Let all on this side end, the other side go on alone, and all come together (A12.2)."""
        state = self._halted(state, list(self.machine.replicas))
        for queue in self.queues:
            if self._mirrors(state, queue):
                state = next(self.leading(state, queue), state)
        state = self.quietly(state, "heal") or state
        for replica in self.machine.replicas:
            state = self.quietly(state, "restart", replica) or state
        return self._known(state)

    def _known(self, state: State) -> State:
        """Take the dead out of the records of all queues."""
        for master in self.queues.values():
            state = self.trimmed(state, master)
        return state
