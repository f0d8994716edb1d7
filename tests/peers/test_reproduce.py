"""A real RabbitMQ does what the model says, with the accident and without it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.rabbitmq.agreement import compare
from bench.rabbitmq.cluster import Cluster, cluster
from bench.rabbitmq.experiments import EXPERIMENTS, Experiment, perform
from bench.rabbitmq.model import model_trace

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def nodes(installed: None) -> Iterator[Cluster]:
    """Two nodes."""
    with cluster() as pair:
        yield pair


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda e: e.name)
def test_rabbitmq_does_what_the_model_says(experiment: Experiment, nodes: Cluster) -> None:
    seen = perform(experiment, nodes)
    agreement = compare(seen, model_trace(experiment.bug, accidents=experiment.kill))
    assert agreement.agrees, str(agreement)


@pytest.mark.parametrize("bug", ["G-D1", "G-D5"])
def test_the_model_has_the_bug_and_only_with_the_accident(bug: str) -> None:
    assert model_trace(bug, accidents=True).violated
    assert not model_trace(bug, accidents=False).violated
