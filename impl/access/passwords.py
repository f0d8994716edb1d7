"""Passwords, kept as RabbitMQ keeps them: hashed with a salt.

A hash is the salt, four bytes, and the digest of salt and password, all in base64.  So the file of
definitions that one broker writes is read by the other, and nobody has to send a password in clear.
Which digest it was is said beside it, by the name that RabbitMQ has for it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
from dataclasses import dataclass

__all__ = ["ALGORITHMS", "Password"]

_SALT = 4
_PREFIX = "rabbit_password_hashing_"
#: Digests by the names of their algorithms.
ALGORITHMS = {f"{_PREFIX}{name}": name for name in ("sha256", "sha512", "md5")}
_USUAL = f"{_PREFIX}sha256"


@dataclass(frozen=True)
class Password:
    """A password that is not known, but can be recognised.

    Attributes:
        hashed: salt and digest, in base64; nothing fits if there is none.
        algorithm: a key of `ALGORITHMS`.

    Raises:
        ValueError: there is no such algorithm, or that is no hash.
    """

    hashed: str
    algorithm: str = _USUAL

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            known = ", ".join(ALGORITHMS)
            raise ValueError(f"there is no hashing algorithm {self.algorithm!r}; use {known}")
        try:
            base64.b64decode(self.hashed, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError("a password hash must be in base64") from None

    @staticmethod
    def of(clear: str) -> Password:
        """Return a password by what it is."""
        salt = os.urandom(_SALT)
        return Password(base64.b64encode(salt + _digest(_USUAL, salt, clear)).decode())

    def fits(self, clear: str) -> bool:
        """Tell whether this is the password."""
        raw = base64.b64decode(self.hashed)
        return hmac.compare_digest(raw[_SALT:], _digest(self.algorithm, raw[:_SALT], clear))


def _digest(algorithm: str, salt: bytes, clear: str) -> bytes:
    data = salt + clear.encode(errors="surrogateescape")
    return hashlib.new(ALGORITHMS[algorithm], data, usedforsecurity=False).digest()
