"""What a client does on its channels, in an order that few clients choose, is answered alike.

Queues that are another's, names that come back, contents in pieces, modes that are asked for twice,
and patterns with nothing between their dots.
"""

from __future__ import annotations

import pytest
from pamqp import base, body, commands, frame, header

from tests.impl.clients import content
from tests.peers.dialogue import Scenario, Side, of_the_other, of_this_broker

pytestmark = pytest.mark.peer


def beginning(queue: str, size: int, exchange: str = "") -> tuple[frame.FrameTypes, ...]:
    """Return a publish of so many bytes, without them."""
    publish = commands.Basic.Publish(exchange=exchange, routing_key=queue, mandatory=True)
    return publish, header.ContentHeader(0, size, commands.Basic.Properties())


def locked(side: Side) -> list[str]:
    owner, other = side.open(1), side.open(*range(1, 9))
    owner.say(1, commands.Queue.Declare(queue="locked-out", exclusive=True))
    methods: list[base.Frame] = [
        commands.Queue.Declare(queue="locked-out", exclusive=True),
        commands.Queue.Declare(queue="locked-out", passive=True),
        commands.Queue.Delete(queue="locked-out"),
        commands.Queue.Purge(queue="locked-out"),
        commands.Queue.Bind(queue="locked-out", exchange="amq.direct", routing_key="k"),
        commands.Basic.Consume(queue="locked-out"),
        commands.Basic.Get(queue="locked-out"),
        commands.Queue.Declare(queue="locked-out"),
    ]
    return [line for at, one in enumerate(methods) for line in other.say(at + 1, one)]


def unbound_by_a_stranger(side: Side) -> list[str]:
    owner, other = side.open(1), side.open(1, 2)
    owner.say(1, commands.Queue.Declare(queue="strange", exclusive=True))
    unbind = commands.Queue.Unbind(queue="strange", exchange="amq.direct", routing_key="k")
    told = other.say(1, unbind)
    owner.say(1, commands.Queue.Bind(queue="strange", exchange="amq.direct", routing_key="k"))
    return told + other.say(1, unbind) + other.say(2, unbind)


def declared_again_as_something_else(side: Side) -> list[str]:
    client = side.open(1, 2)
    told = client.say(1, commands.Queue.Declare(queue="again", auto_delete=True))
    told += client.say(1, commands.Basic.Consume(queue="again", consumer_tag="c"))
    told += client.say(1, commands.Basic.Cancel("c"))
    told += client.say(1, commands.Queue.Declare(queue="again", passive=True))
    return told + client.say(2, commands.Queue.Declare(queue="again", exclusive=True))


def the_longest_names(side: Side) -> list[str]:
    client, name = side.open(1), "n" * 255
    told = client.say(1, commands.Queue.Declare(queue=name, exclusive=True))
    told += client.say(1, commands.Basic.Consume(queue=name, consumer_tag="t" * 255))
    return told + client.say(1, commands.Queue.Declare(queue="m" * 255, passive=True))


def selected_twice(side: Side) -> list[str]:
    client = side.open(1, 2)
    told = client.say(1, *content("nowhere")) + client.say(1, commands.Confirm.Select())
    told += client.say(1, commands.Confirm.Select(nowait=True))
    told += client.say(1, commands.Confirm.Select()) + client.say(1, *content("nowhere"))
    told += client.say(1, commands.Tx.Select())
    return told + client.say(2, commands.Tx.Select()) + client.say(2, commands.Confirm.Select())


def transaction_in_between(side: Side) -> list[str]:
    client = side.open(1)
    client.say(1, commands.Queue.Declare(queue="between", exclusive=True))
    told = client.say(1, *content("between", b"a", persistent=False))
    told += client.say(1, commands.Tx.Select())
    told += client.say(1, *content("between", b"b", persistent=False))
    told += client.say(1, commands.Basic.Get(queue="between"))
    told += client.say(1, commands.Basic.Ack(1)) + client.say(1, commands.Tx.Rollback())
    told += client.say(1, commands.Basic.Ack(1)) + client.say(1, commands.Tx.Commit())
    return told + client.say(1, commands.Basic.Get(queue="between"))


def content_in_pieces(side: Side) -> list[str]:
    client = side.open(1)
    client.say(1, commands.Queue.Declare(queue="pieces", exclusive=True))
    pieces = [body.ContentBody(bytes((octet,))) for octet in b"hello"]
    empty = body.ContentBody(b"")
    told = client.say(1, *beginning("pieces", 5), empty, *pieces)
    told += client.say(1, *beginning("pieces", 0))
    return told + [
        line for _ in range(3) for line in client.say(1, commands.Basic.Get(queue="pieces"))
    ]


def deleted_before_the_body(side: Side) -> list[str]:
    client, other = side.open(1), side.open(1)
    client.say(1, commands.Exchange.Declare(exchange="brief"))
    told = client.say(1, *beginning("k", 1, "brief"))
    told += other.say(1, commands.Exchange.Delete(exchange="brief"))
    return told + client.say(1, body.ContentBody(b"x"))


def two_contents_at_once(side: Side) -> list[str]:
    client = side.open(1, 2)
    told = client.say(1, *beginning("one", 1)) + client.say(2, *beginning("two", 1))
    return told + client.say(2, body.ContentBody(b"2")) + client.say(1, body.ContentBody(b"1"))


def patterns(side: Side) -> list[str]:
    client = side.open(1)
    client.say(1, commands.Queue.Declare(queue="patterns", exclusive=True))
    told = []
    for pattern in ("", "#", "*", "*.", ".*", "a.#.b", "#.#", "a..b", "."):
        binding = {"queue": "patterns", "exchange": "amq.topic", "routing_key": pattern}
        client.say(1, commands.Queue.Bind(**binding))
        for key in ("", "a", ".", "a.b", "a.", ".a", "a..b", "a.x.b", ".."):
            frames = content(key, b"", mandatory=True, exchange="amq.topic")
            told += [f"{pattern} {line}" for line in client.say(1, *frames)]
        client.say(1, commands.Queue.Unbind(**binding))
    return told


def fallen_away(side: Side) -> list[str]:
    client = side.open(1, 2)
    client.say(1, commands.Channel.Flow(True))
    told = client.say(1, commands.Queue.Declare(queue="away", nowait=True))
    told += client.say(1, commands.Queue.Declare(queue="away", durable=True, nowait=True))
    told += client.say(2, commands.Queue.Delete(queue="away", nowait=True))
    return told + client.say(2, commands.Queue.Declare(queue="away", passive=True))


def opened_before_it_is_closed(side: Side) -> list[str]:
    client = side.open(1)
    told = client.say(1, commands.Basic.Get(queue="none"))
    return told + client.say(1, commands.Channel.Open())


def closed_from_both_sides(side: Side) -> list[str]:
    client = side.open(1)
    told = client.say(1, commands.Basic.Get(queue="none"))
    told += client.say(1, commands.Channel.Close(200, "", 0, 0))
    told += client.say(1, *content("nowhere")) + client.say(1, commands.Channel.CloseOk())
    return told + client.say(1, commands.Channel.Open())


SCENARIOS = (
    locked,
    unbound_by_a_stranger,
    declared_again_as_something_else,
    the_longest_names,
    selected_twice,
    transaction_in_between,
    content_in_pieces,
    deleted_before_the_body,
    two_contents_at_once,
    patterns,
    fallen_away,
    opened_before_it_is_closed,
    closed_from_both_sides,
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_channels_hear_the_same(scenario: Scenario, port: int) -> None:
    ours, counts = of_this_broker(scenario)
    assert of_the_other(scenario, port, counts) == ours
