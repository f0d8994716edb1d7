"""Faults by their names, with arguments by theirs: how they are asked for from outside.

Whoever asks over HTTP, from another thread or by a scenario names a fault and its arguments.  Which
arguments there are, the fault itself says: its signature is looked at, and nothing is said twice.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ackproof.impl.faults.trigger import CHOICES

__all__ = ["OF_BROKER", "by_name", "check_arguments", "no_fault"]

#: The faults of `ackproof.impl.faults.faults.Faults`; a node has some of its own.
OF_BROKER = (
    "crash_queue",
    "delete_queue",
    "kill_replica",
    "restart_replica",
    "slow_replica",
    "release_replica",
    "partition",
    "notice_partition",
    "pause_minority",
    "heal",
    "nack_next",
    "crash_next",
    "delete_next",
    "hold_fsync",
    "release_fsync",
    "fail_writes",
    "withhold_confirms",
    "delay_confirms",
    "reorder_confirms",
    "release_confirms",
    "drop_connection",
    "close_connection",
    "close_channel",
    "cut_connection",
    "cancel_consumer",
    "refuse_login",
    "lose_acks",
    "silence",
    "end_silence",
    "slow_output",
)


def check_arguments(fault: Callable[..., Any], arguments: Iterable[str]) -> None:
    """Check that a fault takes arguments of these names, and that none is missing.

    Raises:
        TypeError: it does not; the text says what it takes.
    """
    try:
        inspect.signature(fault).bind(**dict.fromkeys(arguments))
    except TypeError as error:
        raise TypeError(f"{error}; {_taken(fault)}") from None
    known = {*inspect.signature(fault).parameters, *CHOICES}
    wrong = sorted(set(arguments) - known) if _chosen(fault) else []
    if wrong:
        raise TypeError(f"got an unexpected argument '{wrong[0]}'; {_taken(fault)}")


def no_fault(name: str, known: Iterable[str]) -> str:
    """Say that there is no fault of a name, and what there is instead."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"there is no fault {name!r}; {hint}there are {', '.join(names)}"


def by_name(
    fault: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call by their names, those that were given.

    Args:
        fault: a function that takes the object first that it is about.
        args: what it was given by place, without that object.
        named: what it was given by name.

    Raises:
        TypeError: it takes no such arguments.
    """
    bound = inspect.signature(fault).bind(None, *args, **named)
    _, *given = bound.arguments.items()
    arguments: dict[str, Any] = {}
    for name, value in given:
        if bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            arguments.update(value)
        else:
            arguments[name] = _plain(value)
    return arguments


def _plain(value: Any) -> Any:
    """Return a collection as a list, which JSON has, and anything else as it is."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return value
    return list(value)


def _chosen(fault: Callable[..., Any]) -> bool:
    """Tell whether a fault is about publishes that can be chosen."""
    parameters = inspect.signature(fault).parameters.values()
    return any(one.kind is one.VAR_KEYWORD for one in parameters)


def _taken(fault: Callable[..., Any]) -> str:
    """Say which arguments a fault takes."""
    needed: list[str] = []
    more: dict[str, None] = {}
    for one in inspect.signature(fault).parameters.values():
        if one.kind is one.VAR_KEYWORD:
            more.update(dict.fromkeys(CHOICES))
        elif one.default is one.empty:
            needed.append(one.name)
        else:
            more[one.name] = None
    if not needed and not more:
        return "it takes no arguments"
    return "it " + " and ".join(
        f"{verb} {', '.join(names)}"
        for verb, names in (("takes", needed), ("may take", more))
        if names
    )
