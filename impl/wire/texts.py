"""Texts of the wire: bytes that should be UTF-8, and need not be.

RabbitMQ looks at few of the texts that pass through it.  A message's properties, its routing key,
the names in a table and the texts in it are carried as they came, and clients count on that: a
correlation id may be sixteen random bytes.  So a text is a `str` here in which a byte that is no
UTF-8 stands as a lone surrogate, as Python has it in names of files: different bytes are different
texts, and each goes out as it came in.

Names of queues, exchanges and consumers, and all that is in arguments of methods but for a publish,
have to be UTF-8.
"""

from __future__ import annotations

__all__ = ["from_bytes", "readable", "to_bytes"]

_CARRIED = "surrogateescape"


def from_bytes(data: bytes) -> str:
    """Return any bytes as a text."""
    return data.decode(errors=_CARRIED)


def to_bytes(text: str) -> bytes:
    """Return the bytes that a text came as."""
    return text.encode(errors=_CARRIED)


def readable(text: str) -> str:
    r"""Return a text that anybody can encode, with what is no UTF-8 in it as `\xff`."""
    return text if text.isascii() else to_bytes(text).decode(errors="backslashreplace")
