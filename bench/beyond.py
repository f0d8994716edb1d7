"""Walks beyond the proofs: late mirrors and partitions, at sizes that no search finishes.

    python bench/beyond.py                         100,000 walks through each instance
    python bench/beyond.py --walks 1000 --seed 3 late

What has no proof for any size, or one with a restriction only, is looked at with four processes, up
to three messages, two processes lost.  Nothing that walks do not meet is proved by that; a run that
they find is real, is shown, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from ackproof.lang import Instance
from ackproof.model.cache import default_cache
from ackproof.model.simulation import simulate
from ackproof.spec.instances import OFF, TWO
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import Born, ChannelId, Msg, Node, Queue, Replica

#: How long a walk is at most.
LENGTH = 110


def _instance(
    name: str, sizes: dict[Any, int], faults: dict[str, int], later: int, **constants: Any
) -> Instance:
    """Return an instance of four processes, of which so many join late."""
    born = [Born.MASTER, *[Born.MIRROR] * (3 - later), *[Born.LATER] * later]
    return Instance(
        name=name,
        purpose="walks beyond a restriction",
        sizes={**OFF, Msg: 3, Queue: 1, Replica: 4, **sizes},
        faults=faults,
        constants={
            **TWO,
            "QueueProcess.born": {f"r{number}": one for number, one in enumerate(born, 1)},
            "Confirms.consumers": constants.pop("consumers", False),
            **constants,
        },
    )


_NODES = {
    "QueueProcess.node": {f"r{number}": f"n{number}" for number in range(1, 5)},
    "Confirms.home": "n3",
}
INSTANCES = (
    _instance("late", {}, {"lose_node": 2}, 3),
    _instance("consumed", {}, {"lose_node": 2, "close": 1}, 3, consumers=True),
    _instance("mixed", {}, {"lose_node": 2, "crash_queue": 1}, 2, consumers=True),
    _instance("two", {ChannelId: 2, Msg: 2}, {"lose_node": 2}, 3, consumers=True),
    _instance("parted", {Node: 4}, {"partition": 2, "lose_node": 1}, 2, **_NODES),
    _instance("divided", {Node: 4}, {"partition": 2, "lose_node": 1}, 0, **_NODES),
)


def main() -> int:
    """Walk, and print what was met."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("instances", nargs="*", help="which; all if none is named")
    parser.add_argument("--walks", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    whole = {n for n in (*LIBRARY.proofs, *LIBRARY.follows) if not LIBRARY.restricted(n)}
    names = [
        p.name for p in MODEL.properties if p.kind in ("invariant", "step") and p.name not in whole
    ]
    broken = False
    for instance in INSTANCES:
        if args.instances and instance.name not in args.instances:
            continue
        start = time.perf_counter()
        found = simulate(
            MODEL,
            instance,
            properties=names,
            seed=args.seed,
            walks=args.walks,
            length=LENGTH,
            cache=default_cache(),
        )
        spent = time.perf_counter() - start
        print(f"{instance.name}: {found.walked.steps:,} steps, {spent:.0f} s", flush=True)
        for trace in found.traces:
            broken = True
            print(f"  {trace.property} is false after {len(trace.steps)} steps:")
            for step in trace.steps:
                print(f"    {step.instance.action.name}{step.instance.args}")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
