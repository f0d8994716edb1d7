"""Who follows the messages of a channel does so to its end, and hears nothing after it."""

from __future__ import annotations

from unittest.mock import Mock

from ackproof.conform.events import Event, Kind
from ackproof.conform.following import Follower

ENDING = (Kind.OPEN, Kind.OPEN_OK, Kind.CLOSE, Kind.CLOSE_OK)


def test_a_channel_that_has_ended_is_packed_and_asked_no_more() -> None:
    for _ in range(50):
        follower = Follower(Mock())
        for number, kind in enumerate(ENDING, 1):
            assert follower.take([Event(kind, connection="c", channel=1, number=number)]) == []
        assert follower.stream.packed
        assert follower.stream.events == len(ENDING)
