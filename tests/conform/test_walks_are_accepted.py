"""Whatever the specification's system does, the judge accepts."""

from __future__ import annotations

import random

import pytest
from ackproof.model.live import State
from ackproof.model.plain import PlainMachine
from ackproof.spec.instances import INSTANCES

from tests.conform.runs import Judges, Reporter, Said, bound_to, walk
from tests.exploring import examples

NAMES = [i.name for i in INSTANCES]


@pytest.mark.parametrize("name", NAMES)
def test_random_runs_are_accepted(name: str) -> None:
    bound = bound_to(name)
    for seed in range(examples(2)):
        judges = Judges(bound)
        for _, step in walk(bound, random.Random(seed), 60):
            judges.take(step)
            assert judges.first is None, (seed, judges.first)


def test_every_run_of_the_smallest_instance_is_accepted() -> None:
    """A run is as good as another that leads to the same state and has shown the same."""
    bound = bound_to("tiny")
    reporter = Reporter(bound)
    with PlainMachine(bound) as machine:
        start: tuple[State, tuple[Said, ...]] = (machine.initial(), ())
        seen = {(start[0], "")}
        todo = [start]
        while todo:
            state, history = todo.pop()
            for step in machine.steps(state):
                if step.after is None or step.after == state:
                    continue
                longer = (*history, *reporter.events(step))
                if (step.after, repr(longer)) in seen:
                    continue
                seen.add((step.after, repr(longer)))
                assert Judges.of(longer).first is None
                todo.append((step.after, longer))


def test_each_kind_of_event_comes_up_in_some_run() -> None:
    kinds = set()
    for name in ("small", "transactions", "consumers", "prefetch", "shared", "redelivery"):
        reporter = Reporter(bound_to(name))
        for seed in range(10):
            for _, step in walk(bound_to(name), random.Random(seed), 60):
                kinds |= {event.kind for _, event in reporter.events(step)}
    assert {"Return", "Ack", "Nack", "CommitOk", "RollbackOk", "ChannelClose", "Deliver"} <= kinds
    assert {"GetOk", "GetEmpty", "RecoverOk", "CancelOk", "Cancel", "CloseOk"} <= kinds
