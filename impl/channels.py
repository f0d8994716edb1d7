"""One channel of a connection, without its socket: the methods a client may call on it.

A channel begins with channel.open.  A method either gets its reply or fails: softly, and the
channel closes, or hard, and the connection does (A2).  A closing channel sends nothing any more
and ignores everything but the answer to its close (A2.6).

Before any method other than a publish is processed, the channel tells its publisher what is
settled so far (A10.2): who publishes and then asks for something hears in that order.

What this broker does not do yet is refused as 540 NOT_IMPLEMENTED, and never half done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ackproof.impl.content import Assembly, Message
from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.frames import (
    BODY,
    HEADER,
    METHOD,
    Received,
    decode_method,
    encode_method,
)
from ackproof.impl.hosted import HostedQueue
from ackproof.impl.replies import encode_event
from ackproof.spec.lang import Event
from pamqp import base, commands

if TYPE_CHECKING:
    from ackproof.impl.session import Session

__all__ = ["SessionChannel"]

_PUBLISH = commands.Basic.Publish()


class _DeclareOk(commands.Queue.DeclareOk):
    """queue.declare-ok for any name that a client could send; the codec refuses unusual ones."""

    def validate(self) -> None:
        """A name that was decoded can be encoded."""


class SessionChannel:
    """The state of one channel number of a session."""

    def __init__(self, session: Session, number: int) -> None:
        self._session = session
        self._broker = session.broker
        self._number = number
        self._publishing = self._broker.open_channel(self._tell)
        self._opened = False
        self._closing = False
        self._silent_select = False
        self._assembly: Assembly | None = None
        self._last_queue = ""

    # -- frames in ------------------------------------------------------------------------------

    def receive(self, received: Received) -> None:
        """Process a frame.

        Raises:
            HardError: the connection has to be closed.
        """
        if self._closing:
            self._receive_closing(received)
            return
        method: base.Frame = _PUBLISH
        try:
            if received.kind == METHOD:
                method = decode_method(received)
                self._receive_method(method)
            else:
                self._receive_content(received)
        except SoftError as error:
            self._fail(error, method)
        except HardError as error:
            self._session.fail(error, method)

    def _receive_method(self, method: base.Frame) -> None:
        if self._assembly is not None:
            raise HardError(
                505, f"expected content {self._assembly.expected}, got {method.name} instead"
            )
        if not self._opened and not isinstance(method, commands.Channel.Open):
            raise HardError(504, f"expected 'channel.open' before {method.name}")
        handle = _METHODS.get(type(method))
        if handle is None:
            raise HardError(540, f"{method.name} is not implemented")
        if not isinstance(method, commands.Basic.Publish):
            self._broker.run(idle=True)
        handle(self, method)

    def _receive_content(self, received: Received) -> None:
        if self._assembly is None:
            kind = "header" if received.kind == HEADER else "body"
            raise HardError(505, f"expected method frame, got content {kind} frame instead")
        if received.kind == BODY:
            message = self._assembly.take_body(received.payload)
        else:
            message = self._assembly.take_header(received)
        if message is not None:
            self._assembly = None
            self._broker.publish(self._publishing, message)

    def _receive_closing(self, received: Received) -> None:
        if received.kind != METHOD:
            return
        method = decode_method(received)
        if isinstance(method, commands.Channel.Close):
            self._reply(commands.Channel.CloseOk())
        elif isinstance(method, commands.Channel.CloseOk):
            self._session.forget_channel(self._number)

    # -- frames out -----------------------------------------------------------------------------

    def _reply(self, method: base.Frame) -> None:
        self._session.send(encode_method(method, self._number))

    def _tell(self, event: Event, message: Message | None) -> None:
        if not self._silent_select:
            frame_max = self._session.frame_max
            self._session.send(encode_event(event, message, self._number, frame_max))

    def _fail(self, error: SoftError, method: base.Frame) -> None:
        index = method.index
        close = commands.Channel.Close(error.code, error.text, index >> 16, index & 0xFFFF)
        self._reply(close)
        self.closed()
        self._assembly = None
        self._closing = True

    def closed(self) -> None:
        """The channel is closed, by whomever: the machines are told."""
        self._broker.close_channel(self._publishing)

    # -- methods --------------------------------------------------------------------------------

    def _open(self, _: commands.Channel.Open) -> None:
        if self._opened:
            raise HardError(504, "second 'channel.open' seen")
        self._opened = True
        self._reply(commands.Channel.OpenOk())

    def _close(self, _: commands.Channel.Close) -> None:
        self.closed()
        self._reply(commands.Channel.CloseOk())
        self._session.forget_channel(self._number)

    def _flow(self, method: commands.Channel.Flow) -> None:
        if not method.active:
            raise HardError(540, "active=false")
        self._reply(commands.Channel.FlowOk(True))

    def _confirm_select(self, method: commands.Confirm.Select) -> None:
        self._silent_select = bool(method.nowait)
        self._publishing.machine.select()
        self._silent_select = False

    def _publish(self, method: commands.Basic.Publish) -> None:
        if method.immediate:
            raise HardError(540, "immediate=true")
        self._assembly = Assembly(method, self._session.user)

    def _queue_declare(self, method: commands.Queue.Declare) -> None:
        if method.passive:
            self._declared(self._find(method.queue), nowait=bool(method.nowait))
            return
        for name, value in (method.arguments or {}).items():
            if (name, value) != ("x-queue-type", "classic"):
                raise HardError(540, f"queue argument '{name}' is not implemented")
        queue, new = self._broker.declare(
            str(method.queue),
            durable=bool(method.durable),
            auto_delete=bool(method.auto_delete),
            exclusive=bool(method.exclusive),
            asking=self._session,
        )
        self._answer(
            lambda: self._declared(queue, nowait=bool(method.nowait)),
            on_disk=new and queue.machine.durable,
        )

    def _answer(self, reply: Callable[[], None], *, on_disk: bool) -> None:
        """Reply now, or as soon as what the reply promises is on the disk."""
        if not on_disk:
            reply()
            return

        def stored() -> None:
            reply()
            self._session.resume()

        self._session.wait()
        self._broker.journal.after_commit(stored)

    def _declared(self, queue: HostedQueue, nowait: bool) -> None:
        self._last_queue = queue.name
        if not nowait:
            ready = len(queue.machine.ready)
            self._reply(_DeclareOk(queue.name, ready, 0))

    def _queue_delete(self, method: commands.Queue.Delete) -> None:
        queue = self._find(method.queue)
        if method.if_empty and queue.machine.ready:
            raise SoftError(406, f"queue '{queue.name}' in vhost '/' is not empty")
        deleted = self._broker.delete(queue)

        def reply() -> None:
            if not method.nowait:
                self._reply(commands.Queue.DeleteOk(deleted))

        self._answer(reply, on_disk=queue.machine.durable)

    def _queue_purge(self, method: commands.Queue.Purge) -> None:
        purged = self._broker.purge(self._find(method.queue))
        if not method.nowait:
            self._reply(commands.Queue.PurgeOk(purged))

    def _find(self, name: object) -> HostedQueue:
        """Return a queue by name; no name means the one that was declared last here."""
        return self._broker.find(str(name or self._last_queue), self._session)


_METHODS: dict[type[base.Frame], Callable[[SessionChannel, Any], None]] = {
    commands.Channel.Open: SessionChannel._open,
    commands.Channel.Close: SessionChannel._close,
    commands.Channel.Flow: SessionChannel._flow,
    commands.Confirm.Select: SessionChannel._confirm_select,
    commands.Basic.Publish: SessionChannel._publish,
    commands.Queue.Declare: SessionChannel._queue_declare,
    commands.Queue.Delete: SessionChannel._queue_delete,
    commands.Queue.Purge: SessionChannel._queue_purge,
}
