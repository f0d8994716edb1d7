"""A client that notes everything it does, in the words of the specification.

It has one connection with two channels: on the first it publishes and reads confirms, on the
second it declares, gets, consumes, purges and deletes.  Whenever it has read a frame on the first,
or has done something on the second, it looks whether all so far is explained.
"""

from __future__ import annotations

from collections.abc import Iterable

from pamqp import body, commands, frame, header

from tests.explain.connection import Method
from tests.explain.operations import Operation
from tests.explain.reader import OTHER, PUBLISHING, Reader
from tests.explain.seen import Fate, Input, Publish

__all__ = ["Client"]


class Client(Reader):
    """A client of a broker; its arguments and attributes are those of `Reader`."""

    _certain = 0

    # -- the publishing channel -----------------------------------------------------------------

    def publish(self, one: Publish, names: list[str]) -> None:
        """Publish to queues by their names, and do not wait."""
        first, *more = names or ["nowhere"]
        self.seen.sent(one)
        if not self.transactional:
            self.unsettled.add(one.msg)
        properties = commands.Basic.Properties(
            delivery_mode=2 if one.persistent else 1,
            headers={"CC": more, "number": one.msg},  # type: ignore[dict-item]
            expiration="0" if one.fate is Fate.EXPIRING else None,
        )
        method = commands.Basic.Publish(routing_key=first, mandatory=one.mandatory)
        text = str(one.msg).encode()
        head = header.ContentHeader(0, len(text), properties)
        self.connection.say(PUBLISHING, method, head, body.ContentBody(text))

    def ask(self, one: Input, method: frame.FrameTypes, *answers: type) -> Method:
        """Say something on the publishing channel, wait for the answer, and explain it all."""
        self.send(one, method)
        return self.wait_for(*answers)

    def send(self, one: Input, method: frame.FrameTypes) -> None:
        """Say something on the publishing channel, and do not wait."""
        self.seen.sent(one)
        self.connection.say(PUBLISHING, method)

    def wait_for(self, *answers: type, among: Iterable[Method] = ()) -> Method:
        """Wait for the answer to the last thing that was said there, and explain it all.

        Args:
            answers: what it may be.
            among: what was read since that was said.
        """
        answer = next((one for one in among if isinstance(one.method, answers)), None)
        answer = answer or self.until(PUBLISHING, *answers)
        self.explanations.advance()
        self._certain = len(self.seen.inputs)
        return answer

    def reopen(self, one: Input, msg: int, *, closed: bool) -> None:
        """Close the publishing channel, unless the broker has, and open it again.

        Args:
            one: what is said by that.
            msg: the last message that was published.
            closed: whether the broker has.
        """
        self.seen.sent(one)
        if closed:
            self.connection.say(PUBLISHING, commands.Channel.CloseOk())
        else:
            self.connection.say(PUBLISHING, commands.Channel.Close(200, "", 0, 0))
            self.until(PUBLISHING, commands.Channel.CloseOk)
        self.connection.say(PUBLISHING, commands.Channel.Open())
        self.until(PUBLISHING, commands.Channel.OpenOk)
        self.offset = msg
        self.unsettled.clear()

    def reconnect(self, msg: int) -> None:
        """Read what was said before the connection was broken, and connect again.

        Args:
            msg: the last message that was published.
        """
        self.wait_for_end()
        self.come_back(msg)

    def come_back(self, msg: int) -> None:
        """Connect again after the end of a connection.

        Args:
            msg: the last message that was published.
        """
        self.offset = msg
        self.unsettled.clear()
        self._deliveries.clear()
        self.open()

    # -- the other channel ----------------------------------------------------------------------

    def call(self, method: frame.FrameTypes, *answers: type) -> Method:
        """Say something on the other channel, and wait for the answer and its content."""
        self.connection.say(OTHER, method)
        return self.until(OTHER, *answers)

    def tell(self, method: frame.FrameTypes) -> None:
        """Say something on the other channel that is not answered, and wait until it is done."""
        self.connection.say(OTHER, method, commands.Basic.Qos(0, 0, False))
        self.until(OTHER, commands.Basic.QosOk)

    def begin(self) -> tuple[int, int]:
        """Return how much has certainly happened now, when an operation begins.

        What is seen until it is over may be due to it, and is explained then.
        """
        self.doing = True
        return self._certain, len(self.seen.frames)

    def did(self, begun: tuple[int, int], *operations: Operation) -> None:
        """Note that something was done that had begun then, and explain it."""
        for one in operations:
            self.seen.did(one, *begun)
        self.doing = False
        self.explanations.look()
