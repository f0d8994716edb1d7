"""SPIN on a Promela twin: generate a verifier, compile it, run it.

The search is exhaustive and without partial-order reduction, which would skip states that the
kernel visits, and no property is checked, which only makes SPIN faster.  The hash table has about
as many slots as there are states, the size at which SPIN is fastest here; a user who does not know
the number of states beforehand waits longer.
"""

from __future__ import annotations

import math
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.cases import Case, Sample
from bench.process import Failed, Finished, run

__all__ = ["MODES", "Mode", "measure"]


@dataclass(frozen=True)
class Mode:
    """A way to compile the verifier.

    Args:
        name: how the tables call it.
        flags: for the C compiler.
        workers: cores it uses.
        exact: whether no state can be lost to a hash collision.
    """

    name: str
    flags: tuple[str, ...] = ()
    workers: int = 1
    exact: bool = True


MODES = (
    Mode("SPIN breadth-first", ("-DBFS",)),
    Mode("SPIN depth-first"),
    # Without compression of the state vector: the fastest of SPIN's exact modes on these models.
    Mode("SPIN depth-first, raw", ("-DNOCOMP",)),
    # SPIN's breadth-first search on several cores stores hashes only; its depth-first search on
    # several cores (-DNCORE) counts states twice or stops at a lock, and is left out.
    Mode("SPIN parallel, inexact", ("-DBFS_PAR",), workers=2, exact=False),
)

#: How the verifier is compiled where time counts; to count a few states, `-O0` is there sooner.
_FAST = "-O2"

_ALWAYS = ("-DSAFETY", "-DNOREDUCE", "-DMEMLIM=16384")


def measure(case: Case, mode: Mode, optimized: str = _FAST) -> Sample:
    """Build and run SPIN once.

    Args:
        case: what is searched.
        mode: how.
        optimized: the C compiler's option for it.

    Raises:
        Missing: SPIN or the C compiler is not installed.
        Failed: it did not explore everything, or reports an error.
    """
    with tempfile.TemporaryDirectory(prefix="spin-") as name:
        folder = Path(name)
        defines = [f"-D{key}={value}" for key, value in case.defines.items()]
        generate = run(["spin", "-a", *defines, str(case.promela)], folder)
        libraries = ["-lpthread", "-lm"]
        compile_ = run(
            ["gcc", optimized, *_ALWAYS, *mode.flags, "-o", "pan", "pan.c", *libraries], folder
        )
        table = f"-w{max(16, math.ceil(math.log2(case.states)))}"
        options = [table, f"-m{case.depth}"]
        if mode.workers > 1:
            options.append(f"-u{mode.workers}")
        search = run(["./pan", *options], folder)
    return _sample(search, before=(generate, compile_))


def _sample(search: Finished, before: tuple[Finished, ...]) -> Sample:
    for problem in ("max search depth too small", "out of memory", "Search not completed"):
        if problem in search.text:
            raise Failed(f"SPIN did not finish ({problem}):\n{search.text}")
    if "errors: 0" not in search.text:
        raise Failed(f"SPIN reports an error:\n{search.text}")
    build = sum(step.seconds for step in before)
    transitions = _number(r"([\d.e+]+) transitions", search.text)
    return Sample(
        states=int(_number(r"([\d.e+]+) states, stored", search.text)),
        # Stored plus matched: the initial state counts.  From 10^8 on SPIN prints seven digits.
        generated=int(transitions) if transitions < 1e8 else None,
        whole=build + search.seconds,
        process=search.seconds,
        build=build,
        search=_number(r"pan: elapsed time ([\d.]+)", search.text),
        cpu=search.cpu + sum(step.cpu for step in before),
        peak=search.peak,
    )


def _number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    if found is None:
        raise Failed(f"SPIN's output has nothing like {pattern!r}:\n{text}")
    return float(found.group(1))
