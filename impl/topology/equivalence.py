"""Declaring again what is there: allowed if nothing would be different.

A client that declares says what it counts on.  If something of that name is there with another
property, or another value of an argument that matters, the client is told which, what it said and
what is there.
"""

from __future__ import annotations

from collections.abc import Iterable

from ackproof.impl.errors import SoftError
from ackproof.impl.wire.tables import Table, same
from ackproof.impl.wire.values import said, type_name

__all__ = ["check_arguments", "check_property"]

#: What stands for an argument that was not given.
_ABSENT = object()


def check_property(what: object, name: str, asked: object, there: object) -> None:
    """Check one property of a declaration.

    Args:
        what: the exchange or queue, as a text names it.
        name: of the property.
        asked: what the client says.
        there: what it is.

    Raises:
        SoftError: 406, they are not the same.
    """
    if asked != there:
        raise _inequivalent(what, name, f"'{said(asked)}'", f"'{said(there)}'")


def check_arguments(what: object, names: Iterable[str], asked: Table, there: Table) -> None:
    """Check the arguments that matter, in their order.

    Raises:
        SoftError: 406, one of them is not the same.
    """
    for name in names:
        _check_argument(what, name, asked.get(name, _ABSENT), there.get(name, _ABSENT))


def _check_argument(what: object, name: str, asked: object, there: object) -> None:
    if asked is _ABSENT and there is _ABSENT:
        return
    if asked is _ABSENT or there is _ABSENT:
        raise _inequivalent(what, name, _with_type(asked), _with_type(there))
    if _class_of(asked) != _class_of(there) or not same(asked, there):
        raise _inequivalent(what, name, _alone(asked), _alone(there))


def _class_of(value: object) -> str:
    """Return the class of types within which values are compared."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "int" if isinstance(value, int) else "float"
    return type_name(value)


def _with_type(value: object) -> str:
    if value is _ABSENT:
        return "none"
    return f"the value '{said(value)}' of type '{type_name(value)}'"


def _alone(value: object) -> str:
    return "none" if value is None else f"'{said(value)}'"


def _inequivalent(what: object, name: str, asked: str, there: str) -> SoftError:
    return SoftError(
        406, f"inequivalent arg '{name}' for {what}: received {asked} but current is {there}"
    )
