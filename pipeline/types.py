"""Types of the specification language as JSON, for whoever has no specification at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ackproof.lang.types import (
    BOOL,
    BoolT,
    EnumT,
    IntT,
    MapT,
    OptionT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)

__all__ = ["type_from_json", "type_to_json"]


def type_to_json(t: Type) -> dict[str, Any]:
    """Return the type of a variable as JSON."""
    match t:
        case EnumT():
            return {"is": "enum", "name": t.name, "members": list(t.members)}
        case IntT():
            return {"is": "int", "from": t.lo, "to": t.hi}
        case SortT():
            owner = {} if t.owner is None else {"owner": type_to_json(t.owner)}
            return {"is": "element", "sort": t.name, "ordered": t.ordered, **owner}
        case OptionT():
            return {"is": "option", "of": type_to_json(t.inner)}
        case RecordT():
            fields = [[name, type_to_json(field)] for name, field in t.fields]
            return {"is": "record", "name": t.name, "fields": fields}
        case SetT():
            return {"is": "set", "of": type_to_json(t.elem)}
        case SeqT():
            return {"is": "seq", "of": type_to_json(t.elem), "cap": t.cap}
        case MapT():
            return {"is": "map", "key": type_to_json(t.key), "value": type_to_json(t.value)}
    assert isinstance(t, BoolT), "a state holds no processes"
    return {"is": "bool"}


def type_from_json(document: Mapping[str, Any]) -> Type:
    """Return the type that `type_to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError, AssertionError: nothing like this was written.
    """
    match document["is"]:
        case "bool":
            return BOOL
        case "enum":
            return EnumT(document["name"], tuple(document["members"]))
        case "int":
            return IntT(document["from"], document["to"])
        case "element":
            owner = type_from_json(document["owner"]) if "owner" in document else None
            assert owner is None or isinstance(owner, SortT), "a sort is owned by a sort"
            return SortT(document["sort"], document["ordered"], owner)
        case "option":
            return OptionT(type_from_json(document["of"]))
        case "record":
            return RecordT(
                document["name"], tuple((n, type_from_json(t)) for n, t in document["fields"])
            )
        case "set":
            return SetT(type_from_json(document["of"]))
        case "seq":
            return SeqT(type_from_json(document["of"]), document["cap"])
        case "map":
            return MapT(type_from_json(document["key"]), type_from_json(document["value"]))
    raise ValueError(f"no type is called {document['is']!r}")
