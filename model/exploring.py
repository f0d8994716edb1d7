"""Stepping through a system by hand: where a run is, what can be next, and the way back.

The steps are those of plain Python, which is the meaning of a specification.  A run can be gone
back along and forth again, until another step is taken from somewhere on the way: then what lay
ahead is gone.
"""

from __future__ import annotations

from dataclasses import dataclass

from ackproof.lang.binding import Bound
from ackproof.lang.properties import DEADLOCK
from ackproof.model.beginnings import initial_states
from ackproof.model.lanes import Lanes
from ackproof.model.places import Places
from ackproof.model.plain import PlainMachine, State, Step
from ackproof.model.show import show_step
from ackproof.model.trace import Trace, TraceStep, beginning, shown_step

__all__ = ["Choice", "Exploration"]


@dataclass(frozen=True)
class Choice:
    """A step that is possible.

    Args:
        text: the action with its arguments by name.
        idle: whether it changes no state.
    """

    step: Step
    text: str
    idle: bool


class Exploration:
    """A run that is made step by step.

    Args:
        machine: the system; it is to be used inside `with machine:`.
        start: the number of the initial state that it begins in.
    """

    def __init__(self, machine: PlainMachine, start: int = 0) -> None:
        self._machine = machine
        self._lanes = Lanes(machine.bound)
        self._places = Places(self._lanes)
        self._steps: list[Step] = []
        self._shown: list[TraceStep] = []
        self.begin(start)

    def begin(self, start: int) -> None:
        """Begin a run anew, in the initial state of that number."""
        #: The number of the initial state that the run begins in.
        self.start = start
        self._states: list[State] = [initial_states(self.bound)[start]]
        self._steps.clear()
        self._shown.clear()
        #: How many steps of the run lead to where it is looked at.
        self.at = 0

    def beginnings(self) -> list[str]:
        """Return for each initial state what was chosen to begin with; empty if there is one."""
        states = initial_states(self.bound)
        if len(states) == 1:
            return []
        return [", ".join(map(str, beginning(self._lanes, state))) for state in states]

    @property
    def bound(self) -> Bound:
        """The program at the sizes of an instance."""
        return self._machine.bound

    @property
    def ahead(self) -> int:
        """How many steps one can go forth."""
        return len(self._steps) - self.at

    @property
    def state(self) -> State | None:
        """The state it is in; None after a step that fails."""
        return self._states[self.at] if self.at < len(self._states) else None

    def choices(self) -> list[Choice]:
        """Return the steps that are possible here, in the order of the specification."""
        state = self.state
        if state is None:
            return []
        return [
            Choice(step, show_step(step.instance), step.after == state)
            for step in self._machine.steps(state)
        ]

    def take(self, step: Step) -> None:
        """Take a step that is possible here."""
        del self._steps[self.at :], self._shown[self.at :], self._states[self.at + 1 :]
        self._shown.append(shown_step(self._lanes, self._states[self.at], step))
        self._steps.append(step)
        if step.after is not None:
            self._states.append(step.after)
        self.at += 1

    def take_number(self, number: int) -> None:
        """Take the step of an action instance, which is possible here."""
        state = self.state
        step = None if state is None else self._machine.step(state, number)
        assert step is not None, "the step is enabled"
        self.take(step)

    def back(self, count: int) -> int:
        """Go back along the run; return how many steps that were."""
        gone = min(count, self.at)
        self.at -= gone
        return gone

    def forth(self, count: int) -> int:
        """Go forth along the run again; return how many steps that were."""
        gone = min(count, self.ahead)
        self.at += gone
        return gone

    def path(self) -> tuple[int, ...]:
        """Return the numbers of the action instances that lead here."""
        return tuple(step.number for step in self._steps[: self.at])

    @property
    def beginning(self) -> State:
        """The initial state that the run begins in."""
        return self._states[0]

    def run(self) -> Trace:
        """Return the run up to here, as a trace that shows nothing to be false."""
        return Trace(
            bound=self.bound,
            property="",
            decl=None,
            doc="",
            initial=self._states[0],
            steps=tuple(self._shown[: self.at]),
            reason="",
            explanation=None,
        )

    def broken(self) -> list[str]:
        """Return the names of the properties that are false here, or by the last step."""
        machine, state = self._machine, self.state
        last = self._steps[self.at - 1] if self.at else None
        if state is None:
            assert last is not None
            assert last.broken is not None
            return [last.broken]
        found = machine.false_in(state)
        if last is not None:
            found += machine.false_by(self._states[self.at - 1], last)
        stuck = self.bound.program.deadlock_free and machine.stuck(state)
        return [*found, DEADLOCK] if stuck else found

    def cut(self) -> list[str]:
        """Return the names of the constraints that are false here: no step is taken then."""
        state = self.state
        if state is None:
            return []
        return self._machine.beyond(state)

    def places(self, part: str = "") -> list[str]:
        """Return places of the state with their values: those whose name has a part.

        Without one, those are left out that have the default of their type.
        """
        return self._places.lines(self.state or self._states[-1], part)

    def faults_left(self) -> dict[str, int]:
        """Return how often each fault may still happen."""
        return self._places.faults_left(self.state or self._states[-1])
