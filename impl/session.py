"""One connection, without its socket: bytes in, bytes out.

The connection goes through phases: it waits for the protocol header, for start-ok, for tune-ok,
for open, and then it is open.  Methods of channel 0 are handled here, those of other channels by
`ackproof.impl.channels`.

It ends in one of three ways.  The client closes, and is answered.  The broker closes, after a hard
error; then it ignores everything but the answer.  Or the connection breaks, and nobody is told
anything.  In each case the channels are closed for the specification's machines too.

The session is sans-I/O.  `receive` takes what came from the socket, `take_output` gives what is to
be written, at any time, since channels are told things that others have caused; `on_output` says
that there is something.  `waiting` is set while a reply has to wait for the disk: until then no
input is processed, so that replies keep their order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto

from ackproof.impl import handshake
from ackproof.impl.broker import VHOST, Broker
from ackproof.impl.channels import SessionChannel
from ackproof.impl.errors import HardError
from ackproof.impl.frames import (
    HEARTBEAT,
    METHOD,
    PROTOCOL_HEADER,
    FrameReader,
    Received,
    decode_method,
    encode_heartbeat,
    encode_method,
)
from pamqp import base, commands

__all__ = ["USERS", "Phase", "Session"]

#: Passwords by user name.
USERS: Mapping[str, str] = {"guest": "guest"}


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
        users: passwords by user name.

    Attributes:
        phase: how far the connection is.
        waiting: no input is processed until the disk has answered.
        heartbeat: seconds that were agreed on, 0 for none.
    """

    def __init__(
        self,
        broker: Broker,
        on_output: Callable[[Session], None] = lambda _: None,
        users: Mapping[str, str] = USERS,
    ) -> None:
        self.broker = broker
        self.phase = Phase.HEADER
        self.waiting = False
        self.heartbeat = 0
        self.user = ""
        self.channels: dict[int, SessionChannel] = {}
        self._users = users
        self._on_output = on_output
        self._reader = FrameReader()
        self._output: list[bytes] = []
        self._channel_max = 0

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
            self._on_output(self)

    def take_output(self) -> bytes:
        """Return what is to be written, once."""
        output = b"".join(self._output)
        self._output.clear()
        return output

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

    # -- frames ---------------------------------------------------------------------------------

    def _process(self) -> None:
        if self.phase is Phase.HEADER and not self._greet():
            return
        while not self.waiting and self.phase is not Phase.CLOSED:
            try:
                received = self._reader.next()
                if received is None:
                    return
                self._handle(received)
            except HardError as error:
                self.fail(error)

    def _greet(self) -> bool:
        header = self._reader.protocol_header()
        if header:
            self.phase = Phase.START
            self._reply(handshake.start())
        elif header is False:
            self.send(PROTOCOL_HEADER)
            self.phase = Phase.CLOSED
        return bool(header)

    def _handle(self, received: Received) -> None:
        if self.phase is Phase.CLOSING:
            self._handle_closing(received)
        elif received.kind == HEARTBEAT:
            if received.channel:
                raise HardError(501, f"heartbeat on channel {received.channel}")
        elif received.channel == 0:
            self._handle_connection(received)
        elif self.phase is not Phase.RUNNING:
            raise HardError(504, f"channel {received.channel} used before the connection is open")
        else:
            self._channel(received.channel).receive(received)

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
            if number > self._channel_max:
                raise HardError(504, f"channel {number} is above the negotiated channel_max")
            channel = self.channels[number] = SessionChannel(self, number)
        return channel

    def forget_channel(self, number: int) -> None:
        """A channel is closed on both sides; its number may be used again."""
        self.channels.pop(number, None)

    # -- methods of the connection --------------------------------------------------------------

    def _handle_connection(self, received: Received) -> None:
        if received.kind != METHOD:
            raise HardError(505, "content frame on channel 0")
        method = decode_method(received)
        if isinstance(method, commands.Connection.Close):
            self._reply(commands.Connection.CloseOk())
            self._end()
        elif self.phase is Phase.START and isinstance(method, commands.Connection.StartOk):
            self._authenticate(method)
        elif self.phase is Phase.TUNE and isinstance(method, commands.Connection.TuneOk):
            self._tune(method)
        elif self.phase is Phase.OPEN and isinstance(method, commands.Connection.Open):
            self._open(method)
        else:
            raise HardError(503, f"{method.name} is not expected on channel 0 now")

    def _authenticate(self, reply: commands.Connection.StartOk) -> None:
        login = handshake.authenticate(reply, self._users)
        if login.accepted:
            self.user = login.user
            self.phase = Phase.TUNE
            self._reply(handshake.tune())
        elif login.wants_close:
            raise HardError(403, "Login was refused using authentication mechanism PLAIN.")
        else:
            self._end()

    def _tune(self, reply: commands.Connection.TuneOk) -> None:
        agreed = handshake.tuned(reply)
        self._reader.frame_max = agreed.frame_max
        self._channel_max = agreed.channel_max
        self.heartbeat = agreed.heartbeat
        self.phase = Phase.OPEN

    def _open(self, method: commands.Connection.Open) -> None:
        if method.virtual_host != VHOST:
            raise HardError(530, f"vhost {method.virtual_host} not found")
        self.phase = Phase.RUNNING
        self._reply(commands.Connection.OpenOk())

    def _reply(self, method: base.Frame) -> None:
        self.send(encode_method(method, 0))

    # -- endings --------------------------------------------------------------------------------

    def fail(self, error: HardError, method: base.Frame | None = None) -> None:
        """Close the connection and say why; then only the client's answer matters.

        Where the input cannot be read any more, no answer can be expected.
        """
        if self.phase in (Phase.CLOSING, Phase.CLOSED):
            return
        index = 0 if method is None else method.index
        close = commands.Connection.Close(error.code, error.text, index >> 16, index & 0xFFFF)
        self._reply(close)
        self._close_channels()
        self.phase = Phase.CLOSED if self._reader.broken else Phase.CLOSING

    def connection_lost(self) -> None:
        """The socket is gone."""
        self._end()
        self._output.clear()

    def _end(self) -> None:
        if self.phase is not Phase.CLOSED:
            self._close_channels()
            self.phase = Phase.CLOSED

    def _close_channels(self) -> None:
        for channel in self.channels.values():
            channel.closed()
        self.channels.clear()
        self.broker.delete_exclusive(self)
