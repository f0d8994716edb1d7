"""Searches kept in an object store, on a cluster that loses a machine, beside the kernel.

    python bench/store.py            core and deep
    python bench/store.py core

The store is moto's server, which speaks S3 over a socket of this machine; the cluster is one of two
workers of one core each, which share nothing else: each has a disk that it alone can see.  When
about half of the levels are made, a worker is killed with all that it has, and another one takes
its place.  The run stops with an error unless what is found is what the kernel finds, properties of
runs included, with the lengths of counterexamples, and if the driver had to hold steps for these,
or had more than a gigabyte.

For each search there is how long it took, the kernel's time, and the most that the driver had
resident, and its JVM.  (Other programs on the machine make all of it longer.)
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ackproof.pipeline.folder import Folder
from ackproof.pipeline.storage import placed

from bench.audit_engines import descendants, resident
from tests.pipeline.cluster import Cluster
from tests.pipeline.store import Store
from tests.pipeline.test_command import decided, kernel
from tests.pipeline.test_loss import start

_CASES = ("core", "deep")
#: How many levels there are when a worker is killed.
_HALF = 14
#: Bytes that the driver may have.
_MOST = 10**9


class Watched:
    """A driver that is looked at until it ends.

    Attributes:
        peak: the most that its process had resident, in bytes.
        java: and the JVM that it has started.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.peak, self.java = 0, 0

    def look(self) -> bool:
        """Look at it; return whether it runs."""
        own = str(self.process.pid)
        self.peak = max(self.peak, resident(own))
        self.java = max([self.java, *map(resident, descendants(own))])
        return self.process.poll() is None


def searched(case: str, cluster: Cluster, store: Store) -> tuple[str, Watched]:
    """Search a case on a cluster, and kill a worker in mid-run; return the document."""
    folder = Folder(placed(store.address(case)) / f"confirms-{case}")
    options = ("--json", "--partitions", "8", "--work", store.address(case))
    process = start(cluster, "check", "--instance", case, *options)
    watched, killed = Watched(process), False
    with ThreadPoolExecutor(1) as reading:
        said = reading.submit(process.communicate)
        while watched.look():
            if not killed and len((folder.root / "levels").files()) >= _HALF:
                cluster.kill(cluster.workers[0])
                cluster.add()
                killed = True
            time.sleep(0.2)
    out, err = said.result()
    if process.returncode:
        sys.exit(f"{case} ended with {process.returncode}: {err}")
    if not killed or len(folder.levels()) <= _HALF + 2:
        sys.exit(f"{case}: all was over before a worker was killed")
    return out, watched


def _known(case: str) -> tuple[list[dict[str, Any]], float]:
    began = time.perf_counter()
    return kernel("--instance", case, "--no-cache"), time.perf_counter() - began


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="searches in an object store")
    parser.add_argument("cases", nargs="*", default=_CASES, help="core, deep")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ackproof-bench-") as name, Store(Path(name)) as store:
        for case in asked.cases:
            known, alone = _known(case)
            with Cluster(Path(name) / case) as cluster:
                began = time.perf_counter()
                out, watched = searched(case, cluster, store)
                seconds = time.perf_counter() - began
            if decided(out) != known:
                sys.exit(f"{case}: Spark finds something else than the kernel")
            (found,) = json.loads(out)["results"]
            if found["memory"]["bytes"] or watched.peak > _MOST:
                sys.exit(f"{case}: the driver had {watched.peak:,} bytes, {found['memory']}")
            said = f"{found['states']:,} states, {found['verdict']}, {seconds:.1f} s, the kernel"
            runs = f"{found['memory']['bytes']:,} bytes for the properties of runs"
            driver = f"driver {watched.peak / 1e6:,.0f} MB, its JVM {watched.java / 1e6:,.0f} MB"
            print(f"{case}: {said} {alone:.1f} s; {driver}, {runs}", flush=True)


if __name__ == "__main__":
    main()
