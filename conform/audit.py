"""The audit: recordings judged and counted, as one document.

Each channel is judged by itself, and the account is of all recordings together.  A capture in
several files is one recording, which is called as the first of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ackproof.conform.account import Account
from ackproof.conform.capture.listening import Listening
from ackproof.conform.capture.rotation import pieces_of_captures
from ackproof.conform.columns import Columns
from ackproof.conform.document import (
    AuditDocument,
    Confirms,
    Found,
    Messages,
    Range,
    Seen,
    concluded,
    found_of,
    latency_of,
    lost_of,
)
from ackproof.conform.keys import differing
from ackproof.conform.recording import mark_in, read_columns
from ackproof.conform.schema import RecordingError
from ackproof.conform.sources import called
from ackproof.conform.streams import Streams

__all__ = ["audit"]


def audit(
    paths: Iterable[Path], drained: bool = False, how: Listening | None = None
) -> AuditDocument:
    """Judge recordings and captures.

    Args:
        paths: the files, whose connections are different ones.
        drained: in the end all queues were empty, and all consumers were recorded.
        how: how captures are read; None is with a key that nobody knows.

    Raises:
        RecordingError: a file is no recording, or messages cannot be followed from one to another.
    """
    how = how or Listening()
    account = Account()
    found: list[Found] = []
    seen, confirms = Seen(0, 0, 0), _Confirms(0, 0, 0)
    files = list(paths)
    wrong = differing((called(path), mark_in(path, how)) for path in files) if drained else ""
    if wrong:
        raise RecordingError(wrong)
    for pieces in pieces_of_captures(files):
        name = called(pieces[0])
        streams = Streams()
        for columns in _columns(pieces, how):
            for facts in streams.take(columns):
                account.add(facts)
        found += [found_of(name, violation) for violation in streams.violations]
        seen = Seen(
            seen.events + streams.events,
            seen.channels + streams.channels,
            seen.gaps + streams.gaps,
        )
        confirms = _Confirms(
            confirms.frames + streams.frames,
            max(confirms.largest, streams.largest),
            max(confirms.window, streams.window),
        )
    messages, said = _messages(account, drained), _said(confirms, account)
    return concluded(list(map(called, files)), seen, found, messages, said)


def _columns(pieces: Sequence[Path], how: Listening) -> Iterator[Columns]:
    if len(pieces) == 1:
        return read_columns(pieces[0], how)
    # What takes packets apart is loaded where there are any.
    from ackproof.conform.scanning.capture import read_capture_columns

    return read_capture_columns(pieces, how)


class _Confirms(NamedTuple):
    """How many acks and nacks, what one has settled at most, and what has waited at most."""

    frames: int
    largest: int
    window: int


def _messages(account: Account, drained: bool) -> Messages:
    sums = account.sums()
    return Messages(
        published=account.published,
        confirmed=account.acked,
        nacked=account.nacked,
        unsettled=account.unsettled(),
        returned=account.returned,
        deliveries=account.deliveries,
        redelivered=account.redelivered,
        strangers=sums.strangers,
        delivered=Range(*sums.seen),
        lost=lost_of(sums.unseen, drained),
        duplicated=Range(*sums.duplicated),
    )


def _said(confirms: _Confirms, account: Account) -> Confirms:
    times = account.latencies()
    latency = latency_of(len(times), lambda rank: float(times[rank]))
    return Confirms(confirms.frames, confirms.largest, confirms.window, latency)
