"""A queue that is deleted and declared again, while a channel waits for confirms.

The program is one that the conformance kit has found, `docs/examples/rabbitmq/false-ack.jsonl`: on
one channel, without waiting for anything, a message is published to a queue, the queue is deleted,
one of the same name is declared that refuses every message, and another message is published.  The
second queue never takes that one in, so an ack for it is false.  In the control only the second
queue is ever declared.

Each is done several times, on a queue of another name each time: what is seen once may be luck.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackproof.conform.kit.operations import Do, Operation, read_program
from pamqp import body, commands, header
from pamqp import frame as amqp

from bench.process import Failed
from bench.rabbitmq.agreement import Agreement, Point
from bench.rabbitmq.frames import settled
from bench.rabbitmq.model import ModelTrace, Question, ask, era_of
from bench.rabbitmq.node import Node
from bench.rabbitmq.observation import Step
from bench.rabbitmq.publisher import Publisher

__all__ = [
    "REDECLARING",
    "Redeclared",
    "Redeclaring",
    "agreement",
    "burst_of",
    "model_of",
    "perform",
]

PROGRAM = Path(__file__).resolve().parents[2] / "docs" / "examples" / "rabbitmq" / "false-ack.jsonl"

#: How often each is done, and how long a broker may take to settle two messages.
TRIALS, LIMIT_SECONDS = 10, 30.0

_TEXT = b"a message"


@dataclass(frozen=True)
class Redeclaring:
    """One of these experiments.

    Args:
        name: on the command line.
        title: what it is, for a reader.
        again: whether there is a queue before; without one, this is the control.
        persistent: the messages' delivery mode.
    """

    name: str
    title: str
    again: bool
    persistent: bool


REDECLARING = (
    Redeclaring("ge1-control", "a queue that refuses, declared once", again=False, persistent=True),
    Redeclaring("ge1-transient", "declared again, transient", again=True, persistent=False),
    Redeclaring("ge1", "declared again, persistent", again=True, persistent=True),
)


@dataclass(frozen=True)
class Redeclared:
    """What came of one.

    Args:
        last: the delivery tag of the message for the queue that refuses.
        fates: what became of the messages, in the order of their tags, in each run.
        held: how many messages there are in all the queues at the end.
        steps: what was done and seen in the first run.
    """

    last: int
    fates: tuple[tuple[str, ...], ...]
    held: int
    steps: tuple[Step, ...]


def model_of(experiment: Redeclaring, version: str) -> ModelTrace:
    """Ask the model about a version of RabbitMQ, without the deletion for the control.

    Raises:
        Failed: there is no era of that version, or the model leaves the question open.
    """
    question = Question(era_of(version), "redeclared", "AckMeansAccepted")
    return ask(question, accidents=experiment.again)


def perform(experiment: Redeclaring, node: Node) -> Redeclared:
    """Do it on a node, several times.

    Raises:
        Failed: the broker refuses, or does not settle the messages.
    """
    runs = [_Run(experiment, node, number) for number in range(TRIALS)]
    fates = tuple(run.to_the_end() for run in runs)
    rows = node.table("queues", "name", "messages")
    names = {run.queue for run in runs}
    held = sum(row["messages"] for row in rows if row["name"] in names)
    first = runs[0]
    alike = Counter(fates)[fates[0]]
    known = Step(first.steps[-1].seconds, f"so in {alike} of {TRIALS} runs", done=False)
    total = Step(known.seconds, f"the queues have {held} messages", done=False)
    return Redeclared(len(fates[0]), fates, held, (*first.steps, known, total))


class _Run:
    def __init__(self, experiment: Redeclaring, node: Node, number: int) -> None:
        self.experiment = experiment
        self.node = node
        self.queue = f"{experiment.name}.{number}"
        self.steps: list[Step] = []

    def to_the_end(self) -> tuple[str, ...]:
        """Return what became of each message."""
        with Publisher(self.node.port) as publisher:
            if self.experiment.again:
                publisher.declare(self.queue)
            publisher.select()
            for one in _burst(self.experiment):
                self.steps.append(Step(time.monotonic() - publisher.began, _said(one), done=True))
            publisher.pipeline(*burst_of(self.experiment, self.queue))
            publisher.settles(publisher.published, LIMIT_SECONDS)
            return self._fates(publisher)

    def _fates(self, publisher: Publisher) -> tuple[str, ...]:
        frames = publisher.confirms()
        self.steps += [Step(frame.seconds, str(frame), done=False) for frame in frames]
        became = settled(frames, publisher.published)
        return tuple(became.get(tag, "never") for tag in range(1, publisher.published + 1))


def burst_of(experiment: Redeclaring, queue: str) -> tuple[amqp.FrameTypes, ...]:
    """Return what is sent at once, on a channel in confirm mode.

    Raises:
        Failed: the program has something that these experiments are not about.
    """
    return tuple(one for operation in _burst(experiment) for one in _frames(operation, queue))


def _burst(experiment: Redeclaring) -> Iterator[Operation]:
    """Yield what comes after confirm mode; of the control, from the second queue on."""
    whole = read_program(PROGRAM)
    first = next(n for n, one in enumerate(whole) if one.do is Do.CONFIRM) + 1
    second = max(n for n, one in enumerate(whole) if one.do is Do.DECLARE)
    for one in whole[first if experiment.again else second :]:
        yield _in_mode(one, experiment.persistent)


def _in_mode(operation: Operation, persistent: bool) -> Operation:
    """Return an operation with the delivery mode of an experiment, if it publishes."""
    if operation.do is not Do.PUBLISH:
        return operation
    return Operation(**{**_fields(operation), "persistent": persistent})


def _fields(operation: Operation) -> dict[str, Any]:
    return {name: getattr(operation, name) for name in operation.__struct_fields__}


def _said(operation: Operation) -> str:
    """Return an operation in words."""
    if operation.do is Do.DECLARE:
        return f"declare it, x-max-length {operation.limit}, {operation.overflow.value}"
    if operation.do is Do.DELETE:
        return "delete the queue"
    return f"publish a {'persistent' if operation.persistent else 'transient'} message"


def _frames(operation: Operation, queue: str) -> tuple[amqp.FrameTypes, ...]:
    """Return what a client sends for an operation.

    Raises:
        Failed: the program has something that these experiments are not about.
    """
    match operation.do:
        case Do.DELETE:
            return (commands.Queue.Delete(queue=queue, nowait=True),)
        case Do.DECLARE:
            table: Any = {"x-max-length": operation.limit, "x-overflow": operation.overflow.value}
            declared = commands.Queue.Declare(
                queue=queue, durable=True, nowait=True, arguments=table
            )
            return (declared,)
        case Do.PUBLISH:
            mode = commands.Basic.Properties(delivery_mode=2 if operation.persistent else 1)
            return (
                commands.Basic.Publish(routing_key=queue),
                header.ContentHeader(0, len(_TEXT), mode),
                body.ContentBody(_TEXT),
            )
    raise Failed(f"{PROGRAM.name} has {operation.do.value}, which is not done here")


def agreement(seen: Redeclared, model: ModelTrace) -> Agreement:
    """Compare what was seen with what the model says of the same situation."""
    last = Counter(fates[seen.last - 1] for fates in seen.fates)
    wanted, by = ("ack", "the model") if model.violated else ("nack", "rule B5.4")
    counted = ", ".join(f"{n} times {_WORDS[fate]}" for fate, n in last.items())
    refused = Point(
        "the message for the queue that refuses",
        by,
        f"{_WORDS[wanted]} each time",
        counted,
        set(last) == {wanted},
    )
    in_queue = Point("and it", by, "is in no queue", _where(seen.held), seen.held == 0)
    return Agreement((refused, in_queue))


_WORDS = {"ack": "acked", "nack": "nacked", "never": "never settled"}


def _where(held: int) -> str:
    return f"is one of {held} in the queues" if held else "is in no queue"
