"""Dead letters that stay in their queue for ever, on real RabbitMQs (G-E3).

    python bench/dead_letters.py
    python bench/dead_letters.py build/rabbitmq/trixie build/rabbitmq/sid

A quorum queue that dead-letters at least once passes a message on to two queues.  One takes it,
and the other refuses it.  Then the other goes away: it is deleted, or its binding is.  All queues
that are left have the message, and its own queue keeps it nevertheless.  When it keeps as many as
its worker takes at a time, nothing that dies in it is passed on any more.

The control is the same with an answer of the first queue missing, since it is bound later.

The installed RabbitMQ is asked first, then those in the root directories that are given, which
`bench/rabbitmq/make-root` makes.  A worker that has no answer tries again after three minutes; here
after half a second.  Exit code 0: every release does so, 1: some do not, 2: wrong arguments.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pika
import typer

# A script finds modules beside itself; these are found from the project's root, as in the tests.
if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench.process import Failed, Missing
from bench.rabbitmq.node import Node
from bench.rabbitmq.site import LOOPBACK, site, version

#: After how many milliseconds the worker tries again.
RETRY_MS = 500
#: Seconds after which it has tried ten times, and a quorum queue has told how many messages it has,
#: as it does every five seconds.
TEN_TRIES = 6.0
#: How many dead messages the worker takes at a time, by default.
AT_A_TIME = 32


@dataclass(frozen=True)
class Queues:
    """A queue whose dead go to two others, by an exchange."""

    channel: Any
    node: Node
    name: str

    def declare(self, *, bound: bool = True) -> None:
        """Declare them; the second one refuses everything, the first one may be bound later."""
        self.channel.exchange_declare(self.name, "fanout", durable=True)
        self._declare("taking")
        self._declare("refusing", {"x-max-length": 0, "x-overflow": "reject-publish"})
        self.bind("refusing")
        if bound:
            self.bind("taking")
        arguments = {
            "x-queue-type": "quorum",
            "x-overflow": "reject-publish",
            "x-dead-letter-exchange": self.name,
            "x-dead-letter-strategy": "at-least-once",
        }
        self._declare("source", arguments)

    def _declare(self, part: str, arguments: dict[str, Any] | None = None) -> None:
        self.channel.queue_declare(f"{self.name}.{part}", durable=True, arguments=arguments)

    def bind(self, part: str) -> None:
        """Bind one of them to the exchange."""
        self.channel.queue_bind(f"{self.name}.{part}", self.name)

    def unbind(self) -> None:
        """Take the binding of the one that refuses."""
        self.channel.queue_unbind(f"{self.name}.refusing", self.name)

    def delete(self) -> None:
        """Delete the one that refuses."""
        self.channel.queue_delete(f"{self.name}.refusing")

    def publish(self, count: int) -> None:
        """Publish messages that expire, and wait until they may have been passed on."""
        properties = pika.BasicProperties(delivery_mode=2, expiration="1")
        for _ in range(count):
            self.channel.basic_publish("", f"{self.name}.source", b"", properties)
        time.sleep(TEN_TRIES)

    def counts(self) -> tuple[int, int]:
        """Return how many messages the source has, and how many the one that takes them."""
        rows = {r["name"]: r["messages"] for r in self.node.table("queues", "name", "messages")}
        return rows[f"{self.name}.source"], rows[f"{self.name}.taking"]


def after(queues: Queues, change: Callable[[], None], messages: int = 1) -> tuple[int, int]:
    """Return the counts when messages were passed on, and ten tries after something has changed."""
    queues.declare()
    queues.publish(messages)
    change()
    time.sleep(TEN_TRIES)
    return queues.counts()


def on_release(root: Path | None) -> bool:
    """Do all on one release, and tell whether dead letters stay in their queue."""
    with site(root) as here, Node(here, "r1") as node:
        node.start()
        node.ready()
        variable = "dead_letter_worker_publisher_confirm_timeout"
        node.eval(f"application:set_env(rabbit, {variable}, {RETRY_MS}).")
        where = pika.ConnectionParameters(LOOPBACK, node.port, heartbeat=0)
        with pika.BlockingConnection(where) as connection:
            channel = connection.channel()
            channel.confirm_delivery()

            def named(name: str) -> Queues:
                return Queues(channel, node, name)

            deleted = named("deleted")
            unbound = named("unbound")
            many = named("many")
            seen = {
                "deleted": after(deleted, deleted.delete),
                "unbound": after(unbound, unbound.unbind),
                "all of them": after(many, many.delete, AT_A_TIME),
            }
            many.publish(1)
            seen["one more"] = many.counts()
            control = named("control")
            control.declare(bound=False)
            control.publish(1)
            control.bind("taking")
            control.delete()
            time.sleep(TEN_TRIES)
            seen["control"] = control.counts()
    print(f"RabbitMQ {version(root)}: messages in the source, and in the queue that takes them")
    for what, (kept, taken) in seen.items():
        print(f"  {what:<12} {kept:>3} {taken:>3}")
    stuck = {
        "deleted": (1, 1),
        "unbound": (1, 1),
        "all of them": (AT_A_TIME, AT_A_TIME),
        "one more": (AT_A_TIME + 1, AT_A_TIME),
        "control": (0, 1),
    }
    return seen == stuck


def main(
    roots: Annotated[
        list[Path] | None, typer.Argument(help="Root directories of other releases.")
    ] = None,
) -> None:
    """Show dead letters that stay in their queue, on real RabbitMQs."""
    try:
        found = [on_release(root) for root in (None, *(roots or ()))]
    except (Failed, Missing) as error:
        print(error, file=sys.stderr)
        raise typer.Exit(1) from None
    raise typer.Exit(0 if all(found) else 1)


if __name__ == "__main__":
    typer.run(main)
