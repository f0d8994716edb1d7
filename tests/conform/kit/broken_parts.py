"""Parts of a broker that are wrong; each is put in the place of one of the reference broker's.

What a fault is called, where it is planted, and which rules it breaks, is said in `planted`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from ackproof.impl.errors import SoftError
from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.machines.tagged_channel import TaggedChannel
from ackproof.impl.session import event_frames
from ackproof.impl.steps.arrivals import Arrivals
from ackproof.impl.steps.scheduler import Action
from ackproof.impl.steps.serving import Serving
from ackproof.impl.steps.transactions import Transactions
from ackproof.impl.storage.journal import Journal
from ackproof.impl.topology.definitions import Change
from ackproof.impl.topology.graph import Graph
from ackproof.impl.vhost.virtual_host import VirtualHost
from ackproof.lang import Event, Option
from ackproof.spec.consumer import Delivery, Prefetch
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Consumer, Msg, Overflow, Tag, TxMode
from ackproof.spec.wire import Ack, CancelOk, Nack, RecoverOk, Return

_tell = PublishingChannel._emit


def forget_an_ack(channel: PublishingChannel, event: Event) -> None:
    if not (isinstance(event, Ack) and channel.tag(event.tag) == 3):
        _tell(channel, event)


def return_nothing(channel: PublishingChannel, event: Event) -> None:
    if not isinstance(event, Return):
        _tell(channel, event)


_arrive, _watch_for = Arrivals.arrive, HostedQueue.watch_for


def lose_transient(self: Arrivals, channel: Any, queue: Any, msg: Any) -> None:
    _arrive(self, channel, queue, msg)
    if not msg.message.persistent and msg in queue.machine.ready:
        queue.machine.ready.discard(msg)
        self.contents.drop(queue, msg)


class LosesWhatComesBack(QueueProcess):
    def requeue(self, msg: Msg) -> None:
        self.pending.discard(msg)
        self.store.remove(msg)


def keep_what_is_acked(self: Serving, channel: Any, tag: Any, multiple: bool) -> None:
    self.consumer_rejects(channel, tag, multiple, True)


_watched: WeakKeyDictionary[Any, dict[Any, None]] = WeakKeyDictionary()


def remember(self: HostedQueue, channel: Any) -> None:
    _watched.setdefault(channel, {})[self] = None
    _watch_for(self, channel)


def ack_for_the_namesake(self: Arrivals, channel: Any, queue: Any, msg: Any) -> None:
    _arrive(self, channel, queue, msg)
    known = _watched.get(channel, ())
    namesake = any(other.name == queue.name and other is not queue for other in known)
    if namesake and msg in queue.machine.refused:
        queue.machine.refused.discard(msg)
        channel.machine.settle(msg, queue.key, {queue.key})
        self.context.offer(Action.FLUSH, channel)


_get = Serving.get


def hide_the_last(self: Serving, queue: Any, channel: Any, no_ack: bool) -> None:
    hidden = queue.machine.ready if len(queue.machine.ready) == 1 else ()
    kept = list(hidden)
    for msg in kept:
        queue.machine.ready.discard(msg)
    _get(self, queue, channel, no_ack)
    for msg in kept:
        queue.machine.ready.add(msg)


_commit = Transactions.tx_commit


def commit_less(self: Transactions, channel: Any, consuming: Any) -> None:
    for msg in sorted(channel.transaction.batch)[:1]:
        channel.transaction.routes[msg].clear()
    _commit(self, channel, consuming)


_roll_back = Transactions.tx_rollback


def roll_back_nothing(self: Transactions, channel: Any, consuming: Any) -> None:
    transaction, kept = channel.transaction, dict(channel.batch)
    batch, mandatory = set(transaction.batch), set(transaction.mandatory)
    routes = {msg: set(queues) for msg, queues in transaction.routes.items()}
    _roll_back(self, channel, consuming)
    channel.batch.update(kept)
    transaction.batch |= batch
    transaction.mandatory |= mandatory
    for msg, queues in routes.items():
        transaction.routes[msg] = queues


_delivery = event_frames._delivery


def change_the_body(*given: Any) -> bytes:
    *first, message, channel, frame_max = given
    changed = _altered(message, body=message.body[:-1] + b"!")
    return _delivery(*first, changed, channel, frame_max)


def change_the_route(*given: Any) -> bytes:
    *first, message, channel, frame_max = given
    return _delivery(*first, _altered(message, routing_keys=("elsewhere",)), channel, frame_max)


def send_twice(*given: Any) -> bytes:
    return 2 * _delivery(*given)


def _altered(message: Any, **fields: Any) -> Any:
    names = ("exchange", "routing_keys", "mandatory", "persistent", "properties", "body")
    return type(message)(**{**{name: getattr(message, name) for name in names}, **fields})


_route = Graph.route


def route_to_the_first(self: Graph, exchange: Any, message: Any) -> tuple[str, ...]:
    names = _route(self, exchange, message)
    return tuple(name[:-1] + "1" if name.endswith("-q2") else name for name in names)


def route_to_less(self: Graph, exchange: Any, message: Any) -> tuple[str, ...]:
    return _route(self, exchange, message)[:1]


def route_without_alternate(self: Graph, exchange: Any, message: Any) -> tuple[str, ...]:
    return _route(self, replace(exchange, arguments={}), message)


class DropsTooSoon(QueueProcess):
    def overflows(self) -> bool:
        return bool(self.limited and self.ready and len(self.ready) >= self.max_length)


class RefusesTooLate(QueueProcess):
    def refuses(self) -> bool:
        return bool(self.limited and len(self.ready) > self.max_length and super().refuses())


class AdmitsAll(TaggedChannel):
    def admits(self, consumer: Consumer, prefetch: Prefetch) -> bool:
        return True


_check_access = VirtualHost.check_access


def let_all_in(self: VirtualHost, name: str, asking: object) -> None:
    queue = self.queues.get(name)
    _check_access(self, name, asking if queue is None else queue.owner)


_lifetime = HostedQueue.lifetime


def expire_at_once(self: HostedQueue, message: Any) -> float | None:
    return None if _lifetime(self, message) is None else 0.0


def expire_never(self: HostedQueue, message: Any) -> float | None:
    return None


# -- publishers -----------------------------------------------------------------------------------


def ack_the_next(channel: PublishingChannel, event: Event) -> None:
    """It acks what was never published."""
    if isinstance(event, Ack) and event.multiple:
        following = Msg.succ(event.tag)
        assert following is not None
        event = Ack(event.channel, following, True)
    _tell(channel, event)


def nack_all_before(channel: PublishingChannel, event: Event) -> None:
    """Its nacks are always multiple."""
    if isinstance(event, Nack):
        event = Nack(event.channel, event.tag, True)
    _tell(channel, event)


def count_anew(channel: PublishingChannel) -> None:
    """To ask for confirms again begins the count again."""
    assert channel.machine.next_seq is not None
    channel.first = channel.machine.next_seq


def route_what_is_mandatory_nowhere(self: Graph, exchange: Any, message: Any) -> tuple[str, ...]:
    """What is mandatory and persistent finds no queue."""
    lost = message.mandatory and message.persistent
    return () if lost else _route(self, exchange, message)


_encode_event = event_frames.encode_event


def return_another_body(event: Event, message: Any, *given: Any) -> bytes:
    """What comes back is another message."""
    if isinstance(event, Return) and message is not None:
        message = _altered(message, body=message.body[:-1] + b"!")
    return _encode_event(event, message, *given)


_select = Transactions.select


def refuse_the_second_select(self: Transactions, channel: Any) -> None:
    """To ask for confirms again is an error."""
    if channel.machine.confirming:
        raise SoftError(406, "it is in confirm mode")
    _select(self, channel)


# -- transactions ---------------------------------------------------------------------------------


_end_commit = Transactions._end_commit


def commit_all_the_same(self: Transactions, channel: Any) -> None:
    """A commit of what was refused is answered as if it was accepted."""
    if channel.transaction.mode == TxMode.FAILED:
        channel.transaction.mode = TxMode.COMMITTING
    _end_commit(self, channel)


def fail_a_commit(self: Transactions, channel: Any, consuming: Any) -> None:
    """A commit of three messages fails."""
    large = len(channel.batch) > 2
    _commit(self, channel, consuming)
    if large:
        channel.transaction.mode = TxMode.FAILED


class GivesNothingBack(TaggedChannel):
    """A rollback gives back nothing that was acked."""

    def restore(self) -> None:
        self.collected.clear()
        self.returning.clear()


# -- consumers ------------------------------------------------------------------------------------


class NeverRelieves(TaggedChannel):
    """What is settled counts against the limit for ever."""

    def relieve(self, tag: Tag, delivery: Option[Delivery]) -> None:
        pass


class TellsNobody(TaggedChannel):
    """Nobody is told that the queue of a consumer is gone."""

    def bereave(self, consumer: Consumer) -> None:
        pass


def ack_one_of_several(self: Serving, channel: Any, tag: Any, multiple: bool) -> None:
    """An ack of several settles the last."""
    _consumer_acks(self, channel, tag, multiple and tag is None)


def requeue_all(self: Serving, channel: Any, tag: Any, multiple: bool, requeue: bool) -> None:
    """What is rejected for good comes back."""
    _consumer_rejects(self, channel, tag, multiple, True)


def requeue_nothing(self: Serving, channel: Any, tag: Any, multiple: bool, requeue: bool) -> None:
    """What is given back is dropped."""
    _consumer_rejects(self, channel, tag, multiple, False)


_consumer_acks, _consumer_rejects = Serving.consumer_acks, Serving.consumer_rejects


def recover_nothing(self: Serving, channel: Any) -> None:
    """Nothing comes back, and the client is told that all has."""
    channel.machine.emit(RecoverOk(channel.id))


def serve_nobody(self: Serving, queue: Any) -> None:
    """Consumers get nothing."""


def cancel_nothing(self: Serving, consumer: Any) -> None:
    """A consumer that is cancelled goes on."""
    consumer.channel.machine.emit(CancelOk(consumer.key))


def name_the_first(self: Any, key: Any) -> str:
    """What comes to a consumer is said to come to the first of its channel."""
    return next(iter(self.consumers))


def keep_what_needs_no_ack(self: Serving, queue: Any, channel: Any, no_ack: bool) -> None:
    """What is fetched without an ack waits for one."""
    _get(self, queue, channel, False)


def take_any_tag(channel: Any, tag: Any, multiple: bool) -> Any:
    """Nobody looks whether there is such a delivery tag."""
    return tag


def ack_what_is_there(self: Serving, channel: Any, tag: Any, multiple: bool) -> None:
    """To ack what is not there does nothing."""
    if channel.machine.knows(tag, multiple):
        _consumer_acks(self, channel, tag, multiple)


def forget_persistence(*given: Any) -> bytes:
    """What was persistent is handed out as transient."""
    *first, message, channel, frame_max = given
    properties = message.properties.replace(b"\x02", b"\x01", 1)
    return _delivery(*first, _altered(message, properties=properties), channel, frame_max)


# -- queues ---------------------------------------------------------------------------------------


class ComesBackLast(QueueProcess):
    """What comes back goes to the end of its queue."""

    def head(self) -> Option[Msg]:
        fresh = {m for m in self.ready if m not in self.delivered}
        return min(fresh, default=min(self.ready, default=None))


class RefusesWhatComesBack(QueueProcess):
    """A full queue refuses what comes back."""

    def requeue(self, msg: Msg) -> None:
        self.pending.discard(msg)
        if self.refuses():
            self.store.remove(msg)
        else:
            self.ready.add(msg)


class RefusesTooSoon(QueueProcess):
    """A queue refuses the last message that it has room for."""

    def refuses(self) -> bool:
        full = bool(self.limited and len(self.ready) + 1 >= self.max_length)
        return full and self.overflow == Overflow.REJECT_PUBLISH


def keep_bindings(self: Any, queue: str) -> Change:
    """The next queue of a name has the bindings of the last."""
    return Change()


def keep_the_queue(self: VirtualHost, queue: Any) -> int:
    """A queue that is deleted stays."""
    return len(queue.machine.ready)


# -- restarts -------------------------------------------------------------------------------------


def forget_queues(self: Journal, queue: Any) -> None:
    """The disk hears of no queue."""


def forget_bindings(self: Journal, durable: Any) -> None:
    """The disk hears of no exchange and no binding."""
