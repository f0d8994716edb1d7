"""The audit: recordings judged and counted, as one document.

Each channel is judged by itself, and the account is of all recordings together.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from ackproof.conform.account import Account
from ackproof.conform.capture.listening import Listening
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
from ackproof.conform.judgement import Judgement
from ackproof.conform.recording import read

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
        RecordingError: a file is no recording.
    """
    how = how or Listening()
    account = Account()
    found: list[Found] = []
    names: list[str] = []
    events = channels = gaps = 0
    for path in paths:
        name = str(path)
        names.append(name)
        judgement = Judgement(lambda event, name=name: account.take(name, event))  # type: ignore[misc]
        for event in read(path, how):
            judgement.take(event)
        found += [found_of(name, violation) for violation in judgement.violations]
        events += judgement.events
        channels += judgement.channels
        gaps += judgement.gaps
    seen = Seen(events, channels, gaps)
    return concluded(names, seen, found, _messages(account, drained), _confirms(account))


def _messages(account: Account, drained: bool) -> Messages:
    return Messages(
        published=account.published,
        confirmed=account.acked,
        nacked=account.nacked,
        unsettled=account.unsettled(),
        returned=account.returned,
        deliveries=account.deliveries,
        redelivered=account.redelivered,
        strangers=account.strangers(),
        delivered=Range(*account.sum("seen")),
        lost=lost_of(account.sum("unseen"), drained),
        duplicated=Range(*account.sum("duplicated")),
    )


def _confirms(account: Account) -> Confirms:
    times = np.sort(np.asarray(account.latencies))
    return Confirms(
        frames=account.covered.total(),
        largest=max(account.covered, default=0),
        window=account.widest,
        latency=latency_of(len(times), lambda rank: float(times[rank])),
    )
