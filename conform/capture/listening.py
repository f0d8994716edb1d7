"""Listening: what has to be said of a capture to read it, which packets do not say themselves."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

__all__ = ["PORT", "Listening"]

#: Where a broker listens, if nobody says otherwise.
PORT = 5672
_KEY_BYTES = 32


@dataclass(frozen=True)
class Listening:
    """How captures are read.

    Args:
        given: key of the digests of bodies, up to 64 bytes; None for one that nobody keeps.
        port: where the broker listens, for connections whose beginning is missing.
        drawn: the key if none is given.
    """

    given: bytes | None = None
    port: int = PORT
    drawn: bytes = field(default_factory=lambda: secrets.token_bytes(_KEY_BYTES), repr=False)

    @property
    def key(self) -> bytes:
        """The key of the digests of bodies."""
        return self.drawn if self.given is None else self.given
