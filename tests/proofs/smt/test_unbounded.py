"""What gets a name is told apart, however deep it lies in other things, and whatever it is called.

The names are functions, so a formula is right only if each is applied to all that it depends on.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from ackproof.lang.binding import bind
from ackproof.model.plain import PlainMachine

from tests.exploring import chance, seeds
from tests.model.test_kernel_against_plain import module_of
from tests.proofs.smt.comparing import UnboundedSteps
from tests.proofs.smt.meaning import typed
from tests.proofs.smt.nests import nested


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_sets_inside_of_sets_mean_what_python_means(depth: int, tmp_path: Path) -> None:
    judged: Counter[str] = Counter()
    for seed in seeds(3):
        rng = chance("nests", depth, seed)
        model = module_of(nested(rng, depth), tmp_path)
        bound = bind(model, model.instances[0])
        steps = UnboundedSteps(bound)
        with PlainMachine(bound) as machine:
            for _ in range(12):
                judged.update(steps.judges(machine, typed(bound, rng.choice)))
    assert min(judged["True"], judged["False"]) > 20, judged
