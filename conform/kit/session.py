"""A session: one channel from its opening to its end, as a client keeps books on it.

What is said gets a time, and an answer, a confirm or a return shows by when the broker has
processed it.  A channel that waits for an answer says nothing meanwhile, as AMQP has it; what wants
no answer is said without waiting.

Books are kept by what the broker says, taken literally.  Whether it may say so is for the judge of
the channel; what it does not know how to enter, the session leaves out.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from math import inf

from ackproof.conform.events import Event, Kind
from ackproof.conform.kit.connection import Connection
from ackproof.conform.kit.operations import Do, Operation
from ackproof.conform.kit.trace import Close, Delivery, Get, Publish, Said, Subscription, Trace
from ackproof.impl.wire.frames import encode_method
from pamqp import base, commands

__all__ = ["Session"]

_ANSWERS = frozenset(
    {
        Kind.OPEN_OK,
        Kind.SELECT_OK,
        Kind.TX_SELECT_OK,
        Kind.COMMIT_OK,
        Kind.ROLLBACK_OK,
        Kind.CONSUME_OK,
        Kind.CANCEL_OK,
        Kind.QOS_OK,
        Kind.GET_OK,
        Kind.GET_EMPTY,
        Kind.RECOVER_OK,
        Kind.BROKER_OTHER,
        Kind.CLOSE_OK,
    }
)

_NOT_FOUND = 404
_LOCKED = 405


class Session:
    """One channel.

    Args:
        trace: where what happens is entered.
        connection: what it is on.
        number: which session of the run it is.
        channel: the number of the channel.

    Attributes:
        mode: `none`, `confirm` or `tx`.
        open: publishes that wait for their confirm.
        unsettled: deliveries that the client has not settled.
        channel: the number of the channel.
        connection: what it is on.
        number: which session of the run it is.
        ended: how it has ended: `""`, `closed`, `refused`, or `broken`.
        subscriptions: consumers by their tags.
        limited: it has asked for a limit at some time.
        on_end: is called when it has ended.
    """

    def __init__(self, trace: Trace, connection: Connection, number: int, channel: int) -> None:
        self.mode = "none"
        self.open: OrderedDict[int, Publish] = OrderedDict()
        self.unsettled: OrderedDict[int, Delivery] = OrderedDict()
        self.subscriptions: dict[str, Subscription] = {}
        self.ended = ""
        self.limited = False
        self.connection = connection
        self.number = number
        self.on_end: Callable[[Session], None] = lambda session: None
        self._trace = trace
        self.channel = channel
        self._sequence = 0
        self._said: deque[Said] = deque()  # not known to be processed
        self._pending: deque[Said] = deque()  # waits for an answer
        self._gets: deque[Get] = deque()
        self._batch: list[Publish] = []
        self._kept: list[Delivery] = []  # settled in the open transaction
        self._queues: set[str] = set()  # what was asked for, and may be gone
        self._wrong = False
        self._closing = False
        self._how = "closed"

    # -- saying -------------------------------------------------------------------------------

    def say(self, operation: Operation, method: base.Frame, *, answered: bool) -> Said:
        """Say a method for an operation."""
        return self._enter(operation, encode_method(method, self.channel), answered)[0]

    def _enter(self, operation: Operation, data: bytes, answered: bool) -> tuple[Said, list[Event]]:
        said = Said(operation, self.number, self._trace.tick())
        self._said.append(said)
        if answered:
            self._pending.append(said)
        return said, self.connection.say(data)

    @property
    def waits(self) -> bool:
        """Tell whether it waits for an answer."""
        return bool(self._pending) and not self.ended

    def publish(self, operation: Operation, data: bytes) -> Publish:
        """Publish a message, which is given as its frames."""
        said, events = self._enter(operation, data, False)
        content = events[-1] if events else Event(Kind.PUBLISH)
        message = Publish(len(self._trace.publishes) + 1, said, content, self.mode)
        self._trace.publishes.append(message)
        if self.mode == "confirm":
            self._sequence += 1
            self.open[self._sequence] = message
        elif self.mode == "tx":
            self._batch.append(message)
        return message

    def select(self, operation: Operation) -> None:
        """Ask for confirms, or for transactions."""
        if operation.do == Do.CONFIRM:
            method: base.Frame = commands.Confirm.Select(nowait=operation.nowait)
            self.say(operation, method, answered=not operation.nowait)
            self.mode = "confirm"
        else:
            self.say(operation, commands.Tx.Select(), answered=True)
            self.mode = "tx"

    def commit(self, operation: Operation) -> None:
        """Commit what was published and settled."""
        said = self.say(operation, commands.Tx.Commit(), answered=True)
        for message in self._batch:
            message.commit = said
        for delivery in self._kept:
            delivery.effective = said
        self._batch = []
        self._kept.clear()

    def roll_back(self, operation: Operation) -> None:
        """Take back what was published and settled."""
        self.say(operation, commands.Tx.Rollback(), answered=True)
        self._batch.clear()
        for delivery in self._kept:
            delivery.settled, delivery.final = None, False
            self.unsettled[delivery.tag] = delivery
        self._kept.clear()
        self.unsettled = OrderedDict(sorted(self.unsettled.items()))

    def limit(self, operation: Operation) -> None:
        """Ask for no more than so many unsettled deliveries."""
        self.limited = True
        count, shared = operation.prefetch, operation.shared
        method = commands.Basic.Qos(prefetch_count=count, global_=shared)
        self.say(operation, method, answered=True)

    def consume(self, operation: Operation, queue: str, tag: str) -> None:
        """Start a consumer."""
        method = commands.Basic.Consume(
            queue=queue, consumer_tag=tag, no_ack=operation.no_ack, nowait=operation.nowait
        )
        said = self.say(operation, method, answered=not operation.nowait)
        self.subscriptions[tag] = Subscription(operation.queue, said, operation.no_ack)
        self._trace.subscriptions.append(self.subscriptions[tag])
        self._queues.add(operation.queue)

    def get(self, operation: Operation, queue: str) -> Get:
        """Ask for a message."""
        method = commands.Basic.Get(queue=queue, no_ack=operation.no_ack)
        said = self.say(operation, method, answered=True)
        get = Get(operation.queue, said, operation.no_ack)
        self._gets.append(get)
        self._trace.gets.append(get)
        self._queues.add(operation.queue)
        return get

    def settle(self, operation: Operation) -> None:
        """Ack, nack or reject a delivery, if there is any that is unsettled."""
        if not self.unsettled:
            return
        tags = list(self.unsettled)
        tag = tags[operation.which % len(tags)]
        said = self.say(operation, _settling(operation, tag), answered=False)
        multiple = operation.multiple and operation.do != Do.REJECT
        for one in [t for t in tags if t == tag or (multiple and t < tag)]:
            delivery = self.unsettled.pop(one)
            delivery.settled = said
            delivery.final = operation.do == Do.ACK or not operation.requeue
            if self.mode == "tx":
                self._kept.append(delivery)
            else:
                delivery.effective = said

    def offend(self, operation: Operation) -> None:
        """Ack what was never delivered, for which the channel is closed."""
        self._wrong = True
        method = commands.Basic.Ack(delivery_tag=1 << 40)
        self._trace.offences.append(self.say(operation, method, answered=False))

    def delete(self, operation: Operation, queue: str) -> None:
        """Ask for a queue to be deleted, whosever it is."""
        self._queues.add(operation.queue)
        self.say(operation, commands.Queue.Delete(queue=queue), answered=True)

    def trespass(self, operation: Operation, queue: str) -> None:
        """Ask for a queue of another connection, for which the channel is closed."""
        self._wrong = True
        self.say(operation, commands.Queue.Declare(queue=queue, passive=True), answered=True)

    def close(self, operation: Operation) -> None:
        """Ask for the channel to be closed."""
        method = commands.Channel.Close(reply_code=200, reply_text="", class_id=0, method_id=0)
        self._closing = True
        self.say(operation, method, answered=True)

    # -- hearing ------------------------------------------------------------------------------

    def hear(self, event: Event) -> None:
        """Take what the broker says."""
        now = self._trace.tick()
        if event.kind in _ANSWERS:
            self._answered(event, now)
        elif event.kind in (Kind.ACK, Kind.NACK):
            self._settled(event, now)
        elif event.kind == Kind.RETURN:
            self._returned(event, now)
        elif event.kind == Kind.DELIVER:
            self._delivered(event, now)
        elif event.kind == Kind.CANCEL and event.consumer in self.subscriptions:
            self.subscriptions[event.consumer].cancelled = True
        elif event.kind == Kind.CHANNEL_CLOSE:
            self._refused(event)

    def _processed(self, said: Said, now: int) -> None:
        while self._said and self._said[0].at <= said.at:
            self._said.popleft().known = now

    def _answered(self, event: Event, now: int) -> None:
        if event.kind == Kind.CLOSE_OK:
            self._closed(now)
            return
        if not self._pending:
            return
        said = self._pending.popleft()
        self._processed(said, now)
        if event.kind == Kind.COMMIT_OK:
            self._committed(said, now)
        elif event.kind == Kind.RECOVER_OK:
            self.unsettled.clear()
        elif event.kind in (Kind.GET_OK, Kind.GET_EMPTY) and self._gets:
            self._got(self._gets.popleft(), event, now)

    def _committed(self, commit: Said, now: int) -> None:
        for message in self._trace.publishes:
            if message.commit is commit:
                message.fate, message.settled = "acked", now

    def _got(self, get: Get, event: Event, now: int) -> None:
        get.answer = "ok" if event.kind == Kind.GET_OK else "empty"
        get.at = now
        if event.kind == Kind.GET_OK:
            self._take(event, get.queue, get.said, get.no_ack, now)

    def _settled(self, event: Event, now: int) -> None:
        tags = [event.tag] if event.tag in self.open else []
        if event.multiple:
            tags = [tag for tag in self.open if tag <= event.tag]
        for tag in tags:
            message = self.open.pop(tag)
            message.fate = "acked" if event.kind == Kind.ACK else "nacked"
            message.settled = now
            self._processed(message.said, now)

    def _returned(self, event: Event, now: int) -> None:
        number = number_of(event)
        if number is not None and number <= len(self._trace.publishes):
            message = self._trace.publishes[number - 1]
            message.returned = True
            if message.mode != "tx" and message.said.session == self.number:
                self._processed(message.said, now)

    def _delivered(self, event: Event, now: int) -> None:
        subscription = self.subscriptions.get(event.consumer)
        if subscription is not None:
            said, no_ack = subscription.said, subscription.no_ack
            self._take(event, subscription.queue, said, no_ack, now)

    def _take(self, event: Event, queue: str, source: Said, no_ack: bool, now: int) -> None:
        number = number_of(event)
        delivery = Delivery(event, number, queue, source, now, event.tag, no_ack)
        self._trace.deliveries.append(delivery)
        if not no_ack:
            self.unsettled[event.tag] = delivery

    # -- the end ------------------------------------------------------------------------------

    def _closed(self, now: int) -> None:
        if self._how == "closed":
            for said in self._said:
                said.known = now
            self._said.clear()
        self._end(self._how)

    def _refused(self, event: Event) -> None:
        self.connection.say(encode_method(commands.Channel.CloseOk(), self.channel))
        self.connection.send()
        causes = {_NOT_FOUND: self._may_be_gone, _LOCKED: self._may_be_owned}
        expected = self._wrong or causes.get(event.code, bool)()
        commit = next((said for said in self._pending if said.operation.do == Do.COMMIT), None)
        where = f"{event.connection}, channel {event.channel}"
        self._trace.closes.append(Close(where, event.code, event.text, expected, commit))
        self._how = "refused"
        if (
            not self._closing
        ):  # else the two have crossed, and the answer to the client's own is due
            self._end("refused")

    def _may_be_gone(self) -> bool:
        """Tell whether a queue that was asked for may be gone."""
        queues = [self._trace.queue(name) for name in self._queues]
        deleted = any(life.deleted is not None for queue in queues for life in queue.lives)
        return deleted or any(queue.blurred or queue.crashed for queue in queues)

    def _may_be_owned(self) -> bool:
        """Tell whether a queue that was asked for may belong to another connection."""
        queues = [self._trace.queue(name) for name in self._queues]
        return any(life.owner for queue in queues for life in queue.lives)

    def broke(self) -> None:
        """The connection is gone."""
        self._trace.broken.add(self.number)
        self._end("broken")

    def _end(self, how: str) -> None:
        if not self.ended:
            self.ended = how
            for subscription in self.subscriptions.values():
                subscription.cancelled = True
            self.on_end(self)

    def held(self) -> list[Delivery]:
        """Return what it has of its queues: unsettled, or settled in a transaction that is open."""
        return [*self.unsettled.values(), *self._kept]

    def certain(self) -> bool:
        """Tell whether all that it has said is known to be processed."""
        return not self._said or self._said[-1].known < inf


def number_of(event: Event) -> int | None:
    """Return the number of a message of this run, which is its message-id."""
    text = event.message.rpartition("-")[2]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _settling(operation: Operation, tag: int) -> base.Frame:
    if operation.do == Do.ACK:
        return commands.Basic.Ack(delivery_tag=tag, multiple=operation.multiple)
    if operation.do == Do.REJECT:
        return commands.Basic.Reject(delivery_tag=tag, requeue=operation.requeue)
    return commands.Basic.Nack(
        delivery_tag=tag, multiple=operation.multiple, requeue=operation.requeue
    )
