"""RabbitMQ is explained by the specification, whatever a client does that crashes nothing."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.explain.behaviour import against
from tests.explain.target import Theirs
from tests.exploring import examples
from tests.impl.test_stateful import SOME

pytestmark = pytest.mark.peer


def test_rabbitmq_is_explained(port: int) -> None:
    serve = against(lambda: nullcontext(Theirs(port)))
    run_state_machine_as_test(serve, settings=settings(SOME, max_examples=examples(25)))
