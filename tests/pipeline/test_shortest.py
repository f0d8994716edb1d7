"""Of all shortest runs to a violation, the first is found, however the search was divided."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ackproof.model.kernel.batches import Batches
from ackproof.model.kernel.control import MASK_WORDS
from ackproof.model.plain_search import explore as explore_plain
from ackproof.pipeline.shortest import Goal

from tests.model import mailroom
from tests.pipeline.searches import ALONE, StandIn, bound_of, explorer_of, folder_of, model_of

#: Many ways lead to the corner, and the first is to go right as long as possible.
_GRID = '''
"""A grid."""
import sys
from typing import Annotated
from ackproof.lang import (
    Instance, Model, OrderedSort, Range, System, action, invariant, properties_in, require,
    step_property,
)


class Gait(OrderedSort):
    """How to go; it makes no difference."""


class Grid(System):
    """Somebody goes through a grid."""

    x: Annotated[int, Range(0, 4)]
    y: Annotated[int, Range(0, 4)]

    @action
    def right(self, gait: Gait) -> None:
        """Goes right."""
        require(self.x < 4)
        self.x = self.x + 1

    @action
    def up(self, gait: Gait) -> None:
        """Goes up."""
        require(self.y < 4)
        self.y = self.y + 1


@invariant
def Inside(s: Grid) -> bool:
    """Stays away from the corner, and from the wall."""
    return not (s.x == 3 and s.y == 3)


@step_property
def Quiet(before: Grid, after: Grid) -> bool:
    """Does not leave the place beside the corner."""
    return not (before.x == 2 and before.y == 3)


MODEL = Model(
    "grid", Grid, properties_in(sys.modules[__name__]), (Instance("only", "", {Gait: 3}),)
)
'''


@pytest.mark.parametrize("parts", [1, 2, 9])
@pytest.mark.parametrize("tasks", [1, 3])
@pytest.mark.parametrize("small", [1, ALONE])
def test_the_first_of_many_shortest_runs_is_found(
    parts: int, tasks: int, small: int, tmp_path: Path
) -> None:
    bound = bound_of(model_of(_GRID, tmp_path))
    explorer = explorer_of(tmp_path / "work", parts, small=small, session=StandIn(tasks))
    outcome = explorer(bound)
    names = {n: str(i) for n, i in enumerate(bound.instances())}
    runs = {p: [names[n][:2] for n in path] for p, path in outcome.violations.items()}
    assert runs == {"Inside": ["ri"] * 3 + ["up"] * 3, "Quiet": ["ri"] * 2 + ["up"] * 3 + ["ri"]}
    assert outcome.violations == explore_plain(bound).violations


def test_goals_are_looked_for_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bound = bound_of(mailroom.MODEL, "pair")
    monkeypatch.setattr(Batches, "slice", 3)
    outcome = explorer_of(tmp_path, 3, small=ALONE)(bound)
    assert outcome.violations == explore_plain(bound).violations
    assert outcome.violations
    assert not (folder_of(tmp_path).root / "goals").exists()


def test_an_interruption_on_the_way_back_leaves_nothing(tmp_path: Path) -> None:
    bound = bound_of(model_of(_GRID, tmp_path))
    session = StandIn(stop_at="Inside: back to level 3")
    with pytest.raises(KeyboardInterrupt):
        explorer_of(tmp_path / "work", session=session)(bound)
    assert not (folder_of(tmp_path / "work").root / "goals").exists()
    again = explorer_of(tmp_path / "work", resume=True)(bound)
    assert again.violations == explore_plain(bound).violations


@pytest.mark.parametrize("bit", [0, 1, 62, 63, 64, 65, 127, 200, 255])
def test_every_bit_of_every_word_is_a_property(bit: int) -> None:
    masks = [0, 1 << 62, (1 << 64) - 1, 1 << 63, 3, 3 << 63, 1 << 200, 1 << 255, (1 << 256) - 1]
    words = [[mask >> 64 * word & ((1 << 64) - 1) for word in range(MASK_WORDS)] for mask in masks]
    found = Goal("any", bit, of_steps=False).among(np.array(words, np.uint64).view(np.int64))
    assert found.tolist() == [bool(mask >> bit & 1) for mask in masks]
