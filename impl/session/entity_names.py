"""Names of queues and exchanges, as clients send them."""

from __future__ import annotations

__all__ = ["without_line_ends"]

_LINE_ENDS = str.maketrans("", "", "\r\n")


def without_line_ends(name: object) -> str:
    """Return a name without line ends, which cannot be in a name; RabbitMQ drops them too."""
    return str(name).translate(_LINE_ENDS)
