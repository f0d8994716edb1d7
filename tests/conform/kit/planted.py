"""Faults planted in the reference broker, one at a time; the kit has to find each of them.

Those that a client of one channel can see are planted for the stateful test already; here are more,
which only an account of all messages shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

from ackproof.conform.kit.control import HttpControl
from ackproof.conform.kit.drawing import draw
from ackproof.conform.kit.running import Setting, run
from ackproof.conform.kit.url import Address
from ackproof.impl.machines.consuming_machines import ConsumingMachines
from ackproof.impl.machines.publishing_machines import PublishingMachines
from ackproof.impl.machines.queue_processes import HostedQueue
from ackproof.impl.running import RunningBroker
from ackproof.impl.session import event_frames, session_channel
from ackproof.impl.session.methods import basic_ack
from ackproof.impl.steps.arrivals import Arrivals
from ackproof.impl.steps.serving import Serving
from ackproof.impl.steps.transactions import Transactions
from ackproof.impl.storage.journal import Journal
from ackproof.impl.topology.graph import Graph
from ackproof.impl.topology.topology import Topology
from ackproof.impl.vhost.virtual_host import VirtualHost
from ackproof.spec.consumer import ConsumerChannel
from ackproof.spec.mirror import QueueProcess

from tests.conform.kit import broken_parts as parts
from tests.explain.broken import BROKEN, running

__all__ = ["PLANTED", "Planted", "found_in", "serving"]


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


def _new(owner: Any, part: str, instead: Any, *found: str, struck: bool = False) -> Planted:
    return Planted(owner, part, instead, frozenset(found), struck)


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
        *(Arrivals, "arrive", parts.ack_for_the_namesake, frozenset({"AckMeansAccepted"})),
        more=((HostedQueue, "watch_for", parts.remember),),
    ),
    "it forgets an ack": _new(
        PublishingMachines, "_emit", parts.forget_an_ack, "EveryPublishSettles", "SettledOnce"
    ),
    "it returns nothing": _new(
        PublishingMachines, "_emit", parts.return_nothing, "MandatoryIsReturned"
    ),
    "it loses what is transient": _new(
        Arrivals, "arrive", parts.lose_transient, "AckMeansAccepted"
    ),
    "what comes back is lost": _new(
        *running(QueueProcess, parts.LosesWhatComesBack),
        *("AckMeansAccepted", "CommitMeansAccepted"),
    ),
    "what was acked stays": _new(
        Serving, "consumer_acks", parts.keep_what_is_acked, "NoSecondCopy"
    ),
    "the last message is hidden": _new(Serving, "get", parts.hide_the_last, "AckMeansAccepted"),
    "a commit forgets the first message": _new(
        *(Transactions, "tx_commit", parts.commit_less),
        *("CommitMeansAccepted", "ReturnedIsUnroutable"),
    ),
    "what was rolled back is committed later": _new(
        Transactions, "tx_rollback", parts.roll_back_nothing, "RollbackLeavesNoTrace"
    ),
    "it changes a body": _new(event_frames, "_delivery", parts.change_the_body, "OnlyThePublished"),
    "it changes a routing key": _new(
        event_frames, "_delivery", parts.change_the_route, "OnlyThePublished"
    ),
    "it delivers twice": _new(
        event_frames, "_delivery", parts.send_twice, "DeliveryTagsIncrease", "GetTakesATag"
    ),
    "it confuses two queues": _new(Graph, "route", parts.route_to_the_first, "OnlyThePublished"),
    "a fanout reaches one queue": _new(Graph, "route", parts.route_to_less, "AckMeansAccepted"),
    "a full queue drops too soon": _new(
        *running(QueueProcess, parts.DropsTooSoon), "AckMeansAccepted", "CommitMeansAccepted"
    ),
    "a full queue refuses too late": _new(*running(QueueProcess, parts.RefusesTooLate), "B5.4"),
    "an alternate exchange is not asked": _new(
        *(Graph, "route", parts.route_without_alternate),
        *("AckMeansAccepted", "CommitMeansAccepted", "ReturnedIsUnroutable"),
    ),
    "what has a time expires at once": _new(
        *(HostedQueue, "lifetime", parts.expire_at_once), "AckMeansAccepted", "CommitMeansAccepted"
    ),
    "an exclusive queue lets others in": _new(
        VirtualHost, "check_access", parts.let_all_in, "B8.1"
    ),
    "an exclusive queue outlives its connection": _new(
        VirtualHost, "delete_exclusive", lambda self, owner: None, "EndsWithItsConnection"
    ),
    "what expires stays": _new(HostedQueue, "lifetime", parts.expire_never, "B4.1"),
    "a consumer gets more than it asked for": _new(
        *running(ConsumerChannel, parts.AdmitsAll), "PrefetchRespected", "SharedPrefetchRespected"
    ),
    "it acks what was never published": _new(
        PublishingMachines, "_emit", parts.ack_the_next, "NoPhantomConfirm"
    ),
    "its nacks are always multiple": _new(
        PublishingMachines, "_emit", parts.nack_all_before, "NeverBothAckAndNack"
    ),
    "it counts anew when it is asked for confirms again": _new(
        *(PublishingMachines, "begin_counting", parts.count_anew),
        *("SettledOnce", "NoPhantomConfirm"),
    ),
    "it refuses to be asked for confirms again": _new(
        Transactions, "select", parts.refuse_the_second_select, "ClosedWithCause"
    ),
    "what is mandatory finds no queue": _new(
        Graph, "route", parts.route_what_is_mandatory_nowhere, "ReturnedIsUnroutable"
    ),
    "another message comes back": _new(
        session_channel, "encode_event", parts.return_another_body, "ReturnedIsUnroutable"
    ),
    "a commit of what is refused is answered": _new(
        Transactions, "_end_commit", parts.commit_all_the_same, "CommitMeansAccepted"
    ),
    "a commit fails without a cause": _new(
        Transactions, "tx_commit", parts.fail_a_commit, "CommitFailsOnlyWithCause"
    ),
    "a rollback gives back nothing that was acked": _new(
        *running(ConsumerChannel, parts.GivesNothingBack),
        *("AckMeansAccepted", "CommitMeansAccepted", "ClosedWithCause"),
    ),
    "what is settled counts against the limit": _new(
        *running(ConsumerChannel, parts.NeverRelieves), "ReadyIsDelivered"
    ),
    "nobody is told that a queue is gone": _new(
        *running(ConsumerChannel, parts.TellsNobody), "F3.3"
    ),
    "an ack of several settles the last": _new(
        Serving, "consumer_acks", parts.ack_one_of_several, "NoSecondCopy"
    ),
    "what is rejected for good comes back": _new(
        Serving, "consumer_rejects", parts.requeue_all, "NoSecondCopy"
    ),
    "what is given back is dropped": _new(
        *(Serving, "consumer_rejects", parts.requeue_nothing),
        *("AckMeansAccepted", "CommitMeansAccepted"),
    ),
    "it recovers nothing": _new(Serving, "recover", parts.recover_nothing, "ReadyIsDelivered"),
    "consumers get nothing": _new(Serving, "serve", parts.serve_nobody, "ReadyIsDelivered"),
    "a consumer that is cancelled goes on": _new(Serving, "cancel", parts.cancel_nothing, "B7.6"),
    "deliveries are for the first consumer": _new(
        *(ConsumingMachines, "tag_of", parts.name_the_first),
        *("OnlyThePublished", "PrefetchRespected"),
    ),
    "what needs no ack waits for one": _new(
        Serving, "get", parts.keep_what_needs_no_ack, "NoSecondCopy"
    ),
    "it takes any delivery tag": Planted(
        *(basic_ack, "_known", parts.take_any_tag, frozenset({"UnknownTagClosesChannel"})),
        more=((Serving, "consumer_acks", parts.ack_what_is_there),),
    ),
    "what was persistent is transient": _new(
        event_frames, "_delivery", parts.forget_persistence, "OnlyThePublished"
    ),
    "what comes back goes to the end": _new(
        *running(QueueProcess, parts.ComesBackLast), "ServedInOrderOfArrival"
    ),
    "a full queue refuses what comes back": _new(
        *running(QueueProcess, parts.RefusesWhatComesBack),
        *("AckMeansAccepted", "CommitMeansAccepted"),
    ),
    "a queue refuses too soon": _new(
        *running(QueueProcess, parts.RefusesTooSoon),
        *("NackOnlyWithCause", "CommitFailsOnlyWithCause"),
    ),
    "a queue has the bindings of its namesake": _new(
        Topology, "remove_queue", parts.keep_bindings, "OnlyThePublished"
    ),
    "a queue that is deleted stays": _new(
        *(VirtualHost, "delete", parts.keep_the_queue),
        *("OnlyThePublished", "ClosedWithCause", "MandatoryIsReturned"),
    ),
    "a restart costs queues": _new(
        Journal, "created", parts.forget_queues, "DeclaredIsThere", "ClosedWithCause", struck=True
    ),
    "a restart costs bindings": _new(
        *(Journal, "changed", parts.forget_bindings),
        *("ConfirmedSurvives", "ClosedWithCause"),
        struck=True,
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


def found_in(planted: Planted, seeds: Iterable[int]) -> tuple[int | None, set[str]]:
    """Run the programs of seeds against a broker with a fault, until the fault is found.

    Returns:
        Which run has found it, from 1, and the rules that were broken in that run; or None, and
        the rules that were broken in any.
    """
    faults = HttpControl.faults if planted.struck else ()
    seen: set[str] = set()
    with serving(planted, struck=planted.struck, patience=1.0) as setting:
        for number, seed in enumerate(seeds, 1):
            names = run(draw(seed, faults), setting).names
            if names & planted.found:
                return number, names
            seen |= names
    return None, seen
