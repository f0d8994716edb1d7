"""A connection, as far as its channels have to know of it."""

from __future__ import annotations

from typing import Protocol

from ackproof.impl.access.permissions import Access
from ackproof.impl.broker import Broker
from ackproof.impl.errors import HardError
from ackproof.impl.limits import Limits
from ackproof.impl.vhost.virtual_host import VirtualHost

__all__ = ["ChannelConnection"]


class ChannelConnection(Protocol):
    """The connection that a channel is on; `ackproof.impl.session.session.Session` is one.

    Attributes:
        access: what the user may do in the virtual host.
        broker: what the connection gives access to.
        limits: how much the client may take.
        number: of the connection, counted by the broker from 1.
        vhost: the virtual host that was opened.
    """

    access: Access
    broker: Broker
    limits: Limits
    number: int
    vhost: VirtualHost

    @property
    def frame_max(self) -> int:
        """Return how many bytes a frame may have."""

    @property
    def user(self) -> str:
        """Return the name of who has logged in."""

    @property
    def wants_cancels(self) -> bool:
        """Tell whether the client wants to hear that the broker cancels a consumer (F3.3)."""

    def reads(self) -> bool:
        """Tell whether the client takes what it is sent; if not, nothing is delivered to it."""

    def send(self, data: bytes) -> None:
        """Send frames to the client."""

    def wait(self) -> None:
        """Process no input until `resume`: a reply has to wait for the disk."""

    def resume(self) -> None:
        """Process input again."""

    def fail(self, error: HardError, index: int = 0) -> None:
        """Close the connection and say why: by a class and method, in 32 bits, or by none."""

    def sever(self, *, written: bool, reset: bool = False) -> None:
        """Break the connection, after what was said has been written, or before."""

    def cancel_consumer(self, channel: int, tag: str) -> None:
        """Cancel a consumer, and tell the client if it wants to hear of that (F3.3)."""

    def forget_channel(self, number: int) -> None:
        """A channel is closed on both sides; its number may be used again."""
