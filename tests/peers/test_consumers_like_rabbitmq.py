"""Consumers of this broker and of a real RabbitMQ hear the same.

Where RabbitMQ is not installed the comparison cannot be made; that is a failure where tests decide
(`CI=true`).
"""

from __future__ import annotations

import pytest
from pamqp import commands

from tests.impl.clients import content
from tests.peers.dialogue import Client, Scenario, Side, of_the_other, of_this_broker

pytestmark = pytest.mark.peer


# -- words ----------------------------------------------------------------------------------------


def declare(client: Client, queue: str, **more: bool) -> list[str]:
    return client.say(1, commands.Queue.Declare(queue=queue, **more))  # type: ignore[arg-type]


def publish(client: Client, queue: str, *texts: str) -> None:
    """Publish on a channel of their own, and wait until all are in the queue."""
    for text in texts:
        client.say(9, *content(queue, text.encode(), persistent=False))
    client.say(9, commands.Confirm.Select())


def consume(
    client: Client, queue: str, tag: str = "c", channel: int = 1, **more: bool
) -> list[str]:
    method = commands.Basic.Consume(queue=queue, consumer_tag=tag, **more)  # type: ignore[arg-type]
    return client.say(channel, method)


def get(client: Client, queue: str, *, no_ack: bool = False) -> list[str]:
    return client.say(1, commands.Basic.Get(queue=queue, no_ack=no_ack))


def ack(client: Client, tag: int, *, multiple: bool = False) -> list[str]:
    return client.say(1, commands.Basic.Ack(tag, multiple))


def nack(client: Client, tag: int, *, multiple: bool = False, requeue: bool = True) -> list[str]:
    return client.say(1, commands.Basic.Nack(tag, multiple, requeue))


def holding(side: Side, queue: str, *texts: str) -> Client:
    """Open a client, declare a queue and publish to it."""
    client = side.open(1, 2, 9)
    declare(client, queue)
    publish(client, queue, *texts)
    return client


# -- scenarios ------------------------------------------------------------------------------------


def requeue_order(side: Side) -> list[str]:
    client = holding(side, "requeue-order", *"abcde")
    told = [line for _ in range(4) for line in get(client, "requeue-order")]
    told += nack(client, 3) + nack(client, 1) + nack(client, 2)
    told += [line for _ in range(5) for line in get(client, "requeue-order")]
    return told


def requeued_to_the_consumer(side: Side) -> list[str]:
    client = holding(side, "requeued", *"abc")
    told = consume(client, "requeued")
    told += nack(client, 2, multiple=True)
    told += client.say(1, commands.Basic.Reject(3, requeue=True))
    told += client.say(1, commands.Basic.Recover(requeue=True))
    return told


def multiple(side: Side) -> list[str]:
    client = holding(side, "multiple", *"abcdef")
    told = consume(client, "multiple")
    told += ack(client, 2) + ack(client, 4, multiple=True) + ack(client, 0, multiple=True)
    told += ack(client, 0, multiple=True) + get(client, "multiple")
    return told


def acked_twice(side: Side) -> list[str]:
    client = holding(side, "acked-twice", *"ab")
    told = consume(client, "acked-twice") + ack(client, 1) + ack(client, 1)
    told += client.say(2, commands.Basic.Get(queue="acked-twice"))
    return told


def acked_up_to_a_settled_tag(side: Side) -> list[str]:
    client = holding(side, "settled-tag", *"abc")
    return consume(client, "settled-tag") + ack(client, 2) + ack(client, 2, multiple=True)


def tag_zero(side: Side) -> list[str]:
    client = holding(side, "tag-zero", "a")
    return consume(client, "tag-zero") + ack(client, 0)


def rejected_unknown(side: Side) -> list[str]:
    client = holding(side, "rejected-unknown", "a")
    return client.say(1, commands.Basic.Reject(7, requeue=True))


def no_ack(side: Side) -> list[str]:
    client = holding(side, "no-ack", *"ab")
    return consume(client, "no-ack", no_ack=True) + get(client, "no-ack") + ack(client, 1)


def gets_and_limits(side: Side) -> list[str]:
    client = holding(side, "gets", *"abcd")
    told = client.say(1, commands.Basic.Qos(prefetch_count=1))
    told += get(client, "gets") + consume(client, "gets") + get(client, "gets", no_ack=True)
    told += ack(client, 2)
    return told


def shared_limit(side: Side) -> list[str]:
    client = holding(side, "shared-limit", *"abcdef")
    told = client.say(1, commands.Basic.Qos(prefetch_count=2, global_=True))
    told += consume(client, "shared-limit") + ack(client, 1)
    told += client.say(1, commands.Basic.Qos(prefetch_count=3, global_=True))
    told += client.say(1, commands.Basic.Qos(prefetch_count=5))
    return told


def limits_in_bytes(side: Side) -> list[str]:
    return side.open(1).say(1, commands.Basic.Qos(prefetch_size=3))


def recover_without_requeue(side: Side) -> list[str]:
    return side.open(1).say(1, commands.Basic.Recover(requeue=False))


