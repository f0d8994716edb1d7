"""The key of digests: a file that somebody gives, or a new one that nobody keeps."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer
from ackproof.cli.inputs import InputError

__all__ = ["KeyFile", "key_of"]

_BYTES = 32
_MOST = 64

KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key",
        metavar="FILE",
        help="Key of the digests, 1 to 64 bytes: bodies can be compared between recordings that "
        "have the same. Without it, there is a new one, which nobody keeps.",
        show_default=False,
    ),
]


def key_of(file: Path | None) -> bytes:
    """Return the key of the digests: that of a file, or a new one.

    Raises:
        InputError: the file has none.
    """
    if file is None:
        return secrets.token_bytes(_BYTES)
    key = file.read_bytes()
    if not 1 <= len(key) <= _MOST:
        raise InputError(f"{file} has {len(key)} bytes; a key has 1 to {_MOST}")
    return key
