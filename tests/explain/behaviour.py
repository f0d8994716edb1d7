"""The stateful test: a client does whatever comes to mind, and everything must be explained.

    against(target)                         a state machine for Hypothesis, against a broker
    against(target, Limited)                with other queues: Limited, Replicating, Parting

There is a machine for each kind of queues, so that what a run may be about stays small enough to be
explained without leaving anything out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.explain.accidents import Accidents
from tests.explain.machine import Kind
from tests.explain.parting import Parting
from tests.explain.replicating import Replicating
from tests.explain.scenario import Named, Scenario

__all__ = ["Limited", "Parting", "Plain", "Replicating", "against"]


class Plain(Accidents):
    """Queues without arguments."""

    queues = (Named("a"), Named("b"), Named("t", Kind(durable=False)))


class Limited(Accidents):
    """Queues in which there is not room for everything, or not time."""

    queues = (
        Named("drops", Kind(limit=2), {"x-max-length": 2}),
        Named(
            "refuses",
            Kind(limit=1, refuses=True),
            {"x-max-length": 1, "x-overflow": "reject-publish"},
        ),
        Named("expires", Kind(expiring=True), {"x-message-ttl": 0}),
    )
    expiring = True
    few = 1


def against(serve: Callable[[], Any], behaviour: type[Scenario] = Plain) -> type[Scenario]:
    """Return the behaviour of a client of a broker.

    Args:
        serve: gives a target, as a context manager; called for each run.
        behaviour: which queues there are, and what happens to them.
    """
    return type("Behaviour", (behaviour,), {"serve": staticmethod(serve), "found": []})
