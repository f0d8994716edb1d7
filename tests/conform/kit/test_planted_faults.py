"""Each fault that is planted in a broker is found, under the name of what it breaks."""

from __future__ import annotations

import pytest

from tests.conform.kit.planted import PLANTED, found_in
from tests.exploring import sample

_RUNS = 300


@pytest.mark.parametrize("name", sample(sorted(PLANTED), 8))
def test_a_planted_fault_is_found(name: str) -> None:
    run, rules = found_in(PLANTED[name], range(1, _RUNS + 1))
    assert run is not None, f"not found in {_RUNS} runs, which broke {sorted(rules) or 'nothing'}"
