"""The state graph of a small instance: every state, every step, and what is false where.

It is made by plain Python, breadth first, and says what a search counts: a node is a distinct
state, and an edge a step that is enabled, also one that changes nothing, and each of several that
lead from one state to the same other one.  Unlike a search it goes on where something is false.

Whatever a node or an edge says under a name of Python is the specification's own: the value of a
place, or an argument of the action.  What begins with @ is said about it.

========================  ====================================================================
`@level`                  of a state: the fewest steps that lead to it from an initial one
`@false`                  properties that are false in a state, or on a step; or the built-in one
                          that a step breaks
`@cut`                    constraints that are false in a state, so that no step leaves it; only
                          where the model has some
`@left of FAULT`          how often a fault may still happen
`@step`                   of an edge: the action with its arguments, as traces show it
`@action`, `@kind`        the action alone; and whether it is an `action` or a `fault`
`@changes`, `@events`     what is different after the step, and what a client saw
========================  ====================================================================

A step that fails leads to no state.  Its edge goes to a node that stands for the built-in property
it breaks, whose `@level` is −1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import networkx as nx
from ackproof.lang.binding import Bound
from ackproof.lang.properties import DEADLOCK
from ackproof.model.beginnings import initial_states
from ackproof.model.lanes import Lanes
from ackproof.model.places import Places
from ackproof.model.plain import PlainMachine, State, Step
from ackproof.model.show import show_value
from ackproof.model.trace import TraceStep, shown_step

__all__ = ["Graph", "TooManyStates", "state_graph"]

#: A graph whose nodes are numbers of states, and names of properties that steps break.
Graph: TypeAlias = "nx.MultiDiGraph[int | str]"

#: States that are expanded between two reports of progress.
_REPORT_EVERY = 50


class TooManyStates(Exception):
    """There are more states than the graph may have."""


def state_graph(
    bound: Bound, *, limit: int, progress: Callable[[int], None] | None = None
) -> Graph:
    """Return the state graph of a bound program, its initial states first.

    Args:
        bound: the program at the sizes of an instance; its properties are looked at.
        limit: the most states that it may have.
        progress: called now and then with how many states were found.

    Raises:
        TooManyStates: it has more.
    """
    with PlainMachine(bound) as machine:
        drawing = _Drawing(machine, limit)
        for state in initial_states(bound):
            drawing.number(state, 0)
        # The list grows while it is gone through: what is found is expanded in its turn.
        for at, state in enumerate(drawing.states):
            drawing.expand(at, state)
            if progress is not None and at % _REPORT_EVERY == 0:
                progress(len(drawing.states))
    return drawing.graph


class _Drawing:
    """A graph that is being made, with the states behind its nodes."""

    def __init__(self, machine: PlainMachine, limit: int) -> None:
        self.graph: Graph = nx.MultiDiGraph()
        self.states: list[State] = []
        self._numbers: dict[State, int] = {}
        self._machine = machine
        self._limit = limit
        self._lanes = Lanes(machine.bound)
        self._places = Places(self._lanes)

    def number(self, state: State, level: int) -> int:
        """Return the node of a state, and make it if it is new."""
        known = self._numbers.get(state)
        if known is not None:
            return known
        if len(self.states) >= self._limit:
            raise TooManyStates
        number = self._numbers[state] = len(self.states)
        self.states.append(state)
        left = self._places.faults_left(state)
        beyond = self._machine.beyond(state)
        constrained = bool(self._machine.bound.constraints)
        self.graph.add_node(number)
        # A place may have the name of an argument of networkx.
        self.graph.nodes[number].update(
            {
                **self._places.texts(state),
                **{f"@left of {fault}": count for fault, count in left.items()},
                **({"@cut": ", ".join(beyond)} if constrained else {}),
                "@level": level,
                "@false": ", ".join(self._machine.false_in(state)),
            }
        )
        return number

    def expand(self, number: int, state: State) -> None:
        """Draw every step of a state."""
        level = self.graph.nodes[number]["@level"] + 1
        if self._machine.bound.program.deadlock_free and self._machine.stuck(state):
            node = self.graph.nodes[number]
            node["@false"] = ", ".join(filter(None, [node["@false"], DEADLOCK]))
        for step in self._machine.steps(state):
            reached = step.after
            after = self._failed(step) if reached is None else self.number(reached, level)
            edge = self.graph.add_edge(number, after)
            self.graph.edges[number, after, edge].update(self._about(state, step))

    def _failed(self, step: Step) -> str:
        assert step.broken is not None
        self.graph.add_node(step.broken, **{"@level": -1, "@false": step.broken})
        return step.broken

    def _about(self, before: State, step: Step) -> dict[str, Any]:
        shown = shown_step(self._lanes, before, step)
        false = [step.broken or ""] if step.after is None else self._machine.false_by(before, step)
        return {
            **_arguments(shown),
            "@step": shown.text,
            "@action": step.instance.action.name,
            "@kind": step.instance.action.kind,
            "@changes": "\n".join(line for c in shown.changes for line in c.lines),
            "@events": "\n".join(map(str, shown.events)),
            "@false": ", ".join(false),
        }


def _arguments(step: TraceStep) -> dict[str, str]:
    instance = step.instance
    return {
        p.name: show_value(arg, p.type)
        for p, arg in zip(instance.action.params, instance.args, strict=True)
    }
