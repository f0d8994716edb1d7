"""A real RabbitMQ to compare with."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from bench.process import Missing
from bench.rabbitmq.node import Node
from bench.rabbitmq.site import scripts, site


@pytest.fixture(scope="session")
def installed() -> None:
    """Where there is no RabbitMQ, fail if this run decides, and skip if not."""
    try:
        scripts()
    except Missing as problem:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{problem}, and the comparison must be made here")
        pytest.skip(str(problem))


@pytest.fixture(scope="session")
def node(installed: None) -> Iterator[Node]:
    """A node for the whole run."""
    with site() as here, here.names(), Node(here, "peer") as node:
        node.start()
        node.ready()
        yield node


@pytest.fixture(scope="session")
def port(node: Node) -> int:
    """Where it listens."""
    return node.port
