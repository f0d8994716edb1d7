"""A client that notes everything it does and sees, in the words of the specification.

It has one connection with two channels: on the first it publishes and reads confirms, on the
second it declares, gets, consumes, purges and deletes.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any, cast

from ackproof.spec.lang import Event
from ackproof.spec.sorts import Msg
from ackproof.spec.wire import (
    Ack,
    ChannelClose,
    CommitOk,
    Complaint,
    Nack,
    Return,
    RollbackOk,
    SelectOk,
    TxSelectOk,
)
from pamqp import body, commands, frame, header

from tests.explain.explanations import Explanations, Unexplained
from tests.explain.seen import Closed, Input, Operation
from tests.impl.clients import HEADER, content, encode

__all__ = ["Client"]

PUBLISHING, OTHER = 1, 2

_ANSWERS: dict[type, Callable[[], Event]] = {
    commands.Confirm.SelectOk: SelectOk,
    commands.Tx.SelectOk: TxSelectOk,
    commands.Tx.CommitOk: CommitOk,
    commands.Tx.RollbackOk: RollbackOk,
    commands.Channel.CloseOk: Closed,
}


class Broken(Unexplained):
    """The broker has ended the connection, which nobody had asked for."""


class Client:
    """A connection to a broker, and what is to explain what comes over it.

    Args:
        host: where it listens.
        port: where it listens.
        explanations: what is to be advanced.
        patience: seconds to wait for what must come; whoever takes longer will not do it.

    Attributes:
        transactional: whether the publishing channel is.
        unsettled: publishes in confirm mode of which nothing was heard.
    """

    def __init__(
        self, host: str, port: int, explanations: Explanations, patience: float = 20.0
    ) -> None:
        self.explanations = explanations
        self.seen = explanations.seen
        self.transactional = False
        self.unsettled: set[int] = set()
        self._offset = 0
        self._certain = 0
        self._deliveries: list[tuple[int, int, bool]] = []
        self._address = host, port
        self._patience = patience
        self._socket = socket.create_connection(self._address, timeout=self._patience)
        self._buffer = b""
        self._open()

    def _open(self) -> None:
        self._socket.sendall(HEADER)
        self._until(0, commands.Connection.Start)
        self._say(0, commands.Connection.StartOk({}, "PLAIN", "\0guest\0guest", "en_US"))
        self._until(0, commands.Connection.Tune)
        self._say(0, commands.Connection.TuneOk(2047, 131072, 0), commands.Connection.Open())
        self._until(0, commands.Connection.OpenOk)
        for channel in (PUBLISHING, OTHER):
            self._say(channel, commands.Channel.Open())
            self._until(channel, commands.Channel.OpenOk)

    def reconnect(self, msg: int) -> None:
        """Read what was said before the connection was broken, and connect again.

        Args:
            msg: the last message that was published.
        """
        try:
            while True:
                self._take()
        except (Broken, ConnectionError):
            self._socket.close()
        self._socket = socket.create_connection(self._address, timeout=self._patience)
        self._buffer = b""
        self._offset = msg
        self.unsettled.clear()
        self._deliveries.clear()
        self._open()

    def close(self) -> None:
        """Close the connection, without a word."""
        self._socket.close()

    # -- the publishing channel -----------------------------------------------------------------

    def publish(
        self, one: Input, msg: int, names: list[str], mandatory: bool, persistent: bool
    ) -> None:
        """Publish to queues by their names, and do not wait."""
        first, *more = names or ["nowhere"]
        self.seen.sent(one)
        if not self.transactional:
            self.unsettled.add(msg)
        text = str(msg).encode()
        flags: dict[str, Any] = {"mandatory": mandatory, "persistent": persistent}
        self._say(PUBLISHING, *content(first, text, headers={"CC": more}, **flags))

    def ask(self, one: Input, method: frame.FrameTypes, *answers: type) -> Any:
        """Say something on the publishing channel, wait for the answer, and explain it all."""
        self.seen.sent(one)
        self._say(PUBLISHING, method)
        answer = self._until(PUBLISHING, *answers)
        self.advance()
        return answer

    def advance(self) -> None:
        """Look for what explains everything so far; all that was sent is answered for."""
        self.explanations.advance()
        self._certain = len(self.seen.inputs)

    def reopen(self, one: Input, msg: int, *, closed: bool) -> None:
        """Close the publishing channel, unless the broker has, and open it again.

        Args:
            one: what is said by that.
            msg: the last message that was published.
            closed: whether the broker has.
        """
        self.seen.sent(one)
        if closed:
            self._say(PUBLISHING, commands.Channel.CloseOk())
        else:
            self._say(PUBLISHING, commands.Channel.Close(200, "", 0, 0))
            self._until(PUBLISHING, commands.Channel.CloseOk)
        self._say(PUBLISHING, commands.Channel.Open())
        self._until(PUBLISHING, commands.Channel.OpenOk)
        self._offset = msg
        self.unsettled.clear()

    def settle_all(self) -> None:
        """Wait until each publish is acked or nacked.

        Raises:
            Unexplained: that does not happen.
        """
        while self.unsettled:
            try:
                self._take()
            except TimeoutError:
                never = ", ".join(map(str, sorted(self.unsettled)))
                self.explanations.found.append(
                    f"the specification does not explain that {never} is not settled, and nothing "
                    f"comes for {self._patience:g} s:\n" + "\n".join(self.seen.log)
                )
                raise Unexplained(self.explanations.found[-1]) from None

    # -- the other channel ----------------------------------------------------------------------

    def call(self, method: frame.FrameTypes, *answers: type) -> tuple[Any, bytes]:
        """Say something on the other channel, and wait for the answer and its content."""
        self._say(OTHER, method)
        return self._until(OTHER, *answers)

    def tell(self, method: frame.FrameTypes) -> None:
        """Say something on the other channel that is not answered, and wait until it is done."""
        self._say(OTHER, method, commands.Basic.Qos(0, 0, False))
        self._until(OTHER, commands.Basic.QosOk)

    def deliveries(self) -> list[tuple[int, int, bool]]:
        """Return what was delivered since: delivery tag, message, and whether redelivered."""
        found, self._deliveries = self._deliveries, []
        return found

    def begin(self) -> tuple[int, int]:
        """Return how much has certainly happened now, when an operation begins."""
        return self._certain, len(self.seen.frames)

    def did(self, one: Operation, begun: tuple[int, int]) -> None:
        """Note that something was done that had begun then."""
        self.seen.did(one, *begun)

    # -- frames ---------------------------------------------------------------------------------

    def _say(self, channel: int, *frames: frame.FrameTypes) -> None:
        self._socket.sendall(encode(channel, *frames))

    def _until(self, channel: int, *answers: type) -> tuple[Any, bytes]:
        """Read until one of these methods comes on a channel, and note what else comes."""
        while True:
            number, method, text = self._take()
            if number == channel and isinstance(method, answers):
                return method, text

    def _take(self) -> tuple[int, Any, bytes]:
        """Read one method, with its content, and note it if it is of the publishing channel."""
        number, method = self._frame()
        text = b""
        if isinstance(
            method, commands.Basic.Return | commands.Basic.Deliver | commands.Basic.GetOk
        ):
            _, head = self._frame()
            assert isinstance(head, header.ContentHeader)
            while len(text) < head.body_size:
                _, piece = self._frame()
                assert isinstance(piece, body.ContentBody)
                text += piece.value
        if isinstance(method, commands.Basic.Deliver):
            assert method.delivery_tag is not None
            self._deliveries.append((method.delivery_tag, int(text), bool(method.redelivered)))
        elif number == PUBLISHING and not isinstance(method, commands.Channel.OpenOk):
            self.seen.read(self._event(method, text))
        elif isinstance(method, commands.Connection.Close | commands.Channel.Close):
            raise Broken(f"the broker said {method.reply_code} {method.reply_text}")
        return number, method, text

    def _event(self, method: Any, text: bytes) -> Event:
        """Return what the specification calls something on the publishing channel."""
        if isinstance(method, commands.Basic.Ack | commands.Basic.Nack):
            kind = Ack if isinstance(method, commands.Basic.Ack) else Nack
            assert method.delivery_tag is not None
            tag = self._offset + method.delivery_tag
            many = {m for m in self.unsettled if m <= tag}
            self.unsettled -= many if method.multiple else {tag}
            return kind(cast(Msg, tag), bool(method.multiple))
        if isinstance(method, commands.Basic.Return):
            return Return(None if self.transactional else cast(Msg, int(text)))
        if isinstance(method, commands.Channel.Close):
            for complaint in Complaint:
                if method.reply_code == 406 and method.reply_text.endswith(complaint.value):
                    return ChannelClose(complaint)
        if type(method) in _ANSWERS:
            return _ANSWERS[type(method)]()
        raise Unexplained(f"{method} on the publishing channel:\n" + "\n".join(self.seen.log))

    def _frame(self) -> tuple[int, Any]:
        while len(self._buffer) < 7 or len(self._buffer) < self._size():
            more = self._socket.recv(1 << 16)
            if not more:
                raise Broken("the broker broke the connection:\n" + "\n".join(self.seen.log))
            self._buffer += more
        size, number, one = frame.unmarshal(self._buffer)
        self._buffer = self._buffer[size:]
        return number, one

    def _size(self) -> int:
        return int.from_bytes(self._buffer[3:7], "big") + 8
