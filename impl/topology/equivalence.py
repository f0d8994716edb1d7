"""Declaring again what is there: allowed if nothing would be different.

A client that declares says what it counts on.  If something of that name is there with another
property, or another value of an argument that matters, the client is told which, what it said and
what is there.
"""

from __future__ import annotations

from collections.abc import Iterable

from ackproof.impl.errors import SoftError
from ackproof.impl.wire.tables import Table, said, same, type_name

__all__ = ["check_argument", "check_arguments", "check_property"]


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
        check_argument(what, name, asked.get(name), there.get(name))


def check_argument(what: object, name: str, asked: object, there: object) -> None:
    """Check one argument of a declaration; None is one that was not given.

    Raises:
        SoftError: 406, they are not the same.
    """
    if same(asked, there):
        return
    if type(asked) is type(there):
        raise _inequivalent(what, name, f"'{said(asked)}'", f"'{said(there)}'")
    raise _inequivalent(what, name, _with_type(asked), _with_type(there))


def _with_type(value: object) -> str:
    if value is None:
        return "none"
    return f"the value '{said(value)}' of type '{type_name(value)}'"


def _inequivalent(what: object, name: str, asked: str, there: str) -> SoftError:
    return SoftError(
        406, f"inequivalent arg '{name}' for {what}: received {asked} but current is {there}"
    )
