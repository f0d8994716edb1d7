"""Which states of the specification explain what a client has seen.

A *place* is a state, with how much of what was sent the broker has taken, how many of the frames
that were read it has written, and how many operations have happened.  From there the
specification's own steps lead on, and what a step shows must be what was read next.  What was seen
is explained if a place is reached where all of it has happened.  Otherwise the next frame, where
the best attempt ends, is the first one that no behaviour of the specification has.

What places are next to one is said twice: by all steps in all orders
(`tests.explain.exhaustive`), which is the definition, and by those that are needed
(`tests.explain.directed`), which is quick.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ackproof.spec.lang import Event
from ackproof.spec.sorts import Status

from tests.explain.machine import SpecMachine, State
from tests.explain.seen import (
    Close,
    Closed,
    Crash,
    Delete,
    Get,
    Operation,
    Publish,
    Purge,
    Restart,
    Seen,
    Settle,
)

__all__ = ["Explanations", "Place", "Unexplained"]


class Unexplained(AssertionError):
    """No behaviour of the specification is what the client saw."""


class Place(NamedTuple):
    """A state, whether the disk is held in it, and how much of what was seen lies behind it."""

    state: State
    held: bool = False
    taken: int = 0
    written: int = 0
    done: int = 0


class Explanations:
    """The places that explain everything seen so far; how they are found, subclasses say.

    Args:
        machine: the specification.
        queues: the process that stands for each queue, by the name the test gives it.
        found: where to note what was not explained.
    """

    def __init__(
        self, machine: SpecMachine, queues: dict[str, str], found: list[str] | None = None
    ) -> None:
        self.found = [] if found is None else found
        self.machine = machine
        self.queues = queues
        self.seen = Seen()
        self.places = {Place(machine.initial())}

    def advance(self) -> None:
        """Go on to all places that explain what was seen since.

        The last frame must answer the last input: then all that was seen has happened.

        Raises:
            Unexplained: there are none.
        """
        with self.machine.sized():
            reached = self._reach(self.places)
        seen = self.seen
        end = (len(seen.inputs), len(seen.frames), len(seen.operations))
        found = {place for place in reached if place[2:] == end}
        if not found:
            self.found.append(self._complain(reached))
            raise Unexplained(self.found[-1])
        self.places = found

    def _reach(self, places: Iterable[Place]) -> set[Place]:
        reached = set(places)
        waiting = list(reached)
        while waiting:
            for found in self.following(waiting.pop()):
                if found not in reached:
                    reached.add(found)
                    waiting.append(found)
        return reached

    def _complain(self, reached: set[Place]) -> str:
        seen = self.seen
        best = max(reached, key=lambda p: (p.written + p.done + p.taken, p.written))
        impossible = (
            f"frame {best.written + 1}, {seen.frames[best.written]}"
            if best.written < len(seen.frames)
            else f"{seen.operations[best.done]}"
            if best.done < len(seen.operations)
            else "that no frame came after the last one"
        )
        states = [p for p in reached if p[2:] == best[2:]][:3]
        return "\n".join(
            [
                f"the specification does not explain {impossible}",
                "what the client did and saw:",
                *(f"  {i}. {line}" for i, line in enumerate(seen.log, 1)),
                "the last states that explain what was before:",
                *(f"  {'held: ' if p.held else ''}{self.machine.tell(p.state)}" for p in states),
            ]
        )

    # -- one step -------------------------------------------------------------------------------

    def following(self, place: Place) -> Iterator[Place]:
        """Yield the places next to one."""
        raise NotImplementedError

    def operated(
        self, state: State, held: bool, operation: Operation
    ) -> Iterator[tuple[State, bool]]:
        """Yield the states after an operation, and whether the disk is held in them."""
        raise NotImplementedError

    def started_again(self, state: State, restart: Restart) -> State:
        """Return the state in which a node that was killed runs again (C5)."""
        crashed = self._quietly(state, "crash_node")
        assert crashed is not None
        state = crashed
        for replica in self.machine.replicas:
            state = self._quietly(state, "restart", replica) or state
        return self.machine.reborn(state, restart.following)

    def restarted(self, state: State, queues: Iterable[str]) -> Iterator[State]:
        """Yield the states in which a publish to these queues, or a commit, is to be tried."""
        yield state

    def _do_operation(self, place: Place) -> Iterator[Place]:
        if place.done == len(self.seen.operations):
            return
        taken, written = self.seen.since[place.done]
        if place.taken >= taken and place.written >= written:
            operation = self.seen.operations[place.done]
            if isinstance(operation, Restart):
                place = place._replace(taken=operation.sent)
            for state, held in self.operated(place.state, place.held, operation):
                yield place._replace(state=state, held=held, done=place.done + 1)

    def matched(self, place: Place, state: State, events: tuple[Event, ...]) -> Iterator[Place]:
        """Yield the place after a step, if what it shows is what was read."""
        end = place.written + len(events)
        if tuple(self.seen.frames[place.written : end]) == events:
            yield place._replace(state=state, written=end)

    # -- inputs ---------------------------------------------------------------------------------

    def _take_input(self, place: Place) -> Iterator[Place]:
        seen = self.seen
        if place.taken == len(seen.inputs) or seen.after[place.taken] > place.done:
            return
        following = place._replace(taken=place.taken + 1)
        one = seen.inputs[place.taken]
        if isinstance(one, Close):
            closed = self.machine.step(place.state, "close")
            state, answer = (place.state, ()) if closed is None else (closed[0], (Closed(),))
            number = self.machine.get(state, "channel.next_seq")
            yield from self.matched(following, self.machine.reborn(state, number), answer)
        elif isinstance(one, Publish):
            for state in self.restarted(place.state, one.queues):
                yield from self._publish(following, state, one)
        else:
            sending = self.queues if one.action == "tx_commit" else ()
            for state in self.restarted(place.state, sending):
                yield from self._after(following, self.machine.step(state, one.action))

    def _publish(self, place: Place, state: State, one: Publish) -> Iterator[Place]:
        names = {"q" + self.queues[name][1:] for name in one.queues}
        action = "publish_in_tx" if one.tx else "publish"
        yield from self._after(
            place,
            self.machine.step(state, action, one.msg, names, one.mandatory, one.persistent),
        )

    def _after(self, place: Place, step: tuple[State, tuple[Event, ...]] | None) -> Iterator[Place]:
        if step is not None:
            yield from self.matched(place, *step)

    # -- operations -----------------------------------------------------------------------------

    def at_once(self, state: State, replica: str, operation: Operation) -> State | None:
        """Return the state after an operation, if it is possible right here."""
        if self._of(state, replica, "status") is not Status.RUNNING:
            return None
        ready = self._of(state, replica, "ready")
        if isinstance(operation, Crash):
            return self._quietly(state, "crash_queue", replica)
        if isinstance(operation, Settle):
            step = "requeue" if operation.requeue else "acknowledge"
            return self._quietly(state, step, operation.msg, replica)
        if isinstance(operation, Get):
            if operation.msg is None or not ready:
                return state if operation.msg is None and not ready else None
            return self._handed_out(state, replica, operation)
        if isinstance(operation, Purge):
            return self._emptied(state, replica) if len(ready) == operation.count else None
        assert isinstance(operation, Delete)
        if operation.count not in (None, len(ready)):
            return None
        return self._quietly(state, "delete_queue", "q" + replica[1:])

    def _handed_out(self, state: State, replica: str, get: Get) -> State | None:
        """Return the state after the head of a queue was got, if it is the one that was got."""
        if (get.msg in self._of(state, replica, "delivered")) != get.redelivered:
            return None
        return self._quietly(state, "drop" if get.no_ack else "take", get.msg, replica)

    def _emptied(self, state: State, replica: str) -> State | None:
        """Return the state after all that was ready in a queue was dropped."""
        after: State | None = state
        for msg in sorted(self._of(state, replica, "ready")):
            if after is not None:
                after = self._quietly(after, "drop", msg, replica)
        return after

    # -- help -----------------------------------------------------------------------------------

    def _of(self, state: State, replica: str, name: str) -> Any:
        return self.machine.get(state, f"replicas[{replica}].{name}")

    def _quietly(self, state: State, action: str, *args: Any) -> State | None:
        """Return the state after a step of which a client sees nothing; None if it is not one."""
        step = self.machine.step(state, action, *args)
        return None if step is None or step[1] else step[0]
