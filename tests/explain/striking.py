"""How a run of the stateful test asks its target for a fault, as far as that can be asked.

A fault that waits for a publish is told which one by the header `number`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis.stateful import precondition

from tests.explain.operations import Operation
from tests.explain.scenario import MESSAGES, Scenario
from tests.explain.seen import Fate
from tests.explain.using import Using

__all__ = ["Striking", "confirming", "free", "offered", "transactional"]

Rule = TypeVar("Rule", bound=Callable[..., None])


def offered(*faults: str) -> Callable[[Rule], Rule]:
    """Tell hypothesis that a rule needs these faults."""

    def possible(run: Scenario) -> bool:
        return run.target.faults >= set(faults)

    return precondition(possible)


def confirming(rule: Rule) -> Rule:
    """Tell hypothesis that a rule is for a channel in confirm mode."""
    return precondition(lambda run: not run.client.transactional)(rule)


def transactional(rule: Rule) -> Rule:
    """Tell hypothesis that a rule is for a transactional channel."""
    return precondition(lambda run: run.client.transactional)(rule)


def free(rule: Rule) -> Rule:
    """Tell hypothesis that a rule is for when nothing is held back."""
    return precondition(lambda run: not run.held)(rule)


class Striking(Using):
    """Faults that strike at once, and those that wait for a publish."""

    def strike(self, done: Operation, fault: str, *args: Any, **about: Any) -> None:
        """Ask for a fault that happens at once, and note it."""
        begun = self.client.begin()
        self.target.strike(fault, *args, **about)
        self.client.did(begun, done)

    def publish_to(self, fate: Fate, fault: str, to: set[int]) -> int | None:
        """Publish a message of which a fault knows."""
        if self.published == MESSAGES or self.ahead >= self.most:
            return None
        self.target.strike(fault, header={"number": self.published + 1})
        return self.publish_one(to, False, True, fate)

    def settle_or_commit(self) -> None:
        """Wait until everything is settled, for which a transaction has to be committed."""
        if self.client.transactional:
            self.commit()
        else:
            self.settle()
