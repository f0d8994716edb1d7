"""What goes wrong on a connection, in the protocol's own terms.

AMQP 0-9-1 knows two sizes of failure.  A *soft* error closes the channel it happened on, a *hard*
error closes the connection with all of its channels (rule A2.1).  Both are told to the client by a
close method with a code, a text, and the class and method that failed (A2.2, A2.3).

The code of the broker raises `SoftError` or `HardError`; the session that holds the channel, or
the connection, turns them into frames.  Which of the two a code is, the protocol decides, and the
constructors check it.
"""

from __future__ import annotations

import codecs

__all__ = [
    "AmqpError",
    "BodyTooLarge",
    "ChosenError",
    "ChosenSoftError",
    "HardError",
    "SoftError",
    "octets",
]

_SOFT = {
    311: "CONTENT_TOO_LARGE",
    312: "NO_ROUTE",
    313: "NO_CONSUMERS",
    403: "ACCESS_REFUSED",
    404: "NOT_FOUND",
    405: "RESOURCE_LOCKED",
    406: "PRECONDITION_FAILED",
}
_HARD = {
    320: "CONNECTION_FORCED",
    402: "INVALID_PATH",
    403: "ACCESS_REFUSED",
    501: "FRAME_ERROR",
    502: "SYNTAX_ERROR",
    503: "COMMAND_INVALID",
    504: "CHANNEL_ERROR",
    505: "UNEXPECTED_FRAME",
    506: "RESOURCE_ERROR",
    530: "NOT_ALLOWED",
    540: "NOT_IMPLEMENTED",
    541: "INTERNAL_ERROR",
}

_TEXT_MAX = 255
#: What clients have named may be no UTF-8, and is quoted as it came.
_CARRIED = "surrogateescape"
#: Leaves out a character that is cut at the end.
_DECODER = codecs.getincrementaldecoder("utf-8")
#: Bytes that a text quotes, at most; it has no room for more.
_QUOTED_MAX = 64


class AmqpError(Exception):
    """A failure that the client is told about.

    Args:
        code: reply code, as the protocol numbers them.
        explanation: what happened, for people; the name of the code is put before it.

    Attributes:
        index: class and method that have failed, in 32 bits, if it is not the one being processed.
    """

    def __init__(self, code: int, name: str, explanation: str) -> None:
        super().__init__(f"{code} {name} - {explanation}")
        self.code = code
        self.index: int | None = None
        self.text = shortened(f"{name} - {explanation}")


class SoftError(AmqpError):
    """Closes one channel."""

    def __init__(self, code: int, explanation: str) -> None:
        super().__init__(code, _SOFT[code], explanation)


class BodyTooLarge(SoftError):
    """A body is larger than the broker takes, which is looked at before all else (A3, guard 1)."""


class HardError(AmqpError):
    """Closes the connection.

    403 is here too: refusing a login is the one use of a soft code for a connection.
    """

    def __init__(self, code: int, explanation: str, index: int | None = None) -> None:
        super().__init__(code, _HARD[code], explanation)
        self.index = index


class ChosenError(HardError):
    """Closes the connection with any code and any text, because a test has asked for that."""

    def __init__(self, code: int, text: str) -> None:
        AmqpError.__init__(self, code, "", text)
        self.text = shortened(text)


class ChosenSoftError(SoftError):
    """The same, for one channel."""

    def __init__(self, code: int, text: str) -> None:
        AmqpError.__init__(self, code, "", text)
        self.text = shortened(text)


def octets(data: bytes) -> str:
    """Return bytes as RabbitMQ's texts show them: `<<"text">>` or `<<1,2,3>>`."""
    quoted = data[:_QUOTED_MAX]
    more = "..." if len(data) > _QUOTED_MAX else ""
    if quoted and all(0x20 <= byte < 0x7F for byte in quoted):
        return f'<<"{quoted.decode()}{more}">>'
    return f"<<{','.join(map(str, quoted))}{more}>>"


def shortened(text: str) -> str:
    """Return a reply text that fits its short string: 255 bytes at most (A2.2)."""
    encoded = text.encode(errors=_CARRIED)
    if len(encoded) <= _TEXT_MAX:
        return text
    return _DECODER(_CARRIED).decode(encoded[: _TEXT_MAX - 3]) + "..."
