"""Values of which a part is read later, when it is first asked for.

A search needs the names of actions and properties, and rarely what they say.  So an object may
begin with some of its fields, and complete itself from the whole one when another is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["Later", "begun"]

T = TypeVar("T", bound="Later")

_WHOLE = "_whole"


class Later:
    """A base of frozen dataclasses whose objects may be completed later; see `begun`."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__") or _WHOLE not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            self._complete()
            return getattr(self, name)

    def _complete(self) -> None:
        whole = self.__dict__.pop(_WHOLE, None)
        if whole is not None:
            for name, value in vars(whole()).items():
                self.__dict__.setdefault(name, value)

    def __getstate__(self) -> dict[str, Any]:
        self._complete()
        return self.__dict__


def begun(kind: type[T], fields: Mapping[str, Any], whole: Callable[[], T]) -> T:
    """Return an object that has some of its fields.

    Args:
        kind: its class.
        fields: what is known of it.
        whole: returns an equal object that has all of them; it is called once, or never.
    """
    found = object.__new__(kind)
    found.__dict__.update(fields)
    found.__dict__[_WHOLE] = whole
    return found
