"""Confirms that come in another order than the publishes, as queues and disks allow."""

from __future__ import annotations

from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.faults.fault_triggers import FaultTriggers
from ackproof.impl.history.history import History
from ackproof.impl.running import RunningBroker
from ackproof.impl.steps.seeded import Seeded
from pamqp import commands

from tests.exploring import seeds
from tests.impl.clients import Wire, content, encode
from tests.impl.sockets import Bare


def confirming(broker: Broker | None = None) -> Wire:
    """Return a client with two confirming channels and two queues."""
    wire = Wire(broker or Broker(history=History(recording=True))).opened(1, 2)
    return wire.with_queue("a").with_queue("b").confirming(1, 2)


def publish(wire: Wire, *queues: str, persistent: bool = True) -> list[str]:
    """Publish to these queues, one after the other; return what is said to it, and by the disk."""
    said = [line for name in queues for line in wire.publish(1, name, persistent=persistent)]
    return said + wire.commit()


def triggers(wire: Wire) -> FaultTriggers:
    """Return what waits for publishes."""
    found = wire.broker.steps.context.faults
    assert isinstance(found, FaultTriggers)
    return found


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"n": 2}, ["1 ack 2", "1 ack 1"]),
        ({"n": 3}, ["1 ack 3", "1 ack 2", "1 ack 1"]),
        ({"n": 3, "order": [2, 3, 1]}, ["1 ack 2", "1 ack 3", "1 ack 1"]),
        ({"n": 3, "order": (3, 1, 2)}, ["1 ack 3", "1 ack 1", "1 ack 2"]),
        ({"n": 3, "order": "drawn", "seed": 2}, ["1 ack 1", "1 ack 3", "1 ack 2"]),
    ],
)
def test_what_the_disk_must_have_is_acked_one_by_one_in_the_order_that_was_asked_for(
    asked: dict[str, Any], said: list[str]
) -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms(**asked)
    assert publish(wire, *"a" * asked["n"]) == said
    assert publish(wire, "a") == [f"1 ack {asked['n'] + 1}"], "and what comes after it as ever"
    wire.broker.history.check.passed()


def test_an_order_that_is_drawn_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    def said(seed: int) -> list[str]:
        wire = confirming()
        wire.broker.faults.reorder_confirms(6, "drawn", seed)
        return publish(wire, *"aaaaaa")

    assert said(1) == said(1)
    assert len({tuple(said(seed)) for seed in range(5)}) > 1


def test_nothing_is_settled_before_the_last_one_was_published() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms(3)
    assert publish(wire, "a", "a") == []
    assert publish(wire, "none") == ["1 ack 3"], "what no queue has is none of them"
    assert publish(wire, "a") == ["1 ack 4", "1 ack 2", "1 ack 1"]


def test_two_queues_settle_in_another_order_what_no_disk_must_have() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms()
    assert publish(wire, "a", "b", persistent=False) == ["1 ack 2", "1 ack 1"]


def test_one_queue_settles_together_what_no_disk_must_have() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms(3)
    assert publish(wire, "a", "a", "a", persistent=False) == ["1 ack 3*"]
    assert publish(wire, "a", persistent=False) == ["1 ack 4"]


def test_a_confirm_of_a_queue_comes_after_those_that_it_has_cast_before() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms(routing_key="a")
    assert wire.publish(1, "a", persistent=False) == []
    assert wire.say(1, *content("x", persistent=False, headers={"BCC": ["a"]})) == []
    assert wire.publish(1, "a", persistent=False) == ["1 ack 3*"]


def test_a_message_for_two_queues_waits_for_both() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms()
    for _ in range(2):
        assert wire.say(1, *content("a", headers={"CC": ["b"]})) == []
    assert wire.commit() == ["1 ack 2", "1 ack 1"]


def test_only_publishes_of_one_channel_are_among_them() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms()
    assert wire.publish(1, "a", persistent=False) == []
    assert wire.publish(2, "b", persistent=False) == ["2 ack 1"]
    assert wire.publish(1, "b", persistent=False) == ["1 ack 2", "1 ack 1"]


def test_a_trigger_chooses_which_publishes_are_among_them() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms(header={"kind": "late"})
    late = content("a", headers={"kind": "late"})
    wire.say(1, *late)
    assert publish(wire, "a") == ["1 ack 2"]
    wire.say(1, *late)
    assert wire.commit() == ["1 ack 3", "1 ack 1"]


def test_a_publish_is_among_those_of_one_request_only() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms(2, [2, 1])
    wire.broker.faults.reorder_confirms(3, [2, 1, 3])
    assert publish(wire, "a", "a") == ["1 ack 2", "1 ack 1"]
    assert publish(wire, "a", "a", "a") == ["1 ack 4", "1 ack 3", "1 ack 5"]


def test_a_crash_settles_what_it_settles_and_the_others_keep_their_order() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms(3)
    wire.publish(1, "b")
    wire.publish(1, "a")
    wire.broker.faults.crash_queue("b")
    assert wire.hear() == ["1 nack 1*"]
    assert publish(wire, "a") == ["1 ack 3", "1 ack 2"]
    wire.broker.history.check.passed()


def test_the_last_words_of_a_queue_that_crashes_arrive() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms()
    assert wire.publish(1, "a", persistent=False) == []
    wire.broker.faults.crash_queue("a")
    assert wire.hear() == ["1 ack 1"]
    assert wire.broker.queues["a"].running
    assert publish(wire, "a", persistent=False) == ["1 ack 2"]


