"""SPIN and TLC, on hand-written twins of the models, count what the kernel counts.

The twins were written from the same descriptions by hand, and the programs share nothing with this
project: what agrees here is three searches in three languages.  Without SPIN, a C compiler or TLC
the comparison cannot be made; that is a failure where tests decide (`CI=true`).
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from functools import cache

import pytest
from ackproof.lang.binding import bind
from ackproof.model.kernel import engine
from ackproof.model.outcome import Outcome

from bench import spin, tlc
from bench.cases import CASES, Case, Sample
from bench.process import Missing
from tests.exploring import sample

pytestmark = pytest.mark.peer

SMALL = [case for case in CASES.values() if case.states < 100_000]
SMALLER = [case for case in SMALL if case.states < 10_000]
EXACT = [mode for mode in spin.MODES if mode.exact]


@cache
def kernel(case: Case) -> Outcome:
    """Return what the kernel finds."""
    module = importlib.import_module(case.module)
    instance = module.MODEL.instance(case.instance)
    outcome = engine.explore(bind(module.MODEL, instance))
    assert outcome.limit is None
    assert not outcome.violations
    return outcome


def measured(once: Callable[[], Sample]) -> Sample:
    """Run a peer once; where it is not installed, fail if this run decides, and skip if not."""
    try:
        return once()
    except Missing as problem:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{problem}, and the comparison must be made here")
        pytest.skip(str(problem))


@pytest.mark.parametrize("case", sample(SMALL, 3), ids=lambda case: case.name)
@pytest.mark.parametrize("mode", EXACT, ids=lambda mode: mode.name)
def test_spin_counts_what_the_kernel_counts(case: Case, mode: spin.Mode) -> None:
    sample = measured(lambda: spin.measure(case, mode, "-O0"))
    assert (sample.states, sample.generated) == (kernel(case).states, kernel(case).generated)


@pytest.mark.parametrize("case", sample(SMALLER, 3), ids=lambda case: case.name)
def test_tlc_counts_what_the_kernel_counts(case: Case) -> None:
    sample = measured(lambda: tlc.measure(case, 1, tlc.SOON))
    assert (sample.states, sample.generated) == (kernel(case).states, kernel(case).generated)


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_the_bench_expects_what_the_kernel_counts(case: Case) -> None:
    assert case.states == kernel(case).states
