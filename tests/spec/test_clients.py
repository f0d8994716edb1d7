"""What clients do is said of steps that there are, and of arguments that a client can know."""

from __future__ import annotations

import pytest
from ackproof.lang.frontend import compile_model
from ackproof.spec.clients import CLIENTS
from ackproof.spec.model import MODEL

ACTIONS = {a.name: a for a in compile_model(MODEL).actions}

#: What goes on behind a broker: which of a queue's processes does it, and where that runs.
INSIDE = {"Replica", "Node"}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_takes_part_in_a_step_of_the_specification(name: str) -> None:
    assert set(CLIENTS[name]) <= {p.name for p in ACTIONS[name].params}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_knows_nothing_of_the_processes_of_a_queue(name: str) -> None:
    known = {repr(p.type) for p in ACTIONS[name].params if p.name in CLIENTS[name]}
    assert known.isdisjoint(INSIDE)


@pytest.mark.parametrize(
    "name", [n for n in ACTIONS if n.startswith(("publish", "tx_", "consumer_"))]
)
def test_whatever_is_sent_is_known(name: str) -> None:
    assert set(CLIENTS[name]) == {p.name for p in ACTIONS[name].params}


@pytest.mark.parametrize("name", [n for n in ACTIONS if n.startswith("crash_")])
def test_no_client_sees_a_crash(name: str) -> None:
    assert name not in CLIENTS
