"""Alarms: why publishers are not listened to (E4).

There are four: the broker holds too many bytes, the disk refuses to take more, little is free on
it, or somebody has asked for it.  While one is on, who publishes is not read from; everybody else
is, so that consumers can make room.  Nobody says when memory is free again that clients have held
back, so that is looked for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

__all__ = ["ResourceAlarms"]

_LOG = logging.getLogger(__name__)

#: Seconds after which it is looked again whether memory is free that nobody has said is.
_LOOK_AGAIN = 0.05
#: Part of the limit below which an alarm is over, so that it does not flicker.
_LOW = 0.9


class ResourceAlarms:
    """The alarms of a server.

    Args:
        limit: bytes beyond which there is an alarm.
        announce: called with the reasons, together, when they have changed; empty for none.
        look: called, while memory is short, when it is time to look at it again.
    """

    def __init__(
        self, limit: int, announce: Callable[[str], None], look: Callable[[], None]
    ) -> None:
        self._limit = limit
        self._announce = announce
        self._look = look
        self._reasons: dict[str, str] = {}
        self._looking: asyncio.TimerHandle | None = None

    @property
    def reason(self) -> str:
        """Say why publishers are not listened to; empty if they are."""
        return " & ".join(dict.fromkeys(self._reasons.values()))

    def set(self, alarm: str, reason: str) -> None:
        """Begin an alarm, or give another reason for it."""
        self._reasons[alarm] = reason
        self._announce(self.reason)

    def clear(self, alarm: str) -> None:
        """End an alarm, if it is on."""
        self._reasons.pop(alarm, None)
        self._announce(self.reason)

    def disk_refuses(self, is_so: bool) -> None:
        """Begin or end the alarm of the disk (E4.4)."""
        if is_so == ("disk" in self._reasons):
            return
        if is_so:
            _LOG.warning("disk alarm set: publishers are blocked until a commit succeeds")
            self.set("disk", "low on disk")
        else:
            _LOG.warning("disk alarm over: commits succeed again")
            self.clear("disk")

    def look_at_disk(self, free: int, least: int) -> None:
        """Begin or end the alarm of free space.

        Args:
            free: bytes that are free.
            least: bytes that should be.
        """
        if (free < least) == ("free" in self._reasons):
            return
        if free < least:
            _LOG.warning("disk alarm set: %d bytes are free, and %d should be", free, least)
            self.set("free", "low on disk")
        else:
            _LOG.warning("disk alarm over: %d bytes are free", free)
            self.clear("free")

    def look_at(self, used: int) -> bool:
        """Begin or end the alarm of memory if it is time; tell whether that has changed something.

        Args:
            used: bytes that are in use.
        """
        alarmed = "memory" in self._reasons
        if alarmed and self._looking is None:
            self._looking = asyncio.get_running_loop().call_later(_LOOK_AGAIN, self._look_again)
        if alarmed == (used > self._limit * (_LOW if alarmed else 1)):
            return False
        _LOG.info("memory alarm %s: %d bytes in use", "over" if alarmed else "set", used)
        if alarmed:
            self.clear("memory")
        else:
            self.set("memory", "low on memory")
        return True

    def _look_again(self) -> None:
        self._looking = None
        self._look()

    def stop(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
