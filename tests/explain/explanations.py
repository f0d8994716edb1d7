"""Which states of the specification explain what a client has seen.

A *place* is a state, with how much of what was sent the broker has taken, how many of the frames
that were read it has written, and how many operations have happened.  From there the
specification's own steps lead on, and what a step shows must be what was read next.

After each frame there must be a place where all frames and operations so far have happened, or
where a step begins with the last of them and has more to write.  If there is none, then that frame
is the first one that no behaviour of the specification has.  When all that was sent is answered
for, the places where all of it has happened are those to go on from, and the others are forgotten.

What places are next to one is said twice: by all steps in all orders
(`tests.explain.exhaustive`), which is the definition, and by those that are needed
(`tests.explain.directed`), which is quick.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from ackproof.lang import Event
from ackproof.spec.wire import Ack, Nack, Return
from hypothesis.errors import UnsatisfiedAssumption

from tests.explain.machine import Outcome, SpecMachine, State
from tests.explain.seen import Seen

__all__ = ["LONGEST", "Explanations", "Place", "TooMany", "Unexplained"]

#: How many frames one flush may write, at most, for all that is tried.
LONGEST = 6
#: How many places are followed.
MOST = 2000
#: How many states are tried on the way to some frames.
TRIES = 20_000


class Unexplained(AssertionError):
    """No behaviour of the specification is what the client saw."""


class TooMany(UnsatisfiedAssumption):
    """There are more places than can be followed, so that this run says nothing.

    Hypothesis counts it as none: nothing is left out of those runs that it counts.
    """


class Place(NamedTuple):
    """A state, what is held back in it, and how much of what was seen lies behind it.

    Attributes:
        held: steps that are not taken, `sync` and `flush`; and `failing` if there may be an alarm
            at any time, `clearing` if there is one that may be over.
    """

    state: State
    held: frozenset[str] = frozenset()
    taken: int = 0
    written: int = 0
    done: int = 0


class Explanations:
    """The places that explain everything seen so far; how they are found, subclasses say.

    Args:
        machine: the specification.
        queues: the first master of each queue, by the name the test gives it.
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
        self._window = set(self.places)
        self._looking = False
        self._goes_on = False
        self._given_up = False
        self._tries = 0
        self.flushes: dict[Any, list[Outcome]] = {}
        self.after_operation: dict[tuple[State, frozenset[str], int], list[State]] = {}

    def look(self) -> None:
        """Go on to the places that explain what was seen, of which more may be under way.

        Raises:
            Unexplained: there are none.
        """
        self._extend()
        end = len(self.seen.frames), len(self.seen.operations)
        if not any(place[3:] == end for place in self._window) and not self._may_go_on():
            self._complain()
        self._window = {place for place in self._window if self._may_lead_on(place)}

    def _may_go_on(self) -> bool:
        """Tell whether a step from some place begins with the last frames, and has more."""
        self._looking, self._goes_on = True, False
        with self.machine.sized():
            for place in self._window:
                for _ in self.following(place):
                    pass
        self._looking = False
        return self._goes_on

    def _may_lead_on(self, place: Place) -> bool:
        """Tell whether all frames are written in a place, or one step may write the rest."""
        rest = self.seen.frames[place.written :]
        return len(rest) < LONGEST and all(isinstance(one, Ack | Nack | Return) for one in rest)

    def advance(self) -> None:
        """Go on to all places that explain what was seen since.

        The last frame must answer the last input: then all that was seen has happened.

        Raises:
            Unexplained: there are none.
        """
        self._extend()
        seen = self.seen
        end = (len(seen.inputs), len(seen.frames), len(seen.operations))
        found = {place for place in self._window if place[2:] == end}
        if not found:
            self._complain()
        self.places = found
        self._window = set(found)
        self.after_operation.clear()
        self.flushes.clear()

    def _extend(self) -> None:
        if self._given_up:
            raise TooMany
        self._tries = 0
        with self.machine.sized():
            reached = self._window
            waiting = list(reached)
            while waiting:
                for found in self.following(waiting.pop()):
                    if found not in reached:
                        reached.add(found)
                        waiting.append(found)
                if len(reached) > MOST:
                    self._give_up()

    def count_try(self) -> None:
        """Count a state that may lead to what was seen next.

        Raises:
            TooMany: there are very many.
        """
        self._tries += 1
        if self._tries > TRIES:
            self._give_up()

    def _give_up(self) -> NoReturn:
        self._given_up = True
        raise TooMany

    def _complain(self) -> None:
        seen = self.seen
        best = max(self._window, key=lambda p: (p.written + p.done + p.taken, p.written))
        impossible = (
            f"frame {best.written + 1}, {seen.frames[best.written]}"
            if best.written < len(seen.frames)
            else f"{seen.operations[best.done]}"
            if best.done < len(seen.operations)
            else "that no frame came after the last one"
        )
        states = [p for p in self._window if p[2:] == best[2:]][:3]
        lines = [
            f"the specification does not explain {impossible}",
            "what the client did and saw:",
            *(f"  {i}. {line}" for i, line in enumerate(seen.log, 1)),
            "the last states that explain what was before:",
            *(
                f"  {', '.join(sorted(p.held))}{': ' if p.held else ''}{self.machine.tell(p.state)}"
                for p in states
            ),
        ]
        self.found.append("\n".join(lines))
        raise Unexplained(self.found[-1])

    # -- one step -------------------------------------------------------------------------------

    def following(self, place: Place) -> Iterator[Place]:
        """Yield the places next to one."""
        raise NotImplementedError

    def matched(self, place: Place, state: State, events: tuple[Event, ...]) -> Iterator[Place]:
        """Yield the place after a step, if what it shows is what was read."""
        end = place.written + len(events)
        read = tuple(self.seen.frames[place.written : end])
        if read == events:
            yield place._replace(state=state, written=end)
        elif self._looking and read and read == events[: len(read)]:
            self._goes_on = True  # and the rest is still to be read

    def _after(self, place: Place, step: tuple[State, tuple[Event, ...]] | None) -> Iterator[Place]:
        if step is not None:
            yield from self.matched(place, *step)
