"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PLUGIN = "ackproof.impl.pytest_plugin"

TEST = """
import pika

def test_a_publish_is_confirmed(ackproof_broker):
    connection = pika.BlockingConnection(
        pika.ConnectionParameters("127.0.0.1", ackproof_broker.port)
    )
    channel = connection.channel()
    channel.confirm_delivery()
    channel.queue_declare("q", durable=True)
    channel.basic_publish("", "q", b"hello", pika.BasicProperties(delivery_mode=2))
    connection.close()
    assert ackproof_broker.depth("q") == 1
    print("seed", ackproof_broker.seed)

def test_another_test_has_another_broker(ackproof_broker):
    assert ackproof_broker.queues() == []
"""

BROKEN = """
def test_that_is_happy_with_a_broken_promise(ackproof_broker):
    ackproof_broker.ask(
        lambda broker: broker.history.note(
            "ack", connection=1, channel=1, tag=1, multiple=False
        )
    )
"""


UNSTRUCK = """
def test_that_asks_for_what_never_comes(ackproof_broker):
    ackproof_broker.nack_next(routing_key="orders")

def test_that_thinks_better_of_it(ackproof_broker):
    ackproof_broker.nack_next(routing_key="orders")
    ackproof_broker.clear_faults()
"""

MARKED = """
import pytest

@pytest.mark.ackproof(replicas=3, vhosts=["v"])
def test_with_mirrors_that_fails(ackproof_broker):
    assert ackproof_broker.ask(lambda broker: set(broker.vhosts)) == {"/", "v"}
    ackproof_broker.partition([0], home=1)
    assert False

@pytest.mark.ackproof(replicas="many")
def test_with_more_than_there_can_be(ackproof_broker):
    pass

@pytest.mark.ackproof(mirrors=3)
def test_with_what_there_is_not(ackproof_broker):
    pass
"""


SCENARIO = """
import pika
import pytest

@pytest.mark.ackproof(scenario="nacks.json")
def test_that_plays_a_scenario(ackproof_broker):
    assert ackproof_broker.seed == 4
    connection = pika.BlockingConnection(
        pika.ConnectionParameters("127.0.0.1", ackproof_broker.port)
    )
    channel = connection.channel()
    channel.confirm_delivery()
    channel.queue_declare("q")
    channel.basic_publish("", "q", b"hello")
    with pytest.raises(pika.exceptions.NackError):
        channel.basic_publish("", "q", b"hello")
    connection.close()

@pytest.mark.ackproof(scenario="nacks.json")
def test_that_does_not_come_so_far(ackproof_broker):
    pass

@pytest.mark.ackproof(scenario="none.json")
def test_with_a_scenario_that_is_not_there(ackproof_broker):
    pass
"""

NACKS = """{"scenario": 1, "options": {"seed": 4}, "faults": [
  {"after": {"1": {"sent": {"basic.publish": 1}}}, "fault": "nack_next"}
]}
"""

KEPT = """
import pytest

PORTS = []

@pytest.mark.parametrize("number", range(3))
def test_that_leaves_something(ackproof_broker, number):
    assert ackproof_broker.queues() == []
    PORTS.append(ackproof_broker.port)
    assert PORTS == [ackproof_broker.port] * (number + 1)
    ackproof_broker.ask(lambda broker: broker.add_vhost("v"))
    ackproof_broker.nack_next()
    if number != 1:
        ackproof_broker.clear_faults()

@pytest.mark.ackproof(replicas=2)
def test_that_asks_for_something_else(ackproof_broker):
    assert ackproof_broker.port not in PORTS
"""


