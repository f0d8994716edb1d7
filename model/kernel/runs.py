"""Properties of runs in the compiled engine: when the search is over, its region is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from ackproof.lang.binding import Bound
from ackproof.model.fairness import fairness_of
from ackproof.model.kernel.region import TooManySteps, area_of
from ackproof.model.kernel.search import path_to
from ackproof.model.kernel.worker import Model, Team
from ackproof.model.liveness import Bits, Judge, Lasso
from ackproof.model.outcome import Limit

__all__ = ["Runs"]


@dataclass
class Runs:
    """What becomes of the properties of runs.

    Args:
        bound: the program.
        model: it compiled.
        falsify: the address of the function that tells which of the properties are false.
        names: the properties by their bits.
        memory: bytes that it may take.

    Attributes:
        paths: for each violated property, the instances that lead to where it stays false.
        cycles: and those that lead from there back.
        limit: why it could not be decided, or None.
        bytes: what it took.
    """

    bound: Bound
    model: Model
    falsify: int
    names: Mapping[int, str]
    memory: int
    paths: dict[str, tuple[int, ...]] = field(default_factory=dict)
    cycles: dict[str, tuple[int, ...]] = field(default_factory=dict)
    limit: Limit | None = None
    bytes: int = 0

    def check(self, team: Team) -> None:
        """Judge the runs that a search has found, while its states are in memory."""
        try:
            self._check(team)
        except TooManySteps:
            self.limit = Limit.MEMORY
        except KeyboardInterrupt:
            self.limit = Limit.INTERRUPTED

    def _check(self, team: Team) -> None:
        fairness = fairness_of(self.bound)
        used = sum(worker.bytes for worker in team.workers)
        count = len(self.bound.instances())
        left = max(self.memory - used, 0)
        area = area_of(team, self.model, self.falsify, count, fairness.any, left)
        self.bytes = area.bytes
        judge = Judge(area.graph, area.depths, fairness)
        judged: list[tuple[Bits, Lasso | None]] = []
        for bit, name in self.names.items():
            false = area.masks >> bit & 1 == 1
            # Properties that say much the same are false in the same states.
            known = [found for states, found in judged if np.array_equal(states, false)]
            lasso = known[0] if known else judge.nearest_lasso(false)
            judged.append((false, lasso))
            if lasso is not None:
                _, self.paths[name] = path_to(team, int(area.numbers[lasso.state]))
                self.cycles[name] = lasso.cycle
