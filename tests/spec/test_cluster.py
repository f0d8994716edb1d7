"""The cluster, alone: who is seen, and who may speak for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ackproof.lang import NotEnabled, bound
from ackproof.spec.cluster import Cluster
from ackproof.spec.sorts import Node

from tests.spec.scenario import node, replica

N1, N2, N3 = node("n1"), node("n2"), node("n3")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with bound({Node: 3}):
        yield Cluster(ghosts=True)


def test_a_whole_cluster_may_confirm(cluster: Cluster) -> None:
    assert not cluster.cut()
    assert cluster.may_confirm()


def test_a_node_alone_without_any_other_may_confirm() -> None:
    with bound({Node: 0}):
        assert Cluster().may_confirm()


def test_nobody_notices_a_partition_at_once(cluster: Cluster) -> None:
    cluster.part({N1, N2})
    assert cluster.cut()
    assert cluster.may_confirm()
    assert cluster.parted


def test_a_node_that_sees_most_of_the_others_may_confirm(cluster: Cluster) -> None:
    cluster.part({N1})
    cluster.notice(N1)
    assert cluster.may_confirm()


def test_a_node_that_has_given_up_most_of_the_others_must_not(cluster: Cluster) -> None:
    cluster.part({N1, N2})
    cluster.notice(N1)
    assert cluster.may_confirm()
    cluster.notice(N2)
    assert not cluster.may_confirm()


def test_half_of_a_cluster_is_no_majority() -> None:
    with bound({Node: 4}):
        cluster = Cluster()
        cluster.part({N1, N2})
        cluster.notice(N1)
        cluster.notice(N2)
        assert not cluster.majority()


def test_a_node_that_has_healed_may_confirm_again(cluster: Cluster) -> None:
    cluster.part({N1, N2})
    cluster.notice(N1)
    cluster.notice(N2)
    cluster.estranged.add(replica("r1"))
    cluster.heal()
    assert cluster.may_confirm()
    assert not cluster.cut()
    assert not cluster.estranged
    assert cluster.parted


def test_only_a_node_on_the_other_side_is_given_up_and_once(cluster: Cluster) -> None:
    cluster.part({N1})
    with pytest.raises(NotEnabled):
        cluster.notice(N2)
    cluster.notice(N1)
    with pytest.raises(NotEnabled):
        cluster.notice(N1)


def test_there_is_one_partition_at_a_time_and_none_to_heal_without_one(cluster: Cluster) -> None:
    with pytest.raises(NotEnabled):
        cluster.heal()
    with pytest.raises(NotEnabled):
        cluster.part(set())
    cluster.part({N3})
    with pytest.raises(NotEnabled):
        cluster.part({N2})