def exclusive(side: Side) -> list[str]:
    client, other = holding(side, "exclusive", "a"), side.open(1, 2)
    told = consume(client, "exclusive", exclusive=True)
    told += consume(other, "exclusive", "d")
    client.say(1, commands.Basic.Cancel("c"))
    told += consume(other, "exclusive", "d", channel=2)
    told += consume(client, "exclusive", "e", exclusive=True)
    # What a consumer had that was cancelled comes back when the channel's process has ended.
    client.say(1, commands.Channel.CloseOk())
    return told


def consumer_tags(side: Side) -> list[str]:
    client = holding(side, "tags")
    told = consume(client, "tags", "") + consume(client, "tags", "c")
    told += client.say(1, commands.Basic.Cancel("nobody"))
    told += client.say(1, commands.Basic.Cancel("c")) + consume(client, "tags", "c")
    told += consume(client, "tags", "c")
    return told


def missing_queue(side: Side) -> list[str]:
    client = side.open(1, 2)
    return consume(client, "missing") + client.say(2, commands.Basic.Get(queue="missing"))


def priority_of_the_wrong_type(side: Side) -> list[str]:
    client = holding(side, "priority")
    method = commands.Basic.Consume(queue="priority", arguments={"x-priority": "high"})
    return client.say(1, method)


def cancelled_by_deletion(side: Side) -> list[str]:
    client, other = holding(side, "deleted", "a"), side.open(1)
    told = consume(other, "deleted")
    told += client.say(1, commands.Queue.Delete(queue="deleted"))
    told += other.hear() + ack(other, 1)
    return told


def in_any_order(told: list[str]) -> list[str]:
    """Return what RabbitMQ says now in this order and now in that.

    The reply to a deletion and the end of the consumers reach a channel from two processes.
    """
    return sorted(told)


def deleted_by_its_own_channel(side: Side) -> list[str]:
    client = holding(side, "own", "a")
    told = consume(client, "own")
    return told + in_any_order(client.say(1, commands.Queue.Delete(queue="own")))


def gone_with_its_consumer(side: Side) -> list[str]:
    client = side.open(1, 2)
    declare(client, "gone", auto_delete=True)
    told = consume(client, "gone") + client.say(1, commands.Basic.Cancel("c"))
    return told + consume(client, "gone", channel=2)


def in_use(side: Side) -> list[str]:
    client = holding(side, "in-use", "a")
    told = consume(client, "in-use")
    return told + client.say(2, commands.Queue.Delete(queue="in-use", if_unused=True))


def purged(side: Side) -> list[str]:
    client = holding(side, "purged", *"abc")
    told = get(client, "purged") + client.say(1, commands.Queue.Purge(queue="purged"))
    return told + nack(client, 1) + get(client, "purged")


def closed_channel(side: Side) -> list[str]:
    client = holding(side, "closed", *"ab")
    told = consume(client, "closed")
    told += client.say(1, commands.Channel.Close(200, "", 0, 0))
    return told + consume(client, "closed", channel=2)


def turns(side: Side) -> list[str]:
    client = holding(side, "turns")
    told = client.say(1, commands.Basic.Qos(prefetch_count=1))
    told += consume(client, "turns", "c") + consume(client, "turns", "d")
    publish(client, "turns", *"ab")
    return told + sorted(client.hear())


def single_active(side: Side) -> list[str]:
    client, other = side.open(1, 2, 9), side.open(1)
    arguments = {"x-single-active-consumer": True}
    client.say(1, commands.Queue.Declare(queue="single", arguments=arguments))  # type: ignore[arg-type]
    told = consume(client, "single", "c") + consume(other, "single", "d")
    publish(client, "single", *"ab")
    told += client.hear() + client.say(1, commands.Basic.Cancel("c"))
    publish(client, "single", "e")
    told += other.hear() + consume(client, "single", "x", channel=2, exclusive=True)
    return told


def locked(side: Side) -> list[str]:
    client, other = side.open(1), side.open(1, 2)
    declare(client, "locked", exclusive=True)
    return consume(other, "locked") + other.say(2, commands.Basic.Get(queue="locked"))


def no_queue_declared(side: Side) -> list[str]:
    client = side.open(1, 2)
    return consume(client, "") + client.say(2, commands.Basic.Get(queue=""))


def without_answers(side: Side) -> list[str]:
    client = holding(side, "nowait", *"ab")
    told = consume(client, "nowait", nowait=True)
    told += client.say(1, commands.Basic.RecoverAsync(requeue=True))
    told += client.say(1, commands.Basic.Cancel("c", nowait=True))
    return told + nack(client, 0, multiple=True) + get(client, "nowait")


def rejected_for_good(side: Side) -> list[str]:
    client = holding(side, "for-good", *"abcd")
    told = get(client, "for-good") + get(client, "for-good") + get(client, "for-good")
    told += nack(client, 2, multiple=True, requeue=False)
    told += client.say(1, commands.Basic.Reject(3, requeue=False))
    return (
        told + nack(client, 3, requeue=False) + client.say(2, commands.Basic.Get(queue="for-good"))
    )


