"""What a real RabbitMQ sends on its channels is recorded, judged, and explained."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from ackproof.conform.events import Kind
from ackproof.conform.recording import read

from tests.conform.through_a_proxy import proxied
from tests.conform.traffic import mixed, use

pytestmark = pytest.mark.peer


def test_confirms_consumers_and_transactions_are_explained(port: int, tmp_path: Path) -> None:
    with proxied(port, tmp_path / "r.jsonl") as recorded:
        use(recorded.port)
    assert recorded.said == []
    assert recorded.judgement.violations == []


def test_returns_and_nacks_in_a_large_window_are_explained(port: int, tmp_path: Path) -> None:
    file = tmp_path / "r.parquet"
    with proxied(port, file) as recorded:
        mixed(recorded.port, 200)
    assert recorded.said == []
    kinds = Counter(event.kind for event in read(file))
    assert kinds[Kind.RETURN] == 1_000
    assert kinds[Kind.NACK] > 0
    assert recorded.judgement.violations == []
