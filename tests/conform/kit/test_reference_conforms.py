"""The reference broker conforms, in its own order and in drawn ones, and when it is to fail."""

from __future__ import annotations

import pytest
from ackproof.conform.kit.control import HttpControl
from ackproof.conform.kit.drawing import draw
from ackproof.conform.kit.operations import Do, Operation
from ackproof.conform.kit.running import Setting, run
from ackproof.conform.kit.url import parse
from ackproof.impl.broker import Broker
from ackproof.impl.running import RunningBroker

from tests.conform.kit.planted import serving
from tests.exploring import examples, sample, seeds

_RUNS = 40


@pytest.mark.parametrize("order", [None, 1, 2])
@pytest.mark.parametrize("struck", [False, True])
def test_random_programs_conform(order: int | None, struck: bool) -> None:
    acked = 0
    with serving(struck=struck, order=order) as setting:
        for seed in seeds(_RUNS):
            program = draw(seed, HttpControl.faults if struck else ())
            result = run(program, setting)
            assert (seed, result.findings, result.incomplete) == (seed, [], "")
            acked += result.counts["acked"]
    assert acked > examples(_RUNS)


#: Orders in which the broker may take its steps, each drawn from its seed.
ORDERS = range(1, 201)


@pytest.mark.parametrize("order", sample(ORDERS, 4))
@pytest.mark.parametrize(("struck", "runs"), [(False, 3), (True, 1)])
def test_random_programs_conform_in_every_order(order: int, struck: bool, runs: int) -> None:
    with serving(struck=struck, order=order) as setting:
        for seed in range(4 * order, 4 * order + runs):
            result = run(draw(seed, HttpControl.faults if struck else ()), setting)
            assert (seed, result.findings, result.incomplete) == (seed, [], "")


def test_exclusive_queues_are_emptied_by_whom_they_belong_to() -> None:
    own = Operation(Do.DECLARE, 2, queue="q1", exclusive=True)
    publish = Operation(Do.PUBLISH, queue="q1")
    with serving() as setting:
        result = run([own, Operation(Do.WAIT), Operation(Do.CONFIRM), publish, publish], setting)
    assert (result.findings, result.incomplete) == ([], "")
    assert (result.counts["acked"], result.counts["delivered"]) == (2, 2)


def test_an_exclusive_queue_of_which_nobody_knows_may_refuse_the_last_who_asks() -> None:
    own = Operation(Do.DECLARE, queue="q1", nowait=True, exclusive=True)
    with serving() as setting:
        result = run([Operation(Do.WRONG), own, Operation(Do.WAIT), Operation(Do.WAIT)], setting)
        again = run([own, Operation(Do.WRONG), Operation(Do.WAIT)], setting)
    assert (result.findings, again.findings) == ([], [])


def test_a_run_leaves_nothing_behind() -> None:
    with RunningBroker() as broker:
        setting = Setting(parse(f"amqp://127.0.0.1:{broker.port}"))
        usual = broker.ask(exchanges)
        for seed in seeds(5):
            assert run(draw(seed), setting).counts["queues"] > 0
        assert broker.queues() == []
        assert broker.ask(exchanges) == usual


def exchanges(broker: Broker) -> set[str]:
    """Return the names of the exchanges that there are."""
    return set(broker.vhosts["/"].topology.graph.exchanges)
