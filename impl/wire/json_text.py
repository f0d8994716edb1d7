"""JSON from outside: what no text of the broker can hold is refused where it is read.

A Python text may have half of a surrogate pair, which has no bytes in UTF-8; the broker uses such
halves for bytes that are no text.  JSON may write them, and numbers that are none, and a disk or a
client would be told of them much later.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["parse_json"]


def parse_json(text: str | bytes) -> Any:
    """Return what a JSON text says.

    Raises:
        ValueError: it is no JSON, or says what can be neither kept nor sent.
        RecursionError: it is nested too deeply.
    """
    value = json.loads(text, parse_constant=_refuse)
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("a text has half of a surrogate pair, which is no character") from None
    return value


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")