def run(directory: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on a file, with the plugin."""
    (directory / "test_it.py").write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", PLUGIN, "-s", *options],
        cwd=directory,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_each_test_has_a_broker_of_its_own(tmp_path: Path) -> None:
    result = run(tmp_path, TEST)
    assert result.returncode == 0, result.stdout
    assert "2 passed" in result.stdout
    assert "seed None" in result.stdout
    assert "--ackproof-seed" not in result.stdout


def test_a_seed_is_shown_and_handed_on(tmp_path: Path) -> None:
    result = run(tmp_path, TEST, "--ackproof-seed", "5")
    assert "2 passed" in result.stdout, result.stdout
    assert "seed 5" in result.stdout
    assert "ackproof: --ackproof-seed 5" in result.stdout


def test_every_step_can_be_compared_with_the_specification(tmp_path: Path) -> None:
    result = run(tmp_path, TEST, "--ackproof-lockstep", "--ackproof-seed=5")
    assert "2 passed" in result.stdout, result.stdout


def test_a_random_seed_is_shown_too(tmp_path: Path) -> None:
    result = run(tmp_path, TEST, "--ackproof-seed=random")
    assert "2 passed" in result.stdout, result.stdout
    (shown,) = [line for line in result.stdout.splitlines() if line.startswith("ackproof: ")]
    assert f"seed {int(shown.split()[-1])}" in result.stdout.replace(shown, "")


def test_a_seed_that_is_none_is_refused(tmp_path: Path) -> None:
    result = run(tmp_path, TEST, "--ackproof-seed=five")
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert result.stderr == "ERROR: --ackproof-seed is 'five'; give an integer, or 'random'\n\n"


def test_a_broken_promise_fails_the_test(tmp_path: Path) -> None:
    result = run(tmp_path, BROKEN)
    assert result.returncode == pytest.ExitCode.TESTS_FAILED
    assert "1 passed, 1 error" in result.stdout
    assert "connection 1, channel 1: publish 1 is acked and was never published" in result.stdout


def test_a_fault_that_never_struck_fails_the_test_by_name(tmp_path: Path) -> None:
    result = run(tmp_path, UNSTRUCK)
    assert "asked for, and never struck: nack_next(routing_key='orders')" in result.stdout
    assert "2 passed, 1 error" in result.stdout


def test_a_mark_says_what_the_broker_is_and_a_failing_test_what_has_happened(
    tmp_path: Path,
) -> None:
    result = run(tmp_path, MARKED)
    shown = result.stdout.partition("ackproof: what has happened in the broker")[2]
    assert "partition" in shown.partition("___")[0]
    assert "the mark ackproof does not take mirrors; it takes, by name, directory" in result.stdout
    assert "the mark ackproof: replicas is 'many'; it must be from 1 to" in result.stdout
    assert "1 failed, 2 error" in result.stdout
    assert "pytest_plugin.py" not in result.stdout


def test_a_mark_names_a_scenario_and_what_is_not_played_fails_the_test(tmp_path: Path) -> None:
    (tmp_path / "nacks.json").write_text(NACKS)
    result = run(tmp_path, SCENARIO, "--ackproof-seed", "7")
    assert (
        "never struck: fault 1 of the scenario, nack_next(): connection 1 has sent "
        "basic.publish 0 of 1 times"
    ) in result.stdout
    assert "the mark ackproof: cannot read the scenario" in result.stdout
    assert "2 passed, 2 errors" in result.stdout


def test_a_broker_can_be_kept_for_the_next_test_and_is_reset_for_it(tmp_path: Path) -> None:
    result = run(tmp_path, KEPT, "--ackproof-keep")
    assert "asked for, and never struck: nack_next()" in result.stdout
    assert "4 passed, 1 error" in result.stdout


def test_nothing_is_imported_until_a_test_asks_for_a_broker(tmp_path: Path) -> None:
    text = """
import sys

def test_imports():
    loaded = {name for name in sys.modules if name.split(".")[0] in ("ackproof", "pamqp")}
    assert loaded == {"ackproof", "ackproof.impl", "ackproof.impl.pytest_plugin"}
    assert "sqlite3" not in sys.modules
"""
    result = run(tmp_path, text)
    assert result.returncode == 0, result.stdout


def test_pytest_finds_it_where_it_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"ackproof": PLUGIN}
