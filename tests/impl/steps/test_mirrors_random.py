"""Whatever order a seed draws, and whoever dies: nothing confirmed is lost, and all is settled."""

from __future__ import annotations

import pytest
from ackproof.impl.history.history import History
from ackproof.impl.machines.publication import name_of
from ackproof.impl.machines.queue_processes import HostedMirror, MirrorMembership

from tests.exploring import seeds
from tests.impl.mirror_traffic import QUEUES, Traffic


@pytest.mark.parametrize("seed", seeds(30))
def test_all_is_settled_at_last_and_each_mirror_has_what_its_master_has(seed: int) -> None:
    traffic = Traffic(seed)
    for _ in range(60):
        traffic.publish()
        happens = traffic.dice.random()
        if happens < 0.3:
            traffic.kill(sparing=False)
        elif happens < 0.5:
            traffic.mend()
        elif happens < 0.6:
            traffic.slow()
        elif happens < 0.9:
            traffic.consume()
        else:
            traffic.reopen()
    traffic.settle()
    traffic.history.check.passed()
    for wire in traffic.wires:
        for channel in wire.session.channels.values():
            assert not channel.publishing.machine.unconfirmed
    for name in QUEUES:
        membership = traffic.membership(name)
        assert membership.leader.running
        assert not membership.leader.machine.owes()
        assert not any(mirror.lacks for mirror in membership.mirrors)
        for mirror in membership.mirrors:
            agrees(mirror, membership)


def agrees(mirror: HostedMirror, membership: MirrorMembership) -> None:
    """Insist that a mirror has what its master has, and waits for nothing."""
    assert mirror.machine.ready == membership.leader.machine.holds()
    places = membership.leader.order.places
    assert mirror.ready() == sorted(membership.leader.machine.holds(), key=places.__getitem__)
    assert mirror.order.places.keys() == membership.leader.order.places.keys()
    assert not mirror.departing
    assert mirror.system.multicast.silent(mirror.key)
    assert not mirror.machine.owes()


@pytest.mark.parametrize("seed", seeds(30))
def test_what_was_confirmed_outlives_fewer_deaths_than_copies_and_the_node(seed: int) -> None:
    traffic = Traffic(seed)
    for _ in range(40):
        traffic.publish()
        happens = traffic.dice.random()
        if happens < 0.3:
            traffic.kill(sparing=True)
        elif happens < 0.5:
            traffic.settle()
            traffic.mend()
        elif happens < 0.6:
            traffic.slow()
    traffic.broker.run(idle=False)
    confirmed = acked(traffic.history)
    assert confirmed
    recovered = traffic.disks.recover().queues
    found = {queue.name: {name_of(placed.msg) for placed in queue.messages} for queue in recovered}
    for message, name in confirmed:
        assert message in found[name], f"message {message} of queue {name} is lost"


def acked(history: History) -> list[tuple[str, str]]:
    """Return the persistent messages that were acked, with the queue of each."""
    outstanding: dict[tuple[int, int], dict[int, tuple[str, str] | None]] = {}
    found: list[tuple[str, str] | None] = []
    for entry in history.of("publish", "ack", "nack"):
        facts = entry.facts
        of_channel = outstanding.setdefault((facts["connection"], facts["channel"]), {})
        if entry.kind == "publish":
            kept = (facts["message"], facts["queues"][0]) if facts["persistent"] else None
            of_channel[facts["seq"]] = kept
            continue
        tags = [t for t in of_channel if t <= facts["tag"]] if facts["multiple"] else [facts["tag"]]
        settled = [of_channel.pop(tag) for tag in tags]
        found += settled if entry.kind == "ack" else []
    return [one for one in found if one is not None]
