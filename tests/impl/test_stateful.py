"""Whatever a client does, some behaviour of the specification is what it sees."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import Flaky
from hypothesis.stateful import run_state_machine_as_test

from tests.explain.behaviour import against
from tests.explain.broken import BROKEN, serving
from tests.explain.explanations import Unexplained
from tests.explain.target import ours

SOME = settings(
    max_examples=40,
    stateful_step_count=12,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)

#: A broken broker is found, and not shrunk to the shortest run that shows it.
FOUND = settings(SOME, max_examples=300, phases=[Phase.generate], report_multiple_bugs=False)


def test_the_broker_is_explained() -> None:
    run_state_machine_as_test(against(ours), settings=SOME)


def test_the_broker_is_explained_in_any_order() -> None:
    run_state_machine_as_test(against(lambda: ours(seed=0)), settings=SOME)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_broker_is_not_explained(name: str) -> None:
    behaviour = against(lambda: serving(name))
    # When it shows depends on time as well, which Hypothesis may complain of.
    with pytest.raises((Unexplained, Flaky)):
        run_state_machine_as_test(behaviour, settings=FOUND)
    assert any("does not explain" in found for found in behaviour.found)
