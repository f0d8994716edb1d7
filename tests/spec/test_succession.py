"""Of two messages of a channel the older one is handed out first, unless it comes back (INV-B4).

Where a mirror takes over, what its master had let go, or refused, may come back, if the mirror had
not heard of that.
"""

from __future__ import annotations

from dataclasses import replace

from ackproof.lang import Instance, Model, constraint, step_property
from ackproof.model.check import Report, check
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import Msg, Overflow, Queue, Tag
from ackproof.spec.system import Confirms


@step_property
def OlderComesFirst(before: Confirms, after: Confirms) -> bool:
    """Whatever comes back, nothing is handed out for the first time after a younger one."""
    return all(
        k < m
        for q in Queue
        for m in after.handed[q] - before.handed[q]
        for k in before.handed[q]
        if Msg.owner(k) == Msg.owner(m)
    )


@constraint
def NothingIsPersistent(s: Confirms) -> bool:
    """What is transient is enough to see an order."""
    return not s.persistent


STRICT = replace(MODEL, properties=(*MODEL.properties, OlderComesFirst, NothingIsPersistent))


def succession() -> Instance:
    """Return the instance in which a mirror takes over between two messages."""
    instance = MODEL.instance("succession")
    assert instance is not None
    return instance


def holds(model: Model, instance: Instance) -> bool:
    """Tell whether the order is kept in every state."""
    report = check(model, instance, properties=["DeliveredInOrder"])
    return report.complete and not report.traces


def steps_of(report: Report) -> list[list[str]]:
    """Return the names of the actions of each counterexample, for each that was found."""
    return [
        [step.instance.action.name for step in trace.steps if step.instance is not None]
        for trace in report.traces
    ]


def test_what_had_expired_comes_late_from_a_mirror_that_has_not_heard_of_it() -> None:
    assert holds(MODEL, succession())
    report = check(STRICT, succession(), properties=["OlderComesFirst"])
    (steps,) = steps_of(report)
    assert {"drop", "crash_queue", "promote"} <= set(steps)
    assert "master_removes" not in steps


def test_what_had_been_refused_comes_late_from_a_mirror_that_has_not_heard_of_it() -> None:
    base = succession()
    full = {
        "QueueProcess.limited": True,
        "QueueProcess.max_length": 1,
        "QueueProcess.overflow": Overflow.REJECT_PUBLISH,
    }
    instance = replace(
        base,
        sizes={**base.sizes, Msg: 3, Tag: 3},
        faults={"crash_queue": 1},
        constants={**base.constants, **full},
        states=None,
        lacks=(),
    )
    assert holds(STRICT, instance)
    report = check(STRICT, instance, properties=["OlderComesFirst"])
    (steps,) = steps_of(report)
    assert {"crash_queue", "promote"} <= set(steps)
    assert "drop" not in steps
