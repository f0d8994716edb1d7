"""One connection, without its socket: bytes in, bytes out.

The connection goes through phases until it is open (`ackproof.impl.session.connection_methods`).
From then on methods come on channels, each of which is handled by
`ackproof.impl.session.session_channel`.

It ends in one of three ways.  The client closes, is answered, and hangs up.  The broker closes,
after a hard error; then it ignores everything but the answer.  Or the connection breaks, and nobody
is told anything.  In each case the channels are closed for the specification's machines too.
Before the connection is open, the protocol wants a broker to say nothing when it breaks off, but
for two things that clients may be told: that the login was refused, and that they may not come in.

The session is sans-I/O.  `receive` takes what came from the socket, `take_output` gives what is to
be written, at any time, since channels are told things that others have caused; `on_output` says
that there is something, or that input is wanted again.  There are two reasons not to want any.
`waiting`: a reply has to wait for the disk, and replies keep their order.  `blocking.blocked`:
there is an alarm, and the client has gone on publishing (E4); it is not listened to at all then,
until the alarm is over, but it goes on hearing.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable

from ackproof.impl.access.directory import User
from ackproof.impl.access.permissions import EVERYTHING, Access
from ackproof.impl.broker import Broker
from ackproof.impl.errors import HardError, SoftError
from ackproof.impl.limits import Limits
from ackproof.impl.session.channel_table import ChannelTable
from ackproof.impl.session.connection_blocking import ConnectionBlocking
from ackproof.impl.session.connection_methods import Phase, may_be_told
from ackproof.impl.session.frame_dispatch import FrameDispatch
from ackproof.impl.session.output_buffer import OutputBuffer
from ackproof.impl.session.watching import Watch
from ackproof.impl.vhost.virtual_host import DEFAULT
from ackproof.impl.wire.frames import (
    encode_heartbeat,
    encode_method,
)
from pamqp import base, commands
from pamqp.common import FieldTable

__all__ = ["Phase", "Session"]

_LOG = logging.getLogger(__name__)

_LIMITS = Limits()


class Session:
    """One AMQP connection.

    Args:
        broker: what it gives access to.
        on_output: called, with the session, when there is output, or input is wanted again;
            may be called often.
        limits: how much the client may take.
        peer: what logs call the connection.
        name: what others call it; as `peer` if nothing is said.
        admit: called, with the session, before it opens; raises HardError if it must not.
        turn: seconds after which input that is left waits for `go_on`.
        watch: is told of what is sent and heard, and may hold input up; None if nobody is.

    Attributes:
        phase: how far the connection is.
        vhost: the virtual host that was opened; the default one until then.
        access: what that user may do in the virtual host.
        login: who has come in.
        client: what the client says about itself.
        capabilities: what the client says that it can do.
        blocking: the alarm that there may be, for which no input is processed.
        channels: those that are in use, by number.
        waiting: no input is processed until the disk has answered.
        heartbeat: seconds that were agreed on, 0 for none.
        name: of the connection, by its two ends.
        since: when it began, in seconds since 1970.
        number: of this connection, counted by the broker from 1 as clients say who they are, and
            0 until then; who only looks whether there is a broker is not counted.
        watch: as above.
        clogged: the client does not read what it is sent; nothing is delivered to it.
        severed: the socket is to be closed without a word; a fault has asked for it.
        reset: that is to be a reset.
        pace: bytes of a piece in which things are said, and seconds between two; None for at once.
    """

    def __init__(
        self,
        broker: Broker,
        on_output: Callable[[Session], None] = lambda _: None,
        limits: Limits = _LIMITS,
        peer: str = "somebody",
        name: str = "",
        admit: Callable[[Session], None] = lambda _: None,
        turn: float = math.inf,
        watch: Watch | None = None,
    ) -> None:
        self.broker = broker
        self.limits = limits
        self.peer = peer
        self.name = name or peer
        self.since = broker.steps.context.timers.clock()
        self.number = 0
        self.watch = watch
        self.vhost = broker.vhosts[DEFAULT]
        self.phase = Phase.HEADER
        self.waiting = False
        self.heartbeat = 0
        self.clogged = False
        self.severed = self.reset = self._silent = False
        self.pace: tuple[int, float] | None = None
        self.access: Access = EVERYTHING
        self._admit = admit
        self.login: User | None = None
        self.client: FieldTable = {}
        self.capabilities: frozenset[str] = frozenset()
        self.channels = ChannelTable(self)
        self._on_output = on_output
        self._incoming = FrameDispatch(self, turn)
        self._output = OutputBuffer()
        self.blocking = ConnectionBlocking(self)
        broker.connections.add(self)

    # -- bytes ----------------------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Process what came from the socket."""
        if self.phase is not Phase.CLOSED:
            self._incoming.reader.feed(data)
            self._incoming.process()

    @property
    def unfinished(self) -> bool:
        """Tell whether input is left that waits for its turn."""
        return self._incoming.unfinished and self.phase is not Phase.CLOSED

    def go_on(self) -> None:
        """It is the turn of this connection again."""
        self._incoming.process()

    def send(self, data: bytes) -> None:
        """Add to the output."""
        if self.phase is not Phase.CLOSED:
            if self.watch is not None:
                self.watch.heard(self.number, data)
            self._output.add(data)
            self._on_output(self)

    def reply(self, method: base.Frame) -> None:
        """Send a method of channel 0."""
        self.send(encode_method(method, 0))

    def take_output(self) -> bytes:
        """Return what is to be written, once."""
        if self._silent:
            return b""
        was_full = self._output.full
        output = self._output.take()
        if was_full:
            self.channels.wake()
            self._on_output(self)
        return output

    def reads(self) -> bool:
        """Tell whether the client takes what it is sent; if not, nothing is delivered to it."""
        return not self.clogged and not self._output.full

    def unclog(self) -> None:
        """The client reads again."""
        self.clogged = False
        self.channels.wake()

    @property
    def wants_cancels(self) -> bool:
        """Tell whether the client wants to hear that the broker cancels a consumer (F3.3)."""
        return "consumer_cancel_notify" in self.capabilities

    def beat(self) -> None:
        """Send a heartbeat."""
        if not self._silent:
            self.send(encode_heartbeat())

    @property
    def frame_max(self) -> int:
        """Bytes that a frame may have."""
        return self._incoming.reader.frame_max

    @frame_max.setter
    def frame_max(self, most: int) -> None:
        self._incoming.reader.frame_max = most

    @property
    def user(self) -> str:
        """Return the name of who has logged in; none if nobody has."""
        return "" if self.login is None else self.login.name

    @property
    def opened(self) -> str | None:
        """Return the name of the virtual host that is open; None if none is."""
        return self.vhost.name if self.phase is Phase.RUNNING else None

    def admit(self) -> None:
        """Let the connection open.

        Raises:
            HardError: it must not.
        """
        self._admit(self)

    def forget_channel(self, number: int) -> None:
        """A channel is closed on both sides; its number may be used again."""
        self.channels.forget(number)

    def wait(self) -> None:
        """Process no input until `resume`: a reply has to wait for the disk."""
        self.waiting = True

    def resume(self) -> None:
        """The disk has answered; whoever feeds the session may have to hear of it."""
        self.waiting = False
        self._incoming.process()
        self._on_output(self)

    # -- alarms ---------------------------------------------------------------------------------

    def alarm(self, reason: str) -> None:
        """An alarm begins, or changes, or is over if there is no reason any more (E4)."""
        if self.blocking.set(reason):
            self._incoming.process()
            self._on_output(self)

    @property
    def listens(self) -> bool:
        """Tell whether input is wanted now; when the session has ended, nobody cares."""
        if self.phase is Phase.RUNNING:
            return not self.waiting and not self.blocking.blocked
        return not self.waiting or self.phase is Phase.CLOSED

    # -- endings --------------------------------------------------------------------------------

    def fail(self, error: HardError, index: int = 0) -> None:
        """Close the connection and say why; then only the client's answer matters.

        Where the input cannot be read any more, no answer can be expected.

        Args:
            error: what has gone wrong.
            index: class and method that have failed, in 32 bits; 0 for none.
        """
        if self.phase in (Phase.CLOSING, Phase.CLOSED):
            return
        # Names that clients choose may hold line ends, which a log must not, and be very long.
        why = repr(f"{error.code} {error.text}")[1:-1]
        _LOG.info("%s: closed by the broker: %s", self.peer, why)
        if not may_be_told(self, error):
            self.end()
            self._on_output(self)
            return
        close = commands.Connection.Close(error.code, error.text, index >> 16, index & 0xFFFF)
        self.reply(close)
        self._close_channels()
        self.phase = Phase.CLOSED if self._incoming.reader.broken else Phase.CLOSING

    def part(self) -> None:
        """The client has closed the connection, and is to hang up; it may close it again."""
        self._close_channels()
        self.phase = Phase.CLOSING

    def sever(self, *, written: bool, reset: bool = False) -> None:
        """Break the connection, after what was said has been written, or before."""
        if not written:
            self._output.clear()
        self.end()
        self.severed, self.reset = True, reset
        self._on_output(self)

    @property
    def called(self) -> str:
        """Return how the client calls its connection; empty if it does not say."""
        said = self.client.get("connection_name")
        return said if isinstance(said, str) else ""

    def fail_channels(self, error: SoftError, channel: int | None) -> list[int]:
        """Close all channels, or one, and say why; return the numbers of those that were open."""
        failed = [
            number
            for number, one in self.channels.items()
            if channel in (None, number) and one.opened and not one.closing
        ]
        for number in failed:
            self.channels[number].fail(error)
        return failed

    def cancel_consumer(self, channel: int, tag: str) -> None:
        """Cancel a consumer, and tell the client if it wants to hear of that (F3.3)."""
        self.channels[channel].cancel_consumer(tag)

    def silence(self, is_so: bool) -> None:
        """Say nothing more for now, heartbeats included, or say it all."""
        self._silent = is_so
        self._on_output(self)

    def slow_down(self, pace: tuple[int, float] | None) -> None:
        """Say things in pieces of so many bytes, so many seconds apart; or at once, if None."""
        self.pace = pace
        self._on_output(self)

    def connection_lost(self) -> None:
        """The socket is gone."""
        self.end()
        self._output.clear()
        if self.watch is not None:
            self.watch.ended(self.number)

    def end(self) -> None:
        """Nothing more comes, and nothing more is said but what is waiting to be written."""
        if self.phase not in (Phase.CLOSING, Phase.CLOSED):
            self._close_channels()
        self.phase = Phase.CLOSED

    def _close_channels(self) -> None:
        if self.phase is Phase.RUNNING:
            self.broker.history.note("connection_closed", connection=self.number)
        for channel in self.channels.values():
            self._attempt(channel.closed)
        self.channels.clear()
        self.broker.connections.remove(self)
        self._attempt(lambda: self.vhost.delete_exclusive(self))

    def _attempt(self, part: Callable[[], None]) -> None:
        """Do a part of what has to be done at the end; should it fail, the others follow."""
        try:
            part()
        except Exception:
            _LOG.exception("%s: internal error at the end of the connection", self.peer)
