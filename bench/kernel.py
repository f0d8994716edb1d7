"""The compiled kernel, through the command that a user types.

So the whole includes starting Python, importing the libraries, reading the specification, lowering
it to machine code, searching, checking every property of the model, and printing the report.
"""

from __future__ import annotations

import json
import sys

from bench.cases import ROOT, Case, Sample
from bench.process import Failed, run

__all__ = ["measure"]

#: `verified`, and `unwitnessed`: whole state spaces both.
_WHOLE = (0, 3)


def measure(case: Case, workers: int) -> Sample:
    """Run `ackproof check` once.

    Raises:
        Failed: it did not explore everything, or a property does not hold.
    """
    model = [] if case.model is None else [str(ROOT / case.model)]
    options = ["--instance", case.instance, "--workers", str(workers), "--json"]
    command = [sys.executable, "-m", "ackproof.cli", "check", *model, *options]
    ended = run(command, ROOT, accepted=_WHOLE)
    text = ended.text
    (result,) = json.loads(text[text.index("{") :])["results"]
    if result["limit"] is not None or result["violations"]:
        raise Failed(f"the check did not come through: {result['verdict']}")
    timing = result["timing"]
    return Sample(
        states=result["states"],
        generated=result["generated"],
        whole=ended.seconds,
        process=ended.seconds,
        build=timing["compile_seconds"],
        search=timing["search_seconds"],
        cpu=ended.cpu,
        peak=ended.peak,
        held=result["memory"]["bytes"],
    )
