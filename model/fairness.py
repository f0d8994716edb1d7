"""Fairness: which action instances must not be put off for ever.

`@action(fair="weak")` and `"strong"` speak of each choice of arguments separately.  An instance
counts as enabled in a state where it has a step that changes the state: to do nothing is no step.
"""

from __future__ import annotations

from dataclasses import dataclass

from ackproof.lang.binding import Bound
from ackproof.lang.program import PropertyDecl

__all__ = ["Fairness", "eventualities", "fairness_of"]


@dataclass(frozen=True)
class Fairness:
    """Numbers of action instances.

    Args:
        weak: those that happen if they are enabled from some point on without a break.
        strong: those that happen if they are enabled again and again.
    """

    weak: frozenset[int]
    strong: frozenset[int]

    @property
    def any(self) -> frozenset[int]:
        """All of them."""
        return self.weak | self.strong


def fairness_of(bound: Bound) -> Fairness:
    """Return what a bound program says about the fairness of its action instances."""
    said = [instance.action.fair for instance in bound.instances()]
    return Fairness(
        *(frozenset(n for n, fair in enumerate(said) if fair == f) for f in ("weak", "strong"))
    )


def eventualities(bound: Bound) -> tuple[PropertyDecl, ...]:
    """Return the properties of a bound program that of runs."""
    return tuple(p for p in bound.properties if p.of_runs)
