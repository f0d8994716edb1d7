"""One channel of a connection, without its socket: what comes in on it.

A channel begins with channel.open.  A method either gets its reply or fails: softly, and the
channel closes, or hard, and the connection does (A2).  A closing channel sends nothing any more
and ignores everything but the answer to its close (A2.6), and a client that opens it again at once,
which RabbitMQ takes for a hard error.

Before any method other than a publish is processed, the channel tells its publisher what is
settled so far (A10.2): who publishes and then asks for something hears in that order.

What goes out is said in `ackproof.impl.session.speaking`, and what each method does in
`ackproof.impl.session.methods`.  What this broker does not do yet is refused as 540
NOT_IMPLEMENTED, and never half done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackproof.impl.errors import BodyTooLarge, HardError, SoftError
from ackproof.impl.machines.hosted import HostedQueue
from ackproof.impl.session.methods import METHODS
from ackproof.impl.session.methods.handler import stripped
from ackproof.impl.session.speaking import SpeakingChannel
from ackproof.impl.steps.replying import addressed, asks_for_reply
from ackproof.impl.wire.content import Assembly, Message
from ackproof.impl.wire.decoding import decode_method
from ackproof.impl.wire.frames import BODY, METHOD, Received
from pamqp import base, commands

if TYPE_CHECKING:
    from ackproof.impl.session.session import Session

__all__ = ["SessionChannel"]

_PUBLISH = commands.Basic.Publish()

#: What only a broker says, besides all replies that end in `ok`.
_BROKERS = (commands.Basic.Deliver, commands.Basic.Return, commands.Basic.GetEmpty)


def _is_for_clients(method: base.Frame) -> bool:
    """Tell whether no client may send a method, or not on a channel of its own."""
    return (
        isinstance(method, _BROKERS)
        or method.name.endswith("Ok")
        or method.name.startswith("Connection.")
    )


class SessionChannel(SpeakingChannel):
    """The state of one channel number of a session.

    Attributes:
        vhost: the virtual host of the connection.
        opened: channel.open was received.
        assembly: the publish whose content is coming in.
        last_queue: name of the queue that was declared last here, which no name stands for.
    """

    def __init__(self, session: Session, number: int) -> None:
        super().__init__(session, number)
        self.vhost = session.vhost
        self.opened = False
        self.assembly: Assembly | None = None
        self.last_queue = ""

    # -- frames in ------------------------------------------------------------------------------

    def receive(self, received: Received) -> None:
        """Process a frame.

        Raises:
            HardError: the connection has to be closed.
        """
        if self.closing:
            self._receive_closing(received)
            return
        method: base.Frame = _PUBLISH
        try:
            if received.kind == METHOD:
                method = decode_method(received, self.session.limits.table_depth)
                self._receive_method(method)
            else:
                self._receive_content(received)
        except SoftError as error:
            self.fail(error, method.index)
        except HardError as error:
            self.session.fail(error, method)

    def _receive_method(self, method: base.Frame) -> None:
        if self.assembly is not None:
            raise HardError(505, self.assembly.expected)
        if not self.publishing.transaction.answers():
            raise HardError(504, "unexpected command while processing 'tx.commit'")
        if not self.opened and not isinstance(method, commands.Channel.Open):
            raise HardError(504, "expected 'channel.open'")
        handle = METHODS.get(type(method))
        if handle is None:
            if _is_for_clients(method):
                raise HardError(503, "unimplemented method")
            raise HardError(540, f"{method.name} is not implemented")
        if not isinstance(method, commands.Basic.Publish):
            self.broker.before_method()
            if not self.publishing.machine.open:
                return  # what had to be told first was the last thing: the connection broke
        handle(self, method)

    def _receive_content(self, received: Received) -> None:
        if self.assembly is None:
            raise HardError(505, "expected method frame, got non method frame instead")
        if received.kind == BODY:
            message = self.assembly.take_body(received.payload)
        else:
            message = self._take_header(self.assembly, received)
        if message is not None:
            immediate, self.assembly = self.assembly.immediate, None
            self._publish(message, immediate)

    def _take_header(self, assembly: Assembly, received: Received) -> Message | None:
        """Take a content header; other properties are looked at last (A3, guards 3, 4 and 6)."""
        try:
            return assembly.take_header(received)
        except BodyTooLarge:
            raise
        except SoftError:
            self.vhost.topology.find_to_publish(assembly.exchange)
            if asks_for_reply(received.payload) and self.reply_consumer is None:
                raise SoftError(406, "fast reply consumer does not exist") from None
            raise

    def _publish(self, message: Message, immediate: bool) -> None:
        if asks_for_reply(message.properties):
            self.vhost.topology.find_to_publish(message.exchange)  # what is wrong there is first
            message = addressed(message, self.reply_consumer)
        self.vhost.publish(self.publishing, message, immediate)

    def _receive_closing(self, received: Received) -> None:
        if received.kind != METHOD:
            return
        method = decode_method(received)
        if isinstance(method, commands.Channel.Open):
            self.session.fail(HardError(504, "second 'channel.open' seen"), method)
        elif isinstance(method, commands.Channel.Close):
            self.reply(commands.Channel.CloseOk())
        elif isinstance(method, commands.Channel.CloseOk):
            self.forget()

    def closed(self) -> None:
        """The channel is closed, by whomever: what was coming in will not come."""
        super().closed()
        self.assembly = None

    def forget(self) -> None:
        """The channel is closed on both sides; its number may be used again."""
        self.session.channels.forget(self.number)

    # -- queues by name -------------------------------------------------------------------------

    def find_queue(self, name: object) -> HostedQueue:
        """Return a queue by name; no name means the one that was declared last here.

        Raises:
            SoftError: 404, there is none; 405, it belongs to another connection.
        """
        return self.vhost.find(self.queue_name(name), self.session)

    def queue_name(self, name: object) -> str:
        """Return the name of a queue; no name means the one that was declared last here.

        Raises:
            SoftError: 404, no queue was declared here.
        """
        found = stripped(name) or self.last_queue
        if not found:
            raise SoftError(404, "no previously declared queue")
        return found
