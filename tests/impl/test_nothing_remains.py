"""A broker that has served for a long time is as small as one that has just begun.

What is compared is everything that can be reached from the broker, object by object, so that a
table that somebody forgot to clear is found whatever it is.
"""

from __future__ import annotations

import gc
import types
from collections import Counter
from collections.abc import Callable

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.history.history import History
from ackproof.impl.running import RunningBroker
from ackproof.impl.steps.scheduler import Eager, Scheduler
from ackproof.impl.steps.seeded import Seeded
from pamqp import commands, frame

from tests.impl.clients import Wire, content, encode
from tests.impl.sockets import Bare, eventually

_CODE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)
_LONG = 10**9
_QUEUES: dict[str, dict[str, object]] = {
    "plain": {},
    "expiring": {"x-message-ttl": _LONG},
    "leased": {"x-expires": _LONG},
    "short": {
        "x-max-length": 2,
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": "plain",
    },
    "full": {"x-max-length-bytes": 10, "x-overflow": "reject-publish"},
    "ranked": {"x-max-priority": 5},
    "single": {"x-single-active-consumer": True},
}
_ALL = [*_QUEUES, "exclusive", "passing"]


def _reachable(root: object) -> Counter[str]:
    """Count the objects that can be reached, by type."""
    seen, work = {id(root)}, [root]
    found: Counter[str] = Counter()
    while work:
        one = work.pop()
        found[type(one).__name__] += 1
        for other in gc.get_referents(one):
            if id(other) not in seen and not isinstance(other, _CODE):
                seen.add(id(other))
                work.append(other)
    # Numbers that have grown are objects of their own; small ones are shared.
    del found["int"]
    return found


def _declare(wire: Wire, number: int) -> None:
    for name, arguments in _QUEUES.items():
        durable = name != "ranked"
        wire.say(1, commands.Queue.Declare(queue=name, durable=durable, arguments=arguments))  # type: ignore[arg-type]
        wire.commit()
    wire.say(1, commands.Queue.Declare(queue="exclusive", exclusive=True))
    wire.say(1, commands.Queue.Declare(queue="passing", auto_delete=True))
    wire.say(1, commands.Exchange.Declare(exchange="x", exchange_type="topic", durable=True))
    wire.commit()
    wire.say(1, commands.Queue.Bind(queue="plain", exchange="x", routing_key=f"a.{number}.#"))
    wire.commit()
    matching = commands.Queue.Bind(queue="passing", exchange="amq.headers", arguments={"n": number})
    wire.say(1, matching)


def _publish(wire: Wire, other: Wire, number: int) -> None:
    wire.say(2, commands.Confirm.Select())
    wire.say(3, commands.Tx.Select())
    for name in _ALL:
        for persistent in (True, False):
            for channel in (1, 2, 3):
                wire.publish(channel, name, persistent=persistent)
            other.publish(1, name, persistent=persistent)
    wire.say(2, *content(f"a.{number}.z", exchange="x"))
    wire.say(3, commands.Tx.Commit())
    wire.commit()
    wire.publish(3, "plain")
    wire.say(3, commands.Tx.Rollback())
    wire.publish(3, "plain")


def _consume(wire: Wire, other: Wire, number: int) -> None:
    wire.say(4, commands.Basic.Qos(prefetch_count=3))
    for name in _ALL:
        wire.say(4, commands.Basic.Consume(queue=name, no_ack=name == "expiring"))
        other.say(1, commands.Basic.Consume(queue=name, consumer_tag=f"{name}-{number}"))
    wire.say(1, commands.Basic.Get(queue="plain"))
    wire.say(4, commands.Basic.Nack(3, True, False))
    other.say(1, commands.Basic.Recover(True))
    other.say(1, commands.Basic.Ack(0, True))
    for name in _QUEUES:
        other.say(1, commands.Basic.Cancel(f"{name}-{number}"))


def _end(wire: Wire, other: Wire) -> None:
    wire.publish(2, "plain")
    wire.broker.faults.crash_queue("plain")
    wire.publish(2, "plain")
    wire.commit()
    wire.say(3, commands.Channel.Close(200, "", 0, 0))
    wire.session.connection_lost()
    for name in _ALL:
        other.say(2, commands.Queue.Delete(queue=name))
        other.commit()
    other.say(2, commands.Exchange.Delete(exchange="x"))
    other.commit()


def _live(broker: Broker, other: Wire, number: int) -> None:
    """Do everything that a client can, and undo it."""
    wire = Wire(broker).opened(1, 2, 3, 4)
    _declare(wire, number)
    _publish(wire, other, number)
    _consume(wire, other, number)
    _end(wire, other)


@pytest.mark.parametrize(
    "scheduler", [Eager, lambda: Seeded(7, commits=False)], ids=["eager", "seeded"]
)
def test_a_long_life_leaves_nothing_behind(scheduler: Callable[[], Scheduler]) -> None:
    history = History(recording=True, limit=10)
    broker = Broker(scheduler(), history=history, clock=lambda: 1e9)
    other = Wire(broker).opened(1, 2)
    sizes = []
    for number in range(1, 61):
        _live(broker, other, number)
        if number in (20, 60):
            while broker.waiting:
                broker.run(idle=True)
            gc.collect()
            sizes.append(_reachable((broker, other.session)))
    grown = {kind: (sizes[0][kind], n) for kind, n in sizes[1].items() if n > sizes[0][kind] + 50}
    assert not grown, "objects that there are more and more of: before, after"
    assert not history.check.complaints
    assert broker.memory.used == 0


