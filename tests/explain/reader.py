"""What a client reads: frames, noted in the words of the specification and explained as they come.

Only what comes on the publishing channel is noted.  Of the other channel the deliveries are kept,
until somebody asks for them.
"""

from __future__ import annotations

from typing import NoReturn

from ackproof.lang import Event
from ackproof.spec.wire import Ack, Nack
from pamqp import commands, frame

from tests.explain.connection import Connection, Ended, Method
from tests.explain.events import OF_ALARMS, event_of
from tests.explain.explanations import Explanations, Unexplained

__all__ = ["OTHER", "PUBLISHING", "Reader"]

PUBLISHING, OTHER = 1, 2

#: Seconds to wait for what must not come.  Nobody minds if it would have come later.
_A_WHILE = 0.03


class Reader:
    """A connection with two channels, of which everything is read and noted.

    Args:
        host: where the broker listens.
        port: where it listens.
        explanations: what is to be advanced.
        patience: seconds to wait for what must come; whoever takes longer will not do it.

    Attributes:
        transactional: whether the publishing channel is.
        unsettled: publishes in confirm mode of which nothing was heard.
        blocked: whether the broker has said that it does not read.
        offset: the last message that was published on the channels before this one.
        doing: whether an operation is under way, so that what is read may be due to that.
    """

    def __init__(
        self, host: str, port: int, explanations: Explanations, patience: float = 20.0
    ) -> None:
        self.explanations = explanations
        self.seen = explanations.seen
        self.transactional = False
        self.unsettled: set[int] = set()
        self.blocked = False
        self.offset = 0
        self.doing = False
        self._deliveries: list[tuple[int, int, bool]] = []
        self._address = host, port
        self._patience = patience
        self.open()

    def open(self) -> None:
        """Connect, and open both channels."""
        self.connection = Connection(self._address, self._patience)
        for channel in (PUBLISHING, OTHER):
            self.connection.say(channel, commands.Channel.Open())
            self.until(channel, commands.Channel.OpenOk)

    def close(self) -> None:
        """Close the connection, without a word."""
        self.connection.close()

    def deliveries(self) -> list[tuple[int, int, bool]]:
        """Return what was delivered since: delivery tag, message, and whether redelivered."""
        found, self._deliveries = self._deliveries, []
        return found

    # -- waiting ----------------------------------------------------------------------------------

    def wait_for_end(self) -> None:
        """Read until the broker breaks the connection.

        Raises:
            Unexplained: it does not.
        """
        try:
            while True:
                self._take()
        except TimeoutError:
            self._never("the connection is not broken")
        except Ended:
            self.connection.close()

    def settle_all(self, but: int | None = None) -> None:
        """Wait until each publish is acked or nacked.

        Args:
            but: the first message that need not be.

        Raises:
            Unexplained: that does not happen.
        """
        while waiting := {msg for msg in self.unsettled if but is None or msg < but}:
            self._wait(f"{', '.join(map(str, sorted(waiting)))} is not settled")

    def linger(self) -> list[Method]:
        """Read what comes within a while, which may be something that must not come; return it."""
        read = []
        while self.connection.readable(_A_WHILE):
            read.append(self._take())
        return read

    def wait_until_blocked(self) -> None:
        """Wait until the broker says that it does not read any more.

        Raises:
            Unexplained: that does not happen.
        """
        while not self.blocked:
            self._wait("the connection is not blocked")

    def _wait(self, otherwise: str) -> None:
        try:
            self._take()
        except TimeoutError:
            self._never(otherwise)

    def _never(self, what: str) -> NoReturn:
        self.explanations.found.append(
            f"the specification does not explain that {what}, and nothing "
            f"comes for {self._patience:g} s:\n" + "\n".join(self.seen.log)
        )
        raise Unexplained(self.explanations.found[-1]) from None

    # -- frames -----------------------------------------------------------------------------------

    def until(self, channel: int, *answers: type) -> Method:
        """Read until one of these methods comes on a channel, and note what else comes."""
        while True:
            try:
                read = self._take()
            except TimeoutError:
                self._never(f"{' or '.join(one.__name__ for one in answers)} does not come")
            except Ended:
                text = "the broker broke the connection:\n" + "\n".join(self.seen.log)
                raise Unexplained(text) from None
            if read.channel == channel and isinstance(read.method, answers):
                return read

    def _take(self) -> Method:
        """Read one method, with its content, and note it if it is of the publishing channel."""
        read = self.connection.take()
        number, method, text = read
        if isinstance(method, commands.Basic.Deliver):
            assert method.delivery_tag is not None
            self._deliveries.append((method.delivery_tag, int(text), bool(method.redelivered)))
        elif isinstance(method, commands.Connection.Close) and method.reply_code == 320:
            raise Ended
        elif isinstance(method, commands.Connection.Close) or (
            number != PUBLISHING and isinstance(method, commands.Channel.Close)
        ):
            raise Unexplained(f"the broker said {method.reply_code} {method.reply_text}")
        elif isinstance(method, OF_ALARMS):
            self.blocked = isinstance(method, commands.Connection.Blocked)
            self._read(method, text)
        elif number == PUBLISHING and not isinstance(method, commands.Channel.OpenOk):
            self._read(method, text)
        return read

    def _read(self, method: frame.FrameTypes, text: bytes) -> None:
        """Note what was said on the publishing channel, in the words of the specification."""
        returned = int(text) if text and not self.transactional else None
        event = event_of(method, returned, self.offset)
        if event is None:
            raise Unexplained(f"{method} on the publishing channel:\n" + "\n".join(self.seen.log))
        self._note_settled(event)
        self.seen.read(event)
        if not self.doing:
            self.explanations.look()

    def _note_settled(self, event: Event) -> None:
        if isinstance(event, Ack | Nack):
            many = {msg for msg in self.unsettled if msg <= event.tag}
            self.unsettled -= many if event.multiple else {event.tag}
