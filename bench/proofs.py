"""What it takes to prove the specification: cold and warm, with other seeds, and on a busy machine.

    python bench/proofs.py                        all properties, five seeds
    python bench/proofs.py --busy 4               beside so many processes that do nothing but work
    python bench/proofs.py SettledOnce --seeds 1  some properties

Each run is a process of its own with an empty cache; `warm` is the same again with a full one.
Wall time is what somebody waits, processor time is the fairer number on a machine that is not idle.
A seed is Z3's, for whatever does not choose one itself.  What is not proved is named, and the exit
code is 1 then.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def prove(names: list[str], seed: int, workers: int) -> None:
    """Prove the properties of those names, and print what it took."""
    import z3
    from ackproof.model.cache import default_cache
    from ackproof.proofs.attempt import prepare
    from ackproof.spec.lemmas import LIBRARY
    from ackproof.spec.model import MODEL

    z3.set_param("smt.random_seed", seed)
    z3.set_param("sat.random_seed", seed)
    proof = prepare(MODEL, LIBRARY, names).run(workers=workers, cache=default_cache())
    left = [o.obligation.name for o in proof.outcomes if o.status != "proved"]
    slowest = max(proof.outcomes, key=lambda o: o.seconds)
    found = {
        "obligations": len(proof.outcomes),
        "by cvc5": sum(o.solver == "cvc5" for o in proof.outcomes),
        "not proved": left,
        "vacuous": [v.name for v in proof.vacuities],
        "slowest": f"{slowest.obligation.name}, {slowest.seconds:.1f} s",
    }
    print(json.dumps(found))


def run(args: argparse.Namespace, seed: int, cache: Path) -> tuple[float, float, dict[str, Any]]:
    """Return wall and processor seconds of one run in a process of its own, and what it found."""
    command = [sys.executable, __file__, "--child", str(seed), "--workers", str(args.workers)]
    env = os.environ | {"ACKPROOF_CACHE": str(cache)}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [*command, *args.properties], env=env, capture_output=True, text=True, check=True
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, spent, json.loads(done.stdout)


def main() -> int:
    """Measure, and print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("properties", nargs="*")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--busy", type=int, default=0, help="processes that keep the machine busy")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child is not None:
        prove(args.properties, args.child, args.workers)
        return 0
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(args.busy)]
    failed = False
    try:
        for seed in range(args.seeds):
            with tempfile.TemporaryDirectory() as cache:
                for mode in ("cold", "warm"):
                    wall, spent, found = run(args, seed, Path(cache))
                    failed |= bool(found["not proved"] or found["vacuous"])
                    said = ", ".join(f"{key} {value}" for key, value in found.items())
                    times = f"{wall:6.1f} s wall, {spent:6.1f} s processor"
                    print(f"seed {seed}, {mode}: {times}; {said}", flush=True)
    finally:
        for one in busy:
            one.kill()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
