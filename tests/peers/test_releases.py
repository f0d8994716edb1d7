"""A real RabbitMQ, of whichever release, has the bugs of single queues that its era has.

The installed release is asked, and each root directory that `make reproduce` has made.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.rabbitmq.node import Node
from bench.rabbitmq.site import site, version
from bench.releases import BUGS

pytestmark = pytest.mark.peer

MADE = Path(__file__).resolve().parents[2] / "build" / "rabbitmq"
ROOTS = [None, *(root for root in sorted(MADE.glob("*")) if root.suffix != ".part")]


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.name if root else "installed")
def test_a_release_does_what_its_era_says(root: Path | None, installed: None) -> None:
    number = version(root)
    with site(root) as here, Node(here, "r1") as node:
        node.start()
        node.ready()
        for bug in BUGS:
            for outcome in bug.outcomes(number, node):
                assert outcome.agreement.agrees, f"{outcome.experiment.name}: {outcome.agreement}"
