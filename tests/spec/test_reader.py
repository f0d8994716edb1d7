"""The reader, alone: when it stops, and what the client is told of it."""

from __future__ import annotations

import pytest
from ackproof.lang import Event, NotEnabled
from ackproof.spec.reader import Reader, ReaderState
from ackproof.spec.wire import Blocked, Unblocked

from tests.spec.built import CH1


@pytest.fixture
def frames() -> list[Event]:
    return []


@pytest.fixture
def reader(frames: list[Event]) -> Reader:
    return Reader(channel=CH1, emit=frames.append)


def test_an_alarm_blocks_a_connection_that_publishes_and_no_other(
    reader: Reader, frames: list[Event]
) -> None:
    reader.sets_alarm()
    assert reader.state == ReaderState.BLOCKING
    assert not frames
    reader.meets_content()
    assert reader.state == ReaderState.BLOCKED
    assert frames == [Blocked(CH1)]


def test_a_client_that_was_told_hears_when_it_is_over(reader: Reader, frames: list[Event]) -> None:
    reader.sets_alarm()
    reader.meets_content()
    reader.clears_alarm(False)
    assert reader.state == ReaderState.RUNNING
    assert frames == [Blocked(CH1), Unblocked(CH1)]


def test_a_client_that_never_noticed_an_alarm_hears_nothing(
    reader: Reader, frames: list[Event]
) -> None:
    reader.sets_alarm()
    reader.clears_alarm(False)
    assert reader.state == ReaderState.RUNNING
    assert not frames


def test_of_credit_a_client_hears_nothing(reader: Reader, frames: list[Event]) -> None:
    reader.starves()
    assert reader.state == ReaderState.BLOCKED
    reader.revives()
    assert reader.state == ReaderState.RUNNING
    assert not frames


def test_an_alarm_on_top_is_told_at_once_and_credit_does_not_end_it(
    reader: Reader, frames: list[Event]
) -> None:
    reader.starves()
    reader.sets_alarm()
    assert frames == [Blocked(CH1)]
    reader.revives()
    assert reader.state == ReaderState.BLOCKED


def test_the_end_of_an_alarm_does_not_help_a_reader_without_credit(
    reader: Reader, frames: list[Event]
) -> None:
    reader.starves()
    reader.sets_alarm()
    reader.clears_alarm(True)
    assert reader.state == ReaderState.BLOCKED
    assert frames == [Blocked(CH1), Unblocked(CH1)]


def test_nothing_happens_out_of_turn(reader: Reader) -> None:
    with pytest.raises(NotEnabled):
        reader.meets_content()
    with pytest.raises(NotEnabled):
        reader.clears_alarm(False)
    reader.sets_alarm()
    with pytest.raises(NotEnabled):
        reader.sets_alarm()
