"""The channel judge as one would write it by hand: an oracle for the compiled one.

It has the rules of `ackproof.conform.judging.channel`, which says why they are what they are, over
sets and queues of Python in place of one array: what is settled is in `settling`, what comes back
in `returning`, and who has which deliveries in `delivering`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from ackproof.conform.events import BROKER, Event, Kind
from ackproof.conform.violations import Refusal, Violation
from ackproof.spec.wire import Complaint

from tests.conform.by_hand.delivering import Deliveries
from tests.conform.by_hand.returning import Identity, Returns
from tests.conform.by_hand.settling import Repeats, Settling

__all__ = ["ChannelJudge"]

_NONE, _CONFIRM, _TX, _UNKNOWN = "none", "confirm", "tx", "unknown"

#: The request that an answer is to, and the rule that says so.
_ANSWERS: dict[str, tuple[Kind, str]] = {
    Kind.OPEN_OK: (Kind.OPEN, "A1.6"),
    Kind.SELECT_OK: (Kind.SELECT, "A1.1"),
    Kind.TX_SELECT_OK: (Kind.TX_SELECT, "A1.3"),
    Kind.COMMIT_OK: (Kind.COMMIT, "A13.4"),
    Kind.ROLLBACK_OK: (Kind.ROLLBACK, "A13.6"),
    Kind.QOS_OK: (Kind.QOS, "F2.2"),
    Kind.GET_OK: (Kind.GET, "F1.1"),
    Kind.GET_EMPTY: (Kind.GET, "F3.5"),
    Kind.RECOVER_OK: (Kind.RECOVER, "F1.5"),
}

_CONFIRMS = frozenset({Kind.ACK, Kind.NACK})

#: What a client has done to be told so.
_CAUSES = {
    Complaint.UNKNOWN_TAG: "UnknownTagClosesChannel",
    Complaint.TX_TO_CONFIRM: "ConfirmXorTransaction",
    Complaint.CONFIRM_TO_TX: "ConfirmXorTransaction",
    Complaint.NOT_TRANSACTIONAL: "A1.4",
}


class _Request(NamedTuple):
    """Something that the client has asked for and waits for: where, after how many publishes."""

    kind: Kind
    place: int
    published: int
    no_ack: bool


class _Fatal(NamedTuple):
    """Something after which the channel must close."""

    name: str
    place: int
    published: int


class ChannelJudge:
    """Judges the events of one channel, one after the other.

    Args:
        known: its events are there from its beginning.

    Attributes:
        violation: the first violation since the channel was opened; what follows it is not judged.
    """

    def __init__(self, known: bool = True) -> None:
        self._position = 0
        rules: dict[str, Callable[[Event], None]] = {
            Kind.OPEN: self._opens,
            Kind.SELECT: self._selects,
            Kind.TX_SELECT: self._selects_tx,
            Kind.COMMIT: self._commits,
            Kind.ROLLBACK: self._rolls_back,
            Kind.PUBLISH: self._publishes,
            Kind.CONSUME: lambda e: self._deliveries.start(e),
            Kind.STOP: lambda e: self._deliveries.stop(e),
            Kind.QOS: self._limits,
            Kind.GET: self._asks,
            Kind.CONSUMER_ACK: self._settles,
            Kind.CONSUMER_REJECT: self._settles,
            Kind.RECOVER: self._recovers,
            Kind.CLOSE: self._closes,
            Kind.CLIENT_OTHER: lambda e: None,
            Kind.GAP: lambda e: self._begin(known=False),
            Kind.RETURN: self._return,
            Kind.ACK: self._ack,
            Kind.NACK: self._nack,
            Kind.CONSUME_OK: lambda e: self._deliveries.started(e),
            Kind.CANCEL_OK: lambda e: self._deliveries.stopped(e),
            Kind.CANCEL: lambda e: self._deliveries.stopped(e),
            Kind.DELIVER: lambda e: self._deliveries.deliver(e),
            Kind.CHANNEL_CLOSE: self._complains,
            Kind.CLOSE_OK: self._has_closed,
            Kind.BROKER_OTHER: lambda e: None,
            **dict.fromkeys(_ANSWERS, self._answer),
        }
        #: What to do with an event, whether the broker sent it, whether it ends a flush.
        self._rules = {
            str(kind): (rule, kind in BROKER, kind in BROKER and kind not in _CONFIRMS)
            for kind, rule in rules.items()
        }
        self._begin(known)

    def _begin(self, known: bool) -> None:
        self.violation: Violation | None = None
        self._known = known
        self._mode = _NONE if known else _UNKNOWN
        self._place = 0  # how much the client has said
        self._settling = Settling()
        self._repeats = Repeats()
        self._returns = Returns()
        self._deliveries = Deliveries(known)
        self._batch: list[Identity] = []
        self._requests: deque[_Request] = deque()
        self._fatal: _Fatal | None = None
        self._ended = ""
        self._closing = 0

    def __len__(self) -> int:
        """Return how many messages wait for their confirm."""
        return len(self._settling)

    def take(self, event: Event) -> Violation | None:
        """Take the next event; return the violation, if it is the first one."""
        position = self._position
        self._position += 1
        if self.violation is not None and event.kind not in (Kind.OPEN, Kind.GAP):
            return None
        try:
            rule, from_broker, ends_flush = self._rules[event.kind]
            if not from_broker:
                self._place += 1
            elif self._ended and event.kind != Kind.CLOSE_OK:
                raise Refusal("A2.6", f"nothing comes on a channel after {self._ended}")
            elif ends_flush:
                self._settling.interrupt()
            rule(event)
        except Refusal as refusal:
            self.violation = Violation(event, position, refusal.name, refusal.rules, refusal.why)
            return self.violation
        return None

    # -- how far the broker has read ----------------------------------------------------------

    def _processed_to(self, place: int) -> None:
        fatal = self._fatal
        if fatal is not None and place >= fatal.place:
            raise _unnoticed(fatal)
        self._returns.processed_to_place(place)

    def _processed_publish(self, tag: int) -> None:
        if self._fatal is not None and tag > self._fatal.published:
            raise _unnoticed(self._fatal)
        if self._requests:
            first = self._requests[0]
            if first.kind == Kind.SELECT and tag > first.published:
                raise Refusal("A1.1", f"message {tag} is settled before confirm.select is answered")
        self._returns.processed_to_tag(tag)

    def _must_close(self, name: str) -> None:
        if self._fatal is None and self._known:
            self._fatal = _Fatal(name, self._place, self._settling.published)

    # -- modes --------------------------------------------------------------------------------

    def _opens(self, event: Event) -> None:
        self._begin(known=True)
        self._place = 1
        self._ask(event.kind)

    def _ask(self, kind: str, no_ack: bool = False) -> None:
        published = self._settling.published
        self._requests.append(_Request(Kind(kind), self._place, published, no_ack))

    def _selects(self, event: Event) -> None:
        if self._mode == _TX:
            self._must_close("ConfirmXorTransaction")
        elif self._mode == _NONE:
            self._mode = _CONFIRM
        if not event.nowait:
            self._ask(event.kind)

    def _selects_tx(self, event: Event) -> None:
        if self._mode == _CONFIRM:
            self._must_close("ConfirmXorTransaction")
        elif self._mode == _NONE:
            self._mode = _TX
        self._ask(event.kind)

    def _commits(self, event: Event) -> None:
        if self._mode in (_NONE, _CONFIRM):
            self._must_close("A1.4")
        for identity in self._batch:
            self._returns.publish(self._place, 0, identity)
            self._place += 1
        self._batch.clear()
        self._deliveries.commit()
        self._ask(event.kind)

    def _rolls_back(self, event: Event) -> None:
        if self._mode in (_NONE, _CONFIRM):
            self._must_close("A1.4")
        self._batch.clear()
        self._deliveries.roll_back()
        self._ask(event.kind)

    # -- answers ------------------------------------------------------------------------------

    def _answer(self, event: Event) -> None:
        kind, rule = _ANSWERS[event.kind]
        if not self._requests or self._requests[0].kind != kind:
            if self._known:
                raise Refusal(rule, f"no request waits that {event.kind} answers next")
            self._learn(event)
            return
        request = self._requests.popleft()
        self._processed_to(request.place)
        self._learn(event, request)

    def _learn(self, event: Event, request: _Request | None = None) -> None:
        if event.kind == Kind.GET_OK:
            self._deliveries.get(event, request is None or request.no_ack)
        elif event.kind == Kind.RECOVER_OK:
            self._deliveries.recovered()
        elif event.kind == Kind.QOS_OK:
            self._deliveries.limited()
        elif event.kind == Kind.TX_SELECT_OK and self._mode == _UNKNOWN:
            self._mode = _TX

    # -- publishing ---------------------------------------------------------------------------

    def _publishes(self, event: Event) -> None:
        if self._mode == _CONFIRM:
            tag = self._settling.publish()
            if event.mandatory:
                self._returns.publish(self._place, tag, event.identity)
        elif event.mandatory and self._mode == _TX:
            self._batch.append(event.identity)
        elif event.mandatory and self._mode == _NONE:
            self._returns.publish(self._place, 0, event.identity)

    def _return(self, event: Event) -> None:
        if not self._known:
            return
        settling = self._settling
        try:
            match = self._returns.match(event.identity, settling.is_open, settling.was_nacked)
        except Refusal:
            if event.identity in self._batch:
                raise Refusal(
                    "NothingBeforeCommit", "a message is returned before its transaction commits"
                ) from None
            raise
        if match is not None:
            message, sure = match
            self._processed_to(message.place)
            if sure and message.tag:
                settling.give_back(message.tag)

    def _ack(self, event: Event) -> None:
        if self._mode == _CONFIRM:
            self._settling.ack(event.tag, event.multiple)
            self._processed_publish(event.tag)
        elif self._mode == _UNKNOWN:
            self._repeats.settle(event.tag, event.multiple, "SettledOnce")
        else:
            raise self._no_confirms("NoAckInTransaction")

    def _nack(self, event: Event) -> None:
        if self._mode == _CONFIRM:
            self._settling.nack(event.tag, event.multiple)
            self._processed_publish(event.tag)
        elif self._mode == _UNKNOWN:
            self._repeats.settle(event.tag, event.multiple, "RefusedOnce")
        else:
            raise self._no_confirms("NoNackInTransaction")

    def _no_confirms(self, in_transaction: str) -> Refusal:
        if self._mode == _TX:
            return Refusal(in_transaction, "the channel is transactional, and confirms nothing")
        return Refusal("NoPhantomConfirm", "nobody asked for confirms on this channel")

    # -- consumers ----------------------------------------------------------------------------

    def _limits(self, event: Event) -> None:
        self._deliveries.limit(event)
        self._ask(event.kind)

    def _asks(self, event: Event) -> None:
        self._ask(event.kind, event.no_ack)

    def _settles(self, event: Event) -> None:
        if self._deliveries.settle(event.tag, event.multiple, self._mode == _TX):
            self._must_close("UnknownTagClosesChannel")

    def _recovers(self, event: Event) -> None:
        if event.nowait:
            self._deliveries.sure = False
        else:
            self._deliveries.recover()
            self._ask(event.kind)

    # -- the end ------------------------------------------------------------------------------

    def _closes(self, event: Event) -> None:
        self._closing += 1

    def _complains(self, event: Event) -> None:
        self._ended = "channel.close"
        for complaint, name in _CAUSES.items():
            if self._known and complaint.value in event.text and not self._gave_cause(name):
                raise Refusal(name, f"the client is told {complaint.value!r}, and gave no cause")
        waits = any(r.kind == Kind.COMMIT for r in self._requests)
        if self._known and Complaint.PARTIAL_COMPLETION.value in event.text and not waits:
            raise Refusal("A13.5", "a commit has failed, and there was none")

    def _gave_cause(self, name: str) -> bool:
        if name == "UnknownTagClosesChannel" and not self._deliveries.sure:
            return True
        return self._fatal is not None and self._fatal.name == name

    def _has_closed(self, event: Event) -> None:
        if self._closing == 0 and self._known:
            raise Refusal("A14.1", "the client has not asked for the channel to be closed")
        self._closing = max(self._closing - 1, 0)
        self._ended = "channel.close-ok"


def _unnoticed(fatal: _Fatal) -> Refusal:
    return Refusal(
        fatal.name,
        "the broker has gone on after what must close the channel",
    )
