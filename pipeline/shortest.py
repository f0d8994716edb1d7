"""The counterexample: of all shortest runs to a violation the one whose steps come first.

Every state of a level was reached by a shortest run, but the links that are kept say only one of
them, and which one is chance.  So, when a property is violated, the search goes back once more: on
the level of the violation the *goals* are the states that violate it, or have a step that does; on
each level before, those with a step to a goal.  Then, from the first initial state that is a goal,
the first step that leads to a goal is taken, again and again.  First is the one whose action
instance has the least number.  That run does not depend on how the search was divided, and is the
one that a plain breadth-first search meets first.

Goals are files, one for each part of a level, as runs of the index are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from ackproof.model.kernel.batches import Batches, States
from ackproof.model.kernel.search import DEADLOCK
from ackproof.pipeline.expanding import batches_of
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.index import Run, read_run, write_run
from ackproof.pipeline.levels import Search
from ackproof.pipeline.ordering import Numbers, fingerprints, parts_of
from ackproof.pipeline.places import Place
from ackproof.pipeline.states import LevelStates

__all__ = ["Goal", "path_to", "shortest"]

Bits = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Goal:
    """What is looked for: a bit of the properties of states, or of steps.

    Args:
        name: what the property is called.
        bit: the number of its bit.
        of_steps: whether it is a property of steps.
    """

    name: str
    bit: int
    of_steps: bool

    def among(self, masks: Numbers) -> Bits:
        """Return in which rows of words the bit is set; it may be that of a sign."""
        word, bit = divmod(self.bit, 64)
        found: Bits = masks[:, word] >> bit & 1 != 0
        return found


@dataclass(frozen=True)
class _Back:
    """What is asked of each part of a level: which of its states are goals, or lead to one.

    Args:
        level: the level.
        goal: what is looked for.
        goals: the seals of the goals of each part on the next level, of no file where there are
            none; None if they are to be found here.
    """

    level: LevelStates
    goal: Goal
    goals: tuple[str, ...] | None

    def __call__(self, part: int) -> dict[str, Any]:
        """Write the goals of a part; return the seal of the file."""
        folder = self.level.folder
        kernel = batches_of(folder)
        states = self.level.read(part, kernel.code.words)
        chosen = [
            self._chosen(kernel, states[start : start + kernel.slice])
            for start in range(0, len(states), kernel.slice)
        ]
        goals = states[np.concatenate(chosen)] if chosen else states
        if not len(goals):
            return {"goals": ""}
        run, path = Run.of(fingerprints(goals), goals), _path(folder, self.level.level, part)
        return {"goals": write_run(path, run, lasting=False).seal}

    def _chosen(self, kernel: Batches, states: States) -> Bits:
        if self.goals is None and not self.goal.of_steps:
            _, false = kernel.inspect(states)
            return self.goal.among(false)
        chosen: Bits = np.zeros(len(states), bool)
        made, sources, _, records = kernel.steps(states)
        if self.goals is None:
            chosen[records[self.goal.among(records[:, 2:]), 0]] = True
        else:
            inside = _among(self.level.folder, self.level.level + 1, self.goals, made)
            chosen[sources[inside]] = True
        return chosen


def shortest(search: Search, goal: Goal) -> tuple[int, tuple[int, ...]]:
    """Return the first of the shortest runs to a violation: where it begins, and its steps.

    Of both there are the numbers: of the initial state, and of the action instances.

    Args:
        search: a search whose levels say that the property is broken.
        goal: the property.
    """
    broken = next(level.level for level in search.levels if goal.name in level.broken)
    try:
        goals = _back(search, goal, broken - 1 if goal.of_steps else broken, {})
        start, state, taken = _forth(search, goals)
        if goal.of_steps:
            records = batches_of(search.folder).steps(state)[3]
            wrong = records[goal.among(records[:, 2:]), 1]
            taken += [int(wrong.min())] if wrong.min() != DEADLOCK else []
        return start, tuple(taken)
    finally:
        _goals(search.folder).clear()


def path_to(
    search: Search, name: str, level: int, part: int, row: int
) -> tuple[int, tuple[int, ...]]:
    """Return the first of the shortest runs to a state: where it begins, and its steps.

    Args:
        search: the search.
        name: which property it is for.
        level: the level of the state.
        part: its part.
        row: its row among the states of that part.
    """
    folder, known = search.folder, LevelStates.on(search.folder, search.levels[level - 1])
    state = known.read(part, search.kernel.words)[row : row + 1]
    seals = [""] * search.parts
    try:
        run = Run.of(fingerprints(state), state)
        seals[part] = write_run(_path(folder, level, part), run, lasting=False).seal
        goal = Goal(name, 0, of_steps=False)
        start, _, taken = _forth(search, _back(search, goal, level - 1, {level: tuple(seals)}))
        return start, tuple(taken)
    finally:
        _goals(folder).clear()


def _back(
    search: Search, goal: Goal, last: int, goals: dict[int, tuple[str, ...]]
) -> dict[int, tuple[str, ...]]:
    """Return the seals of goals on all levels, from those of the level after the last, if any."""
    for level in range(last, 0, -1):
        known, there = search.levels[level - 1], goals.get(level + 1)
        question = _Back(LevelStates.on(search.folder, known), goal, there)
        crew = search.crew_for(known.states)
        answers = crew.ask(question, search.parts, f"{goal.name}: back to level {level}")
        goals[level] = tuple(answer["goals"] for answer in answers)
    return goals


def _forth(search: Search, goals: dict[int, tuple[str, ...]]) -> tuple[int, States, list[int]]:
    """Go from an initial state to a goal of the last level, by the first steps that lead there.

    Returns:
        the number of the initial state, the goal, and the numbers of the steps.
    """
    kernel, folder = batches_of(search.folder), search.folder
    initials: States = np.array(search.kernel.initials, np.uint64)
    start = int(np.flatnonzero(_among(folder, 1, goals[1], initials))[0])
    state = initials[start : start + 1]
    taken: list[int] = []
    for level in sorted(goals)[1:]:
        made, _, instances, _ = kernel.steps(state)
        inside = _among(folder, level, goals[level], made)
        first = np.flatnonzero(inside)[np.argmin(instances[inside])]
        taken.append(int(instances[first]))
        state = made[first : first + 1]
    return start, state, taken


def _among(folder: Folder, level: int, goals: tuple[str, ...], states: States) -> Bits:
    """Return which states are goals of a level, of whose files there are the seals."""
    prints = fingerprints(states)
    targets = parts_of(prints, len(goals))
    inside = np.zeros(len(states), bool)
    for part in np.unique(targets):
        if goals[int(part)]:
            own = np.flatnonzero(targets == part)
            run = read_run(_path(folder, level, int(part)), goals[int(part)])
            inside[own] = run.rows_of(prints[own], states[own]) >= 0
    return inside


def _goals(folder: Folder) -> Place:
    return folder.root / "goals"


def _path(folder: Folder, level: int, part: int) -> Place:
    return _goals(folder) / f"level={level:05d}" / f"part-{part:05d}.arrow"
