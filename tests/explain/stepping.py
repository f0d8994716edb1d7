"""The steps by which a place leads on: what was sent is taken, and what the test did happens.

These are shared by both ways of finding explanations.  What an operation does to a state, each of
them says by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ackproof.spec.sorts import Status

from tests.explain.explanations import Explanations, Place
from tests.explain.machine import CHANNEL, Action, State
from tests.explain.operations import Alarm, Cut, Fail, Hold, Operation, Pause, Release, Restart
from tests.explain.seen import Close, Closed, Fate, Publish

__all__ = ["Stepping"]


class Stepping(Explanations):
    """Inputs and operations as steps."""

    def operated(self, state: State, held: frozenset[str], operation: Operation) -> Iterator[State]:
        """Yield the states after an operation that changes them."""
        raise NotImplementedError

    # -- inputs ---------------------------------------------------------------------------------

    def _take_input(self, place: Place) -> Iterator[Place]:
        seen = self.seen
        if place.taken == len(seen.inputs) or seen.after[place.taken] > place.done:
            return
        if seen.known[place.taken] > place.written:
            return
        following = place._replace(taken=place.taken + 1)
        one = seen.inputs[place.taken]
        if isinstance(one, Close):
            closed = self.machine.step(place.state, "close", CHANNEL)
            state, answer = (place.state, ()) if closed is None else (closed[0], (Closed(),))
            number = self.machine.get(state, "channels[ch1].next_seq")
            yield from self.matched(
                following._replace(held=place.held - {"muted"}),
                self.machine.reborn(state, number),
                answer,
            )
        elif isinstance(one, Publish):
            if one.fate is Fate.MUTING:
                following = following._replace(held=place.held | {"muted"})
            for state in self.restarted(place.state, one.queues):
                yield from self._publish(following, state, one)
        else:
            sending = self.queues if one.action == "tx_commit" else ()
            for state in self.restarted(place.state, sending):
                yield from self._after(following, self.machine.step(state, one.action, CHANNEL))

    def _publish(self, place: Place, state: State, one: Publish) -> Iterator[Place]:
        names = {
            self.machine.queue[self.queues[name]]
            for name in one.queues
            if self.of(state, self.queues[name], "status") is not Status.DELETED
        }
        action = "publish_in_tx" if one.tx else "publish"
        yield from self._after(
            place,
            self.machine.step(state, action, one.msg, names, one.mandatory, one.persistent),
        )

    def restarted(self, state: State, queues: Iterable[str]) -> Iterator[State]:
        """Yield the states in which a publish to these queues, or a commit, is to be tried."""
        yield state

    # -- operations -----------------------------------------------------------------------------

    def _do_operation(self, place: Place) -> Iterator[Place]:
        if place.done == len(self.seen.operations):
            return
        taken, written = self.seen.since[place.done]
        if place.taken < taken or place.written < written:
            return
        operation = self.seen.operations[place.done]
        place = place._replace(done=place.done + 1)
        if isinstance(operation, Restart | Cut | Pause):
            place = place._replace(taken=operation.sent, held=place.held - {"muted"})
        if isinstance(operation, Hold):
            yield place._replace(held=place.held | {operation.step})
        elif isinstance(operation, Release):
            also = {"muted"} if operation.step == "flush" else set()
            yield place._replace(held=place.held - {operation.step} - also)
        elif isinstance(operation, Fail):
            yield place._replace(held=place.held | {"failing"})
        elif isinstance(operation, Alarm):
            yield from self._alarm(place, operation.on)
        else:
            key = place.state, place.held, place.done
            if key not in self.after_operation:
                after = set(self.operated(place.state, place.held, operation))
                self.after_operation[key] = list(after)
            for state in self.after_operation[key]:
                yield place._replace(state=state)

    # -- alarms ---------------------------------------------------------------------------------

    def _alarm(self, place: Place, on: bool) -> Iterator[Place]:
        """Yield the place where there is an alarm, or where one is over as soon as it is told."""
        if not on:
            yield place._replace(held=place.held | {"clearing"})
            return
        yield from self._after(place, self.machine.step(place.state, "alarm"))

    # -- help -----------------------------------------------------------------------------------

    def of(self, state: State, replica: str, name: str) -> Any:
        """Return a variable of a process of a queue."""
        return self.machine.get(state, f"replicas[{replica}].{name}")

    def quietly(self, state: State, action: Action, *args: Any) -> State | None:
        """Return the state after a step of which a client sees nothing; None if it is not one."""
        step = self.machine.step(state, action, *args)
        return None if step is None or step[1] else step[0]