def test_a_refusal_waits_for_its_turn_too() -> None:
    wire = confirming()
    wire.say(
        1,
        commands.Queue.Declare(
            queue="full", arguments={"x-max-length": 0, "x-overflow": "reject-publish"}
        ),
    )
    wire.broker.faults.reorder_confirms()
    assert wire.publish(1, "full") == []
    assert wire.publish(1, "a", persistent=False) == ["1 ack 2", "1 nack 1*"]


def test_a_deleted_queue_settles_what_it_owes_and_nobody_waits_for_it() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms(2, [1, 2])
    wire.publish(1, "a")
    wire.broker.faults.delete_queue("a")
    assert wire.hear() == ["1 ack 1"]
    assert publish(wire, "b") == ["1 ack 2"]


@pytest.mark.parametrize("end", ["release_confirms", "clear"])
def test_what_is_held_can_be_released(end: str) -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms(5)
    publish(wire, "a", "a", persistent=True)
    publish(wire, "b", persistent=False)
    getattr(wire.broker.faults, end)()
    assert wire.hear() == ["1 ack 3*"]
    assert publish(wire, "a", "a") == ["1 ack 5*"]


@pytest.mark.parametrize("persistent", [False, True])
def test_a_channel_that_is_closed_leaves_nothing_behind(persistent: bool) -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms(3)
    assert publish(wire, "a", persistent=persistent) == []
    queue = wire.broker.queues["a"]
    assert queue.landed or queue.machine.outbox
    wire.say(1, commands.Channel.Close(0, "", 0, 0))
    assert not triggers(wire).reordering
    assert not queue.landed
    assert not queue.machine.outbox
    assert not queue.machine.owes()


def test_the_next_one_waits_until_the_one_before_it_was_told() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms()
    for _ in range(2):
        assert wire.publish(1, "a") == []
    assert wire.publish(1, "none") == ["1 ack 3"]
    assert wire.commit() == ["1 ack 2", "1 ack 1"]


def test_what_waits_behind_a_message_that_is_settled_otherwise_goes_on() -> None:
    wire = confirming()
    wire.say(1, commands.Queue.Declare(queue="quick"))
    wire.broker.faults.reorder_confirms(header={"CC": None})
    assert wire.say(1, *content("quick", headers={"CC": ["b"]})) == []
    assert wire.publish(1, "quick") == []
    wire.broker.faults.crash_queue("b")
    assert wire.hear() == ["1 nack 1*", "1 ack 2"]


def test_nothing_is_kept_of_what_is_over() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms()
    publish(wire, "a", "a")
    assert not triggers(wire).reordering


def test_the_history_says_which_were_reordered_and_how() -> None:
    wire = confirming()
    wire.broker.faults.reorder_confirms(3, [3, 1, 2])
    publish(wire, "a", "a", "a")
    (entry,) = wire.broker.history.of("fault")
    assert entry.facts == {
        "fault": "reorder_confirms",
        "connection": 1,
        "channel": 1,
        "seqs": [3, 1, 2],
    }


@pytest.mark.parametrize("seed", seeds(5))
def test_the_order_holds_whatever_else_is_drawn(seed: int) -> None:
    wire = confirming(Broker(Seeded(seed, commits=False), history=History(recording=True)))
    wire.broker.faults.reorder_confirms(3, [2, 3, 1])
    said = []
    for _ in range(4):
        said += wire.publish(1, "a")
    for _ in range(50):
        said += wire.commit()
    told = [line.rstrip("*") for line in said]
    assert [line for line in told if line != "1 ack 4"] == ["1 ack 2", "1 ack 3", "1 ack 1"]
    wire.broker.history.check.passed()


def test_mirrors_are_all_waited_for() -> None:
    wire = confirming(Broker(history=History(recording=True), replicas=3))
    wire.broker.faults.reorder_confirms()
    assert publish(wire, "a", "a") == ["1 ack 2", "1 ack 1"]
    wire.broker.history.check.passed()


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"n": 1}, "n is 1; it must be from 2 to 1000"),
        ({"n": None}, "n is None; it must be from 2 to 1000"),
        ({"n": 1_000_000_000}, "n is 1000000000; it must be from 2 to 1000"),
        ({"n": "two"}, "n is 'two'; it must be an integer or null"),
        ({"seed": "x"}, "seed is 'x'; it must be an integer"),
        *(
            (
                {"order": order},
                f"order is {order!r}; it must be reversed, drawn, or the numbers from 1 to 2 in "
                "the order in which those publishes are to be settled",
            )
            for order in ("sideways", [1], [1, 1], [0, 1], [1, 2, 2], [True, 2], [[], {}], 7, None)
        ),
    ],
)
def test_an_order_that_is_none_is_refused(asked: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match="must be") as caught:
        confirming().broker.faults.reorder_confirms(**asked)
    assert str(caught.value) == error


@pytest.mark.parametrize("seed", [None, 1])
def test_a_client_sees_it_over_a_socket(seed: int | None) -> None:
    with RunningBroker(seed=seed) as broker:
        client = Bare(broker.port).opened()
        client.send(encode(1, commands.Queue.Declare(queue="q", durable=True)))
        assert client.line().startswith("1 Queue.DeclareOk q ")
        broker.reorder_confirms(3, [3, 1, 2])
        for _ in range(3):
            client.send(encode(1, *content("q")))
        assert [client.line().rstrip("*") for _ in range(3)] == ["1 ack 3", "1 ack 1", "1 ack 2"]
        client.close()
        broker.check()
