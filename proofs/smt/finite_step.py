"""States and steps of the finite domain.

A state has a value for each leaf.  A step is an action that was executed once, on such values: it
says when it exists, when it fails, and what each leaf is afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ackproof.model.lower.codec import Codec, Value
from ackproof.model.lower.execute import Emitted, Run
from ackproof.model.lower.leaves import Leaf
from ackproof.model.lower.ops import Bit
from ackproof.model.lower.state import SymbolicState
from ackproof.spec.lang.program import Action
from ackproof.spec.lang.types import Type

__all__ = ["FiniteState", "FiniteStep"]


class FiniteState(SymbolicState):
    """A state by name, or one that a step made of it."""

    def __init__(
        self,
        types: Mapping[Leaf, Type],
        codec: Codec,
        before: Mapping[Leaf, Value],
        written: dict[Leaf, Value] | None = None,
    ) -> None:
        super().__init__(types, codec, written)
        self.before = before

    def load(self, leaf: Leaf) -> Value:
        """Return what a leaf was before the step."""
        return self.before[leaf]

    def copy(self) -> FiniteState:
        """Return a state that can be written independently."""
        return FiniteState(self.types, self.codec, self.before, dict(self.written))


@dataclass(frozen=True)
class FiniteStep:
    """An action with arguments, known ones or not.

    Attributes:
        action: which.
        arguments: the value of each parameter.
        run: its execution.
        enabled: when the step exists.
        asserted: when an assertion in it fails.
        undefined: when it is undefined: an empty `min`, an integer out of its range…
        before: the state before.
        after: the state after, where the step is proper.
        proper: when it is enabled and does not fail.
    """

    action: Action
    arguments: Mapping[str, Value]
    run: Run
    enabled: Bit
    asserted: Bit
    undefined: Bit
    before: FiniteState
    after: FiniteState
    proper: Bit

    @property
    def events(self) -> list[Emitted]:
        """The frames that it may send."""
        return self.run.emitted
