"""How much of what is drawn at random is tried, and from which seed it is drawn.

Whatever a test draws, it draws through here or through Hypothesis.  By default all of it is the
same every time: a change is judged by itself, and not by luck.  Two options change that:

    --long      try FACTOR times as many examples and seeds, from a new seed
    --seed=N    draw from the seed N; with --long, what a run with this seed has drawn

`make test-long` is the first; it prints the seed, and for every test that fails the command that
lets it fail again.  Hypothesis keeps what has failed in .hypothesis, and tries it first next time.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, core, settings

__all__ = ["chance", "examples", "explore", "sample", "seeds", "start_test"]

Case = TypeVar("Case")

#: How many times as much a long run tries.
FACTOR = 20

_FIXED = 0
_seed, _factor = _FIXED, 1


def explore(seed: int | None, *, long: bool) -> int:
    """Decide what all tests of this process draw from; return the seed.

    Args:
        seed: None for the fixed one, or for a new one if the run is long.
        long: whether to try more than usual.
    """
    global _seed, _factor
    if seed is None:
        seed = secrets.randbelow(10**9) if long else _FIXED
    _seed, _factor = seed, FACTOR if long else 1
    settings.register_profile(
        "ackproof",
        settings.get_profile("default"),
        max_examples=examples(100),
        derandomize=_seed == _FIXED,
        deadline=None,
        print_blob=True,
        # How fast the machine is tells nothing about what is tested.
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("ackproof")
    return seed


def start_test(name: str) -> None:
    """Let Hypothesis draw from the seed in a test, whichever tests have run before.

    This is what the option --hypothesis-seed does, but that leaves examples that failed forgotten.
    """
    core.threadlocal._hypothesis_global_random = chance(name)


def examples(count: int) -> int:
    """Return how many examples Hypothesis is to try where `count` are usual."""
    return count * _factor


def seeds(count: int) -> range:
    """Return the seeds to try where `count` are usual."""
    return range(_seed, _seed + count * _factor)


def sample(cases: Sequence[Case], count: int) -> list[Case]:
    """Return `count` of the cases, drawn from the seed; in a long run all of them.

    For what is the same for many cases, each of which takes long.
    """
    if _factor > 1 or count >= len(cases):
        return list(cases)
    return random.Random(f"{_seed} {len(cases)}").sample(cases, count)


def chance(*names: object) -> random.Random:
    """Return a source of random numbers, the same one for the same seed and names."""
    return random.Random(" ".join(map(str, (_seed, *names))))
