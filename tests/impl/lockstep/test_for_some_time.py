"""Valid methods at random, in lockstep, for some minutes: whatever is said, both do the same.

What other tests here draw by Hypothesis is short, so that it can be made shorter.  Here it is
long: a broker has some hundred commands, one after another, before it is compared what is left.
The dice of each broker are thrown by a seed of its own, which a failure shows.
"""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from ackproof.impl.steps.seeded import Seeded

from tests.exploring import chance
from tests.impl.lockstep import test_consumers_in_lockstep as consuming
from tests.impl.lockstep import test_lockstep as publishing

#: Seconds for which it is tried, all in all.
SECONDS = 600
#: Commands to one broker.
COMMANDS = 300


def published(dice: random.Random) -> tuple[Any, ...]:
    """Return a command to the broker of publishers, transactions and deletions."""
    name, truth = dice.choice(publishing.QUEUES), dice.random() < 0.5
    names = dice.sample(publishing.QUEUES, dice.randrange(4))
    channels = (*publishing.CONFIRMING, publishing.TRANSACTIONAL)
    return dice.choice(
        [
            *[("publish", dice.choice(channels), names, truth, dice.random() < 0.5)] * 8,
            (dice.choice(("crash", "delete", "purge")), name),
            ("reopen", dice.choice(publishing.CONFIRMING)),
            *[("begin_commit",), ("end_commit",)] * 2,
            ("end_transaction", truth),
            (dice.choice(("get", "consume")), name, truth),
            ("settle", truth, dice.random() < 0.5, dice.random() < 0.5),
        ]
    )


def consumed(dice: random.Random) -> tuple[Any, ...]:
    """Return a command to the broker of consumers."""
    name, truth = dice.choice(consuming.QUEUES), dice.random() < 0.5
    channel = dice.choice((consuming.FIRST, consuming.SECOND))
    how = dice.choice(("ack", "requeue", "discard"))
    names = dice.sample(consuming.QUEUES, dice.choice((1, 2)))
    return dice.choice(
        [
            *[("publish", names, truth)] * 6,
            *[("consume", channel, name, truth)] * 3,
            *[("settle", channel, dice.randrange(6), how, truth)] * 4,
            ("cancel", channel, name),
            ("limit", channel, dice.randrange(4), truth),
            ("get", channel, name, truth),
            (dice.choice(("recover", "reopen")), channel),
            ("crash", name),
            *[("begin_commit",), ("end_commit",)] * 2,
        ]
    )


def run(seed: int) -> int:
    """Give a broker commands that a seed draws, and compare; return how many."""
    dice = chance("for some time", seed)
    in_order = dice.random() < 0.5
    count = dice.randrange(COMMANDS)
    if dice.random() < 0.5:
        scheduler = None if in_order else Seeded(seed)
        commands = [published(dice) for _ in range(count)]
        publishing.run(commands, publishing.Traffic(scheduler))
    else:
        scheduler = None if in_order else Seeded(seed, commits=False)
        consuming.run(consuming.Traffic(scheduler), [consumed(dice) for _ in range(count)])
    return count


@pytest.mark.long
@pytest.mark.timeout(4 * SECONDS)
def test_valid_methods_have_the_same_effect_for_some_time() -> None:
    ends = time.monotonic() + SECONDS
    seed = total = 0
    while time.monotonic() < ends:
        try:
            total += run(seed)
        except BaseException as error:
            error.add_note(f"this was the broker of seed {seed}")
            raise
        seed += 1
    print(f"{seed} brokers, {total:,} commands, no difference")
    assert total > SECONDS


def test_some_of_it() -> None:
    assert sum(run(seed) for seed in range(8)) > COMMANDS
