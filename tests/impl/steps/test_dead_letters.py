"""Dead letters: why, where to, and what their headers say, as RabbitMQ 3.10.8 writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.history.history import History
from ackproof.impl.machines.publication import content_of
from ackproof.impl.storage.disk import Disk
from ackproof.impl.wire.content import Message
from ackproof.impl.wire.encoded_fields import split_properties
from ackproof.impl.wire.tables import Table
from pamqp import commands, frame

from tests.impl.clients import content
from tests.impl.steps.test_expiry import Clock, TimedWire

NOW = 1_000_000


class Dying(TimedWire):
    """A client with a queue q whose dead letters go through an exchange, and queues behind it."""

    def __init__(self, **arguments: object) -> None:
        super().__init__()
        self.opened()
        self.say(1, commands.Exchange.Declare(exchange="dlx", exchange_type="direct"))
        for key in ("q", "cc", "bcc", "k"):
            queue = f"dead.{key}"
            self.say(1, commands.Queue.Declare(queue=queue))
            self.say(1, commands.Queue.Bind(queue=queue, exchange="dlx", routing_key=key))
        self.declare("q", dead_letter_exchange="dlx", **arguments)

    def put(self, text: str = "a", **properties: Any) -> list[str]:
        """Publish a message with properties."""
        frames = content("q", text.encode())
        for name, value in properties.items():
            setattr(frames[1].properties, name, value)  # type: ignore[union-attr]
        return self.say(1, *frames)

    def reject(self) -> None:
        """Get a message and reject it for good."""
        (answer,) = self.get("q")
        self.nack(int(answer.split()[2]), requeue=False)

    def dead(self, key: str = "q") -> list[Message]:
        """Return the dead letters that went to a queue."""
        return [content_of(msg) for msg in self.broker.queues[f"dead.{key}"].ready()]

    def headers(self, key: str = "q") -> Table:
        """Return the headers of the only dead letter in a queue."""
        (message,) = self.dead(key)
        return message.headers


def death(reason: str, queue: str = "q", count: int = 1, **more: object) -> dict[str, object]:
    """Return what x-death has for one kind of death."""
    return {
        "count": count,
        "reason": reason,
        "queue": queue,
        "time": NOW,
        "exchange": "",
        "routing-keys": [queue],
        **more,
    }


def first(reason: str) -> dict[str, str]:
    """Return the headers that say how it began."""
    return {
        "x-first-death-exchange": "",
        "x-first-death-queue": "q",
        "x-first-death-reason": reason,
    }


# -- what becomes a dead letter -------------------------------------------------------------------


def test_what_is_rejected_for_good_becomes_a_dead_letter() -> None:
    wire = Dying()
    wire.put(headers={"n": 5})
    wire.reject()
    assert wire.headers() == {"n": 5, "x-death": [death("rejected")], **first("rejected")}
    (message,) = wire.dead()
    assert (message.exchange, message.routing_keys, message.body) == ("dlx", ("q",), b"a")
    assert message.persistent
    assert wire.ready("q") == 0


def test_what_expires_becomes_a_dead_letter_that_does_not() -> None:
    wire = Dying()
    wire.put(expiration="0", content_type="t")
    assert wire.headers() == {
        "x-death": [death("expired", **{"original-expiration": "0"})],
        **first("expired"),
    }
    assert "expiration" not in split_properties(wire.dead()[0].properties)
    wire.later(60)
    (answer,) = wire.get("dead.q")
    assert answer == "1 get-ok 1 a +0"


def test_what_a_full_queue_drops_becomes_a_dead_letter() -> None:
    wire = Dying(max_length=1)
    wire.put("a")
    wire.put("b")
    assert wire.headers() == {"x-death": [death("maxlen")], **first("maxlen")}
    assert wire.dead()[0].body == b"a"


@pytest.mark.parametrize(("overflow", "dead"), [("-dlx", [b"b"]), ("", [])])
def test_what_is_refused_becomes_a_dead_letter_if_so_declared(
    overflow: str, dead: list[bytes]
) -> None:
    wire = Dying(max_length=1, overflow=f"reject-publish{overflow}")
    wire.confirming()
    wire.put("a")
    assert wire.put("b") == ["1 nack 2"]
    assert [message.body for message in wire.dead()] == dead


def test_what_is_acknowledged_or_purged_or_deleted_does_not() -> None:
    wire = Dying()
    wire.put()
    wire.get("q")
    wire.ack(1)
    wire.put()
    wire.get("q", no_ack=True)
    wire.put()
    wire.say(1, commands.Queue.Purge(queue="q"))
    wire.put()
    wire.say(1, commands.Queue.Delete(queue="q"))
    assert not wire.dead()


def test_what_comes_back_does_not() -> None:
    wire = Dying()
    wire.put()
    wire.get("q")
    wire.nack(1)
    assert not wire.dead()


def test_what_is_rejected_in_a_transaction_becomes_one_at_its_commit() -> None:
    wire = Dying()
    wire.put()
    wire.say(1, commands.Tx.Select())
    wire.reject()
    assert not wire.dead()
    wire.say(1, commands.Tx.Rollback())
    wire.say(1, commands.Tx.Commit())
    assert not wire.dead()
    wire.nack(1, requeue=False)
    wire.say(1, commands.Tx.Commit())
    assert wire.headers()["x-death"] == [death("rejected")]


def test_what_is_acknowledged_after_a_rollback_does_not() -> None:
    wire = Dying()
    wire.put()
    wire.say(1, commands.Tx.Select())
    wire.reject()
    wire.say(1, commands.Tx.Rollback())
    wire.ack(1)
    wire.say(1, commands.Tx.Commit())
    assert not wire.dead()


def test_several_that_are_rejected_keep_their_order() -> None:
    wire = Dying()
    for text in "abc":
        wire.put(text)
        wire.get("q")
    wire.nack(0, multiple=True, requeue=False)
    assert [message.body for message in wire.dead()] == [b"a", b"b", b"c"]


# -- where it goes --------------------------------------------------------------------------------


def test_without_a_routing_key_it_goes_where_it_was_sent_and_the_copies_too() -> None:
    wire = Dying()
    wire.put(headers={"CC": ["cc"], "BCC": ["bcc"]})
    wire.reject()
    for key in ("q", "cc", "bcc"):
        assert wire.headers(key) == {
            "CC": ["cc"],
            "x-death": [{**death("rejected"), "routing-keys": ["q", "cc"]}],
            **first("rejected"),
        }


def test_blind_copies_are_remembered_on_the_disk(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = TimedWire().opened()
    wire.say(1, commands.Queue.Declare(queue="q", durable=True, nowait=True))
    wire.say(1, *content("q", headers={"BCC": ["bcc"]}))
    while wire.broker.journal.pending:
        batch = wire.broker.journal.take()
        disk.commit(batch)
        wire.broker.committed(batch)
        wire.hear()
    (found,) = disk.recover().queues[0].messages
    disk.close()
    assert content_of(found.msg).routing_keys == ("q", "bcc")


def test_with_a_routing_key_it_goes_there_and_nowhere_else() -> None:
    wire = Dying(dead_letter_routing_key="k")
    wire.put(headers={"CC": ["cc"], "BCC": ["bcc"]})
    wire.reject()
    assert wire.headers("k") == {
        "x-death": [{**death("rejected"), "routing-keys": ["q", "cc"]}],
        **first("rejected"),
    }
    assert wire.dead("k")[0].routing_keys == ("k",)
    assert not wire.dead("cc")
    assert not wire.dead("bcc")


def test_an_exchange_that_is_not_there_takes_nothing() -> None:
    wire = Dying()
    wire.say(1, commands.Exchange.Delete(exchange="dlx"))
    wire.put()
    wire.reject()
    assert wire.ready("q") == 0
    assert not wire.dead()


def test_an_internal_exchange_takes_dead_letters() -> None:
    wire = Dying()
    wire.say(1, commands.Exchange.Declare(exchange="in", exchange_type="fanout", internal=True))
    wire.say(1, commands.Queue.Bind(queue="dead.k", exchange="in"))
    wire.declare("p", dead_letter_exchange="in", message_ttl=0)
    wire.send("a", queue="p")
    assert len(wire.dead("k")) == 1


# -- more than one death --------------------------------------------------------------------------


def test_each_queue_and_reason_is_counted_and_the_latest_comes_first() -> None:
    wire = Dying()
    wire.declare("b", dead_letter_exchange="", dead_letter_routing_key="a")
    wire.declare("a", dead_letter_exchange="", dead_letter_routing_key="b", message_ttl=0)
    wire.send("x", queue="a")
    for number in (1, 2):
        wire.get("b")
        wire.nack(number, requeue=False)
    message = content_of(wire.broker.queues["b"].ready()[0])
    assert message.headers["x-death"] == [
        death("expired", "a", 3),
        death("rejected", "b", 2),
    ]


def test_what_goes_round_by_itself_is_stopped() -> None:
    wire = Dying()
    wire.declare("c", dead_letter_exchange="", dead_letter_routing_key="d", message_ttl=0)
    wire.declare("d", dead_letter_exchange="", dead_letter_routing_key="c", message_ttl=0)
    wire.send("x", queue="c")
    assert not wire.ready("c")
    assert not wire.ready("d")


def test_the_other_queues_of_a_message_that_goes_round_get_it() -> None:
    wire = Dying()
    wire.say(1, commands.Exchange.Declare(exchange="f", exchange_type="fanout"))
    wire.declare("c", dead_letter_exchange="f", message_ttl=0)
    for queue in ("c", "dead.k"):
        wire.say(1, commands.Queue.Bind(queue=queue, exchange="f"))
    wire.send("x", queue="c")
    assert not wire.ready("c")
    assert len(wire.dead("k")) == 1


@pytest.mark.parametrize(("between", "arrives"), [([], False), ([5], True)])
def test_what_a_client_wrote_into_the_list_is_no_circle(
    between: list[object], arrives: bool
) -> None:
    wire = Dying()
    wire.declare("c", dead_letter_exchange="", dead_letter_routing_key="d", message_ttl=0)
    wire.declare("d")
    deaths = [*between, {"queue": "d", "reason": "expired"}]
    wire.say(1, *content("c", headers={"x-death": deaths}))
    assert wire.ready("d") == arrives


def test_a_header_that_is_no_list_of_deaths_is_replaced() -> None:
    wire = Dying()
    wire.put(headers={"x-death": "hello"})
    wire.reject()
    assert wire.headers() == {"x-death": [death("rejected")]}


@pytest.mark.parametrize(
    ("before", "after"), [(2**63 - 1, 2**63 - 1), (-5, -4), ("many", 1), (None, 1)]
)
def test_a_count_that_a_client_wrote_is_counted_on(before: object, after: int) -> None:
    wire = Dying()
    wire.put(headers={"x-death": [{"queue": "q", "reason": "rejected", "count": before}]})
    wire.reject()
    (one,) = wire.headers()["x-death"]
    assert one["count"] == after


def _uncounted(queue: str, reason: str = "expired") -> dict[str, object]:
    return {"queue": queue, "reason": reason}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([_uncounted("a")], [("q", 1), ("a", None)]),
        ([_uncounted("a"), _uncounted("a")], [("q", 1), ("a", 2)]),
        (
            [_uncounted("a"), _uncounted("b"), _uncounted("a"), _uncounted("c")],
            [("q", 1), ("c", 1), ("b", 1), ("a", 2)],
        ),
        (
            [_uncounted("q", "rejected"), _uncounted("b"), _uncounted("q", "rejected")],
            [("q", 3), ("b", 1)],
        ),
        (
            [{**_uncounted("a"), "count": 3}, {**_uncounted("a"), "count": 4}, _uncounted("b")],
            [("q", 1), ("b", 1), ("a", 3)],
        ),
        ([_uncounted("a"), {**_uncounted("a"), "count": 4}], [("q", 1), ("a", 2)]),
    ],
)
def test_deaths_that_nobody_counted_are_counted(
    before: list[dict[str, object]], after: list[tuple[str, int | None]]
) -> None:
    """Expectations are those of RabbitMQ 3.10.8, which was asked."""
    wire = Dying()
    wire.put(headers={"x-death": before})
    wire.reject()
    deaths = wire.headers()["x-death"]
    assert [(one["queue"], one.get("count")) for one in deaths] == after


def test_what_is_no_death_in_the_list_is_kept() -> None:
    wire = Dying()
    wire.put(headers={"x-death": [5, {"queue": "z"}]})
    wire.reject()
    assert wire.headers() == {"x-death": [death("rejected"), 5, {"queue": "z"}]}


# -- bytes ----------------------------------------------------------------------------------------


def test_what_is_not_changed_stays_as_it_was_to_the_byte() -> None:
    wire = Dying()
    table = b"\x01aI\x00\x00\x00\x05\x01bF\x00\x00\x00\x03\x01cV\x01dD\x02\x00\x00\x00\x07"
    properties = b"\x03t/p" + len(table).to_bytes(4, "big") + table + b"\x02\x07"
    header = b"\x00\x3c\x00\x00" + (1).to_bytes(8, "big") + b"\xb8\x00" + properties
    publish, _, body = content("q", b"a")
    wire.receive(
        frame.marshal(publish, 1)
        + b"\x02\x00\x01"
        + len(header).to_bytes(4, "big")
        + header
        + b"\xce"
        + frame.marshal(body, 1)
    )
    wire.reject()
    (message,) = wire.dead()
    assert message.properties.startswith(header[:14] + b"\x03t/p")
    assert message.properties.endswith(b"\x02\x07")
    for field in (table[:7], table[7:17], table[17:]):
        assert field in message.properties


def test_counts_are_long_integers_and_times_are_timestamps() -> None:
    wire = Dying()
    wire.put()
    wire.reject()
    (message,) = wire.dead()
    assert b"\x05countl\0\0\0\0\0\0\0\x01" in message.properties
    assert b"\x04timeT" + (1_000_000).to_bytes(8, "big") in message.properties


# -- around it ------------------------------------------------------------------------------------


def test_a_dead_letter_is_confirmed_to_nobody_and_the_original_at_once() -> None:
    wire = Dying()
    wire.confirming()
    assert wire.put(expiration="0") == ["1 ack 1"]
    assert wire.commit() == []


def test_the_history_says_what_became_a_dead_letter() -> None:
    history = History(recording=True)
    wire = TimedWire(Broker(history=history, clock=Clock()))
    wire.opened()
    wire.declare("q", dead_letter_exchange="dlx", message_ttl=0)
    wire.send("a")
    (entry,) = history.of("dead_lettered")
    assert (entry.facts["cause"], entry.facts["queue"]) == ("expired", "q")
