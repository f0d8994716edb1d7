"""What has happened, in order: one entry for each thing that a test may ask about.

Entries are plain facts: a kind, a number that counts them, and what else is to be said, all of it
fit for JSON.  They are taken down as the steps of the broker are taken and as its channels speak
(`ackproof.impl.steps.observing`), not as bytes go out.  So an ack is in the history when it was
decided, which is before a client can have read it.

=====================  ============================================================================
connection, channel    numbers: of the connection in this broker, of the channel in its connection
seq                    sequence number of a publish; a settled one is named by `tag`, `multiple`
message                id of the message, the same in all queues
queues                 names of the queues it was routed to
stored_by              numbers of those that must have it on the disk before it may be acked
=====================  ============================================================================

A history may be limited.  It then forgets its oldest entries, but nothing that its check has to
know: that is made as the entries come (`ackproof.impl.oracle.checking`).
"""

from __future__ import annotations

import dataclasses
import logging
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from ackproof.impl.oracle.checking import Check
from ackproof.spec.wire import Ack, Nack, Return, SelectOk

if TYPE_CHECKING:
    from ackproof.impl.machines.consuming import ConsumingChannel
    from ackproof.impl.machines.hosted import HostedQueue
    from ackproof.impl.machines.publishing import PublishingChannel
    from ackproof.impl.machines.subscriptions import HostedConsumer
    from ackproof.impl.storage.journal import Batch
    from ackproof.spec.lang import Event

__all__ = ["Entry", "History"]

_LOG = logging.getLogger("ackproof.history")

#: Kinds of what a channel says, where the class of the event does not name it well.
_SAID: dict[type, str] = {Ack: "ack", Nack: "nack", Return: "return", SelectOk: "confirm_mode"}
#: Steps that are about a message in a queue: what they are called with, and what they are here.
_OF_MESSAGES = {
    "drop": "dropped",
    "acknowledge": "acknowledged",
    "requeue": "requeued",
}
#: Steps that are about a queue.
_OF_QUEUES = {
    "crash_queue": "queue_crashed",
    "restart": "queue_restarted",
    "delete_queue": "queue_deleted",
    "delete_mirror": "replica_deleted",
    "lose_node": "replica_lost",
    "promote": "replica_promoted",
    "synchronise": "replica_synchronised",
}
#: Steps that are about a consumer.
_OF_CONSUMERS = {"consume": "consumer_started", "cancel": "consumer_cancelled"}
#: Steps that hand a message to a consumer.
_HANDING = ("hand_out", "hand_on")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened.

    Attributes:
        number: counts the entries, from 1.
        kind: what happened.
        facts: to whom, and what else there is to know.
    """

    number: int
    kind: str
    facts: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object."""
        return {"number": self.number, "kind": self.kind, **self.facts}

    def __str__(self) -> str:
        place = [f"{name} {self.facts[name]}" for name in _PLACE if name in self.facts]
        said = [f"{name}={_shown(v)}" for name, v in self.facts.items() if name not in _PLACE]
        where = f"{', '.join(place)}: " if place else ""
        return " ".join([f"{self.number:>5}  {where}{self.kind.replace('_', ' ')}", *said])


_PLACE = ("connection", "channel")


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


