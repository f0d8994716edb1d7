"""A queue that refuses what is too much, and that begins again while it has more than its limit.

A program that the conformance kit has found does this, `docs/examples/rabbitmq/
dropped-at-restart.jsonl`: a queue of at most one message, declared with `reject-publish`, gets one
and hands it to a consumer, which keeps it, and gets another one.  Both are persistent, and acked.
Then the queue crashes, or its node is killed, or is stopped as an operator stops it.  What the
consumer had is ready again, and the queue has one more than its limit.  It was told to refuse new
messages and to drop none (B5.7), so both have to be there.

In the control nothing fails: the consumer goes, and what it had comes back.

Each is done several times, on a queue of another name each time: what is seen once may be luck.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass

from bench.process import Failed
from bench.rabbitmq.agreement import Agreement, Point
from bench.rabbitmq.faults import NodeControl
from bench.rabbitmq.model import ModelTrace, Question, ask, era_of
from bench.rabbitmq.node import Node
from bench.rabbitmq.observation import Step
from bench.rabbitmq.publisher import Publisher
from bench.rabbitmq.site import wait_until

__all__ = ["RESTARTING", "Restarted", "Restarting", "agreement", "model_of", "perform"]

#: How often each is done, and how long a broker may take for anything that it does by itself.
TRIALS, LIMIT_SECONDS = 10, 60.0

#: How many messages each queue gets, and how many it may have.
MESSAGES, LIMIT = 2, 1


@dataclass(frozen=True)
class Restarting:
    """One of these experiments.

    Args:
        name: on the command line.
        title: what it is, for a reader.
        end: what ends the queues' processes, in words; None for the control.
    """

    name: str
    title: str
    end: str | None


CRASH, KILL, STOP = "the queue crashes", "kill -9 the node, start it", "stop the node, start it"

RESTARTING = (
    Restarting("ge2-control", "over its limit, and nothing fails", None),
    Restarting("ge2", "over its limit, and the queue crashes", CRASH),
    Restarting("ge2-kill", "over its limit, and the node is killed", KILL),
    Restarting("ge2-stop", "over its limit, and the node is stopped in order", STOP),
)


@dataclass(frozen=True)
class Restarted:
    """What came of one.

    Args:
        acked: how many messages of each queue were acked.
        left: how many it has in the end.
        steps: what was done and seen; of the first queue, where each has its own.
    """

    acked: tuple[int, ...]
    left: tuple[int, ...]
    steps: tuple[Step, ...]


def model_of(experiment: Restarting, version: str) -> ModelTrace:
    """Ask the model about a version of RabbitMQ, without the crash for the control.

    Raises:
        Failed: there is no era of that version, or the model leaves the question open.
    """
    question = Question(era_of(version), "overfull", "ConfirmedSurvives")
    return ask(question, accidents=experiment.end is not None)


def perform(experiment: Restarting, node: Node) -> Restarted:
    """Do it on a node, on several queues.

    Raises:
        Failed: the broker refuses, or takes too long.
    """
    return _Run(experiment, node).to_the_end()


class _Run:
    def __init__(self, experiment: Restarting, node: Node) -> None:
        self.experiment = experiment
        self.node = node
        self.queues = [f"{experiment.name}.{number}" for number in range(TRIALS)]
        self.steps: list[Step] = []
        self.began = time.monotonic()

    def to_the_end(self) -> Restarted:
        with ExitStack() as consumers:
            acked = tuple(self._filled(queue, consumers) for queue in self.queues)
            self.steps = self.steps[: len(self.steps) // TRIALS]  # those of the first
            self._end(consumers)
        left = self._left()
        kinds = ", ".join(f"{n} of {TRIALS} queues have {has}" for has, n in Counter(left).items())
        self._note(kinds, done=False)
        return Restarted(acked, left, tuple(self.steps))

    def _filled(self, queue: str, consumers: ExitStack) -> int:
        """Fill a queue, hand that out, fill it again; return how many messages were acked."""
        with Publisher(self.node.port) as publisher:
            publisher.declare(queue, x_max_length=LIMIT, x_overflow="reject-publish")
            publisher.select()
            self._published(publisher, queue)
            self._note("a consumer gets it and keeps it", done=True)
            consumers.enter_context(Publisher(self.node.port)).consume(queue)
            self._published(publisher, queue)
            return sum(fate == "ack" for fate in publisher.fates().values())

    def _published(self, publisher: Publisher, queue: str) -> None:
        self._note("publish a persistent message", done=True)
        publisher.publish(queue, 1, persistent=True)
        if not publisher.settles(publisher.published, LIMIT_SECONDS):
            raise Failed(f"{queue} does not settle message {publisher.published}")
        self._note(str(publisher.confirms()[-1]), done=False)

    def _end(self, consumers: ExitStack) -> None:
        """End the processes of the queues; for the control, only what consumes."""
        self._note(self.experiment.end or "the consumer goes", done=True)
        if self.experiment.end is None:
            consumers.close()
        elif self.experiment.end == CRASH:
            for queue in self.queues:
                NodeControl(self.node).strike("crash_queue", queue)
        else:
            # A queue that was declared a moment ago may be gone after a kill, with all that it has
            # acked; this is about what queues lose that are there.
            self.node.ctl("eval", "mnesia:sync_log().")
            (self.node.kill if self.experiment.end == KILL else self.node.stop)()
            self.node.start()
            self.node.ready()

    def _left(self) -> tuple[int, ...]:
        """Return how many messages each queue has, once all run and nobody consumes."""
        found: dict[str, int] = {}

        def known() -> bool:
            columns = ("name", "state", "consumers", "messages_ready")
            rows = self.node.table("queues", *columns)
            found.update(
                (row["name"], row["messages_ready"])
                for row in rows
                if (row["state"], row["consumers"]) == ("running", 0)
            )
            return found.keys() >= set(self.queues)

        wait_until("the queues to run without consumers", known, LIMIT_SECONDS, self.node.log)
        return tuple(found[queue] for queue in self.queues)

    def _note(self, text: str, *, done: bool) -> None:
        self.steps.append(Step(time.monotonic() - self.began, text, done))


def agreement(seen: Restarted, model: ModelTrace) -> Agreement:
    """Compare what was seen with what the model says of the same situation."""
    acked = Point(
        "the messages",
        "rule A8",
        "acked, all of them",
        f"{sum(seen.acked)} of {MESSAGES * len(seen.acked)} acked",
        set(seen.acked) == {MESSAGES},
    )
    counted = Counter(left < MESSAGES for left in seen.left)
    said = ", ".join(f"{_WORDS[gone]} in {n} queues" for gone, n in counted.items())
    wanted = model.violated
    gone = Point("what was acked", "the model", _WORDS[wanted], said, set(counted) == {wanted})
    return Agreement((acked, gone))


_WORDS = {True: "lost", False: "kept"}
