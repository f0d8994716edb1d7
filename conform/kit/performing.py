"""Performing: a program, operation by operation, against a broker.

An operation that makes no sense where it stands is passed over: to declare a queue that is there,
to delete one that is not.  Which queues are there, this keeps books on, by what was *said*.  Of one
name, a queue is declared and deleted in one order only: who goes on with it on another channel
waits until the broker has processed what was said before.  Publishes, on whichever channel, wait
for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from ackproof.conform.kit.clients import Clients
from ackproof.conform.kit.operations import HELD, OF_QUEUES, Do, Operation
from ackproof.conform.kit.session import Session
from ackproof.conform.kit.trace import Life, Queue
from ackproof.impl.wire.frames import FRAME_MAX, encode_content, encode_method
from pamqp import commands, header

__all__ = ["Control", "Performer"]

_PERSISTENT, _TRANSIENT = 2, 1
#: Seconds in which acks may come before something fails.
_SOON = 0.02
_NEEDS_A_QUEUE = frozenset({Do.DELETE, Do.BIND, Do.CONSUME, Do.GET})


class Control(Protocol):
    """What can make a broker fail.

    Attributes:
        faults: in which ways.
    """

    faults: Sequence[str]

    def strike(self, fault: str, queue: str) -> None:
        """Cause a fault, of a queue if it is one of queues."""


class Performer:
    """Performs programs.

    Args:
        clients: who does what they say.
        token: what names of this run begin with.
        control: what can cause faults; without it, those of a program are passed over.

    Attributes:
        fanout_name: the fanout exchange, once it is declared.
        alternate_name: the exchange that has it for an alternate, once that is declared.
    """

    def __init__(self, clients: Clients, token: str, control: Control | None = None) -> None:
        self._clients = clients
        self._trace = clients.trace
        self._token = token
        self._control = control
        self.fanout_name = self.alternate_name = ""
        self._consumers = 0
        self._held: list[tuple[str, str]] = []
        self._tags: dict[str, tuple[Session, str]] = {}
        self._rules: dict[Do, Callable[[Session, Operation], None]] = {
            Do.DECLARE: self._declare,
            Do.DELETE: self._delete,
            Do.BIND: self._bind,
            Do.CONFIRM: lambda s, o: s.select(o) if s.mode in ("none", "confirm") else None,
            Do.TRANSACT: lambda s, o: s.select(o) if s.mode in ("none", "tx") else None,
            Do.PUBLISH: self._publish,
            Do.COMMIT: lambda s, o: s.commit(o) if s.mode == "tx" else None,
            Do.ROLLBACK: lambda s, o: s.roll_back(o) if s.mode == "tx" else None,
            Do.QOS: lambda s, o: s.limit(o),
            Do.CONSUME: self._consume,
            Do.CANCEL: self._cancel,
            Do.GET: self._get,
            Do.ACK: lambda s, o: s.settle(o),
            Do.NACK: lambda s, o: s.settle(o),
            Do.REJECT: lambda s, o: s.settle(o),
            Do.RECOVER: self._recover,
            Do.WRONG: lambda s, o: s.offend(o),
            Do.CLOSE: lambda s, o: clients.close_session(s),
            Do.SETTLE: lambda s, o: clients.settle(s),
        }

    def name(self, queue: str) -> str:
        """Return what a queue is called at the broker."""
        return f"{self._token}-{queue}"

    def perform(self, program: Iterable[Operation]) -> None:
        """Perform a program.

        Raises:
            Stalled: it cannot go on.
        """
        for operation in program:
            self._perform(operation)

    def _perform(self, operation: Operation) -> None:
        if operation.do == Do.SEND:
            self._clients.listen(0.0)
        elif operation.do == Do.WAIT:
            self._clients.wait_for_all()
        elif operation.do == Do.DROP:
            self._clients.drop(operation.connection)
        elif operation.do == Do.FAULT:
            self._strike(operation)
        elif self._makes_sense(operation):
            session = self._clients.session(operation.connection, operation.channel)
            self._clients.wait_for(session)
            if operation.fanout or operation.alternate or operation.do == Do.BIND:
                self._declare_fanout(session)
            if operation.alternate:
                self._declare_alternate(session)
            if not session.ended:
                self._rules[operation.do](session, operation)

    def _makes_sense(self, operation: Operation) -> bool:
        queue = self._trace.queue(operation.queue)
        if operation.do == Do.DECLARE:
            return not queue.blurred and queue.alive is None
        if operation.do in _NEEDS_A_QUEUE:
            return not queue.blurred and queue.alive is not None
        return True

    # -- queues -------------------------------------------------------------------------------

    def _latest(self, queue: Queue, session: Session) -> bool:
        """Make sure that what was said of a queue comes first; tell whether that is known.

        A queue that belongs to another connection is none of this session's.
        """
        if queue.alive is not None and queue.alive.owner not in ("", session.connection.name):
            return False
        if queue.lives:
            latest = max(queue.lives[-1].parts(), key=lambda said: said.at)
            if latest.session != session.number:
                self._clients.make_known(latest)
        return not queue.blurred and not session.ended

    def _declare(self, session: Session, operation: Operation) -> None:
        queue = self._trace.queue(operation.queue)
        if not self._latest(queue, session):
            return
        arguments: dict[str, Any] = {}
        if operation.limit is not None:
            arguments = {"x-max-length": operation.limit, "x-overflow": str(operation.overflow)}
        if operation.ttl is not None:
            arguments["x-message-ttl"] = operation.ttl
        method = commands.Queue.Declare(
            queue=self.name(operation.queue),
            durable=operation.durable,
            exclusive=operation.exclusive,
            nowait=operation.nowait,
            arguments=arguments,
        )
        declared = session.say(operation, method, answered=not operation.nowait)
        owner = session.connection.name if operation.exclusive else ""
        queue.lives.append(Life(declared, owner=owner))

    def _delete(self, session: Session, operation: Operation) -> None:
        queue = self._trace.queue(operation.queue)
        if self._latest(queue, session) and queue.alive is not None:
            name = self.name(operation.queue)
            method = commands.Queue.Delete(queue=name, nowait=operation.nowait)
            life = queue.alive
            life.deleted = session.say(operation, method, answered=not operation.nowait)

    def _bind(self, session: Session, operation: Operation) -> None:
        queue = self._trace.queue(operation.queue)
        if self._latest(queue, session) and queue.alive is not None:
            name = self.name(operation.queue)
            method = commands.Queue.Bind(
                queue=name, exchange=self.fanout_name, nowait=operation.nowait
            )
            life = queue.alive
            life.binds.append(session.say(operation, method, answered=not operation.nowait))

    def _declare_fanout(self, session: Session) -> None:
        self.fanout_name = self.fanout_name or self._exchange(session, "fanout", {})

    def _declare_alternate(self, session: Session) -> None:
        if not self.alternate_name and self.fanout_name:
            arguments = {"alternate-exchange": self.fanout_name}
            self.alternate_name = self._exchange(session, "direct", arguments)

    def _exchange(self, session: Session, kind: str, arguments: dict[str, Any]) -> str:
        """Declare an exchange; return what it is called, or nothing if that was not possible."""
        if session.ended:
            return ""
        name = self.name(kind)
        declare = commands.Exchange.Declare(
            exchange=name, exchange_type=kind, durable=True, arguments=arguments
        )
        session.say(Operation(Do.WAIT), declare, answered=True)
        self._clients.wait_for(session)
        return "" if session.ended else name

    # -- publishing ---------------------------------------------------------------------------

    def _publish(self, session: Session, operation: Operation) -> None:
        exchange, key = "", self.name(operation.queue or "nowhere")
        if operation.alternate:
            exchange = self.alternate_name
        elif operation.fanout:
            exchange, key = self.fanout_name, ""
        number = len(self._trace.publishes) + 1
        content = f"{self._token}-{number}".encode().ljust(operation.size, b".")
        properties = commands.Basic.Properties(
            message_id=f"{self._token}-{number}",
            delivery_mode=_PERSISTENT if operation.persistent else _TRANSIENT,
            expiration=None if operation.expires is None else str(operation.expires),
        )
        method = commands.Basic.Publish(
            exchange=exchange, routing_key=key, mandatory=operation.mandatory
        )
        head = header.ContentHeader(0, len(content), properties).marshal()
        data = encode_method(method, session.channel)
        session.publish(operation, data + encode_content(head, content, session.channel, FRAME_MAX))

    # -- consuming ----------------------------------------------------------------------------

    def _consume(self, session: Session, operation: Operation) -> None:
        if self._latest(self._trace.queue(operation.queue), session):
            self._consumers += 1
            tag = f"{operation.consumer}-{self._consumers}"
            self._tags[operation.consumer] = session, tag
            session.consume(operation, self.name(operation.queue), tag)

    def _get(self, session: Session, operation: Operation) -> None:
        if self._latest(self._trace.queue(operation.queue), session):
            session.get(operation, self.name(operation.queue))

    def _cancel(self, session: Session, operation: Operation) -> None:
        of, tag = self._tags.get(operation.consumer, (None, ""))
        if of is session:
            session.subscriptions[tag].cancelled = True
            method = commands.Basic.Cancel(consumer_tag=tag, nowait=operation.nowait)
            session.say(operation, method, answered=not operation.nowait)

    def _recover(self, session: Session, operation: Operation) -> None:
        session.say(operation, commands.Basic.Recover(requeue=True), answered=True)

    # -- faults -------------------------------------------------------------------------------

    def _strike(self, operation: Operation) -> None:
        control = self._control
        if control is None or operation.fault not in control.faults:
            return
        if operation.fault in ("restart_node", "restart_peer"):
            self._restart(control, operation.fault)
        elif operation.fault == "crash_queue":
            self._crash(control, self._trace.queue(operation.queue))
        elif operation.fault in HELD:
            self._hold(control, operation)
        else:
            self.release()

    def release(self) -> None:
        """Release what a fault holds back."""
        held, self._held = self._held, []
        self._clients.release, self._clients.suspended = None, False
        for fault, queue in reversed(held):  # the node first, if it holds a queue, too
            if self._control is not None:
                self._control.strike(HELD[fault], queue)

    def _hold(self, control: Control, operation: Operation) -> None:
        """Hold something back, until somebody waits for it, or says that it may go on.

        It makes nothing wrong that is right without it, only later; so no mark is left.
        """
        name = ""
        if operation.fault in OF_QUEUES:
            queue = self._trace.queue(operation.queue)
            if not self._reaches(queue):
                return
            name = self.name(queue.name)
        self._clients.send()
        self._held.append((operation.fault, name))
        self._clients.release = self.release
        self._clients.suspended |= operation.fault in ("suspend_node", "suspend_peer")
        control.strike(operation.fault, name)

    def _reaches(self, queue: Queue) -> bool:
        """Make sure that a queue's process is there; tell whether that is known.

        Of a node that is suspended nobody reaches a queue.
        """
        if queue.blurred or queue.alive is None or queue.alive.owner:
            return False
        if self._clients.suspended:
            self.release()
        self._clients.make_known(queue.alive.declared)
        return True

    def _crash(self, control: Control, queue: Queue) -> None:
        if not self._reaches(queue):
            return
        self._clients.listen(_SOON)
        queue.crashed = True
        control.strike("crash_queue", self.name(queue.name))

    def _restart(self, control: Control, fault: str) -> None:
        """Kill a node, and start it again; clients are connected to one of two.

        Of a queue that is not durable, or belongs to a connection and is on the other, nobody knows
        whether it is there.
        """
        self._clients.listen(_SOON)  # what was acked by then must survive
        for queue in self._trace.queues.values():
            queue.crashed = True
            life = queue.alive
            if life is not None and not (life.declared.operation.durable and not life.owner):
                queue.blurred = True
        control.strike(fault, "")
        if fault == "restart_node":
            self._clients.restarted()
        self.release()
