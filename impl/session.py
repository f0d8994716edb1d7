"""One connection, without its socket: bytes in, bytes out.

The connection goes through phases: it waits for the protocol header, for start-ok, for tune-ok,
for open, and then it is open.  Methods of channel 0 are handled here, those of other channels by
`ackproof.impl.channels`.

It ends in one of three ways.  The client closes, and is answered.  The broker closes, after a hard
error; then it ignores everything but the answer.  Or the connection breaks, and nobody is told
anything.  In each case the channels are closed for the specification's machines too.  Before the
connection is open, the protocol wants a broker to say nothing when it breaks off, but for two
things that clients may be told: that the login was refused, and that they may not come in here.

The session is sans-I/O.  `receive` takes what came from the socket, `take_output` gives what is to
be written, at any time, since channels are told things that others have caused; `on_output` says
that there is something, or that input is wanted again.  There are two reasons not to want any.
`waiting`: a reply has to wait for the disk, and replies keep their order.  `blocked`: there is an
alarm, and the client has gone on publishing (E4); it is not listened to at all then, until the
alarm is over, but it goes on hearing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import Enum, auto

from ackproof.impl import handshake
from ackproof.impl.broker import Broker
from ackproof.impl.channels import SessionChannel
from ackproof.impl.decoding import decode_method
from ackproof.impl.errors import HardError, octets, shortened
from ackproof.impl.frames import (
    BODY,
    HEADER,
    HEARTBEAT,
    METHOD,
    PROTOCOL_HEADER,
    FrameReader,
    Received,
    encode_heartbeat,
    encode_method,
)
from ackproof.impl.limits import Limits
from ackproof.impl.users import Users
from ackproof.impl.vhost import DEFAULT
from pamqp import base, commands
from pamqp.common import FieldTable

__all__ = ["Phase", "Session"]

_LOG = logging.getLogger(__name__)

#: Bytes that the session has to say, from which on nothing is delivered until they are written.
_OUTPUT_HIGH = 1 << 18
_USERS = Users()
_LIMITS = Limits()


class Phase(Enum):
    """What the session waits for, or that nothing more comes."""

    HEADER = auto()
    START = auto()
    TUNE = auto()
    OPEN = auto()
    RUNNING = auto()
    CLOSING = auto()
    CLOSED = auto()


class Session:
    """One AMQP connection.

    Args:
        broker: what it gives access to.
        on_output: called, with the session, when there is output, or input is wanted again;
            may be called often.
        users: who may come in.
        limits: how much the client may take.
        peer: what logs call the connection.
        admit: called, with the session, before it opens; raises HardError if it must not.

    Attributes:
        phase: how far the connection is.
        vhost: the virtual host that was opened; the default one until then.
        user: name of who logged in.
        client: what the client says about itself.
        capabilities: what the client says that it can do.
        waiting: no input is processed until the disk has answered.
        blocked: no input is processed until the alarm is over.
        heartbeat: seconds that were agreed on, 0 for none.
        number: of this connection, counted by the broker from 1.
        clogged: the client does not read what it is sent; nothing is delivered to it.
        severed: the socket is to be closed without a word; a fault has asked for it.
    """

    def __init__(
        self,
        broker: Broker,
        on_output: Callable[[Session], None] = lambda _: None,
        users: Users = _USERS,
        limits: Limits = _LIMITS,
        peer: str = "somebody",
        admit: Callable[[Session], None] = lambda _: None,
    ) -> None:
        self.broker = broker
        self.limits = limits
        self.peer = peer
        self.number = broker.history.next_connection()
        self.vhost = broker.vhosts[DEFAULT]
        self.phase = Phase.HEADER
        self.waiting = False
        self.blocked = False
        self.heartbeat = 0
        self.clogged = False
        self.severed = False
        self.user = ""
        self.client: FieldTable = {}
        self.capabilities: frozenset[str] = frozenset()
        self.channels: dict[int, SessionChannel] = {}
        self._users = users
        self._admit = admit
        self._on_output = on_output
        self._reader = FrameReader(limits.frame_max)
        self._output: list[bytes] = []
        self._unwritten = 0
        self._channel_max = 0
        self._alarm = ""

    # -- bytes ----------------------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Process what came from the socket."""
        if self.phase is not Phase.CLOSED:
            self._reader.feed(data)
            self._process()

    def send(self, data: bytes) -> None:
        """Add to the output."""
        if self.phase is not Phase.CLOSED:
            self._output.append(data)
            self._unwritten += len(data)
            self._on_output(self)

    def take_output(self) -> bytes:
        """Return what is to be written, once."""
        output = b"".join(self._output)
        self._output.clear()
        was_full, self._unwritten = self._unwritten >= _OUTPUT_HIGH, 0
        if was_full:
            self._wake()
            self._on_output(self)
        return output

    def reads(self) -> bool:
        """Tell whether the client takes what it is sent; if not, nothing is delivered to it."""
        return not self.clogged and self._unwritten < _OUTPUT_HIGH

    def unclog(self) -> None:
        """The client reads again."""
        self.clogged = False
        self._wake()

    @property
    def wants_cancels(self) -> bool:
        """Tell whether the client wants to hear that the broker cancels a consumer (F3.3)."""
        return "consumer_cancel_notify" in self.capabilities

    def _wake(self) -> None:
        for channel in self.channels.values():
            self.broker.steps.wake(channel.consuming)

    def beat(self) -> None:
        """Send a heartbeat."""
        self.send(encode_heartbeat())

    @property
    def frame_max(self) -> int:
        """Return how many bytes a frame may have."""
        return self._reader.frame_max

    def wait(self) -> None:
        """Process no input until `resume`: a reply has to wait for the disk."""
        self.waiting = True

    def resume(self) -> None:
        """The disk has answered; whoever feeds the session may have to hear of it."""
        self.waiting = False
        self._process()
        self._on_output(self)

    # -- alarms ---------------------------------------------------------------------------------

    def alarm(self, reason: str) -> None:
        """An alarm begins, or changes, or is over if there is no reason any more (E4).

        Only a client that goes on publishing is blocked, by the next content that it sends.
        """
        self._alarm = reason
        if self.blocked and not reason:
            self.blocked = False
            if self._hears_of_alarms:
                self._reply(commands.Connection.Unblocked())
            self._process()
            self._on_output(self)

    def _block(self) -> None:
        self.blocked = True
        if self._hears_of_alarms:
            self._reply(commands.Connection.Blocked(shortened(self._alarm)))

    @property
    def _hears_of_alarms(self) -> bool:
        return self.phase is Phase.RUNNING and "connection.blocked" in self.capabilities

    @property
    def listens(self) -> bool:
        """Tell whether input is wanted now; when the session has ended, nobody cares."""
        if self.phase is Phase.RUNNING:
            return not self.waiting and not self.blocked
        return not self.waiting or self.phase is Phase.CLOSED

    # -- frames ---------------------------------------------------------------------------------

    def _process(self) -> None:
        if self.phase is Phase.HEADER and not self._greet():
            return
        while self.listens and self.phase is not Phase.CLOSED:
            try:
                received = self._reader.next()
                if received is None:
                    return
                self._handle(received)
            except HardError as error:
                self.fail(error)
            except Exception:
                _LOG.exception("%s: internal error; no other connection is affected", self.peer)
                self.fail(HardError(541, "internal error"))

    def _greet(self) -> bool:
        header = self._reader.protocol_header()
        if header:
            self.phase = Phase.START
            self._reply(handshake.start())
        elif header is False:
            _LOG.info("%s: does not speak AMQP 0-9-1; told so, and closed", self.peer)
            self.send(PROTOCOL_HEADER)
            self.phase = Phase.CLOSED
        return bool(header)

    def _handle(self, received: Received) -> None:
        if self.phase is Phase.CLOSING:
            self._handle_closing(received)
        elif received.kind == HEARTBEAT:
            if received.channel:
                raise _unexpected(received)
        elif received.channel == 0:
            self._handle_connection(received)
        elif self.phase is not Phase.RUNNING:
            raise HardError(504, f"channel {received.channel} used before the connection is open")
        else:
            self._channel(received.channel).receive(received)
            if self._alarm and received.kind in (HEADER, BODY) and self.phase is Phase.RUNNING:
                self._block()

    def _handle_closing(self, received: Received) -> None:
        """Wait for the answer to our close; a close of theirs that crossed it is answered."""
        if received.kind != METHOD or received.channel:
            return
        index = int.from_bytes(received.payload[:4], "big")
        if index == commands.Connection.CloseOk.index:
            self._end()
        elif index == commands.Connection.Close.index:
            self._reply(commands.Connection.CloseOk())
            self._end()

    def _channel(self, number: int) -> SessionChannel:
        channel = self.channels.get(number)
        if channel is None:
            count = len(self.channels)
            if count >= self._channel_max:
                raise HardError(
                    530,
                    f"number of channels opened ({count}) has reached the negotiated "
                    f"channel_max ({self._channel_max})",
                )
            channel = self.channels[number] = SessionChannel(self, number)
        return channel

    def forget_channel(self, number: int) -> None:
        """A channel is closed on both sides; its number may be used again."""
        self.channels.pop(number, None)

    # -- methods of the connection --------------------------------------------------------------

    def _handle_connection(self, received: Received) -> None:
        if received.kind != METHOD:
            raise _unexpected(received)
        method = decode_method(received, self.limits.table_depth)
        if isinstance(method, commands.Connection.Close):
            _LOG.info("%s: closed by the client", self.peer)
            self._reply(commands.Connection.CloseOk())
            self._end()
        elif self.phase is Phase.START and isinstance(method, commands.Connection.StartOk):
            self._authenticate(method)
        elif self.phase is Phase.TUNE and isinstance(method, commands.Connection.TuneOk):
            self._tune(method)
        elif self.phase is Phase.OPEN and isinstance(method, commands.Connection.Open):
            self._open(method)
        elif self.phase is Phase.RUNNING and isinstance(method, commands.Connection.UpdateSecret):
            # As in RabbitMQ, who has logged in with a password stays so, whatever it is now.
            self._reply(commands.Connection.UpdateSecretOk())
        else:
            state = self.phase.name.lower()
            raise HardError(504, f"unexpected method in connection state {state}")

    def _authenticate(self, reply: commands.Connection.StartOk) -> None:
        self.client = reply.client_properties or {}
        self.capabilities = handshake.capabilities(self.client)
        self._login = handshake.authenticate(reply, self._users)
        self.user = self._login.name
        self.phase = Phase.TUNE
        self._reply(handshake.tune(self.limits))

    def _tune(self, reply: commands.Connection.TuneOk) -> None:
        agreed = handshake.tuned(reply, self.limits)
        self._reader.frame_max = agreed.frame_max
        self._channel_max = agreed.channel_max
        self.heartbeat = agreed.heartbeat
        self.phase = Phase.OPEN

    def _open(self, method: commands.Connection.Open) -> None:
        vhost = self.broker.vhosts.get(str(method.virtual_host))
        if vhost is None:
            raise HardError(530, f"vhost {method.virtual_host} not found")
        if not self._login.may_open(vhost.name):
            raise HardError(530, f"access to vhost '{vhost.name}' refused for user '{self.user}'")
        self._admit(self)
        self.vhost = vhost
        self.phase = Phase.RUNNING
        self._reply(commands.Connection.OpenOk())
        name = self.client.get("connection_name", "no name")
        _LOG.info("%s (%r): opened by %s on vhost %s", self.peer, name, self.user, vhost.name)
        self.broker.history.note(
            "connection_opened",
            connection=self.number,
            name=name,
            user=self.user,
            vhost=vhost.name,
        )

    def _reply(self, method: base.Frame) -> None:
        self.send(encode_method(method, 0))

    # -- endings --------------------------------------------------------------------------------

    def fail(self, error: HardError, method: base.Frame | None = None) -> None:
        """Close the connection and say why; then only the client's answer matters.

        Where the input cannot be read any more, no answer can be expected.
        """
        if self.phase in (Phase.CLOSING, Phase.CLOSED):
            return
        # Names that clients choose may hold line ends, which a log must not.
        _LOG.info("%s: closed by the broker: %s", self.peer, repr(str(error))[1:-1])
        if not self._may_be_told(error):
            self._end()
            return
        index = 0 if method is None else method.index
        close = commands.Connection.Close(error.code, error.text, index >> 16, index & 0xFFFF)
        self._reply(close)
        self._close_channels()
        self.phase = Phase.CLOSED if self._reader.broken else Phase.CLOSING

    def _may_be_told(self, error: HardError) -> bool:
        """Tell whether the client hears of an error; before the connection is open, of few."""
        if self.phase is Phase.START:
            return error.code == 403 and "authentication_failure_close" in self.capabilities
        return self.phase is Phase.RUNNING or (self.phase is Phase.OPEN and error.code == 530)

    def sever(self, *, written: bool) -> None:
        """Break the connection, after what was said has been written, or before."""
        if not written:
            self._output.clear()
        self._end()
        self.severed = True
        self._on_output(self)

    def connection_lost(self) -> None:
        """The socket is gone."""
        self._end()
        self._output.clear()

    def _end(self) -> None:
        if self.phase is not Phase.CLOSED:
            self._close_channels()
            self.phase = Phase.CLOSED

    def _close_channels(self) -> None:
        if self.phase is Phase.RUNNING:
            self.broker.history.note("connection_closed", connection=self.number)
        for channel in self.channels.values():
            channel.closed()
        self.channels.clear()
        self.vhost.delete_exclusive(self)


def _unexpected(received: Received) -> HardError:
    """Return the error for a type of frame that has no business on its channel."""
    what = f"type {received.kind}, all octets = {octets(received.payload)}"
    return HardError(505, what)
