"""A master is asked for before Spark is, and what is wrong with it is said at once."""

from __future__ import annotations

import re
import socket
from types import SimpleNamespace
from typing import Any

import pytest
from ackproof.pipeline import SparkUnavailable, masters
from ackproof.pipeline.masters import (
    addresses,
    is_local,
    is_loopback,
    require_master,
    watching,
)

from tests.pipeline.cluster import until


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


class Executors:
    """A cluster with so many executors, beside the driver, and how often it was asked for them."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.looks = 0

    def size(self) -> int:
        self.looks += 1
        return self.number + 1

    def context(self, master: str) -> Any:
        """Return the context of a session there."""
        status = SimpleNamespace(getExecutorMemoryStatus=lambda: self)
        return SimpleNamespace(master=master, _jsc=SimpleNamespace(sc=lambda: status))

    def looked_at(self) -> None:
        """Return when it has been asked, and what was made of it, five times more."""
        last = self.looks + 6
        until(lambda: "looked at" if self.looks >= last else None, "look")


def test_a_user_is_told_once_each_time_that_all_executors_are_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(masters, "EXECUTOR", 0.005)
    monkeypatch.setattr(masters, "_LOOK", 0.002)
    executors, said = Executors(1), list[str]()
    with watching(executors.context("spark://head:7077"), said.append):
        for number, told in ((1, 0), (0, 1), (2, 1), (0, 2)):
            executors.number = number
            executors.looked_at()
            assert len(said) == told
    assert set(said) == {
        "spark://head:7077 has had no executor for 0 s: start a worker, and the work goes on; or "
        "press Ctrl-C, and go on later, check with --resume, audit with --add"
    }


def test_a_cluster_that_is_without_executors_for_a_short_time_is_not_told_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(masters, "_LOOK", 0.002)
    executors, said = Executors(0), list[str]()
    with watching(executors.context("yarn"), said.append):
        executors.looked_at()
    assert said == []


def test_on_this_machine_no_executor_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masters, "EXECUTOR", 0.0)
    monkeypatch.setattr(masters, "_LOOK", 0.0)
    executors, said = Executors(0), list[str]()
    with watching(executors.context("local[2]"), said.append):
        pass
    assert (executors.looks, said) == (0, [])
