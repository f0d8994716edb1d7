"""What can be asked to go wrong with connections, their channels and their consumers.

Most of it happens at once, to all connections or to those that are named: by number, as in the
history, or by the name that the client has given itself (`connection_name` in its properties).
What comes is what a client must reckon with from any broker and any network; of the specification
it is the fault `close` (A14.3), or the step `cancel`, or nothing at all.

This is a part of `ackproof.impl.faults.faults`, which says which steps of the specification it is.
"""

from __future__ import annotations

from ackproof.impl.connection_registry import RegisteredConnection
from ackproof.impl.errors import ChosenError, ChosenSoftError
from ackproof.impl.faults.fault_target import FaultGroup, FaultTarget
from ackproof.impl.faults.trigger import Trigger

__all__ = ["ConnectionFaults", "Which"]

#: A connection by its number, or by the name that its client has given it; None for all.
Which = int | str | None

_CODE_MAX = 65535
_PIECE_MAX = 1 << 20
_SECONDS_MAX = 3600


class ConnectionFaults(FaultGroup):
    """The faults of connections.

    Attributes:
        losing_acks: which acks of consumers are to be lost; seldom any.
    """

    def __init__(self, broker: FaultTarget) -> None:
        super().__init__(broker)
        self._refusing_logins: list[tuple[Trigger, str | None]] = []
        self.losing_acks: list[Trigger] = []
        self._silenced: list[RegisteredConnection] = []
        self._slowed: list[RegisteredConnection] = []

    def close_connection(
        self, code: int = 320, text: str = "CONNECTION_FORCED - a fault", connection: Which = None
    ) -> None:
        """Close connections with a code and a text.

        Raises:
            LookupError: there is no such connection.
            ValueError: something is of the wrong type, or out of range.
        """
        error = ChosenError(*_said(code, text))
        for one in self._chosen(connection):
            self._note("close_connection", connection=one.number, code=code, text=text)
            one.fail(error)
        self._broker.run(idle=True)

    def close_channel(
        self,
        code: int = 406,
        text: str = "PRECONDITION_FAILED - a fault",
        connection: Which = None,
        channel: int | None = None,
    ) -> None:
        """Close channels with a code and a text: all of a connection, or one by its number.

        Raises:
            LookupError: there is no such connection, or no such channel.
            ValueError: something is of the wrong type, or out of range.
        """
        error = ChosenSoftError(*_said(code, text))
        if channel is not None and type(channel) is not int:
            raise ValueError(f"channel is {channel!r}; it must be a number")
        closed = [
            (one.number, number)
            for one in self._chosen(connection)
            for number in one.fail_channels(error, channel)
        ]
        if not closed:
            raise LookupError(f"there is no open channel {'' if channel is None else channel}")
        for of, number in closed:
            facts = {"connection": of, "channel": number, "code": code, "text": text}
            self._note("close_channel", **facts)
        self._broker.run(idle=True)

    def cut_connection(self, connection: Which = None, reset: bool = False) -> None:
        """Break connections now, without a word: the client sees the end of its socket.

        Args:
            connection: which.
            reset: by a reset (RST), and not by the end of what is said (FIN).

        Raises:
            LookupError: there is no such connection.
            ValueError: something is of the wrong type.
        """
        if not isinstance(reset, bool):
            raise ValueError(f"reset is {reset!r}; it must be true or false")
        for one in self._chosen(connection):
            self._note("cut_connection", connection=one.number, reset=reset)
            one.sever(written=False, reset=reset)
        self._broker.run(idle=True)

    def silence(self, connection: Which = None) -> None:
        """Say nothing more, heartbeats included, until `end_silence`; all is heard meanwhile.

        Raises:
            LookupError: there is no such connection.
            ValueError: that names none.
        """
        for one in self._chosen(connection):
            self._note("silence", connection=one.number)
            one.silence(True)
            self._silenced.append(one)

    def end_silence(self) -> None:
        """Say what was held back by `silence`."""
        self._note("end_silence")
        self._speak_again()

    def slow_output(self, size: int = 1, seconds: float = 0.0, connection: Which = None) -> None:
        """Send what is said in pieces, with time between them, from now on.

        Args:
            size: bytes of a piece.
            seconds: between two pieces.
            connection: which.

        Raises:
            LookupError: there is no such connection.
            ValueError: something is of the wrong type, or out of range.
        """
        if type(size) is not int or not 1 <= size <= _PIECE_MAX:
            raise ValueError(f"size is {size!r}; it must be from 1 to {_PIECE_MAX} bytes")
        if type(seconds) not in (int, float) or not 0 <= seconds <= _SECONDS_MAX:
            raise ValueError(f"seconds is {seconds!r}; it must be from 0 to {_SECONDS_MAX}")
        for one in self._chosen(connection):
            self._note("slow_output", connection=one.number, size=size, seconds=seconds)
            one.slow_down((size, float(seconds)))
            self._slowed.append(one)

    def refuse_login(self, n: int | None = 1, user: str | None = None, skip: int = 0) -> None:
        """Refuse the next logins, as if the password was wrong.

        Args:
            n: how many.
            user: only those of this name.
            skip: how many are spared first.

        Raises:
            ValueError: something is of the wrong type, or out of range.
        """
        if user is not None and not isinstance(user, str):
            raise ValueError(f"user is {user!r}; it must be a text")
        trigger = self._armed("refuse_login", Trigger(n, skip=skip), user=user)
        self._refusing_logins.append((trigger, user))

    def refuses_login(self, user: str) -> bool:
        """Tell whether a login is to be refused, and count it."""
        struck = any(
            name in (None, user) and trigger.due() for trigger, name in self._refusing_logins
        )
        self._refusing_logins = [one for one in self._refusing_logins if not one[0].spent]
        if struck:
            self._note("refuse_login", user=user)
        return struck

    def lose_acks(self, n: int | None = 1, skip: int = 0) -> None:
        """Lose the next acks of consumers: what they are about comes once more, redelivered.

        Args:
            n: how many.
            skip: how many are spared first.

        Raises:
            ValueError: something is of the wrong type, or out of range.
        """
        self.losing_acks.append(self._armed("lose_acks", Trigger(n, skip=skip)))

    def loses_ack(self) -> bool:
        """Tell whether the ack that a consumer sends is to be lost, and count it."""
        struck = any(trigger.due() for trigger in self.losing_acks)
        self.losing_acks = [one for one in self.losing_acks if not one.spent]
        if struck:
            self._note("lose_acks")
        return struck

    def cancel_consumer(self, queue: str, vhost: str = "/") -> None:
        """Cancel the consumers of a queue, which hear of it by basic.cancel if they want to (F3.3).

        What they have not acknowledged they may still settle.

        Raises:
            LookupError: there is no such queue, or it has no consumers.
        """
        found = self._queue(queue, vhost, "cancel the consumers of")
        consumers = list(found.consumers)
        if not consumers:
            raise LookupError(f"queue {queue!r} has no consumers")
        for consumer in consumers:
            place = consumer.channel.place
            if place is not None:
                self._note("cancel_consumer", consumer=consumer.tag, queue=queue, vhost=vhost)
                place.connection.cancel_consumer(place.number, consumer.tag)
        self._broker.run(idle=True)

    def _chosen(self, which: Which) -> list[RegisteredConnection]:
        """Return the connections that are meant.

        Raises:
            LookupError: there is none.
            ValueError: that names none.
        """
        if isinstance(which, bool) or not isinstance(which, int | str | None):
            raise ValueError(f"connection is {which!r}; it must be a number or a name")
        there = [one for one in self._broker.connections if one.opened is not None]
        found = [one for one in there if which is None or which in (one.number, one.called)]
        if not found:
            known = ", ".join(f"{one.number} ({one.called})" for one in there) or "none"
            raise LookupError(f"there is no connection {which!r}; there are: {known}")
        return found

    def _speak_again(self) -> None:
        """Say what was held back, on connections that have begun to close meanwhile, too."""
        silenced, self._silenced = self._silenced, []
        for one in silenced:
            one.silence(False)

    def _clear_connections(self) -> None:
        """Release what is held back, and forget what has not struck."""
        self._refusing_logins.clear()
        self.losing_acks.clear()
        self._speak_again()
        slowed, self._slowed = self._slowed, []
        for one in slowed:
            one.slow_down(None)


def _said(code: object, text: object) -> tuple[int, str]:
    if type(code) is not int or not 0 <= code <= _CODE_MAX:
        raise ValueError(f"code is {code!r}; it must be a number from 0 to {_CODE_MAX}")
    if not isinstance(text, str):
        raise ValueError(f"text is {text!r}; it must be a text")
    return code, text
