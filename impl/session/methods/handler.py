"""What the modules of methods have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pamqp import base

if TYPE_CHECKING:
    from ackproof.impl.session.channels import SessionChannel

__all__ = ["Handler", "Methods", "stripped"]

#: Processes a method on a channel.
Handler = Callable[["SessionChannel", Any], None]

Methods = dict[type[base.Frame], Handler]

_LINE_ENDS = str.maketrans("", "", "\r\n")


def stripped(name: object) -> str:
    """Return a name without line ends, which cannot be in a name; RabbitMQ drops them too."""
    return str(name).translate(_LINE_ENDS)
