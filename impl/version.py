"""The version of ackproof.

It is said here, and not asked of the installation: that takes longer than anything else that a
client waits for when it connects.
"""

from __future__ import annotations

__all__ = ["VERSION"]

VERSION = "0.1.0"