def _pass_through(wire: Wire) -> None:
    """Send 120 messages through each of 500 queues, on a channel of its own, and close it all."""

    def say(channel: int, *frames: frame.FrameTypes) -> bytes:
        wire.session.receive(encode(channel, *frames))
        wire.broker.run(idle=True)
        return wire.session.take_output()

    for channel in range(1, 501):
        name = f"queue-{channel}"
        say(channel, commands.Queue.Declare(queue=name, arguments={"x-expires": _LONG}))
        say(channel, commands.Confirm.Select())
        say(channel, *120 * content(name, persistent=channel % 2 == 0))
    for channel in range(1, 501):
        name = f"queue-{channel}"
        consume = commands.Basic.Consume(queue=name, no_ack=channel % 3 == 0)
        assert say(channel, consume).count(b"hello") == 120
        if channel % 3:
            say(channel, commands.Basic.Ack(0, True))
        say(channel, commands.Queue.Delete(queue=name))
        say(channel, commands.Channel.Close(200, "", 0, 0))
    wire.session.connection_lost()
    wire.commit()


def test_sixty_thousand_messages_on_five_hundred_channels_leave_nothing_behind() -> None:
    broker = Broker(clock=lambda: 1e9)
    fresh = _reachable(broker)
    _pass_through(Wire(broker).opened(*range(1, 501)))
    gc.collect()
    assert broker.memory.used == 0
    grown = _reachable(broker) - fresh
    assert sum(grown.values()) < 500, grown


def test_connections_leave_nothing_behind_however_they_end() -> None:
    with RunningBroker() as broker:

        def timers() -> int:
            return sum(not timer.cancelled() for timer in broker._loop._scheduled)  # type: ignore[attr-defined]

        before = broker.ask(lambda _: timers())
        for number in range(60):
            client = Bare(broker.port)
            if number % 6 > 1:
                client.opened(heartbeat=number % 2)
            if number % 6 == 2:
                client.send(encode(0, commands.Connection.Close(200, "", 0, 0)))
                assert client.line() == "0 Connection.CloseOk"
            elif number % 6 == 3:
                client.send(encode(1, *content("nowhere", mandatory=True)))
            elif number % 6 == 4:
                client.send(b"no frame at all")
            elif number % 6 == 1:
                client.send(b"HTTP/1.1 GET /")
            client.close()
        server = broker._node._server
        eventually(lambda: not server.sessions)
        left = (server._opened, server._clogged, server._speaking, server._connections)
        assert not any(broker.ask(lambda _: [len(table) for table in left]))
        assert broker.ask(lambda _: timers()) == before


def members(broker: Broker) -> list[int]:
    """Return how many members each family of the broker's system has, and how many are known."""
    system = broker.system
    families = (system.channels, system.transactions, system.casts, system.replicas)
    known = (broker.steps.context.channels, system.trimmed, system.enlisted, system.unsynced)
    return [len(one) for one in (*families, *known)]


@pytest.mark.parametrize("seed", [None, 0, 1, 2, 3])
@pytest.mark.parametrize("ending", ["lost", "closed", "deleted"])
def test_no_member_of_the_system_outlives_what_it_stands_for(seed: int | None, ending: str) -> None:
    broker = Broker(None if seed is None else Seeded(seed, commits=False))
    before = members(broker)
    for _ in range(10):
        wire = Wire(broker).opened(1, 2).confirming()
        wire.say(1, commands.Queue.Declare(queue="q", durable=True, auto_delete=True))
        wire.commit()
        wire.say(2, commands.Basic.Consume(queue="q", consumer_tag="c", no_ack=True))
        wire.publish(1, "q")
        if ending == "closed":
            wire.say(0, commands.Connection.Close(200, "", 0, 0))
        elif ending == "deleted":
            wire.say(2, commands.Queue.Delete(queue="q", nowait=True))
        wire.session.connection_lost()
        for _ in range(9):
            wire.commit()
    assert members(broker) == before


def test_a_process_that_is_dead_keeps_nothing_of_what_it_had() -> None:
    broker = Broker(replicas=3)
    wire = Wire(broker).opened().with_queue("q").confirming()
    wire.publish(1, "q", b"x" * 10_000)
    wire.commit()
    broker.faults.kill_replica("q", 0)
    wire.commit()
    wire.say(1, commands.Queue.Purge(queue="q"))
    wire.commit()
    gc.collect()
    assert broker.memory.used == 0


def test_what_waits_for_an_ack_of_a_queue_that_is_gone_has_no_content() -> None:
    broker = Broker()
    wire = Wire(broker).opened().with_queue("q")
    wire.publish(1, "q", b"x" * 10_000)
    wire.say(1, commands.Basic.Get(queue="q"))
    wire.say(1, commands.Queue.Delete(queue="q"))
    wire.commit()
    gc.collect()
    assert broker.memory.used == 0
