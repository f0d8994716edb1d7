"""What has happened, in order: one entry for each thing that a test may ask about.

Entries (`ackproof.impl.history.entries`) are taken down as the steps of the broker are taken and as
its channels speak (`ackproof.impl.steps.observing`), not as bytes go out.  So an ack is in the
history when it was decided, which is before a client can have read it.

=====================  ============================================================================
connection, channel    numbers: of the connection in this broker, of the channel in its connection
seq                    sequence number of a publish; a settled one is named by `tag`, `multiple`
message                which message: a channel's number in this broker, and the message's there
queues                 names of the queues it was routed to
stored_by              numbers of those that must have it on the disk before it may be acked
down                   numbers of those that do not answer, or whose crash has yet to be heard of
=====================  ============================================================================

A channel may hear of the end of a process long after it, and has cast more to that process
meanwhile (A9, A12.7).  So it is the channel that a publish asks what is down.

A fanout has the same names for each message, so lists that are equal are one list.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ackproof.impl.history.entries import Entries, Entry
from ackproof.impl.machines.publication import confirming, content_of, name_of
from ackproof.spec.sorts import Reason
from ackproof.spec.wire import Ack, Nack, Return, SelectOk

if TYPE_CHECKING:
    from ackproof.impl.machines.channels import ConsumingChannel, HostedConsumer, PublishingChannel
    from ackproof.impl.machines.queue_processes import HostedQueue
    from ackproof.impl.storage.journal import Batch
    from ackproof.lang import Event

__all__ = ["Entry", "History"]

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
    "lose_touch": "replica_given_up",
    "halt": "replica_halted",
    "promote": "replica_promoted",
    "synchronise": "replica_synchronised",
}
#: Steps that are about a consumer.
_OF_CONSUMERS = {"consume": "consumer_started", "cancel": "consumer_cancelled"}
#: Steps that hand a message to a consumer.
_HANDING = ("hand_out", "hand_on")
#: Steps in which a channel closes, or may.
_CLOSING = ("close", "complete", "select", "tx_select")


class History(Entries):
    """What has happened to a broker, as far as it was told to take it down.

    It observes the steps of the broker, and hears what the broker's channels say.
    """

    def before(self, step: str, arguments: tuple[Any, ...]) -> None:
        """Take down what is published before what is said to it."""
        if step == "publish":
            self._published(*arguments)

    def after(self, step: str, arguments: tuple[Any, ...]) -> None:
        """Take down what a step was about."""
        if step == "arrive":
            self._arrived(arguments[1])
        elif step in _OF_QUEUES:
            self.note(_OF_QUEUES[step], **_of_queue(arguments[0]))
        elif step in _CLOSING and not arguments[0].machine.open:
            self.note("channel_closed", **_of_channel(arguments[0]))
        elif step in ("master_removes", "master_tells"):
            self._followed(*arguments)
        elif step in _OF_MESSAGES:
            queue, msg = arguments
            self.note(_OF_MESSAGES[step], message=name_of(msg), **_of_queue(queue))
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
        elif step == "lose":
            self.note("node_given_up", replica=arguments[0])
        elif step == "heal":
            self.note("network_whole")
        elif step in _OF_CONSUMERS:
            self._consumer(_OF_CONSUMERS[step], arguments[0])

    def _consumer(self, kind: str, consumer: HostedConsumer) -> None:
        where = _of_channel(consumer.channel)
        self.note(kind, **where, consumer=consumer.tag, **_of_queue(consumer.queue))

    def _handed(self, step: str, msg: Any, queue: HostedQueue, consumer: HostedConsumer) -> None:
        self.note(
            "deliver",
            **_of_channel(consumer.channel),
            message=name_of(msg),
            consumer=consumer.tag,
            **_of_queue(queue),
        )
        if step == "hand_on" and consumer.machine.no_ack:
            self.note("passed_by", message=name_of(msg), **_of_queue(queue))

    def _published(self, channel: PublishingChannel, msg: Any, targets: Any) -> None:
        message = content_of(msg)
        queues = list(targets)
        self.note(
            "publish",
            **_of_channel(channel),
            seq=channel.tag(msg) if confirming(msg) else None,
            message=name_of(msg),
            exchange=message.exchange,
            routing_key=message.routing_keys[0],
            persistent=message.persistent,
            mandatory=message.mandatory,
            queues=_one(tuple(queue.name for queue in queues)),
            numbers=_one(tuple(queue.number for queue in queues)),
            stored_by=_one(tuple(q.number for q in queues if _stores(q, channel, message))),
            down=_one(tuple(q.number for q in queues if _down(q, channel))),
        )

    def _arrived(self, queue: HostedQueue) -> None:
        for msg in queue.machine.refused:
            self.note("refused", message=name_of(msg), **_of_queue(queue))

    def _followed(self, mirror: HostedQueue, msg: Any, *_: Any) -> None:
        """A mirror learnt of a message: if it has left or was given away, it needs no disk."""
        if msg not in mirror.machine.ready:
            self.note("mirror_released", message=name_of(msg), **_of_queue(mirror))

    def declared(self, queue: HostedQueue) -> None:
        """Take down that there is a new queue."""
        self.note("queue_declared", **_of_queue(queue), durable=queue.durable)

    def said(self, channel: PublishingChannel, event: Event) -> None:
        """Take down what a channel tells its publisher."""
        kind = _SAID.get(type(event)) or type(event).__name__.lower()
        facts = {f.name: getattr(event, f.name) for f in dataclasses.fields(event)}
        facts.pop("channel", None)  # the machine's name of it; clients have another
        if kind == "return":
            facts = {"seq": None if facts["msg"] is None else channel.tag(facts["msg"])}
        elif "tag" in facts:
            facts["tag"] = channel.tag(facts["tag"])
        self.note(kind, **_of_channel(channel), **facts)

    def not_taken(self, step: str, arguments: tuple[Any, ...]) -> None:
        """Nothing has happened."""

    def committed(self, batch: Batch) -> None:
        """Take down what is on the disk now."""
        self.note(
            "commit",
            stored=[[name_of(placed.msg), queue.number] for queue, placed in batch.messages],
        )


@lru_cache(64)
def _one(values: tuple[Hashable, ...]) -> list[Any]:
    """Return values as a list, which is one and the same for equal values; nobody changes it."""
    return list(values)


def _stores(queue: HostedQueue, channel: PublishingChannel, message: Any) -> bool:
    """Tell whether an ack says that a process has a message on its disk, if it does not end."""
    waited_for = queue.membership is None or _answers(queue, channel)
    return bool(message.persistent and queue.machine.durable and waited_for)


def _answers(queue: HostedQueue, channel: PublishingChannel) -> bool:
    """Tell whether a process will answer a channel for what that publishes now, if it lives on."""
    return queue.running and not queue.given_up and channel.casts.downs[queue.key] is None


def _down(queue: HostedQueue, channel: PublishingChannel) -> bool:
    """Tell whether a publish may be nacked since a process has ended that it is cast to (A9).

    The crash of one that no longer leads counts as long as the queue's record names it (D5.2).
    """
    called = (queue,) if queue.membership is None else queue.membership.listed()
    crashed = any(channel.casts.downs[process.key] == Reason.ABNORMAL for process in called)
    return crashed or not _answers(queue, channel)


def _of_queue(queue: HostedQueue) -> dict[str, Any]:
    return {"queue": queue.name, "vhost": queue.vhost, "queue_number": queue.number}


def _of_channel(channel: PublishingChannel | ConsumingChannel) -> dict[str, Any]:
    if channel.place is None:
        return {}
    return {"connection": channel.place.connection.number, "channel": channel.place.number}
