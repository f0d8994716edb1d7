"""What an old master may have handed out is marked by the one that takes its place (B7.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ackproof.lang import Design, handler
from ackproof.model.check import check
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.model import MODEL

#: What makes a message go to its consumer as it arrives, with nobody to keep it for.
PAST_THE_QUEUE: dict[str, dict[str, Any]] = {
    "without acks": {"Subscription.no_ack": True},
    "without room": {"QueueProcess.limited": True, "QueueProcess.max_length": 0},
}


class ForgettingMirror(QueueProcess):
    """A mirror that takes over as if nobody had ever had anything of what comes to it."""

    @handler
    def promote(self) -> None:
        super().promote()
        self.delivered.clear()


def looked_at(how: str, design: Design | None = None) -> Any:
    """Check the marks where a mirror is promoted that gives a message away as it arrives."""
    base = MODEL.instance("redelivery")
    assert base is not None
    constants = {**base.constants, **PAST_THE_QUEUE[how]}
    instance = replace(base, constants=constants, states=None, lacks=())
    return check(
        MODEL, instance, design, properties=["RedeliveredIsMarked", "FetchedAgainIsMarked"]
    )


@pytest.mark.parametrize("how", PAST_THE_QUEUE)
def test_what_goes_past_the_queue_of_a_promoted_mirror_is_marked(how: str) -> None:
    report = looked_at(how)
    assert [t.property for t in report.traces] == []
    assert report.complete


def test_a_mirror_that_forgets_when_it_takes_over_marks_too_little() -> None:
    report = looked_at(
        "without acks", Design(claim="all is new to it", replace=(ForgettingMirror,))
    )
    assert [t.property for t in report.traces] != []
