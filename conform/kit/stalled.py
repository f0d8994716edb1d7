"""A run that cannot go on."""

from __future__ import annotations

__all__ = ["Stalled"]


class Stalled(Exception):
    """The run cannot go on, and nothing is proven by that; the text says why."""
