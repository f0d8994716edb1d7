"""Properties of runs in the compiled engine: when the search is over, its region is judged."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackproof.lang.binding import Bound
from ackproof.model.fairness import Fairness, fairness_of
from ackproof.model.kernel.region import left_over, mark
from ackproof.model.kernel.search import path_to
from ackproof.model.kernel.tasks import NoRoom, Question, Tasks
from ackproof.model.kernel.worker import Team
from ackproof.model.outcome import Limit

if TYPE_CHECKING:
    from ackproof.model.kernel.area import Area
    from ackproof.model.liveness import Bits, Judge, Lasso, Levels

__all__ = ["Runs"]


@dataclass
class Runs:
    """What becomes of the properties of runs.

    Args:
        bound: the program.
        names: the properties by their bits.
        asked: of those that lead to something, the bits of where it is asked for, by name.
        initials: the words of the initial states.
        memory: bytes that it may take.

    Attributes:
        paths: for each violated property, the instances that lead to a state of its cycle.
        starts: the number of the initial state that these begin in.
        cycles: and those that lead from there back.
        limit: why it could not be decided, or None.
        bytes: what it took, together with the states.
    """

    bound: Bound
    names: Mapping[int, str]
    asked: Mapping[str, int]
    initials: Sequence[Sequence[int]]
    memory: int
    paths: dict[str, tuple[int, ...]] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    cycles: dict[str, tuple[int, ...]] = field(default_factory=dict)
    limit: Limit | None = None
    bytes: int = 0

    def check(self, team: Team) -> None:
        """Judge the runs that a search has found, while its states are in memory."""
        _clear(team)
        try:
            self._check(team)
        except NoRoom:
            self.limit = Limit.MEMORY
        except KeyboardInterrupt:
            self.limit = Limit.INTERRUPTED

    def holds(self, team: Team) -> bool:
        """Tell whether all properties hold, as far as that is known without keeping a step.

        Where memory does not suffice it is not known.
        """
        _clear(team)
        try:
            return all(self._holds(team, *asked) for asked in self._questions())
        except NoRoom:
            return False

    def _holds(self, team: Team, names: Mapping[int, str], asked: int | None) -> bool:
        """Tell whether it is known without keeping a step that some properties hold.

        Together they cost no more than one.  But where all of them are looked at, a run may go from
        what one of them says is wrong to what another says, and stay: so each is asked alone then.
        """
        alone = [{bit: name} for bit, name in names.items()]
        return not self._left(team, names, asked) or (
            len(alone) > 1 and not any(self._left(team, one, asked) for one in alone)
        )

    def _left(self, team: Team, names: Mapping[int, str], asked: int | None) -> int:
        """Return of how many states it is not known that no fair run can stay there."""
        with Tasks(team, self._question(team, names, asked)) as tasks:
            states, taken = left_over(tasks, self._room(team))
            self._took(team, taken)
            return states

    def _check(self, team: Team) -> None:
        for names, asked in self._questions():
            self._ask(team, names, asked)

    def _questions(self) -> Iterator[tuple[Mapping[int, str], int | None]]:
        """Yield all that must come true again and again at once, and then each of the rest."""
        always = {bit: name for bit, name in self.names.items() if name not in self.asked}
        if always:
            yield always, None
        for bit, name in self.names.items():
            if name in self.asked:
                yield {bit: name}, self.asked[name]

    def _question(self, team: Team, names: Mapping[int, str], asked: int | None) -> Question:
        return Question(
            model=team.model,
            wanted=sum(1 << bit for bit in names),
            instances=len(self.bound.instances()),
            fair=fairness_of(self.bound).any,
            asked=None if asked is None else 1 << asked,
        )

    def _room(self, team: Team) -> int:
        """Return how many bytes the search leaves of what is allowed."""
        return max(self.memory - team.bytes, 0)

    def _took(self, team: Team, more: int) -> None:
        self.bytes = max(self.bytes, team.bytes + more)

    def _ask(self, team: Team, names: Mapping[int, str], asked: int | None) -> None:
        fairness, left = fairness_of(self.bound), self._room(team)
        with Tasks(team, self._question(team, names, asked)) as tasks:
            states, taken = left_over(tasks, left)
            self._took(team, taken)
            if not states:
                return
            limit = left - tasks.mark_bytes
            if asked is None:
                self._judge(tasks, fairness, limit, names)
            else:
                self._judge_one(tasks, fairness, limit, *next(iter(names.items())), asked)

    def _judge(
        self, tasks: Tasks, fairness: Fairness, limit: int, names: Mapping[int, str]
    ) -> None:
        """Look at the steps of what may be stayed in."""
        area = self._area(tasks, limit)
        judge = _judge_of(area, fairness)
        judged: list[tuple[Bits, Lasso | None]] = []
        for bit, name in names.items():
            false = area.false(bit)
            # Properties that say much the same are false in the same states.
            known = [found for states, found in judged if (states == false).all()]
            lasso = known[0] if known else judge.nearest_lasso(false, false, self._levels(area))
            judged.append((false, lasso))
            self._note(tasks, name, lasso)

    def _judge_one(
        self, tasks: Tasks, fairness: Fairness, limit: int, bit: int, name: str, asked: int
    ) -> None:
        """Look at what may be stayed in; and only if that is so, at the steps of all the region.

        They are what a run takes from where it is asked for something to where it is missing.
        """
        area = self._area(tasks, limit)
        fair, _ = _judge_of(area, fairness).fair_states(area.false(bit))
        if fair.any():
            mark(tasks)
            area = self._area(tasks, limit)
            false, due = area.false(bit), area.false(asked)
            judge = _judge_of(area, fairness)
            self._note(tasks, name, judge.nearest_lasso(false, due, self._levels(area)))

    def _area(self, tasks: Tasks, limit: int) -> Area:
        """Return the steps between the states that have marks."""
        from ackproof.model.kernel.area import Area

        area = Area(tasks, limit)
        self._took(tasks.team, tasks.mark_bytes + area.bytes)
        return area

    def _levels(self, area: Area) -> Levels:
        return area.levels([struct.pack(f"{len(words)}Q", *words) for words in self.initials])

    def _note(self, tasks: Tasks, name: str, lasso: Lasso | None) -> None:
        if lasso is not None:
            self.starts[name], path = path_to(tasks.team, lasso.number)
            self.paths[name] = (*path, *lasso.way)
            self.cycles[name] = lasso.cycle


def _clear(team: Team) -> None:
    for worker in team.workers:
        worker.clear_frontiers()


def _judge_of(area: Area, fairness: Fairness) -> Judge:
    from ackproof.model.liveness import Judge

    return Judge(area.graph, fairness)
