"""Programs are drawn by their seeds, and have everything in them that there is to do."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from ackproof.conform.kit.drawing import draw
from ackproof.conform.kit.operations import FAULTS, Do

MANY = range(300)


def test_a_seed_draws_one_program() -> None:
    assert draw(7) == draw(7)
    assert draw(7) != draw(8)


def test_everything_is_drawn() -> None:
    programs = [operation for seed in MANY for operation in draw(seed, FAULTS)]
    assert {operation.do for operation in programs} == set(Do)
    assert {operation.fault for operation in programs} == {"", *FAULTS}


def test_a_broker_that_cannot_be_made_to_fail_is_asked_for_no_fault() -> None:
    assert all(operation.do != Do.FAULT for seed in MANY for operation in draw(seed))


def test_some_messages_have_little_time_some_much_and_some_go_the_other_way() -> None:
    programs = [operation for seed in MANY for operation in draw(seed)]
    for field in ("ttl", "expires"):
        assert {getattr(operation, field) for operation in programs} == {None, 0, 20, 7_200_000}
    assert any(operation.alternate for operation in programs)
    assert any(operation.exclusive for operation in programs)
    plain = sum(all(o.ttl is None and o.expires is None for o in draw(seed)) for seed in MANY)
    assert len(MANY) / 3 < plain < len(MANY) * 2 / 3


def test_publishes_are_most_of_it() -> None:
    count = Counter(operation.do for seed in MANY for operation in draw(seed))
    assert count.most_common(1)[0][0] == Do.PUBLISH


def test_queues_are_deleted_and_declared_again_without_waiting() -> None:
    pairs = 0
    for seed in MANY:
        program = draw(seed)
        for one, other in pairwise(program):
            again = (one.do, other.do) == (Do.DELETE, Do.DECLARE) and one.queue == other.queue
            pairs += again and one.nowait and other.nowait
    assert pairs > len(MANY) / 10
