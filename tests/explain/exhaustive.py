"""The definition of an explanation: all steps, in all orders.

A broker may take any step of the specification at any time, and what it shows must be what was
read.  Nothing here is clever, so it is for small cases only: those with which
`tests.explain.directed` is compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.explain.explanations import Place
from tests.explain.machine import CHANNEL, State
from tests.explain.operating import Operating
from tests.explain.operations import (
    Crash,
    Delete,
    Get,
    Kill,
    Operation,
    Purge,
    Restart,
    Settle,
)

__all__ = ["OF_COPIES", "OF_MESSAGES", "OF_MIRRORS", "Exhaustive", "steps_of_queue"]

#: Steps of a message in a queue process.
OF_MESSAGES = ("deliver", "write", "sync")
#: The same of a process that may be a mirror.
OF_MIRRORS = ("promote",)
OF_COPIES = ("deliver_to_mirror", "master_tells", "master_removes")


def steps_of_queue(replica: str, *, mirrored: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the steps of a queue process, and of what it has sent to the channel."""
    yield "drain", (replica,)
    for name in ("confirm_arrives", "reject_arrives", "down_arrives"):
        yield name, (CHANNEL, replica)
    for name in ("restart", *(OF_MIRRORS if mirrored else ())):
        yield name, (replica,)


class Exhaustive(Operating):
    """The places that explain what was seen, by trying everything."""

    def following(self, place: Place) -> Iterator[Place]:
        """Yield the places next to one: any step of the specification."""
        yield from self._take_input(place)
        yield from self._do_operation(place)
        if "flush" not in place.held:
            for name in ("flush", "complete"):
                yield from self._after(place, self.machine.step(place.state, name, CHANNEL))
        for replica in self.machine.replicas:
            mirrored = len(self.machine.siblings[replica]) > 1
            for name, args in steps_of_queue(replica, mirrored=mirrored):
                for after in self._after(place, self.machine.step(place.state, name, *args)):
                    trims = name in OF_MIRRORS
                    yield after._replace(
                        state=self.trimmed(after.state, replica) if trims else after.state
                    )
            level = self.machine.get(place.state, f"replicas[{replica}].store.level")
            coming = self.on_the_way(place.state, replica)
            for msg in set(level) | coming:
                for name in OF_MESSAGES + (OF_COPIES if mirrored else ()):
                    if name not in place.held:
                        step = self.machine.step(place.state, name, msg, replica)
                        yield from self._after(place, step)

    def on_the_way(self, state: State, replica: str) -> set[int]:
        """Return the messages that something is under way of to a process."""
        parts = ("copies", "discards", "refusals", "removals")
        return {
            msg
            for part in ("casts[ch1].publishes", *(f"multicast.{part}" for part in parts))
            for msg in self.machine.get(state, part).get(replica, ())
        }

    def operated(self, state: State, held: frozenset[str], operation: Operation) -> Iterator[State]:
        """Yield the state after an operation that is possible right here."""
        if isinstance(operation, Restart):
            yield self.started_again(state, operation)
            return
        if isinstance(operation, Kill):
            dead = self.quietly(state, "lose_node", operation.replica)
            after = None if dead is None else self.trimmed(dead, operation.replica)
        else:
            assert isinstance(operation, Get | Settle | Purge | Delete | Crash)
            after = self.at_once(state, self.led(state, operation.queue), operation)
        if after is not None:
            yield after
