"""What the modules of methods have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pamqp import base

if TYPE_CHECKING:
    from ackproof.impl.channels import SessionChannel

__all__ = ["Handler", "Methods"]

#: Processes a method on a channel.
Handler = Callable[["SessionChannel", Any], None]

Methods = dict[type[base.Frame], Handler]
