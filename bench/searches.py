"""One search of one case: by the local kernel, or on Spark; both by the command that a user types.

What a search found is one value, so that two searches are compared by `==`: the counts of states,
of steps by action, the sizes of all levels, and the verdict.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median_low
from typing import Any

from ackproof.pipeline.folder import Folder
from ackproof.pipeline.identity import read_search
from ackproof.pipeline.storage import placed

from bench.cases import ROOT, Case
from bench.process import Failed, run
from bench.watching import Peak

__all__ = ["WHOLE", "Found", "Search", "local", "middle", "on_spark"]

#: `verified`, and `unwitnessed`: whole state spaces both.
WHOLE = (0, 3)


@dataclass(frozen=True)
class Found:
    """What a search found: all that must be the same, whoever searches."""

    states: int
    generated: int
    levels: tuple[int, ...]
    actions: tuple[tuple[str, int], ...]
    verdict: str

    @staticmethod
    def of(result: Mapping[str, Any]) -> Found:
        """Return what a result in the report of `ackproof check --json` says."""
        return Found(
            states=result["states"],
            generated=result["generated"],
            levels=tuple(result["level_sizes"]),
            actions=tuple((a["name"], a["enabled"]) for a in result["actions"]),
            verdict=result["verdict"],
        )


@dataclass(frozen=True)
class Search:
    """How one search went.

    Args:
        found: what it found.
        whole: wall seconds of everything that a user starts.
        start: seconds until the first state: compiling, and on Spark its session.
        search: seconds of the search alone, with the properties of runs at its end.
        cpu: processor seconds; only of the command's own process and of what it waited for.
        peak: bytes that all of its processes had at their peak.
        java: bytes of the JVM among them.
        kept: what the search has written, and what went through the shuffle; empty if local.
        table: for each level its states, and the seconds that it took; empty if local.
    """

    found: Found
    whole: float
    start: float
    search: float
    cpu: float
    peak: int
    java: int
    kept: Mapping[str, int]
    table: tuple[tuple[int, float], ...]

    def document(self) -> dict[str, Any]:
        """Return the measurement as JSON has it, without what was found."""
        return {k: v for k, v in asdict(self).items() if k not in ("found", "table")}


def middle(searches: list[Search]) -> Search:
    """Return the search whose time is the median."""
    wanted = median_low(s.search for s in searches)
    return next(s for s in searches if s.search == wanted)


def local(case: Case, workers: int) -> Search:
    """Search a case with the kernel, in the memory of one process.

    Raises:
        Failed: it did not explore everything, or a property does not hold.
    """
    return _check(case, ["--workers", str(workers)])


def on_spark(case: Case, work: Path, master: str, partitions: int | None) -> Search:
    """Search a case on Spark, in a folder that is new.

    Raises:
        Failed: it did not explore everything, or a property does not hold.
    """
    options = ["--engine", "spark", "--master", master, "--work", str(work)]
    options += ["--partitions", str(partitions)] if partitions else []
    return _check(case, options)


def _check(case: Case, options: list[str]) -> Search:
    model = [] if case.model is None else [str(ROOT / case.model)]
    command = [sys.executable, "-m", "ackproof.cli", "check", *model, "--instance", case.instance]
    with Peak() as peak:
        ended = run([*command, *options, "--json"], ROOT, accepted=WHOLE)
    text = ended.text
    (result,) = json.loads(text[text.index("{\n") :])["results"]
    if result["limit"] is not None or result["violations"]:
        raise Failed(f"the check did not come through: {result['verdict']}")
    kept, table = _kept(result["kept"])
    return Search(
        found=Found.of(result),
        whole=ended.seconds,
        start=result["timing"]["compile_seconds"],
        search=result["timing"]["search_seconds"],
        cpu=ended.cpu,
        peak=max(peak.total, ended.peak if not kept else 0),
        java=peak.java,
        kept=kept,
        table=table,
    )


def _kept(
    cluster: Mapping[str, Any] | None,
) -> tuple[dict[str, int], tuple[tuple[int, float], ...]]:
    """Return what a search on Spark says of its levels in its folder."""
    if cluster is None:
        return {}, ()
    folder = Folder(placed(cluster["folder"]))
    levels = folder.levels()
    kept = {
        "words": read_search(folder).words,
        "partitions": cluster["partitions"],
        "candidates": sum(level.candidates for level in levels),
        "most_candidates": max(level.candidates for level in levels),
        "shuffled": sum(level.shuffled for level in levels),
        "stored": cluster["stored_bytes"],
        "links": sum(level.stored for level in levels),
    }
    return kept, tuple((level.states, level.seconds) for level in levels)
