"""What it takes to prove the specification: cold and warm, with other seeds, and on a busy machine.

    python bench/proofs.py                        all properties, five seeds
    python bench/proofs.py --busy 4               beside so many processes that do nothing but work
    python bench/proofs.py SettledOnce --seeds 1  some properties

Each run is the command `ackproof prove`, with an empty cache (`cold`), and again with what the
first left there (`warm`).  Wall time is what somebody waits; processor time is the fairer number on
a machine that is not idle, and solver work, which solvers count themselves, is the same on any.  A
seed is that of Z3 and cvc5.  What is not proved is named, and the exit code is 1 then.
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

#: The command beside the Python that runs this.
_COMMAND = Path(sys.executable).parent / "ackproof"

_HEAD = "seed  cache  wall s  CPU s  work s  obligations  by cvc5  not proved, and slowest"


def run(args: argparse.Namespace, seed: int, cache: Path) -> tuple[float, float, dict[str, Any]]:
    """Return wall and processor seconds of one run, and the document that it printed."""
    command = [str(_COMMAND), "prove", *args.properties, "--json", "--counterexamples", "0"]
    command += ["--limit", str(args.limit), "--seed", str(seed), "--workers", str(args.workers)]
    env = os.environ | {"ACKPROOF_CACHE": str(cache)}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=False)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    [result] = json.loads(done.stdout)["results"]
    return wall, spent, result


def line(seed: int, mode: str, wall: float, spent: float, result: dict[str, Any]) -> str:
    """Return what there is to say of a run, below `_HEAD`."""
    done = result["obligations"]
    work = sum(o["work"] for o in done) if mode == "cold" else 0.0
    by_cvc5 = sum(o["solver"] == "cvc5" for o in done)
    slowest = max(done, key=lambda o: float(o["work"]))
    said = "; ".join([*missing(result), f"{slowest['name']} {slowest['work']:.1f} s of work"])
    return (
        f"{seed:4}  {mode:5}  {wall:6.1f}  {spent:5.1f}  {work:6.1f}  "
        f"{len(done):11}  {by_cvc5:7}  {said}"
    )


def missing(result: dict[str, Any]) -> list[str]:
    """Return the names of what is not proved, or says nothing."""
    left = [o["name"] for o in result["obligations"] if o["result"] != "proved"]
    return left + [f"vacuous {v['name']}" for v in result["vacuities"]]


def main() -> int:
    """Measure, and print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("properties", nargs="*")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each obligation")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--busy", type=int, default=0, help="processes that keep the machine busy")
    args = parser.parse_args()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(args.busy)]
    failed = False
    print(f"load {os.getloadavg()[0]:.1f} before, {args.busy} busy processes beside it\n{_HEAD}")
    try:
        for seed in range(args.seeds):
            with tempfile.TemporaryDirectory() as cache:
                for mode in ("cold", "warm"):
                    wall, spent, result = run(args, seed, Path(cache))
                    failed |= bool(missing(result))
                    print(line(seed, mode, wall, spent, result), flush=True)
    finally:
        for one in busy:
            one.kill()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
