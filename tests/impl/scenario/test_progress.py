"""How far a connection is: what is counted, and that it does not matter how it was told."""

from __future__ import annotations

import random

from ackproof.impl.scenario.progress import Progress
from pamqp import commands, frame

from tests.exploring import sample


def heard(progress: Progress, *methods: frame.FrameTypes, channel: int = 1) -> int:
    """Let connection 1 hear methods; return how many of its publishes are settled by now."""
    for method in methods:
        progress.heard(1, frame.marshal(method, channel))
    return progress.of(1).heard["confirms"]


def test_what_is_settled_is_counted_however_it_is_told() -> None:
    for seed in sample(range(200), 20):
        rng = random.Random(seed)
        progress, left, count = Progress(), set(range(1, 30)), 0
        while left:
            tag = rng.choice(sorted(left))
            multiple = rng.random() < 0.3
            settled = {one for one in left if one == tag or (multiple and one < tag)}
            left -= settled
            count += len(settled)
            kind = rng.choice((commands.Basic.Ack, commands.Basic.Nack))
            assert heard(progress, kind(tag, multiple)) == count, f"seed {seed}"


def test_a_channel_that_is_opened_again_counts_from_the_start() -> None:
    progress = Progress()
    assert heard(progress, commands.Basic.Ack(2, multiple=True)) == 2
    assert heard(progress, commands.Basic.Ack(1), channel=2) == 3
    assert heard(progress, commands.Channel.OpenOk(), commands.Basic.Ack(1)) == 4


def test_methods_are_counted_by_their_names_in_the_protocol() -> None:
    progress = Progress()
    heard(progress, commands.Tx.CommitOk(), commands.Basic.GetEmpty(), commands.Basic.GetEmpty())
    assert progress.of(1).heard == {"tx.commit-ok": 1, "basic.get-empty": 2}
    progress.sent(1, commands.Queue.Declare.index)
    progress.ended(1)
    progress.ended(1)
    assert progress.of(1).sent == {"queue.declare": 1, "end": 1}
    progress.heard(1, b"\x08\x00\x00\x00\x00\x00\x00\xce")
    progress.heard(0, frame.marshal(commands.Tx.CommitOk(), 1))
    progress.ended(7)
    assert progress.of(1).heard["tx.commit-ok"] == 1
    assert not progress.of(7).sent


def test_connections_of_long_ago_are_forgotten() -> None:
    progress = Progress()
    for number in range(1, 3001):
        progress.sent(number, commands.Connection.Open.index)
        if number != 5:
            progress.ended(number)
    kept = [number for number, _ in progress]
    assert kept[0] == 5, "a connection that is open is not forgotten"
    assert len(kept) == 1001
