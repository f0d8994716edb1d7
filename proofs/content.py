"""What a part of a program says, as a text under which something may be kept.

The printed form of a program is for people: of an enum, a record or a sort it has the name, and of
an expression it leaves out the type.  Two programs that print alike may thus say different things,
where an enum has got another member, or a literal and a local are called the same.  Here nothing is
left out but where something is written, and what is written about it for readers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

from ackproof.lang.ir import Span
from ackproof.lang.types import EnumT, RecordT, SeqT, SetT, SortT

__all__ = ["content"]

#: What says nothing of a meaning.
_SILENT = {"span", "doc"}


def content(value: Any) -> str:
    """Return a text that two values share only if they mean the same.

    Raises:
        TypeError: nobody has said what such a value means.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return _of_type(value) if isinstance(value, _TYPES) else _of_fields(value)
    if isinstance(value, tuple | list):
        return f"[{' '.join(map(content, value))}]"
    if isinstance(value, frozenset | set):
        return f"{{{' '.join(sorted(map(content, value)))}}}"
    if isinstance(value, Mapping):
        return content([*value.items()])
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, Enum)):
        return repr(value)
    raise TypeError(f"{value!r} has no text of its own")


_TYPES = (EnumT, RecordT, SeqT, SetT, SortT)


@cache
def _of_type(value: Any) -> str:
    """Return the text of a type; the same few are met again and again."""
    return _of_fields(value)


def _of_fields(value: Any) -> str:
    assert not isinstance(value, Span)
    said = (content(getattr(value, f.name)) for f in fields(value) if f.name not in _SILENT)
    return f"({type(value).__name__} {' '.join(said)})"