def counted(side: Side) -> list[str]:
    client = holding(side, "counted", *"abc")
    told = get(client, "counted") + declare(client, "counted")
    told += client.say(1, commands.Basic.Qos(prefetch_count=1)) + consume(client, "counted")
    told += declare(client, "counted")
    told += client.say(1, commands.Queue.Purge(queue="counted"))
    return told + in_any_order(client.say(1, commands.Queue.Delete(queue="counted", if_empty=True)))


def shared_limit_lifted(side: Side) -> list[str]:
    client = holding(side, "lifted", *"abcd")
    told = client.say(1, commands.Basic.Qos(prefetch_count=1, global_=True))
    told += consume(client, "lifted")
    return told + client.say(1, commands.Basic.Qos(prefetch_count=0, global_=True))


def both_limits(side: Side) -> list[str]:
    client = holding(side, "both", *"abcdef")
    told = client.say(1, commands.Basic.Qos(prefetch_count=2))
    told += client.say(1, commands.Basic.Qos(prefetch_count=3, global_=True))
    told += consume(client, "both", "c") + consume(client, "both", "d")
    return told + ack(client, 1) + ack(client, 3)


def shared_limit_without_acks(side: Side) -> list[str]:
    client = holding(side, "shared-acked", "a")
    told = declare(client, "shared-free") + client.say(
        1, commands.Basic.Qos(prefetch_count=1, global_=True)
    )
    publish(client, "shared-free", "c")
    told += consume(client, "shared-free", "free", no_ack=True)
    told += consume(client, "shared-acked", "acked")
    publish(client, "shared-free", "d")
    told += client.hear()
    return told + ack(client, 2)


def priorities(side: Side) -> list[str]:
    client = holding(side, "priorities")
    told = client.say(1, commands.Basic.Qos(prefetch_count=1))
    for tag, priority in (("low", -1), ("usual", 0), ("high", 7)):
        arguments = {"x-priority": priority}
        method = commands.Basic.Consume(queue="priorities", consumer_tag=tag, arguments=arguments)  # type: ignore[arg-type]
        told += client.say(1, method)
    for text in "abcd":
        client.say(9, *content("priorities", text.encode(), persistent=False))
    told += client.say(2, commands.Queue.Declare(queue="priorities", passive=True))
    return told + ack(client, 1)


def cancelled_while_unsettled(side: Side) -> list[str]:
    client = holding(side, "unsettled", *"ab")
    told = consume(client, "unsettled") + client.say(1, commands.Basic.Cancel("c"))
    told += nack(client, 1) + get(client, "unsettled")
    return told + ack(client, 2)


def without_room(side: Side, **limits: object) -> list[str]:
    """A queue that has room for nothing gives away what arrives, and drops what comes back."""
    client = side.open(1, 2, 9)
    client.say(1, commands.Queue.Declare(queue="without-room", arguments=limits))  # type: ignore[arg-type]
    told = client.say(1, commands.Basic.Qos(prefetch_count=1)) + consume(client, "without-room")
    for text in (b"a long one", b"another one"):
        told += client.say(9, *content("without-room", text, persistent=False))
    told += nack(client, 1) + get(client, "without-room")
    return told + client.say(1, commands.Queue.Delete(queue="without-room"))


def without_room_for_messages(side: Side) -> list[str]:
    return without_room(side, **{"x-max-length": 0})


def without_room_for_bytes(side: Side) -> list[str]:
    return without_room(side, **{"x-max-length-bytes": 3})


def without_room_for_consumers(side: Side) -> list[str]:
    return without_room(side, **{"x-max-length": 0, "x-overflow": "reject-publish"})


def connection_closed(side: Side) -> list[str]:
    client, other = holding(side, "hung-up", *"ab"), side.open(1)
    told = consume(other, "hung-up")
    told += other.say(0, commands.Connection.Close(200, "", 0, 0))
    return told + consume(client, "hung-up", "d")


SCENARIOS = (
    locked,
    no_queue_declared,
    without_answers,
    rejected_for_good,
    counted,
    shared_limit_lifted,
    shared_limit_without_acks,
    both_limits,
    priorities,
    cancelled_while_unsettled,
    connection_closed,
    without_room_for_messages,
    without_room_for_bytes,
    without_room_for_consumers,
    requeue_order,
    requeued_to_the_consumer,
    multiple,
    acked_twice,
    acked_up_to_a_settled_tag,
    tag_zero,
    rejected_unknown,
    no_ack,
    gets_and_limits,
    shared_limit,
    limits_in_bytes,
    recover_without_requeue,
    exclusive,
    consumer_tags,
    missing_queue,
    priority_of_the_wrong_type,
    cancelled_by_deletion,
    deleted_by_its_own_channel,
    gone_with_its_consumer,
    in_use,
    purged,
    closed_channel,
    turns,
    single_active,
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_consumers_hear_the_same(scenario: Scenario, port: int) -> None:
    ours, counts = of_this_broker(scenario)
    assert of_the_other(scenario, port, counts) == ours
