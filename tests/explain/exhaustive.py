"""The definition of an explanation: all steps, in all orders.

A broker may take any step of the specification at any time, and what it shows must be what was
read.  Nothing here is clever, so it is for small cases only: those with which
`tests.explain.directed` is compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from ackproof.model.live import State

from tests.explain.explanations import Explanations, Place
from tests.explain.seen import Hold, Operation, Restart

__all__ = ["Exhaustive"]

#: Steps of one queue process.
_OF_QUEUES = ("drain", "confirm_arrives", "reject_arrives", "down_arrives", "restart")
#: Steps of a message in a queue process.
_OF_MESSAGES = ("deliver", "write", "sync")


class Exhaustive(Explanations):
    """The places that explain what was seen, by trying everything."""

    def following(self, place: Place) -> Iterator[Place]:
        """Yield the places next to one: any step of the specification."""
        yield from self._take_input(place)
        yield from self._do_operation(place)
        for name in ("flush", "complete"):
            yield from self._after(place, self.machine.step(place.state, name))
        for replica in self.machine.replicas:
            for name in _OF_QUEUES:
                yield from self._after(place, self.machine.step(place.state, name, replica))
            level = self.machine.get(place.state, f"replicas[{replica}].store.level")
            coming = self.machine.get(place.state, "network.publishes").get(replica, set())
            for msg in set(level) | coming:
                for name in _OF_MESSAGES:
                    if not (place.held and name == "sync"):
                        step = self.machine.step(place.state, name, msg, replica)
                        yield from self._after(place, step)

    def operated(
        self, state: State, held: bool, operation: Operation
    ) -> Iterator[tuple[State, bool]]:
        """Yield the state after an operation that is possible right here."""
        if isinstance(operation, Hold):
            yield state, operation.held
            return
        if isinstance(operation, Restart):
            yield self.started_again(state, operation), False
            return
        after = self.at_once(state, self.queues[operation.queue], operation)
        if after is not None:
            yield after, held
