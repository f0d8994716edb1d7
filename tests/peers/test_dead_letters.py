"""A real RabbitMQ keeps dead letters that all queues have (G-E3)."""

from __future__ import annotations

import pytest

from bench.dead_letters import on_release

pytestmark = pytest.mark.peer


def test_what_all_queues_have_stays_where_it_died(installed: None) -> None:
    assert on_release(None)