class History:
    """What has happened to a broker, as far as it was told to take it down.

    Args:
        recording: take it down; otherwise all that is counted is connections.
        limit: how many entries are kept, the latest; None for all.

    Attributes:
        recording: as above.
        entries: those that are kept.
        check: what is known to be wrong.
    """

    def __init__(self, *, recording: bool = False, limit: int | None = None) -> None:
        self.recording = recording
        self.entries: deque[Entry] = deque(maxlen=limit)
        self.check = Check()
        self._last = 0
        self._connections = 0

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def of(self, *kinds: str) -> list[Entry]:
        """Return the entries of these kinds."""
        return [entry for entry in self.entries if entry.kind in kinds]

    def since(self, number: int, limit: int) -> list[Entry]:
        """Return entries that came after the one of this number, so many at most."""
        first = self._last - len(self.entries)
        start = max(0, number - first)
        return list(islice(self.entries, start, start + limit))

    def next_connection(self) -> int:
        """Return the number of a new connection."""
        self._connections += 1
        return self._connections

    def note(self, kind: str, **facts: Any) -> None:
        """Take down that something has happened."""
        if not self.recording:
            return
        self._last += 1
        entry = Entry(self._last, kind, facts)
        self.entries.append(entry)
        _LOG.debug("%s", entry)
        self.check.take(kind, facts, self._story)

    def _story(self, concerns: Callable[[dict[str, Any]], bool]) -> str:
        """Tell the latest entries that concern a complaint."""
        told = [str(entry) for entry in self.entries if concerns(entry.facts)]
        return "\n".join(told[-_STORY:])

    # -- observing ------------------------------------------------------------------------------

    def before(self, step: str, arguments: tuple[Any, ...]) -> None:
        """Take down what is published before what is said to it."""
        if step == "publish":
            self._published(*arguments)

    def after(self, step: str, arguments: tuple[Any, ...]) -> None:
        """Take down what a step was about."""
        if step == "deliver":
            self._arrived(arguments[1])
        elif step in _OF_QUEUES:
            self.note(_OF_QUEUES[step], **_of_queue(arguments[0]))
        elif step == "close":
            self.note("channel_closed", **_of_channel(arguments[0]))
        elif step in ("master_removes", "master_tells"):
            self._followed(*arguments)
        elif step in _OF_MESSAGES:
            queue, msg = arguments
            self.note(_OF_MESSAGES[step], message=msg, **_of_queue(queue))
        elif step in _HANDING:
            self._handed(step, arguments[0], arguments[-2], arguments[-1])
        elif step == "consumer_acks":
            channel, tag, multiple = arguments
            self.note("consumer_ack", **_of_channel(channel), tag=tag, multiple=multiple)
        elif step == "consumer_rejects":
            channel, tag, multiple, requeue = arguments
            facts = {"tag": tag, "multiple": multiple, "requeue": requeue}
            self.note("consumer_reject", **_of_channel(channel), **facts)
        elif step == "get":
            queue, channel, no_ack = arguments
            self.note("get", **_of_channel(channel), no_ack=no_ack, **_of_queue(queue))
        elif step in _OF_CONSUMERS:
            self._consumer(_OF_CONSUMERS[step], arguments[0])

    def _consumer(self, kind: str, consumer: HostedConsumer) -> None:
        where = _of_channel(consumer.channel)
        self.note(kind, **where, consumer=consumer.tag, **_of_queue(consumer.queue))

    def _handed(self, step: str, msg: Any, queue: HostedQueue, consumer: HostedConsumer) -> None:
        self.note(
            "deliver",
            **_of_channel(consumer.channel),
            message=msg,
            consumer=consumer.tag,
            **_of_queue(queue),
        )
        if step == "hand_on":
            self.note("passed_by", message=msg, **_of_queue(queue))

    def _published(self, channel: PublishingChannel, msg: Any, message: Any, targets: Any) -> None:
        machine = channel.machine
        queues = list(targets)
        self.note(
            "publish",
            **_of_channel(channel),
            seq=machine.next_seq if machine.confirming else None,
            message=msg,
            exchange=message.exchange,
            routing_key=message.routing_keys[0],
            persistent=message.persistent,
            mandatory=message.mandatory,
            queues=[queue.name for queue in queues],
            numbers=[queue.number for queue in queues],
            stored_by=[queue.number for queue in queues if _stores(queue, message)],
            down=[queue.number for queue in queues if not queue.running],
        )

    def _arrived(self, queue: HostedQueue) -> None:
        for msg in queue.machine.refused:
            self.note("refused", message=msg, **_of_queue(queue))

    def _followed(self, mirror: HostedQueue, msg: Any, *_: Any) -> None:
        """A mirror learnt of a message: if it has left or was given away, it needs no disk."""
        if msg not in mirror.machine.ready:
            self.note("mirror_released", message=msg, **_of_queue(mirror))

    def declared(self, queue: HostedQueue) -> None:
        """Take down that there is a new queue."""
        self.note("queue_declared", **_of_queue(queue), durable=queue.durable)

    def said(self, channel: PublishingChannel, event: Event) -> None:
        """Take down what a channel tells its publisher."""
        kind = _SAID.get(type(event)) or type(event).__name__.lower()
        facts = {f.name: getattr(event, f.name) for f in dataclasses.fields(event)}
        if kind == "return":
            facts = {"seq": facts["msg"]}
        self.note(kind, **_of_channel(channel), **facts)

    def committed(self, batch: Batch) -> None:
        """Take down what is on the disk now."""
        self.note("commit", stored=[[msg, queue.number] for queue, msg, _ in batch.messages])


_STORY = 20


def _stores(queue: HostedQueue, message: Any) -> bool:
    """Tell whether an ack says that a process has a message on its disk, if it does not end."""
    waited_for = queue.record is None or queue.running
    return bool(message.persistent and queue.machine.durable and waited_for)


def _of_queue(queue: HostedQueue) -> dict[str, Any]:
    return {"queue": queue.name, "vhost": queue.vhost, "queue_number": queue.number}


def _of_channel(channel: PublishingChannel | ConsumingChannel) -> dict[str, Any]:
    if channel.place is None:
        return {}
    return {"connection": channel.place.connection.number, "channel": channel.place.number}
