"""A real RabbitMQ, of whichever release, treats a queue that is declared again as its era does.

The installed release is asked, and each root directory that `make reproduce` has made.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.rabbitmq.node import Node
from bench.rabbitmq.redeclaring import REDECLARING, agreement, model_of, perform
from bench.rabbitmq.site import site, version

pytestmark = pytest.mark.peer

MADE = Path(__file__).resolve().parents[2] / "build" / "rabbitmq"
ROOTS = [None, *(root for root in sorted(MADE.glob("*")) if root.suffix != ".part")]


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.name if root else "installed")
def test_a_release_does_what_its_era_says(root: Path | None, installed: None) -> None:
    number = version(root)
    with site(root) as here, Node(here, "r1") as node:
        node.start()
        node.ready()
        for experiment in REDECLARING:
            found = agreement(perform(experiment, node), model_of(experiment, number))
            assert found.agrees, f"{experiment.name}: {found}"
