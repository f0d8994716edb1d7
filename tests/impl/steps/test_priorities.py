"""Queues in which messages have priorities."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.storage.disk import Disk
from pamqp import commands

from tests.impl.clients import content
from tests.impl.consumer_wire import ConsumerWire


class Ranked(ConsumerWire):
    """A client of a durable queue q with priorities."""

    def __init__(self, broker: Broker | None = None, *, most: int = 9, **arguments: object) -> None:
        super().__init__(broker)
        self.opened()
        named = {f"x-{name.replace('_', '-')}": value for name, value in arguments.items()}
        named["x-max-priority"] = most
        self.say(1, commands.Queue.Declare(queue="q", durable=True, arguments=named))  # type: ignore[arg-type]

    def send(self, text: str, priority: int | None = None) -> list[str]:
        """Publish a persistent message."""
        frames = content("q", text.encode())
        frames[1].properties.priority = priority  # type: ignore[union-attr]
        return self.say(1, *frames)

    def contents(self) -> list[str]:
        """Take everything that is ready; return the bodies."""
        found = []
        while (answer := self.get("q", no_ack=True))[0] != "1 Basic.GetEmpty":
            found.append(answer[0].split()[3])
        return found


@pytest.fixture
def wire() -> Ranked:
    """Return a client of a queue with priorities up to 9."""
    wire = Ranked()
    wire.commit()
    return wire


def test_a_higher_priority_comes_first_and_what_is_equal_stays_in_order(wire: Ranked) -> None:
    for text, priority in (("a", 3), ("b", 6), ("c", 3), ("d", 6), ("e", None), ("f", 0)):
        wire.send(text, priority)
    assert wire.contents() == ["b", "d", "a", "c", "e", "f"]


def test_no_priority_is_higher_than_the_highest(wire: Ranked) -> None:
    wire.send("a", 9)
    wire.send("b", 200)
    wire.send("c", 8)
    assert wire.contents() == ["a", "b", "c"]


def test_without_priorities_messages_stay_in_order() -> None:
    wire = Ranked(most=0)
    wire.commit()
    wire.send("a", 1)
    wire.send("b", 2)
    assert wire.contents() == ["a", "b"]


def test_what_comes_back_returns_to_its_place(wire: Ranked) -> None:
    for text, priority in (("a", 3), ("b", 6), ("c", 6)):
        wire.send(text, priority)
    for _ in range(3):
        wire.get("q")
    wire.send("d", 6)
    wire.nack(0, multiple=True)
    assert wire.contents() == ["b", "c", "d", "a"]


def test_a_consumer_gets_the_highest_first(wire: Ranked) -> None:
    wire.send("a", 1)
    wire.send("b", 2)
    assert wire.consume("q", "c")[1:] == ["1 deliver c 1 b", "1 deliver c 2 a"]


def test_confirms_do_not_depend_on_priorities(wire: Ranked) -> None:
    wire.confirming()
    wire.send("a", 1)
    wire.send("b", 2)
    assert wire.commit() == ["1 ack 2*"]


def test_a_crash_changes_no_priority(wire: Ranked) -> None:
    for text, priority in (("a", 3), ("b", 6)):
        wire.send(text, priority)
    wire.commit()
    wire.broker.crash_queue("q")
    wire.hear()
    wire.send("c", 6)
    assert wire.contents() == ["b", "c", "a"]


def test_a_restart_changes_no_priority(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = Ranked(Broker(stored=disk.recover()))
    for text, priority in (("a", 3), ("b", 6)):
        wire.send(text, priority)
    while wire.broker.journal.pending:
        batch = wire.broker.journal.take()
        disk.commit(batch)
        wire.broker.committed(batch)
    again = Ranked(Broker(stored=disk.recover()))
    disk.close()
    again.send("c", 6)
    assert again.contents() == ["b", "c", "a"]


def test_a_full_queue_drops_its_head_which_has_the_highest_priority() -> None:
    wire = Ranked(most=5, max_length=3)
    wire.commit()
    for text, priority in (("a", 3), ("b", 1), ("c", 1), ("d", 5), ("e", 9), ("f", 0)):
        wire.send(text, priority)
    assert wire.contents() == ["b", "c", "f"]


def test_a_purge_takes_all_priorities(wire: Ranked) -> None:
    wire.send("a", 1)
    wire.send("b", 2)
    wire.say(1, commands.Queue.Purge(queue="q"))
    assert wire.ready("q") == 0
