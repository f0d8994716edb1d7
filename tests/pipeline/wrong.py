"""A count that can go wrong in every way, one at a time."""

from __future__ import annotations

from pathlib import Path

from ackproof.lang.binding import Bound

from tests.pipeline.searches import bound_of, model_of

__all__ = ["WRONG", "wrong"]

#: What can go wrong on a step, and where nothing goes on; each action is one of them.
_WRONG = '''
"""A count that can go wrong in every way."""
import sys
from typing import Annotated
from ackproof.lang import (
    Instance, Model, Range, System, action, invariant, properties_in, reachable, require,
    step_property,
)


class Wrong(System):
    """Counts."""

    at: Annotated[int, Range(0, 5)]
    twin: Annotated[int, Range(0, 5)]

    @action
    def up(self) -> None:
        """Counts, perhaps too far."""
        require({up})
        self.at = self.at + 1

    @action
    def along(self) -> None:
        """Counts elsewhere, of which something is asserted."""
        require({along})
        assert {asserted}
        self.twin = self.twin + 1


@invariant
def Low(s: Wrong) -> bool:
    """Neither is high."""
    return {low}


@step_property
def Together(before: Wrong, after: Wrong) -> bool:
    """They are not far from each other."""
    return {together}


@reachable
def Equal(s: Wrong) -> bool:
    """Both are the same, and not at the start."""
    return s.at == s.twin and s.at > 0


MODEL = Model(
    "wrong", Wrong, properties_in(sys.modules[__name__]), (Instance("only", "", {{}}),),
    deadlock_free={deadlock_free},
)
'''
_RIGHT = {
    "up": "self.at < 5",
    "along": "self.twin < 5",
    "asserted": "self.twin < 6",
    "low": "s.at < 6",
    "together": "after.at - after.twin < 6",
    "deadlock_free": "False",
}

#: One property wrong at a time, or several at once; and what is found.
WRONG = {
    "nothing": ({}, set()),
    "a state": ({"low": "s.at + s.twin < 4"}, {"Low"}),
    "the first state": ({"low": "s.at + s.twin > 0"}, {"Low"}),
    "a step": ({"together": "after.at - after.twin < 3"}, {"Together"}),
    "the last step": ({"together": "after.at + after.twin < 10"}, {"Together"}),
    "an assertion": ({"asserted": "self.twin + self.at < 6"}, {"NoAssertionFails"}),
    "what is undefined": ({"up": "True"}, {"StepsAreDefined"}),
    "a deadlock": ({"deadlock_free": "True"}, {"NoDeadlock"}),
    "no deadlock": ({"deadlock_free": "True", "up": "True"}, {"StepsAreDefined"}),
    "two at once": (
        {"low": "s.at < 3", "together": "after.twin < 3"},
        {"Low", "Together"},
    ),
}


def wrong(name: str, folder: Path) -> Bound:
    """Return the model of which this is wrong."""
    changes, _ = WRONG[name]
    return bound_of(model_of(_WRONG.format(**{**_RIGHT, **changes}), folder))
