"""`ackproof conform` runs programs, says what it has found, and exits by that."""

from __future__ import annotations

import json
import socket
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jsonschema
import pytest
from ackproof.cli.main import app
from ackproof.conform.kit import campaign
from ackproof.conform.kit.operations import Do, Operation, Overflow, read_program, write_program
from ackproof.conform.kit.report import schema
from ackproof.impl.running import RunningBroker
from typer.testing import CliRunner, Result

from tests.cli.test_serve import served
from tests.conform.kit.planted import PLANTED, serving

FALSE_ACK = [
    Operation(Do.DECLARE, queue="q1"),
    Operation(Do.CONFIRM),
    Operation(Do.PUBLISH, queue="q1"),
    Operation(Do.DELETE, queue="q1", nowait=True),
    Operation(Do.DECLARE, queue="q1", nowait=True, limit=0, overflow=Overflow.REJECT_PUBLISH),
    Operation(Do.PUBLISH, queue="q1"),
]


def run(*words: object) -> Result:
    """Run the command."""
    return CliRunner().invoke(app, ["conform", *map(str, words)])


def document(result: Result) -> dict[str, Any]:
    """Its JSON, which must be as its schema says."""
    found: dict[str, Any] = json.loads(result.stdout)
    jsonschema.validate(found, schema())
    assert found["exit_code"] == result.exit_code
    return found


@contextmanager
def broken(how: str = "a queue that was declared again acks what it refuses") -> Iterator[str]:
    """Serve a broker with a fault; give its address."""
    with serving(PLANTED[how]) as setting:
        yield f"amqp://127.0.0.1:{setting.address.port}"


@pytest.fixture
def url() -> Iterator[str]:
    """Serve the reference broker; give its address."""
    with RunningBroker() as broker:
        yield f"amqp://guest:guest@127.0.0.1:{broker.port}/"


def test_a_broker_that_keeps_its_promises_conforms(url: str) -> None:
    result = run(url, "--runs", 20, "--seed", 3)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == f"  broker      {url.replace(':guest', '').removesuffix('/')}/"
    assert lines[1].startswith("  runs        20 in ")
    assert lines[1].endswith("s, seeds 3 to 22")
    assert lines[-1].startswith("conforms  ")


def test_the_document_says_the_same(url: str) -> None:
    found = document(run(url, "--runs", 5, "--json"))
    assert (found["verdict"], found["runs"], found["violations"]) == ("conforms", 5, [])
    assert found["operations"]["publish"] >= found["seen"]["published"] > 0


def test_runs_end_with_the_time(url: str) -> None:
    found = document(run(url, "--time", 0.3, "--json"))
    assert 1 <= found["runs"] < 500


def test_a_violation_is_shown_small_and_kept(tmp_path: Path) -> None:
    with broken("it acks twice") as address:
        result = run(address, "--runs", 8, "--seed", 0, "--keep", tmp_path)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "SettledOnce  INV-A4, INV-A7"
    assert lines[1].endswith("1 is settled, and was settled before")
    (file,) = tmp_path.glob("ackproof-SettledOnce-*.jsonl")
    program = read_program(file)
    assert [operation.do for operation in program] == [Do.CONFIRM, Do.PUBLISH]
    assert [f"    {operation}" for operation in program] == lines[4:6]
    assert lines[-1].startswith("violated  ")


def test_what_was_kept_is_run_again(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    write_program(file, FALSE_ACK)
    with broken() as address:
        found = document(run(address, "--replay", file, "--json"))
    assert (found["verdict"], found["runs"]) == ("violated", 1)
    assert [violation["rule"] for violation in found["violations"]] == ["AckMeansAccepted"]


def test_a_replay_that_shows_nothing_is_tried_so_many_times(tmp_path: Path, url: str) -> None:
    file = tmp_path / "p.jsonl"
    write_program(file, FALSE_ACK)
    found = document(run(url, "--replay", file, "--runs", 4, "--json"))
    assert (found["verdict"], found["runs"]) == ("conforms", 4)
    assert found["seen"]["nacked"] == 4


def test_junit_is_written_beside(tmp_path: Path, url: str) -> None:
    file = tmp_path / "j.xml"
    assert run(url, "--runs", 3, "--junit", file).exit_code == 0
    suite = ET.fromstring(file.read_bytes())
    assert (suite.get("tests"), suite.get("failures"), len(suite)) == ("3", "0", 3)


def test_a_broker_that_ends_meanwhile_leaves_it_incomplete(url: str) -> None:
    original, calls = campaign.run, []

    def end_after_two(program: Any, setting: Any) -> Any:
        calls.append(1)
        gone = setting.address._replace(port=_free_port())
        return original(program, setting if len(calls) < 3 else type(setting)(gone))

    with patch.object(campaign, "run", end_after_two):
        result = run(url, "--runs", 5)
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].startswith("incomplete  ")
    assert "no connection to" in result.stdout


def test_what_is_interrupted_is_incomplete(url: str) -> None:
    original, calls = campaign.run, []

    def interrupt_the_third(program: Any, setting: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(program, setting)

    with patch.object(campaign, "run", interrupt_the_third):
        found = document(run(url, "--runs", 5, "--json"))
    assert (found["exit_code"], found["runs"], found["interrupted"]) == (3, 2, True)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["127.0.0.1:5672"], "is no address of a broker; give one as amqp://guest"),
        (["http://127.0.0.1"], "is no address of a broker; give one as amqp://guest"),
        (["amqp://127.0.0.1:x"], "is no address: "),
        (["amqps://127.0.0.1"], "wants TLS, which this command does not speak"),
        (["URL", "--control", "127.0.0.1"], "is no control API, and there is no such program"),
        (["URL", "--control", "http://127.0.0.1:1"], "http://127.0.0.1:1 does not answer"),
        (["URL", "--control", __file__], "Permission denied; give a program that can be run"),
        (["URL", "--keep", "/nowhere/at/all"], "there is no directory /nowhere/at/all"),
        (["URL", "--junit", "/nowhere/j.xml"], "--junit: there is no directory /nowhere"),
        (["URL", "--replay", "/nowhere"], "/nowhere: No such file"),
        (["URL", "--replay", __file__], "this is no program"),
        (["amqp://nobody:wrong@127.0.0.1:PORT"], "does not let this client in"),
    ],
)
def test_wrong_input_is_refused(words: list[str], said: str) -> None:
    with RunningBroker() as broker:
        port = str(broker.port)
        here = [w.replace("URL", f"amqp://127.0.0.1:{port}").replace("PORT", port) for w in words]
        result = run(*here)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_a_broker_that_is_not_there_is_said() -> None:
    result = run(f"amqp://127.0.0.1:{_free_port()}")
    assert result.exit_code == 2
    assert "no connection to amqp://guest@127.0.0.1:" in result.stderr


def test_faults_are_asked_for_where_there_is_a_control_api() -> None:
    with served("--control", "0", lines=2) as broker:
        control = broker.lines[1].rsplit(" ", 1)[1]
        address = f"amqp://127.0.0.1:{broker.port}"
        found = document(run(address, "--runs", 15, "--control", control, "--json"))
    assert found["verdict"] == "conforms"
    assert found["operations"]["fault"] > 0
