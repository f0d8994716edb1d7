"""The compiled kernel, through the command that a user types.

So the whole includes starting Python, importing the libraries, reading the specification, lowering
it to machine code, searching, checking every property of the model, and printing the report; what
was found before is searched anew.  It can be asked without properties of runs (`@eventually`).
"""

from __future__ import annotations

import importlib
import json
import sys

from ackproof.lang import Model
from ackproof.lang.properties import Property

from bench.cases import ROOT, Case, Sample
from bench.process import Failed, run

__all__ = ["has_runs", "measure"]

#: `verified`, and `unwitnessed`: whole state spaces both.
_WHOLE = (0, 3)


def has_runs(case: Case) -> bool:
    """Tell whether a model says something of whole runs."""
    return len(_of_states_and_steps(case)) < len(_properties(case))


def measure(case: Case, workers: int, runs: bool = True) -> Sample:
    """Run `ackproof check` once.

    Args:
        case: the model and its instance.
        workers: how many threads search.
        runs: whether properties of runs are checked, too.

    Raises:
        Failed: it did not explore everything, or a property does not hold.
    """
    model = [] if case.model is None else [str(ROOT / case.model)]
    options = ["--instance", case.instance, "--workers", str(workers), "--no-cache", "--json"]
    if not runs:
        options += [word for name in _of_states_and_steps(case) for word in ("--property", name)]
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


def _properties(case: Case) -> tuple[Property, ...]:
    found: Model = importlib.import_module(case.module).MODEL
    return found.properties


def _of_states_and_steps(case: Case) -> list[str]:
    return [p.name for p in _properties(case) if p.kind != "eventually"]
