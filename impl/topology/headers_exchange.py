"""Headers exchanges: a binding's arguments, compared with the headers of a message.

The argument `x-match` says how many have to agree, `all` of them or `any`; arguments whose names
begin with `x-` are not compared, unless it says `all-with-x` or `any-with-x`.  Numbers agree by
value, whatever their types, and texts by their bytes.  An argument without a value agrees with a
header of any value.  A binding without arguments to compare takes every message by `all`, and none
by `any`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ackproof.impl.errors import SoftError
from ackproof.impl.topology.definitions import Binding, Routed
from ackproof.impl.topology.exchange_types import ExchangeType
from ackproof.impl.wire.tables import Table, same
from ackproof.impl.wire.values import term, type_name

__all__ = ["Headers"]

_MATCH = "x-match"
_ALL, _ANY, _ALL_WITH_X, _ANY_WITH_X = "all", "any", "all-with-x", "any-with-x"


class Headers(ExchangeType):
    """The bindings whose arguments agree with the message's headers."""

    NAME = "headers"

    @staticmethod
    def check(arguments: Table) -> None:
        """Check the argument `x-match`.

        Raises:
            SoftError: 406, it is none of the four.
        """
        how = arguments.get(_MATCH, _ALL)
        if not isinstance(how, str):
            raise SoftError(
                406,
                f"Invalid x-match field type {type_name(how)} (value {term(how)}); "
                "expected longstr",
            )
        if how not in (_ALL, _ANY, _ALL_WITH_X, _ANY_WITH_X):
            raise SoftError(
                406,
                f'Invalid x-match field value <<"{how}">>; '
                "expected all, any, all-with-x, or any-with-x",
            )

    def match(self, message: Routed) -> Iterator[Binding]:
        """Return the bindings that agree with the message's headers."""
        headers = message.headers if self.bindings else {}
        return (binding for binding in self.bindings if _agree(binding.arguments, headers))


def _agree(arguments: Table, headers: Table) -> bool:
    how = arguments.get(_MATCH, _ALL)
    with_x = how in (_ALL_WITH_X, _ANY_WITH_X)
    agreements = (
        name in headers and (value is None or same(value, headers[name]))
        for name, value in arguments.items()
        if name != _MATCH and (with_x or not name.startswith("x-"))
    )
    return any(agreements) if how in (_ANY, _ANY_WITH_X) else all(agreements)
