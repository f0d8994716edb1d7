"""The channels of one connection, by number.

A number stands for a channel from the first frame that names it until the channel is closed on both
sides; then it may stand for a new one.
"""

from __future__ import annotations

from ackproof.impl.errors import HardError
from ackproof.impl.session.channel_connection import ChannelConnection
from ackproof.impl.session.methods import METHODS
from ackproof.impl.session.session_channel import SessionChannel

__all__ = ["ChannelTable"]


class ChannelTable(dict[int, SessionChannel]):
    """The channels that are in use.

    Attributes:
        most: how many there may be at the same time, as it was agreed on.
    """

    def __init__(self, session: ChannelConnection) -> None:
        super().__init__()
        self.most = 0
        self._session = session

    def find(self, number: int) -> SessionChannel:
        """Return the channel of a number, which is new if the number is not in use.

        Raises:
            HardError: 530, there are as many as was agreed on.
        """
        channel = self.get(number)
        if channel is None:
            if len(self) >= self.most:
                raise HardError(
                    530,
                    f"number of channels opened ({len(self)}) has reached the negotiated "
                    f"channel_max ({self.most})",
                )
            channel = self[number] = SessionChannel(self._session, number, METHODS)
        return channel

    def forget(self, number: int) -> None:
        """A channel is closed on both sides; its number may be used again."""
        self.pop(number, None)

    def wake(self) -> None:
        """The client reads again: consumers who had to wait for that may get something (F2.4)."""
        for channel in self.values():
            channel.broker.steps.serving.clear(channel.consuming)
