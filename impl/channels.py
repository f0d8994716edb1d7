"""One channel of a connection, without its socket: what comes in on it, and what goes out.

A channel begins with channel.open.  A method either gets its reply or fails: softly, and the
channel closes, or hard, and the connection does (A2).  A closing channel sends nothing any more
and ignores everything but the answer to its close (A2.6).

Before any method other than a publish is processed, the channel tells its publisher what is
settled so far (A10.2): who publishes and then asks for something hears in that order.

What each method does is said in `ackproof.impl.methods`.  What this broker does not do yet is
refused as 540 NOT_IMPLEMENTED, and never half done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

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
from ackproof.impl.methods import METHODS
from ackproof.impl.replies import encode_event
from ackproof.spec.lang import Event
from pamqp import base, commands

if TYPE_CHECKING:
    from ackproof.impl.session import Session

__all__ = ["SessionChannel"]

_PUBLISH = commands.Basic.Publish()


class SessionChannel:
    """The state of one channel number of a session.

    Attributes:
        publishing: the spec's machines for what is published here.
        opened: channel.open was received.
        muted: what the machines tell is not sent on.
        assembly: the publish whose content is coming in.
        last_queue: name of the queue that was declared last here, which no name stands for.
    """

    def __init__(self, session: Session, number: int) -> None:
        self.session = session
        self.broker = session.broker
        self.number = number
        self.publishing = self.broker.open_channel(self._tell)
        self.opened = False
        self.muted = False
        self.assembly: Assembly | None = None
        self.last_queue = ""
        self._closing = False

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
            self.session.fail(error, method)

    def _receive_method(self, method: base.Frame) -> None:
        if self.assembly is not None:
            raise HardError(
                505, f"expected content {self.assembly.expected}, got {method.name} instead"
            )
        if not self.opened and not isinstance(method, commands.Channel.Open):
            raise HardError(504, f"expected 'channel.open' before {method.name}")
        handle = METHODS.get(type(method))
        if handle is None:
            raise HardError(540, f"{method.name} is not implemented")
        if not isinstance(method, commands.Basic.Publish):
            self.broker.run(idle=True)
        handle(self, method)

    def _receive_content(self, received: Received) -> None:
        if self.assembly is None:
            kind = "header" if received.kind == HEADER else "body"
            raise HardError(505, f"expected method frame, got content {kind} frame instead")
        if received.kind == BODY:
            message = self.assembly.take_body(received.payload)
        else:
            message = self.assembly.take_header(received)
        if message is not None:
            self.assembly = None
            self.broker.publish(self.publishing, message)

    def _receive_closing(self, received: Received) -> None:
        if received.kind != METHOD:
            return
        method = decode_method(received)
        if isinstance(method, commands.Channel.Close):
            self.reply(commands.Channel.CloseOk())
        elif isinstance(method, commands.Channel.CloseOk):
            self.forget()

    # -- frames out -----------------------------------------------------------------------------

    def reply(self, method: base.Frame) -> None:
        """Send a method to the client."""
        self.session.send(encode_method(method, self.number))

    def answer(self, reply: Callable[[], None], *, on_disk: bool) -> None:
        """Reply now, or as soon as what the reply promises is on the disk."""
        if not on_disk:
            reply()
            return

        def stored() -> None:
            reply()
            self.session.resume()

        self.session.wait()
        self.broker.journal.after_commit(stored)

    def _tell(self, event: Event, message: Message | None) -> None:
        if not self.muted:
            frame_max = self.session.frame_max
            self.session.send(encode_event(event, message, self.number, frame_max))

    def _fail(self, error: SoftError, method: base.Frame) -> None:
        index = method.index
        close = commands.Channel.Close(error.code, error.text, index >> 16, index & 0xFFFF)
        self.reply(close)
        self.closed()
        self.assembly = None
        self._closing = True

    def closed(self) -> None:
        """The channel is closed, by whomever: the machines are told."""
        self.broker.close_channel(self.publishing)

    def forget(self) -> None:
        """The channel is closed on both sides; its number may be used again."""
        self.session.forget_channel(self.number)

    def find_queue(self, name: object) -> HostedQueue:
        """Return a queue by name; no name means the one that was declared last here.

        Raises:
            SoftError: 404, there is none; 405, it belongs to another connection.
        """
        return self.broker.find(str(name or self.last_queue), self.session)
