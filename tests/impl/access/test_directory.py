"""Who may come in and do what: users, permissions, virtual hosts, and what is kept of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.impl.access.directory import User
from ackproof.impl.access.passwords import Password
from ackproof.impl.access.permissions import Access, Permissions
from ackproof.impl.broker import Broker
from ackproof.impl.errors import SoftError
from ackproof.impl.storage.disk import Disk
from pamqp import commands

from tests.impl.clients import HEADER, Wire, content


def entered(broker: Broker, vhost: str, user: str = "guest", password: str = "guest") -> Wire:
    """Return a session of a user in a virtual host, with channel 1 open."""
    wire = Wire(broker)
    wire.receive(HEADER)
    wire.say(0, commands.Connection.StartOk({}, "PLAIN", f"\0{user}\0{password}", "en_US"))
    wire.say(0, commands.Connection.TuneOk(2047, 131072, 0))
    assert wire.say(0, commands.Connection.Open(vhost)) == ["0 Connection.OpenOk"]
    assert wire.say(1, commands.Channel.Open()) == ["1 Channel.OpenOk"]
    return wire


def inhabited() -> Broker:
    """Return a broker with a virtual host `v`, and a user `u` who may do everything there."""
    broker = Broker()
    broker.declare_vhost("v", "for tests", ["a"])
    broker.directory.put(User.of("u", "p"))
    broker.directory.grant("v", "u", Permissions())
    broker.directory.grant("v", "guest", Permissions())
    return broker


def committed(broker: Broker, disk: Disk) -> None:
    """Let the disk do its work."""
    while broker.journal.pending:
        batch = broker.journal.take()
        disk.commit(batch)
        broker.committed(batch)


def test_a_password_is_recognised_and_not_shown() -> None:
    password = Password.of("sesame")
    assert password.fits("sesame")
    assert not password.fits("Sesame")
    assert Password.of("sesame") != password, "the salt is drawn"


def test_a_hash_that_rabbitmq_made_is_recognised() -> None:
    # Made by RabbitMQ 3.10.8 of the password p.
    assert Password("5GSA8VbdQjnf9WUGniaj84sc7C/ypOpXu/L3YKveTaYAG4mO").fits("p")


@pytest.mark.parametrize(
    ("expression", "name", "fits"),
    [("^a", "ab", True), ("b", "ab", True), ("^b", "ab", False), ("", "", False), ("", "a", False)],
)
def test_an_expression_is_searched_for_and_an_empty_one_fits_nothing(
    expression: str, name: str, fits: bool
) -> None:
    access = Access("v", "u", Permissions(read=expression))
    if fits:
        access.check_read("queue", name)
        return
    with pytest.raises(SoftError, match=f"access to queue '{name}' in vhost 'v' refused for user"):
        access.check_read("queue", name)


def test_an_expression_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"write is '\(', which is no regular expression"):
        Permissions(write="(")


def test_permissions_change_for_those_who_are_connected() -> None:
    broker = inhabited()
    wire = entered(broker, "v", "u", "p")
    assert wire.publish(1, "none") == []
    broker.directory.grant("v", "u", Permissions(write="^x$"))
    refused = "1 Channel.Close 403 ACCESS_REFUSED - access to exchange 'amq.default' in vhost 'v' "
    assert wire.publish(1, "none") == [refused + "refused for user 'u'"]


def test_a_user_who_is_deleted_loses_connections_and_permissions() -> None:
    broker = inhabited()
    wire, other = entered(broker, "v", "u", "p"), entered(broker, "v")
    broker.delete_user("u")
    why = "0 Connection.Close 320 CONNECTION_FORCED - user 'u' is deleted"
    assert wire.hear() == [why]
    assert other.hear() == []
    assert not broker.directory.may_open("v", "u")
    with pytest.raises(LookupError, match="there is no user 'u'"):
        broker.delete_user("u")


def test_a_virtual_host_that_is_deleted_takes_connections_and_queues_along(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    broker = inhabited()
    wire, other = entered(broker, "v"), entered(broker, "/")
    for one in (wire, other):
        one.say(1, commands.Queue.Declare(queue="q", durable=True, nowait=True))
        exchange = commands.Exchange.Declare(exchange="x", exchange_type="fanout", durable=True)
        one.say(1, exchange)
    committed(broker, disk)
    for one in (wire, other):
        one.say(1, commands.Queue.Bind(queue="q", exchange="amq.topic", nowait=True))
        committed(broker, disk)
        one.say(1, *content("q"))
    wire.hear()
    committed(broker, disk)
    broker.delete_vhost("v")
    why = "0 Connection.Close 320 CONNECTION_FORCED - vhost 'v' is down"
    assert wire.hear() == [why]
    assert other.hear() == []
    committed(broker, disk)
    disk.close()
    stored = Disk(tmp_path).recover()
    assert [(queue.vhost, len(queue.messages)) for queue in stored.queues] == [("/", 1)]
    assert {one.vhost for one in [*stored.exchanges, *stored.bindings]} == {"/"}
    assert set(Broker(stored=stored).vhosts) == {"/"}
    assert not broker.history.check.complaints


def test_a_virtual_host_made_again_has_nothing_of_the_one_before() -> None:
    broker = inhabited()
    entered(broker, "v").say(1, commands.Queue.Declare(queue="q"))
    broker.delete_vhost("v")
    assert broker.declare_vhost("v")
    assert broker.vhosts["v"].queues == {}
    assert not broker.directory.may_open("v", "guest")


def test_the_default_virtual_host_stays() -> None:
    with pytest.raises(ValueError, match="the virtual host / is always there"):
        Broker().delete_vhost("/")
    with pytest.raises(LookupError, match="there is no virtual host 'v'"):
        Broker().delete_vhost("v")


def test_all_of_it_is_found_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    broker = inhabited()
    broker.directory.delete("guest")
    committed(broker, disk)
    disk.close()
    again = Broker(stored=Disk(tmp_path).recover())
    host = again.vhosts["v"]
    assert (host.description, host.tags) == ("for tests", ("a",))
    assert again.directory.users == broker.directory.users
    assert again.directory.permissions == [("v", "u", Permissions())]


def test_what_is_as_at_the_start_is_not_kept(tmp_path: Path) -> None:
    broker = Broker(vhosts=["v"])
    assert not broker.journal.pending
    assert broker.directory.may_open("v", "guest")


def test_a_database_of_the_format_before_is_taken_over(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk._db.execute("DROP TABLE record")
    disk._db.execute("PRAGMA user_version = 5")
    disk.close()
    again = Disk(tmp_path)
    assert again.recover().records == []
    committed(inhabited(), again)
    assert Broker(stored=again.recover()).directory.may_open("v", "u")
