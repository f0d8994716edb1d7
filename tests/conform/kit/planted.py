"""Faults planted in the reference broker, one at a time; the kit has to find each of them.

Those that a client of one channel can see are planted for the stateful test already; here are more,
which only an account of all messages shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, NamedTuple
from unittest.mock import patch
from weakref import WeakKeyDictionary

from ackproof.conform.kit.control import HttpControl
from ackproof.conform.kit.running import Setting
from ackproof.conform.kit.url import Address
from ackproof.impl.machines.channels import PublishingChannel
from ackproof.impl.machines.publishing_machines import PublishingMachines
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.machines.tagged_channel import TaggedChannel
from ackproof.impl.running import RunningBroker
from ackproof.impl.session import event_frames
from ackproof.impl.steps.arrivals import Arrivals
from ackproof.impl.steps.scheduler import Action
from ackproof.impl.steps.serving import Serving
from ackproof.impl.steps.transactions import Transactions
from ackproof.impl.topology.graph import Graph
from ackproof.impl.vhost.virtual_host import VirtualHost
from ackproof.lang import Event
from ackproof.spec.consumer import ConsumerChannel, Prefetch
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.sorts import Consumer, Msg
from ackproof.spec.wire import Ack, Return

from tests.explain.broken import BROKEN, running

__all__ = ["PLANTED", "Planted", "serving"]

_emit = PublishingChannel._emit


def _forget_an_ack(channel: PublishingChannel, event: Event) -> None:
    if not (isinstance(event, Ack) and channel.tag(event.tag) == 3):
        _emit(channel, event)


def _return_nothing(channel: PublishingChannel, event: Event) -> None:
    if not isinstance(event, Return):
        _emit(channel, event)


_arrive, _watch_for = Arrivals.arrive, HostedQueue.watch_for


def _lose_transient(self: Arrivals, channel: Any, queue: Any, msg: Any) -> None:
    _arrive(self, channel, queue, msg)
    if not msg.message.persistent and msg in queue.machine.ready:
        queue.machine.ready.discard(msg)
        self.contents.drop(queue, msg)


class _LosesWhatComesBack(QueueProcess):
    def requeue(self, msg: Msg) -> None:
        self.pending.discard(msg)
        self.store.remove(msg)


def _keep_what_is_acked(self: Serving, channel: Any, tag: Any, multiple: bool) -> None:
    self.consumer_rejects(channel, tag, multiple, True)


_watched: WeakKeyDictionary[Any, dict[Any, None]] = WeakKeyDictionary()


def _remember(self: HostedQueue, channel: Any) -> None:
    _watched.setdefault(channel, {})[self] = None
    _watch_for(self, channel)


def _ack_for_the_namesake(self: Arrivals, channel: Any, queue: Any, msg: Any) -> None:
    _arrive(self, channel, queue, msg)
    known = _watched.get(channel, ())
    namesake = any(other.name == queue.name and other is not queue for other in known)
    if namesake and msg in queue.machine.refused:
        queue.machine.refused.discard(msg)
        channel.machine.settle(msg, queue.key, {queue.key})
        self.context.offer(Action.FLUSH, channel)


_get = Serving.get


def _hide_the_last(self: Serving, queue: Any, channel: Any, no_ack: bool) -> None:
    hidden = queue.machine.ready if len(queue.machine.ready) == 1 else ()
    kept = list(hidden)
    for msg in kept:
        queue.machine.ready.discard(msg)
    _get(self, queue, channel, no_ack)
    for msg in kept:
        queue.machine.ready.add(msg)


_commit = Transactions.tx_commit


def _commit_less(self: Transactions, channel: Any, consuming: Any) -> None:
    for msg in sorted(channel.transaction.batch)[:1]:
        channel.transaction.routes[msg].clear()
    _commit(self, channel, consuming)


_roll_back = Transactions.tx_rollback


def _roll_back_nothing(self: Transactions, channel: Any, consuming: Any) -> None:
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


def _change_the_body(*given: Any) -> bytes:
    *first, message, channel, frame_max = given
    changed = _altered(message, body=message.body[:-1] + b"!")
    return _delivery(*first, changed, channel, frame_max)


def _change_the_route(*given: Any) -> bytes:
    *first, message, channel, frame_max = given
    return _delivery(*first, _altered(message, routing_keys=("elsewhere",)), channel, frame_max)


def _send_twice(*given: Any) -> bytes:
    return 2 * _delivery(*given)


def _altered(message: Any, **fields: Any) -> Any:
    names = ("exchange", "routing_keys", "mandatory", "persistent", "properties", "body")
    return type(message)(**{**{name: getattr(message, name) for name in names}, **fields})


_route = Graph.route


def _route_to_the_first(self: Graph, exchange: Any, message: Any) -> tuple[str, ...]:
    names = _route(self, exchange, message)
    return tuple(name[:-1] + "1" if name.endswith("-q2") else name for name in names)


def _route_to_less(self: Graph, exchange: Any, message: Any) -> tuple[str, ...]:
    return _route(self, exchange, message)[:1]


def _route_without_alternate(self: Graph, exchange: Any, message: Any) -> tuple[str, ...]:
    return _route(self, replace(exchange, arguments={}), message)


class _DropsTooSoon(QueueProcess):
    def overflows(self) -> bool:
        return bool(self.limited and self.ready and len(self.ready) >= self.max_length)


class _RefusesTooLate(QueueProcess):
    def refuses(self) -> bool:
        return bool(self.limited and len(self.ready) > self.max_length and super().refuses())


class _AdmitsAll(TaggedChannel):
    def admits(self, consumer: Consumer, prefetch: Prefetch, no_ack: bool) -> bool:
        return True


_check_access = VirtualHost.check_access


def _let_all_in(self: VirtualHost, name: str, asking: object) -> None:
    queue = self.queues.get(name)
    _check_access(self, name, asking if queue is None else queue.owner)


_lifetime = HostedQueue.lifetime


def _expire_at_once(self: HostedQueue, message: Any) -> float | None:
    return None if _lifetime(self, message) is None else 0.0


def _expire_never(self: HostedQueue, message: Any) -> float | None:
    return None


class Planted(NamedTuple):
    """A fault: the owner of a part, its name, what is there instead.

    Attributes:
        found: rules of which one must be named.
        struck: it shows only where something fails.
        more: further parts, with what is there instead.
    """

    owner: Any
    part: str
    instead: Any
    found: frozenset[str]
    struck: bool = False
    more: tuple[tuple[Any, str, Any], ...] = ()


def _known(name: str, *found: str, struck: bool = False) -> Planted:
    one = BROKEN[name]
    return Planted(one.owner, one.part, one.instead, frozenset(found), struck)


def _new(owner: Any, part: str, instead: Any, *found: str) -> Planted:
    return Planted(owner, part, instead, frozenset(found))


#: What is wrong with each broker, and which rules it breaks by that.
PLANTED: dict[str, Planted] = {
    "it acks twice": _known("it acks twice", "SettledOnce"),
    "its acks are never multiple": _known(
        "its acks are never multiple", "UnroutableIsConfirmed", "EveryPublishSettles"
    ),
    "its acks are always multiple": _known("its acks are always multiple", "A11.2", "SettledOnce"),
    "it nacks without a cause": _known("it nacks without a cause", "NackOnlyWithCause"),
    "it acks what it should nack": _known("it acks what it should nack", "AckMeansAccepted"),
    "it returns after the ack": _known("it returns after the ack", "ReturnPrecedesAck"),
    "it acks in a transaction": _known("it acks in a transaction", "NoAckInTransaction"),
    "it waits for one queue of several": _known(
        "it waits for one queue of several", "AckMeansAccepted", "ConfirmedSurvives"
    ),
    "it nacks what is unroutable": _known("it nacks what is unroutable", "UnroutableIsConfirmed"),
    "its queues begin with the youngest": _known(
        "its queues begin with the youngest", "DeliveredInOrder"
    ),
    "it does not mark what was delivered": _known(
        "it does not mark what was delivered", "RedeliveredIsMarked"
    ),
    "a full queue takes more": _known("a full queue takes more", "B5.4"),
    "a full queue keeps the oldest": _known("a full queue keeps the oldest", "B5.2"),
    "it acks what is not synced": _known(
        "it acks what is not synced", "ConfirmedSurvives", struck=True
    ),
    "a crashed queue loses what was confirmed": _known(
        "a crashed queue loses what was confirmed",
        *("ConfirmedSurvives", "CommittedSurvives"),
        struck=True,
    ),
    "a queue that was declared again acks what it refuses": Planted(
        *(Arrivals, "arrive", _ack_for_the_namesake, frozenset({"AckMeansAccepted"})),
        more=((HostedQueue, "watch_for", _remember),),
    ),
    "it forgets an ack": _new(
        PublishingMachines, "_emit", _forget_an_ack, "EveryPublishSettles", "SettledOnce"
    ),
    "it returns nothing": _new(PublishingMachines, "_emit", _return_nothing, "MandatoryIsReturned"),
    "it loses what is transient": _new(Arrivals, "arrive", _lose_transient, "AckMeansAccepted"),
    "what comes back is lost": _new(
        *running(QueueProcess, _LosesWhatComesBack),
        *("AckMeansAccepted", "CommitMeansAccepted"),
    ),
    "what was acked stays": _new(Serving, "consumer_acks", _keep_what_is_acked, "NoSecondCopy"),
    "the last message is hidden": _new(Serving, "get", _hide_the_last, "AckMeansAccepted"),
    "a commit forgets the first message": _new(
        *(Transactions, "tx_commit", _commit_less),
        *("CommitMeansAccepted", "ReturnedIsUnroutable"),
    ),
    "what was rolled back is committed later": _new(
        Transactions, "tx_rollback", _roll_back_nothing, "RollbackLeavesNoTrace"
    ),
    "it changes a body": _new(event_frames, "_delivery", _change_the_body, "OnlyThePublished"),
    "it changes a routing key": _new(
        event_frames, "_delivery", _change_the_route, "OnlyThePublished"
    ),
    "it delivers twice": _new(
        event_frames, "_delivery", _send_twice, "DeliveryTagsIncrease", "GetTakesATag"
    ),
    "it confuses two queues": _new(Graph, "route", _route_to_the_first, "OnlyThePublished"),
    "a fanout reaches one queue": _new(Graph, "route", _route_to_less, "AckMeansAccepted"),
    "a full queue drops too soon": _new(
        *running(QueueProcess, _DropsTooSoon), "AckMeansAccepted", "CommitMeansAccepted"
    ),
    "a full queue refuses too late": _new(*running(QueueProcess, _RefusesTooLate), "B5.4"),
    "an alternate exchange is not asked": _new(
        *(Graph, "route", _route_without_alternate),
        *("AckMeansAccepted", "CommitMeansAccepted", "ReturnedIsUnroutable"),
    ),
    "what has a time expires at once": _new(
        *(HostedQueue, "lifetime", _expire_at_once), "AckMeansAccepted", "CommitMeansAccepted"
    ),
    "an exclusive queue lets others in": _new(VirtualHost, "check_access", _let_all_in, "B8.1"),
    "an exclusive queue outlives its connection": _new(
        VirtualHost, "delete_exclusive", lambda self, owner: None, "EndsWithItsConnection"
    ),
    "what expires stays": _new(HostedQueue, "lifetime", _expire_never, "B4.1"),
    "a consumer gets more than it asked for": _new(
        *running(ConsumerChannel, _AdmitsAll), "PrefetchRespected", "SharedPrefetchRespected"
    ),
}


class _Striking:
    """Makes a broker of this process fail."""

    faults: Sequence[str] = HttpControl.faults

    def __init__(self, broker: RunningBroker) -> None:
        self._broker = broker

    def strike(self, fault: str, queue: str) -> None:
        """Cause a fault."""
        getattr(self._broker, fault)(*([queue] if fault == "crash_queue" else []))


@contextmanager
def serving(
    planted: Planted | None = None,
    *,
    struck: bool = False,
    order: int | None = None,
    patience: float = 20.0,
) -> Iterator[Setting]:
    """Give a broker with a fault, or with none, as the setting of runs."""
    with ExitStack() as stack:
        if planted is not None:
            for part in ((planted.owner, planted.part, planted.instead), *planted.more):
                stack.enter_context(patch.object(*part))
        broker = stack.enter_context(RunningBroker(seed=order))
        address = Address(broker.host, broker.port, "guest", "guest", "/")
        yield Setting(address, _Striking(broker) if struck else None, patience, late=0.3)
