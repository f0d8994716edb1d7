"""Values for readers: plain data as the specification's own Python, and as JSON.

Plain data alone does not say what it is (a record is a tuple, a map a set of pairs), so both take
the type along.  What is unordered is put in the order of its domain, so that the same state always
reads the same.

>>> from ackproof.lang.types import BOOL, MapT, SetT, SortT
>>> msg, queue = SortT("Msg", True), SortT("Queue", False)
>>> show_value(frozenset({(2, frozenset({"q2", "q1"}))}), MapT(msg, SetT(queue)))
'{2: {q1, q2}}'
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from ackproof.lang.types import (
    EnumT,
    MapT,
    OptionT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)

if TYPE_CHECKING:
    from ackproof.lang.binding import ActionInstance

__all__ = ["in_order", "json_value", "rank", "show_arguments", "show_step", "show_value"]


def show_value(value: Any, t: Type) -> str:
    """Return plain data of a type as text."""
    if value is None:
        return "None"
    if isinstance(t, OptionT):
        return show_value(value, t.inner)
    if isinstance(t, RecordT):
        return f"{t.name}({show_arguments(t.fields, value)})"
    if isinstance(t, SetT):
        return "{" + ", ".join(show_value(v, t.elem) for v in in_order(value, t.elem)) + "}"
    if isinstance(t, MapT):
        entries = in_order(value, t.key, key=0)
        return (
            "{"
            + ", ".join(f"{show_value(k, t.key)}: {show_value(v, t.value)}" for k, v in entries)
            + "}"
        )
    if isinstance(t, SeqT):
        return "[" + ", ".join(show_value(v, t.elem) for v in value) + "]"
    return str(value)


def show_arguments(params: Iterable[tuple[str, Type]], values: Iterable[Any]) -> str:
    """Return `name=value` for each parameter, as a call or a record is written."""
    return ", ".join(
        f"{name}={show_value(v, t)}" for (name, t), v in zip(params, values, strict=True)
    )


def show_step(instance: ActionInstance, known: Collection[str] | None = None) -> str:
    """Return an action with its arguments by name: what a step is called wherever it is named.

    With `known`, only the arguments of these names are shown.
    """
    action = instance.action
    shown = [
        (p.name, p.type, value)
        for p, value in zip(action.params, instance.args, strict=True)
        if known is None or p.name in known
    ]
    return f"{action.name}({show_arguments([s[:2] for s in shown], [s[2] for s in shown])})"


def json_value(value: Any, t: Type) -> Any:
    """Return plain data as JSON.

    A set is an array in order, a map an array of `[key, value]` for the keys whose value is not
    the default, a record an object, and an element of a sort, or a member of an enum, its name.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(t, OptionT):
        return json_value(value, t.inner)
    if isinstance(t, RecordT):
        return {n: json_value(v, f) for (n, f), v in zip(t.fields, value, strict=True)}
    if isinstance(t, SetT):
        return [json_value(v, t.elem) for v in in_order(value, t.elem)]
    if isinstance(t, MapT):
        return [
            [json_value(k, t.key), json_value(v, t.value)] for k, v in in_order(value, t.key, key=0)
        ]
    assert isinstance(t, SeqT)
    return [json_value(v, t.elem) for v in value]


def in_order(values: Iterable[Any], t: Type, key: int | None = None) -> list[Any]:
    """Return values of a scalar type, or pairs that begin with one, in the order of its domain."""
    return sorted(values, key=lambda v: rank(v if key is None else v[key], t))


def rank(value: Any, t: Type) -> tuple[Any, ...]:
    """Return what sorts values of a scalar type in the order of its domain."""
    if isinstance(t, OptionT):
        return (0,) if value is None else (1, *rank(value, t.inner))
    if isinstance(t, EnumT):
        return (t.members.index(value),)
    if isinstance(t, RecordT):
        return tuple(r for v, (_, f) in zip(value, t.fields, strict=True) for r in rank(v, f))
    if isinstance(t, SortT) and t.owner is not None and isinstance(value, str):
        owner, _, number = value.rpartition(".")
        return (len(owner), owner, int(number))
    if isinstance(value, str):
        return (len(value), value)
    return (value,)
