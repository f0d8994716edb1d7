"""A master is asked for before Spark is, and what is wrong with it is said at once."""

from __future__ import annotations

import re
import socket

import pytest
from ackproof.pipeline import SparkUnavailable
from ackproof.pipeline.masters import addresses, is_local, is_loopback, require_master


@pytest.mark.parametrize(
    ("master", "local", "loopback"),
    [
        ("local", True, True),
        ("local[2]", True, True),
        ("local[*, 3]", True, True),
        ("spark://127.0.0.1:7077", False, True),
        ("spark://localhost:7077", False, True),
        ("spark://[::1]:7077", False, True),
        ("spark://127.0.0.1:7077,127.0.0.1:7078", False, True),
        ("spark://127.0.0.1:7077,spare.example.org:7077", False, False),
        ("spark://head.example.org:7077", False, False),
        ("yarn", False, False),
        ("localhost", False, False),
    ],
)
def test_a_master_is_known_to_be_on_this_machine_or_not(
    master: str, local: bool, loopback: bool
) -> None:
    assert (is_local(master), is_loopback(master)) == (local, loopback)


def test_the_addresses_of_several_masters_are_found() -> None:
    assert addresses("spark://a:7077,b:7078") == [("a", 7077), ("b", 7078)]
    assert addresses("spark://a,b:x,c:99999") == []
    assert addresses("local[2]") == []


def test_a_master_that_does_not_answer_is_refused_at_once() -> None:
    with pytest.raises(SparkUnavailable) as refusal:
        require_master("spark://127.0.0.1:1")
    assert str(refusal.value) == (
        "--master: nothing answers at spark://127.0.0.1:1: Connection refused\n"
        "  instead: start the master there, or give the address that its log names"
    )


def test_one_of_several_masters_that_answers_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as spare:
        require_master(f"spark://127.0.0.1:1,127.0.0.1:{spare.getsockname()[1]}")


@pytest.mark.parametrize("master", ["local", "local[*]", "yarn", "k8s://https://127.0.0.1:6443"])
def test_what_is_no_standalone_master_is_left_to_spark(master: str) -> None:
    require_master(master)


@pytest.mark.parametrize(
    ("master", "fault", "remedy"),
    [
        ("127.0.0.1:7077", "127.0.0.1:7077 is no address of a Spark master", "give local[N]"),
        ("spark://head", "spark://head names no host and port", "write spark://host:7077"),
        ("sc://localhost:15002", "is Spark Connect", "give the address of the cluster itself"),
    ],
)
def test_what_is_no_address_is_refused(master: str, fault: str, remedy: str) -> None:
    with pytest.raises(
        SparkUnavailable, match=rf"^--master: .*{fault}.*\n  instead: {re.escape(remedy)}"
    ):
        require_master(master)
