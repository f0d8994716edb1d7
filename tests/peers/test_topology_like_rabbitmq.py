"""Exchanges and bindings of this broker and of a real RabbitMQ: the same answers, the same ways.

One scenario for each thing that may be refused or forgiven.  Then random ones, in which exchanges
of all types are declared, bound to each other in circles, deleted, and published to: after each
publish both brokers have to agree on whether it was returned, and which queues have it.

Where RabbitMQ is not installed the comparison cannot be made; that is a failure where tests decide
(`CI=true`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from pamqp import base, commands, frame

from tests.exploring import seeds
from tests.impl.clients import content
from tests.impl.topology.test_exchanges import bind, declare
from tests.peers.dialogue import Scenario, Side, of_the_other, of_this_broker

pytestmark = pytest.mark.peer

#: What is said at once: a method, or a method with its content.
Saying = tuple[frame.FrameTypes, ...]


def compared(scenario: Scenario, port: int) -> list[str]:
    """Check that both brokers say the same; return what that was."""
    ours, counts = of_this_broker(scenario)
    assert of_the_other(scenario, port, counts) == ours
    return ours


def saying(sayings: Sequence[Saying]) -> Scenario:
    """Return a scenario of one client; a channel that fails is followed by another one."""

    def scenario(side: Side) -> list[str]:
        client = side.open(1)
        channel = 1
        told: list[str] = []
        for number, frames in enumerate(sayings):
            lines = client.say(channel, *frames)
            told += [f"{number}: {line.split(' ', 1)[1]}" for line in lines]
            if any("Connection.Close" in line for line in lines):
                break
            if any("Channel.Close " in line for line in lines):
                channel += 1
                client.say(channel, commands.Channel.Open())
        return told

    return scenario


# -- one thing at a time --------------------------------------------------------------------------


def queue(name: str, **arguments: Any) -> commands.Queue.Declare:
    """Return the declaration of an exclusive queue; of arguments, underscores are hyphens."""
    named = {key.replace("_", "-"): value for key, value in arguments.items()}
    return commands.Queue.Declare(queue=name, exclusive=True, arguments=named)


def unbind(name: str, exchange: str, key: str = "k") -> commands.Queue.Unbind:
    return commands.Queue.Unbind(queue=name, exchange=exchange, routing_key=key)


def between(destination: str, source: str) -> commands.Exchange.Bind:
    return commands.Exchange.Bind(destination=destination, source=source)


def not_between(destination: str, source: str) -> commands.Exchange.Unbind:
    return commands.Exchange.Unbind(destination=destination, source=source)


def delete(name: str, *, if_unused: bool = False) -> commands.Exchange.Delete:
    return commands.Exchange.Delete(exchange=name, if_unused=if_unused)


def alternate(name: str) -> dict[str, Any]:
    return {"alternate-exchange": name}


def matching(name: str, how: str) -> commands.Queue.Bind:
    """Return a binding to the headers exchange with an x-match."""
    method = bind(name, "amq.headers")
    method.arguments = {"x-match": how}
    return method


CASES: dict[str, list[base.Frame]] = {
    "another type": [declare("e1"), declare("e1", "fanout"), delete("e1")],
    "durable now": [declare("e1"), declare("e1", durable=True), delete("e1")],
    "auto-delete now": [declare("e1"), declare("e1", auto_delete=True), delete("e1")],
    "internal now": [declare("e1"), declare("e1", internal=True), delete("e1")],
    "an alternate now": [declare("e1"), declare("e1", arguments=alternate("z")), delete("e1")],
    "no alternate now": [declare("e1", arguments=alternate("z")), declare("e1"), delete("e1")],
    "another alternate": [
        declare("e1", arguments=alternate("z")),
        declare("e1", arguments=alternate("y")),
        delete("e1"),
    ],
    "no such type": [declare("e1", "nosuch")],
    "no type": [declare("e1", "")],
    "reserved names": [declare("amq.e1"), delete("amq.e1"), delete("amq.direct")],
    "reserved names that are there": [
        declare("amq.direct", durable=True),
        declare("amq.direct", "topic", durable=True),
        declare("amq.rabbitmq.trace", "topic", durable=True, internal=True),
    ],
    "the default exchange": [
        declare(""),
        declare("", passive=True),
        delete(""),
        queue("dq"),
        bind("dq", "", "k"),
        unbind("dq", ""),
        between("", "amq.direct"),
        between("amq.direct", ""),
        not_between("amq.direct", ""),
    ],
    "passive": [declare("e1", passive=True), declare("e1"), declare("e1", "no", passive=True)],
    "deleting": [declare("e1"), delete("e1"), delete("e1"), delete("e1", if_unused=True)],
    "in use": [declare("e1"), queue("uq"), bind("uq", "e1"), delete("e1", if_unused=True)],
    "used as destination only": [
        declare("e2"),
        declare("e3"),
        between("e3", "e2"),
        delete("e3", if_unused=True),
    ],
    "missing ends": [
        bind("none", "amq.direct"),
        bind("none", "none"),
        queue("mq"),
        bind("mq", "none"),
        between("amq.direct", "none"),
        between("none", "amq.direct"),
    ],
    "unbinding what is not there": [
        unbind("none", "none"),
        unbind("none", "amq.direct"),
        not_between("none", "amq.direct"),
        not_between("amq.direct", "none"),
        queue("nq"),
        unbind("nq", "amq.direct"),
    ],
    "no queue was declared": [bind("", "amq.direct"), commands.Queue.Delete(queue="")],
    "no name, passive": [queue("pq"), commands.Queue.Declare(queue="", passive=True)],
    "deleting no queue": [commands.Queue.Delete(queue="none"), commands.Queue.Purge(queue="none")],
    "how headers match": [queue("hq"), matching("hq", "all-with-x"), matching("hq", "some")],
    "no exclusive queue now": [queue("xq"), commands.Queue.Declare(queue="xq")],
    "versions of queues": [
        queue("vq1", x_queue_version=1),
        queue("vq2", x_queue_version=2),
        queue("vq2", x_queue_version=1),
        queue("vq2"),
    ],
    "types of queues": [
        queue("tq"),
        queue("tq", x_queue_type="classic"),
        queue("tq", x_queue_type="stream"),
        queue("tc", x_queue_type="classic"),
        queue("tc"),
        queue("tc", x_queue_type="stream"),
    ],
    "arguments of queues": [
        queue("aq", x_expires=0),
        queue("aq", x_expires=-1),
        queue("aq", x_message_ttl=2**40),
        queue("aq", x_dead_letter_routing_key="k"),
        queue("aq", x_max_length="five"),
        queue("aq", x_max_priority=256),
        queue("aq", x_overflow="nosuch"),
        queue("aq", x_queue_mode="nosuch"),
        queue("aq", x_queue_type="nosuch"),
        queue("aq", x_queue_version=3),
        queue("aq", x_single_active_consumer="true"),
        queue("aq", x_delivery_limit=3),
        queue("aq", x_queue_type="quorum"),
        queue("aq", x_queue_type="stream", x_message_ttl=5),
        queue("aq", x_queue_type="quorum", x_max_priority=5),
        queue("aq", x_queue_type="quorum", x_max_length="five"),
        queue("aq", comment="mine"),
        queue("aq", comment="yours"),
        queue("aq", x_queue_mode="lazy"),
        queue("aq", x_queue_type="classic"),
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_each_thing_is_answered_alike(case: str, port: int) -> None:
    compared(saying([(method,) for method in CASES[case]]), port)


# -- everything at random -------------------------------------------------------------------------

QUEUES = ("q0", "q1")
EXCHANGES = ("x0", "x1", "x2", "x3")
TYPES = ("direct", "fanout", "topic", "headers")
PATTERNS = ("", "a", "a.b", "#", "a.#", "*.b", "*")
KEYS = ("", "a", "a.b", "b")
ARGUMENTS: tuple[dict[str, Any], ...] = (
    {},
    {"h": 1},
    {"x-match": "any", "h": 1, "g": "z"},
    {"x-match": "all", "g": "z"},
)
HEADERS: tuple[dict[str, Any], ...] = (
    {},
    {"h": 1},
    {"g": "z"},
    {"h": 1, "g": "z"},
    {"CC": ["a.b"]},
    {"BCC": ["a"]},
)


class Chance:
    """Makes up what a client might say.

    Args:
        seed: the same one makes up the same.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._kinds = (self._bind, self._between, self._unbind, self._not_between, self._delete)

    def sayings(self, count: int) -> list[Saying]:
        """Return a beginning, then this many things said at random, then an end."""
        said: list[Saying] = [(commands.Confirm.Select(),)]
        said += [(queue(name),) for name in QUEUES]
        said += [(self._declare(name),) for name in EXCHANGES]
        for _ in range(count):
            said.append((self._random.choice(self._kinds)(),))
            said.append((self._declare(self._exchange()),))
            said.append((self._bind(),))
            said.append(self._publish())
            said += [(commands.Queue.Purge(queue=name),) for name in QUEUES]
        return said + [(delete(name),) for name in EXCHANGES]

    def _exchange(self) -> str:
        return self._random.choice(EXCHANGES)

    def _declare(self, name: str) -> base.Frame:
        """Declare an exchange; it may be there already, but never as something else."""
        number = EXCHANGES.index(name)
        onward = alternate(EXCHANGES[number - 1]) if number % 2 else {}
        return declare(name, TYPES[number], auto_delete=number > 1, arguments=onward)

    def _binding(self) -> dict[str, Any]:
        return {
            "routing_key": self._random.choice(PATTERNS),
            "arguments": self._random.choice(ARGUMENTS),
        }

    def _bind(self) -> base.Frame:
        name = self._random.choice(QUEUES)
        return commands.Queue.Bind(queue=name, exchange=self._exchange(), **self._binding())

    def _between(self) -> base.Frame:
        source, destination = self._exchange(), self._exchange()
        return commands.Exchange.Bind(source=source, destination=destination, **self._binding())

    def _unbind(self) -> base.Frame:
        name = self._random.choice(QUEUES)
        return commands.Queue.Unbind(queue=name, exchange=self._exchange(), **self._binding())

    def _not_between(self) -> base.Frame:
        source, destination = self._exchange(), self._exchange()
        return commands.Exchange.Unbind(source=source, destination=destination, **self._binding())

    def _delete(self) -> base.Frame:
        return delete(self._exchange(), if_unused=self._random.random() < 0.5)

    def _publish(self) -> Saying:
        return content(
            self._random.choice(KEYS),
            mandatory=True,
            persistent=False,
            exchange=self._exchange(),
            headers=self._random.choice(HEADERS),
        )


@pytest.mark.parametrize("seed", seeds(4))
def test_messages_go_the_same_ways(seed: int, port: int) -> None:
    said = compared(saying(Chance(seed).sayings(25)), port)
    returned = [line for line in said if "return" in line]
    assert 0 < len(returned) < 25, "both happened"
