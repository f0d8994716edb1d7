"""Spoiling: what a network and a capture do to packets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from tests.conform.capture.wires import Sent

__all__ = ["cut", "lagging", "lost", "overlapping", "shuffled"]


def shuffled(segments: Sequence[Sent], random: Random, far: int) -> list[Sent]:
    """Some come later than others that were sent after them."""
    places = {
        id(segment): number + random.uniform(0, far) for number, segment in enumerate(segments)
    }
    return sorted(segments, key=lambda segment: places[id(segment)])


def overlapping(segments: Sequence[Sent], random: Random) -> list[Sent]:
    """Some come twice, or in part again, before themselves or after."""
    found: list[Sent] = []
    for segment in segments:
        again = segment
        if segment.data and random.random() < 0.7:
            start = random.randrange(len(segment.data))
            end = random.randrange(start, len(segment.data)) + 1
            again = replace(segment, seq=segment.seq + start, data=segment.data[start:end])
        copies = [replace(segment), replace(again)] if random.random() < 0.4 else [replace(segment)]
        random.shuffle(copies)
        found += copies
    return found


def lost(segments: Sequence[Sent], random: Random) -> list[Sent]:
    """Some are not captured, alone or with those around them."""
    left = list(segments)
    for _ in range(random.randint(1, 4)):
        if left:
            start = random.randrange(len(left))
            del left[start : start + random.choice([1, 1, 1, 2, 5, 20])]
    return left


def cut(segments: Sequence[Sent], random: Random) -> list[Sent]:
    """The capture begins late, or ends early."""
    start = random.randrange(len(segments))
    return list(segments[start:]) if random.random() < 0.8 else list(segments[:start])


def lagging(segments: Sequence[Sent], random: Random, often: float = 0.5) -> list[Sent]:
    """Some were sent before their side had received all that the other one had sent."""
    found: list[Sent] = []
    before = {0: 0, 1: 0}
    for segment in segments:
        late = before[segment.side] and not segment.flags & 2 and random.random() < often
        ack = before[segment.side] if late else segment.ack
        before[segment.side] = ack
        found.append(replace(segment, ack=ack))
    return found
