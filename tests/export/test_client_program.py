"""A client program drives a broker along a run, and says where the broker parts from it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ackproof.cli.targets import base_target, load
from ackproof.export.client_plan import taken_by
from ackproof.export.client_program import client_program
from ackproof.lang import Breaks
from ackproof.lang.binding import bind
from ackproof.model.check import check
from ackproof.model.trace import Trace

from tests.export.traces import ROOT

#: What the base specification breaks: claims that are too much, and what it does about them.
CLAIMS = '''\
"""Claims that the specification does not make."""

from dataclasses import replace

from ackproof.lang import invariant, properties_in, step_property
from ackproof.spec.model import MODEL as BASE
from ackproof.spec.sorts import ChannelId, Level, Msg, Replica
from ackproof.spec.system import Confirms
from ackproof.spec.wire import Ack


@step_property
def NothingIsAcked(before: Confirms, after: Confirms, ack: Ack) -> bool:
    """No publish is ever acked."""
    return False


@invariant
def NothingRefusedIsNacked(s: Confirms) -> bool:
    """No publisher is told that a queue is full."""
    return not any(m in s.publishers[ch].nacked for ch in ChannelId for m in Msg if s.refusing[m])


@invariant
def NothingSyncedIsAcked(s: Confirms) -> bool:
    """What is on the disk is never acked."""
    return not any(
        m in s.publishers[ch].confirmed and s.replicas[r].store.level[m] == Level.SYNCED
        for ch in ChannelId
        for r in Replica
        for m in Msg
    )


CLAIMS = properties_in(NothingIsAcked, NothingRefusedIsNacked, NothingSyncedIsAcked)
MODEL = replace(BASE, properties=(*BASE.properties, *CLAIMS))
'''

pytestmark = pytest.mark.slow

Ports = tuple[int, int]


@pytest.fixture(scope="module")
def broker() -> Iterator[Ports]:
    """Run the reference broker, as its users do."""
    command = [sys.executable, "-m", "ackproof.cli", "serve", "--in-memory"]
    with subprocess.Popen(
        [*command, "--port", "0", "--control", "0"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        ready, control = process.stdout.readline(), process.stdout.readline()
        found = [re.search(r"127\.0\.0\.1:(\d+)", line) for line in (ready, control)]
        yield tuple(int(one[1]) for one in found if one)  # type: ignore[misc]
        process.terminate()


def claims(folder: Path, name: str, instance: str) -> str:
    """Return the program for a claim that the base specification breaks."""
    file = folder / "claims.py"
    file.write_text(CLAIMS)
    return program(str(file), name, instance)


def trace_of(design: str, name: str, instance: str) -> Trace:
    target = load(design)
    size = target.model.instance(instance)
    assert size is not None
    return check(target.model, size, target.design, properties=[name], workers=1).traces[0]


def program(design: str, name: str, instance: str) -> str:
    trace = trace_of(design, name, instance)
    return client_program(trace, bind(base_target().model, trace.bound.instance), design)


def drive(text: str, folder: Path, ports: Ports) -> subprocess.CompletedProcess[str]:
    """Run a program against a broker."""
    file = folder / "client.py"
    file.write_text(text)
    port, control = map(str, ports)
    command = [sys.executable, str(file), "--port", port, "--control", control]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("name", "instance", "frame"),
    [
        ("NothingIsAcked", "tiny", "Ack(channel=ch1, tag=1, multiple=False)"),
        ("NothingSyncedIsAcked", "small", "Ack(channel=ch1, tag=1, multiple=False)"),
        ("NothingIsAcked", "channels", "Ack(channel=ch"),
    ],
)
def test_the_broker_goes_along_with_a_run_of_the_specification(
    name: str, instance: str, frame: str, tmp_path: Path, broker: Ports
) -> None:
    done = drive(claims(tmp_path, name, instance), tmp_path, broker)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert f"▸ {frame}" in done.stdout
    assert done.stdout.endswith("the broker has gone along with the whole run\n")


def test_a_run_may_be_driven_again_and_after_another(tmp_path: Path, broker: Ports) -> None:
    text = claims(tmp_path, "NothingSyncedIsAcked", "small")
    drive(claims(tmp_path, "NothingIsAcked", "tiny"), tmp_path, broker)
    first, second = drive(text, tmp_path, broker), drive(text, tmp_path, broker)
    assert (first.returncode, first.stdout) == (second.returncode, second.stdout)
    assert first.returncode == 0


@pytest.mark.parametrize(
    ("design", "name", "instance", "where"),
    [
        ("docs/examples/hasty.py", "ConfirmedSurvives", "power", "step 7, flush(channel=ch1)"),
        ("b10", "NackOnlyWithCause", "tiny", "step 5, flush(channel=ch1)"),
        ("b12", "ReturnPrecedesAck", "tiny", "step 3, flush(channel=ch1)"),
        ("b03", "NoPhantomConfirm", "small", "step 4, flush(channel=ch1)"),
        ("b04", "EveryPublishSettles", "tiny", "step 5, acknowledge(msg=1, replica=r1)"),
    ],
)
def test_the_broker_parts_from_what_the_specification_forbids(
    design: str, name: str, instance: str, where: str, tmp_path: Path, broker: Ports
) -> None:
    path = str(ROOT / design) if design.endswith(".py") else design
    done = drive(program(path, name, instance), tmp_path, broker)
    assert (done.returncode, done.stderr) == (1, ""), done.stdout
    assert done.stdout.splitlines()[-1].startswith(f"parted at {where}: the run has ")


def test_a_broker_that_takes_its_own_steps_earlier_parts_from_a_run_that_is_allowed(
    tmp_path: Path, broker: Ports
) -> None:
    text = claims(tmp_path, "NothingRefusedIsNacked", "crowded")
    assert "The specification itself takes all of these steps" in text
    done = drive(text, tmp_path, broker)
    assert done.returncode == 1
    assert "the run has Nack(" in done.stdout.splitlines()[-1]


def test_the_same_frames_by_other_steps_are_not_the_run(tmp_path: Path, broker: Ports) -> None:
    done = drive(program("b19", "AckMeansAccepted", "fanout"), tmp_path, broker)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("parted where no client sees it")


@pytest.mark.parametrize(
    ("design", "name", "instance", "why", "ends"),
    [
        ("b01", "AckMeansAccepted", "tiny", "loses nodes of mirrored queues only", "ends before "),
        ("b18", "AckMeansEveryMirror", "mirrors", "its queues have mirrors", "cannot be driven: "),
    ],
)
def test_what_cannot_be_asked_for_ends_the_program_before_it_and_is_said(
    design: str, name: str, instance: str, why: str, ends: str, tmp_path: Path, broker: Ports
) -> None:
    text = program(design, name, instance)
    assert why in text.partition('"""')[2].partition('"""')[0]
    done = drive(text, tmp_path, broker)
    assert done.returncode == 3
    assert done.stdout.splitlines()[-1].startswith(ends)
    assert why in done.stdout


def test_without_a_broker_the_program_says_so(tmp_path: Path) -> None:
    done = drive(claims(tmp_path, "NothingIsAcked", "tiny"), tmp_path, (1, 1))
    assert done.returncode == 2
    assert done.stderr.startswith("there is no broker on these ports")
    assert "Traceback" not in done.stderr


def test_how_far_the_specification_takes_a_run_is_found_out() -> None:
    trace = trace_of("b10", "NackOnlyWithCause", "tiny")
    expected = next(
        one
        for one in load("b10").design.expect
        if isinstance(one, Breaks)  # type: ignore[union-attr]
    )
    assert len(trace.steps) == expected.steps
    assert taken_by(bind(base_target().model, trace.bound.instance), trace) == 4
    assert taken_by(trace.bound, trace) == 5


def test_every_step_is_of_one_kind_and_the_head_of_the_program_says_which() -> None:
    head = program("b10", "NackOnlyWithCause", "tiny").partition('"""')[2].partition('"""')[0]
    said = re.findall(r"\d+", " ".join(re.findall(r"steps (\d+(?:, \d+)*)", head)))
    assert sorted(map(int, said)) == [1, 2, 3, 4, 5]
    assert json.dumps("takes the first 4 of 5 steps")[1:-1] in head
