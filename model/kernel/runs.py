"""Properties of runs in the compiled engine: when the search is over, its region is judged."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ackproof.lang.binding import Bound
from ackproof.model.fairness import Fairness, fairness_of
from ackproof.model.kernel.region import left_over
from ackproof.model.kernel.search import path_to
from ackproof.model.kernel.tasks import NoRoom, Question, Tasks
from ackproof.model.kernel.worker import Team
from ackproof.model.outcome import Limit

if TYPE_CHECKING:
    from ackproof.model.liveness import Bits, Lasso

__all__ = ["Runs"]


@dataclass
class Runs:
    """What becomes of the properties of runs.

    Args:
        bound: the program.
        names: the properties by their bits.
        initials: the words of the initial states.
        memory: bytes that it may take.

    Attributes:
        paths: for each violated property, the instances that lead to where it stays false.
        starts: the number of the initial state that these begin in.
        cycles: and those that lead from there back.
        limit: why it could not be decided, or None.
        bytes: what it took.
    """

    bound: Bound
    names: Mapping[int, str]
    initials: Sequence[Sequence[int]]
    memory: int
    paths: dict[str, tuple[int, ...]] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    cycles: dict[str, tuple[int, ...]] = field(default_factory=dict)
    limit: Limit | None = None
    bytes: int = 0

    def check(self, team: Team) -> None:
        """Judge the runs that a search has found, while its states are in memory."""
        try:
            self._check(team)
        except NoRoom:
            self.limit = Limit.MEMORY
        except KeyboardInterrupt:
            self.limit = Limit.INTERRUPTED

    def _check(self, team: Team) -> None:
        fairness = fairness_of(self.bound)
        left = max(self.memory - sum(worker.bytes for worker in team.workers), 0)
        question = Question(
            model=team.model,
            wanted=sum(1 << bit for bit in self.names),
            instances=len(self.bound.instances()),
            fair=fairness.any,
        )
        with Tasks(team, question) as tasks:
            states, self.bytes = left_over(tasks, left)
            if states:
                self._judge(tasks, fairness, left - tasks.mark_bytes)

    def _judge(self, tasks: Tasks, fairness: Fairness, limit: int) -> None:
        """Look at the steps of what may be stayed in."""
        from ackproof.model.kernel.area import Area
        from ackproof.model.liveness import Judge

        area = Area(tasks, limit)
        self.bytes = max(self.bytes, tasks.mark_bytes + area.bytes)
        judge = Judge(area.graph, fairness)
        earliest = area.earliest([struct.pack(f"{len(words)}Q", *words) for words in self.initials])
        judged: list[tuple[Bits, Lasso | None]] = []
        for bit, name in self.names.items():
            false = area.false(bit)
            # Properties that say much the same are false in the same states.
            known = [found for states, found in judged if (states == false).all()]
            lasso = known[0] if known else judge.nearest_lasso(false, earliest)
            judged.append((false, lasso))
            if lasso is not None:
                self.starts[name], self.paths[name] = path_to(tasks.team, lasso.number)
                self.cycles[name] = lasso.cycle
