"""A seed determines every order: of steps, of commits, of what is synced, and of what is told."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.history.history import History
from ackproof.impl.running import RunningBroker
from ackproof.impl.server.stepped_committer import SteppedCommitter
from ackproof.impl.steps.scheduler import Action, Eager, Step
from ackproof.impl.steps.seeded import Seeded
from ackproof.impl.storage.disk import Disk
from ackproof.spec.sorts import Msg
from pamqp import commands

from tests.exploring import seeds
from tests.impl.clients import Wire, content, encode, heard
from tests.impl.sockets import Bare

ROOT = Path(__file__).resolve().parents[3]
QUEUES = ("a", "b", "c")


class Traffic:
    """Clients without sockets on a broker whose commits are steps."""

    def __init__(self, seed: int) -> None:
        self.history = History(recording=True)
        self.disk = Disk(None)
        self.broker = Broker(Seeded(seed), history=self.history)
        self.commits = SteppedCommitter(self.broker, self.disk, lambda: None)
        self.said = b""

    def send(self, wire: Wire, data: bytes) -> bytes:
        """Hand over some input; return what the broker says until it holds nothing back."""
        wire.session.receive(data)
        self.broker.run(idle=True)
        output = wire.session.take_output()
        self.said += output
        return output

    def rest(self, *wires: Wire) -> None:
        """Let everything happen that was held back."""
        while self.broker.waiting:
            self.broker.run(idle=True)
        for wire in wires:
            self.said += wire.session.take_output()

    def opened(self) -> Wire:
        """Open a connection with channels 1 and 2, in confirm mode."""
        wire = Wire(self.broker).opened(1, 2)
        for channel in (1, 2):
            self.send(wire, encode(channel, commands.Confirm.Select()))
        for name in QUEUES:
            self.send(wire, encode(1, commands.Queue.Declare(queue=name, durable=True)))
        self.rest(wire)
        return wire


def pipelined(seed: int) -> bytes:
    """Two connections publish to three queues without waiting; return all that is said."""
    traffic = Traffic(seed)
    wires = [traffic.opened(), traffic.opened()]
    dice = random.Random(1)
    for _ in range(60):
        pieces = [
            encode(
                dice.choice((1, 2)), *content(dice.choice(QUEUES), persistent=dice.random() < 0.8)
            )
            for _ in range(dice.randint(1, 5))
        ]
        traffic.send(dice.choice(wires), b"".join(pieces))
        if dice.random() < 0.1:
            traffic.broker.faults.crash_queue(dice.choice(QUEUES))
    traffic.rest(*wires)
    traffic.history.check.passed()
    return traffic.said


def test_the_same_seed_says_the_same_bytes_and_another_seed_others() -> None:
    assert pipelined(5) == pipelined(5)
    assert pipelined(5) != pipelined(6)


def digest_of_another_process(hashing: str) -> str:
    """Return a digest of what is said in a process that hashes texts differently."""
    program = (
        "import hashlib; from tests.impl.steps.test_seeded import pipelined; "
        "print(hashlib.sha256(pipelined(5)).hexdigest())"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hashing},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.strip()


def test_another_process_says_the_same_bytes() -> None:
    mine = hashlib.sha256(pipelined(5)).hexdigest()
    assert digest_of_another_process("1") == digest_of_another_process("2") == mine


def patient(seed: int) -> list[str]:
    """Connections over sockets that wait for every answer; return all that they hear."""
    lines = []
    with RunningBroker(seed=seed) as broker:
        clients = [Bare(broker.port).opened(), Bare(broker.port).opened()]
        for name in QUEUES:
            clients[0].send(encode(1, commands.Queue.Declare(queue=name, durable=True)))
            lines.append(clients[0].line())
        clients[0].send(encode(1, commands.Queue.Declare(queue="")))
        lines.append(clients[0].line())
        for round_ in range(40):
            client = clients[round_ % 2]
            client.send(encode(1, *content(QUEUES[round_ % 3])))
            lines.append(client.line())
        for client in clients:
            client.close()
        broker.check()
    return lines


def test_over_sockets_too_if_the_clients_wait_for_every_answer() -> None:
    assert patient(7) == patient(7)


def in_pieces(cutting: int) -> bytes:
    """Publish, waiting for all that is owed, through a network that cuts what it carries."""
    traffic = Traffic(5)
    wires = [traffic.opened(), traffic.opened()]
    scissors = random.Random(cutting)
    for number in range(30):
        wire = wires[number % 2]
        data = encode(1, *content(QUEUES[number % 3], headers={"CC": ["a", "b"]}))
        cuts = sorted(scissors.sample(range(len(data)), scissors.randint(0, 5)))
        for start, end in pairwise([0, *cuts, len(data)]):
            traffic.send(wire, data[start:end])
        traffic.rest(wire)
    return traffic.said


def test_how_the_network_cuts_what_a_patient_client_sends_makes_no_difference() -> None:
    assert len({in_pieces(cutting) for cutting in seeds(5)}) == 1


def until(seeds: int, found: Callable[[list[str]], bool]) -> bool:
    """Publish three messages at once, under many seeds; tell whether some order was seen."""
    for seed in range(seeds):
        traffic = Traffic(seed)
        wire = traffic.opened()
        before = len(traffic.said)
        traffic.send(wire, b"".join(encode(1, *content("a")) for _ in range(3)))
        traffic.rest(wire)
        if found(heard(traffic.said[before:])):
            return True
    return False


@pytest.mark.parametrize(
    "lines",
    [
        ["1 ack 3*"],
        ["1 ack 1", "1 ack 2", "1 ack 3"],
        ["1 ack 3", "1 ack 2*"],
        ["1 ack 2", "1 ack 3", "1 ack 1"],
        ["1 ack 1", "1 ack 3*"],
    ],
)
def test_every_way_of_telling_comes_up(lines: list[str]) -> None:
    assert until(1000, lambda told: told == lines)


def test_everything_that_is_offered_is_taken() -> None:
    for seed in range(50):
        seeded = Seeded(seed)
        steps = [Step(action, None, None) for action in Action]
        for step in steps:
            seeded.offer(step)
            seeded.offer(step)
        taken = []
        for _ in range(10):
            while (step_ := seeded.take(idle=True)) is not None:
                taken.append(step_)
        assert sorted(taken, key=lambda step: step.action) == steps
        assert not seeded.waiting


def test_only_telling_is_held_back_when_there_is_no_more_input() -> None:
    held = set()
    for seed in range(50):
        seeded = Seeded(seed)
        for action in Action:
            seeded.offer(Step(action, None, None))
        taken = set()
        while (step := seeded.take(idle=True)) is not None:
            taken.add(step.action)
        held |= set(Action) - taken
    assert held == {Action.FLUSH}


def test_nothing_is_drawn_when_nothing_is_offered() -> None:
    one, other = Seeded(1), Seeded(1)
    for idle in (True, False) * 5:
        assert one.take(idle) is None
    for seeded in (one, other):
        for action in Action:
            seeded.offer(Step(action, None, None))
    assert [one.take(idle=False) for _ in Action] == [other.take(idle=False) for _ in Action]


def test_some_of_what_landed_is_at_least_one_and_may_be_all() -> None:
    landed = [cast(Msg, number) for number in (3, 4, 5)]
    seen = {frozenset(Seeded(seed).some(landed)) for seed in range(100)}
    assert frozenset(landed) in seen
    assert all(1 <= len(some) <= 3 for some in seen)
    assert len(seen) == 7
    assert list(Eager().some(landed)) == landed


def test_a_name_that_is_left_to_the_broker_is_determined_too() -> None:
    assert Seeded(1).token() == Seeded(1).token() != Seeded(2).token()
    assert len(Seeded(1).token()) == len(Eager().token()) == 22
    assert Eager().token() != Eager().token()
