"""Whatever a client does, some behaviour of the specification is what it sees."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import Flaky
from hypothesis.stateful import run_state_machine_as_test

from tests.explain.behaviour import Limited, Parting, Plain, Replicating, against
from tests.explain.broken import BROKEN, serving
from tests.explain.explanations import Unexplained
from tests.explain.scenario import Scenario
from tests.explain.target import ours
from tests.exploring import examples

SOME = settings(
    max_examples=examples(10),
    stateful_step_count=12,
    suppress_health_check=list(HealthCheck),
)

#: A broken broker is found, and not shrunk to the shortest run that shows it.
FOUND = settings(
    SOME,
    max_examples=300,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    report_multiple_bugs=False,
)

ONCE = [(Plain, 1), (Limited, 1), (Replicating, 2), (Parting, 3)]


def explain(behaviour: type[Scenario], replicas: int, seed: int | None, how: settings) -> None:
    """Let a client do what comes to mind, on brokers of ours."""
    machine = against(lambda: ours(seed, replicas), behaviour)
    run_state_machine_as_test(machine, settings=how)


@pytest.mark.parametrize(("behaviour", "replicas"), ONCE)
def test_the_broker_is_explained(behaviour: type[Scenario], replicas: int) -> None:
    explain(behaviour, replicas, None, SOME)


@pytest.mark.parametrize(("behaviour", "replicas"), ONCE[:2])
def test_the_broker_is_explained_in_any_order(behaviour: type[Scenario], replicas: int) -> None:
    explain(behaviour, replicas, 0, SOME)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_broker_is_not_explained(name: str) -> None:
    behaviour = against(lambda: serving(name), BROKEN[name].behaviour)
    # When it shows depends on time as well, which Hypothesis may complain of.
    with pytest.raises((Unexplained, Flaky)):
        run_state_machine_as_test(behaviour, settings=FOUND)
    assert any("does not explain" in found for found in behaviour.found)
