"""JSON from outside and back: what no text of the broker can hold is refused where it is read.

A Python text may have half of a surrogate pair, which has no bytes in UTF-8; the broker uses such
halves for bytes that are no text.  JSON may write them, and numbers that are none, and a disk or a
client would be told of them much later.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["parse_json", "write_json"]


def parse_json(text: str | bytes) -> Any:
    """Return what a JSON text says.

    Raises:
        ValueError: it is no JSON, or says what can be neither kept nor sent.
        RecursionError: it is nested too deeply.
    """
    value = json.loads(text, parse_constant=_refuse)
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise ValueError("a text has half of a surrogate pair, which is no character") from None
    except ValueError:
        raise ValueError("a number is larger than any that can be kept") from None
    return value


def write_json(value: Any) -> str:
    """Return the JSON text of a value; what JSON has no number or word for stands as a text."""
    try:
        return json.dumps(value, default=str, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), default=str)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _finite(one) for name, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")
