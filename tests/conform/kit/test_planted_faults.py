"""Each fault that is planted in a broker is found, under the name of what it breaks."""

from __future__ import annotations

import pytest
from ackproof.conform.kit.control import HttpControl
from ackproof.conform.kit.drawing import draw
from ackproof.conform.kit.running import run

from tests.conform.kit.planted import PLANTED, serving
from tests.exploring import sample

_RUNS = 300


@pytest.mark.parametrize("name", sample(sorted(PLANTED), 8))
def test_a_planted_fault_is_found(name: str) -> None:
    fault = PLANTED[name]
    faults = HttpControl.faults if fault.struck else ()
    seen: set[str] = set()
    with serving(fault, struck=fault.struck, patience=1.0) as setting:
        for seed in range(_RUNS):
            seen |= run(draw(seed, faults), setting).names
            if seen & fault.found:
                return
    pytest.fail(f"not found in {_RUNS} runs, which broke {sorted(seen) or 'nothing'}")
