"""Virtual hosts: a name means something else in each."""

from __future__ import annotations

from ackproof.impl.broker import Broker
from ackproof.impl.machines.publication import content_of
from pamqp import commands

from tests.impl.clients import HEADER, Wire, content


def opened(broker: Broker, vhost: str) -> Wire:
    """Return a session in a virtual host, with channel 1 open."""
    wire = Wire(broker)
    wire.receive(HEADER)
    wire.say(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US"))
    wire.say(0, commands.Connection.TuneOk(2047, 131072, 0))
    assert wire.say(0, commands.Connection.Open(virtual_host=vhost)) == ["0 Connection.OpenOk"]
    assert wire.say(1, commands.Channel.Open()) == ["1 Channel.OpenOk"]
    return wire


def test_a_virtual_host_that_is_not_there_cannot_be_opened() -> None:
    wire = Wire()
    wire.receive(HEADER)
    wire.say(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US"))
    wire.say(0, commands.Connection.TuneOk(2047, 131072, 0))
    assert wire.say(0, commands.Connection.Open(virtual_host="other")) == [
        "0 Connection.Close 530 NOT_ALLOWED - vhost other not found"
    ]


def test_queues_of_one_name_in_two_virtual_hosts_are_two_queues() -> None:
    broker = Broker(vhosts=["other"])
    here, there = opened(broker, "/"), opened(broker, "other")
    for wire in (here, there):
        wire.say(1, commands.Queue.Declare(queue="q"))
        wire.say(1, commands.Queue.Bind(queue="q", exchange="amq.direct", routing_key="k"))
    here.say(1, *content("k", exchange="amq.direct"))
    there.say(1, *content("q"))
    there.say(1, *content("k", exchange="amq.direct"))
    assert len(broker.vhosts["/"].queues["q"].machine.ready) == 1
    assert len(broker.vhosts["other"].queues["q"].machine.ready) == 2


def test_a_queue_that_goes_with_its_connection_goes_in_its_own_virtual_host() -> None:
    broker = Broker(vhosts=["other"])
    here, there = opened(broker, "/"), opened(broker, "other")
    here.say(1, commands.Queue.Declare(queue="q"))
    there.say(1, commands.Queue.Declare(queue="q", exclusive=True))
    there.session.connection_lost()
    assert "q" in broker.vhosts["/"].queues
    assert not broker.vhosts["other"].queues


def test_refusals_name_the_virtual_host() -> None:
    wire = opened(Broker(vhosts=["other"]), "other")
    assert wire.say(1, commands.Queue.Purge(queue="q")) == [
        "1 Channel.Close 404 NOT_FOUND - no queue 'q' in vhost 'other'"
    ]


def test_the_broker_can_route_what_it_sends_itself() -> None:
    broker = Broker()
    wire = opened(broker, "/")
    wire.say(1, commands.Exchange.Declare(exchange="x", exchange_type="fanout", internal=True))
    wire.say(1, commands.Queue.Declare(queue="q"))
    wire.say(1, commands.Queue.Bind(queue="q", exchange="x"))
    wire.publish(1, "q")
    message = content_of(broker.queues["q"].ready()[0])
    vhost = broker.vhosts["/"]
    assert vhost.route("x", message) == [broker.queues["q"]]
    assert vhost.route("nosuch", message) == []
