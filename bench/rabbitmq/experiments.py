"""What is done to RabbitMQ, and what it does then.

All experiments are one, with and without its accident.  A mirrored queue has its master on the
first node; the publisher is connected to the second, where the mirror is.  The mirror is slow.  A
burst of messages is published, and both copies of each wait for the mirror.

* With the accident, the first node is killed before the mirror goes on.  The mirror is promoted,
  having taken the multicast copies first, and meets the direct copies as the new master.
* Without it (the controls), the mirror goes on, and confirms.

What the new master does with a direct copy depends on the queue (D6.2, D6.4):

* without a limit it takes it for a duplicate, drops it, and forgets that a confirm is owed (G-D1);
* with a limit that the burst has just reached, it rejects it before it looks whether it is one, and
  an assertion fails (G-D5).

"Never" cannot be observed.  After the burst one more message is published.  A queue handles what a
channel sends it in order, so when that one is acked, all before it have been handled, and nobody
is left who would settle them.  Then nothing more is heard for some seconds.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from bench.rabbitmq.cluster import PREFIX, Cluster
from bench.rabbitmq.frames import Frame
from bench.rabbitmq.mirror import Mailbox, SlowMirror
from bench.rabbitmq.node import Node
from bench.rabbitmq.observation import Observation, Step, crash_reason, promoted
from bench.rabbitmq.publisher import Publisher
from bench.rabbitmq.site import wait_until, within

__all__ = ["BURST", "EXPERIMENTS", "Experiment", "perform"]

#: Messages at once: fewer than the 400 that a channel may send before it waits for credit.
BURST = 150

#: How long to listen after everything has been handled.
SILENCE_SECONDS = 5.0

#: How long anything may take that a broker does by itself.
LIMIT_SECONDS = 60.0


@dataclass(frozen=True)
class Experiment:
    """One of them.

    Args:
        name: on the command line.
        title: what it is, for a reader.
        bug: the number of the bug, in the rules.
        kill: whether the accident happens.
        persistent: the messages' delivery mode.
        limited: whether the queue rejects publishes beyond as many messages as are published.
    """

    name: str
    title: str
    bug: str
    kill: bool
    persistent: bool = True
    limited: bool = False


EXPERIMENTS = {
    e.name: e
    for e in (
        Experiment("gd1-control", "no accident, persistent", "G-D1", kill=False),
        Experiment(
            "gd1-transient-control", "no accident, transient", "G-D1", kill=False, persistent=False
        ),
        Experiment("gd1", "the master's node is killed, persistent", "G-D1", kill=True),
        Experiment(
            "gd1-transient",
            "the master's node is killed, transient",
            "G-D1",
            kill=True,
            persistent=False,
        ),
        Experiment("gd5-control", "no accident, limit reached", "G-D5", kill=False, limited=True),
        Experiment(
            "gd5", "the master's node is killed, limit reached", "G-D5", kill=True, limited=True
        ),
    )
}


def perform(experiment: Experiment, nodes: Cluster) -> Observation:
    """Do it, on a cluster whose nodes are both up; a node that is killed is started again.

    Raises:
        Failed: the broker did not get into the situation that the experiment is about, or
            something took too long.
    """
    run = _Run(experiment, nodes)
    observation = run.to_the_end()
    if experiment.kill:
        nodes.restart_first()
    return observation


@dataclass
class _Run:
    experiment: Experiment
    nodes: Cluster
    steps: list[Step] = field(default_factory=list)

    def to_the_end(self) -> Observation:
        queue = PREFIX + self.experiment.name
        self._declare(queue)
        survivor = self.nodes.second
        logged = len(survivor.read_log())
        mirror = SlowMirror(survivor, queue)
        with Publisher(survivor.port) as publisher:
            publisher.select()
            self._did(publisher, "suspend the mirror, on r2")
            mirror.suspend()
            self._burst(publisher, mirror)
            if self.experiment.kill:
                self._kill(publisher, mirror)
            self._did(publisher, "resume the mirror")
            mirror.resume()
            later = self._afterwards(publisher, queue, logged)
            return self._observed(publisher, queue, later, survivor.read_log()[logged:])

    # -- what is done ---------------------------------------------------------------------------

    def _declare(self, queue: str) -> None:
        limit = {"x_overflow": "reject-publish", "x_max_length": BURST}
        with Publisher(self.nodes.first.port) as publisher:
            publisher.declare(queue, **(limit if self.experiment.limited else {}))
        self.nodes.mirrored(queue)

    def _burst(self, publisher: Publisher, mirror: SlowMirror) -> None:
        """Publish, and wait until both copies of each message are in the mirror's mailbox."""
        kind = "persistent" if self.experiment.persistent else "transient"
        self._did(publisher, f"publish {BURST} {kind} messages")
        publisher.publish(mirror.queue, BURST, persistent=self.experiment.persistent)
        box = Mailbox(BURST, BURST, deaths=0)
        what = f"{BURST} multicast and {BURST} direct copies in the mirror's mailbox"
        wait_until(what, lambda: mirror.mailbox() == box, LIMIT_SECONDS, self.nodes.first.log)
        self._saw(publisher, f"waiting for it: {BURST} multicast, {BURST} direct")

    def _kill(self, publisher: Publisher, mirror: SlowMirror) -> None:
        """Kill the master's node, and wait until the mirror could know."""
        self._did(publisher, "kill -9 r1, the master's node")
        self.nodes.first.kill()
        box = Mailbox(BURST, BURST, deaths=1)
        what = "the news of the master's death in the mirror's mailbox"
        wait_until(what, lambda: mirror.mailbox() == box, LIMIT_SECONDS, self.nodes.second.log)
        self._saw(publisher, "and the news of the master's death")

    def _afterwards(self, publisher: Publisher, queue: str, logged: int) -> Frame | None:
        """Wait until nothing more will happen; return what settled the later message, if any."""
        survivor = self.nodes.second
        if self.experiment.kill:
            wait_until(
                f"the promotion of the mirror of {queue}",
                lambda: promoted(survivor.read_log()[logged:]),
                LIMIT_SECONDS,
                survivor.log,
            )
            self._saw(publisher, "it is promoted: r2 has the master now")
        else:
            publisher.settles(BURST, LIMIT_SECONDS)
        later = None
        if not self.experiment.limited:
            later = self._later(publisher, queue)
        elif self.experiment.kill:
            log = survivor.read_log
            if within(LIMIT_SECONDS, lambda: crash_reason(log()[logged:]) is not None):
                self._saw(publisher, "the new master crashes")
            publisher.settles(BURST, LIMIT_SECONDS)
        time.sleep(SILENCE_SECONDS)
        return later

    def _later(self, publisher: Publisher, queue: str) -> Frame:
        self._did(publisher, f"publish one more message, number {publisher.published + 1}")
        publisher.publish(queue, 1, persistent=self.experiment.persistent)
        found: list[Frame] = []

        def settles() -> bool:
            found[:] = [f for f in publisher.confirms() if f.tag == publisher.published]
            return bool(found)

        wait_until(f"a confirm of number {publisher.published}", settles, LIMIT_SECONDS)
        return found[0]

    # -- what is seen ---------------------------------------------------------------------------

    def _observed(
        self, publisher: Publisher, queue: str, later: Frame | None, log: str
    ) -> Observation:
        survivor = self.nodes.second
        publisher.check()
        unconfirmed = sum(
            row["messages_unconfirmed"]
            for row in survivor.table("channels", "messages_unconfirmed")
        )
        length = _length(survivor, queue)
        frames = publisher.confirms()
        seen = [Step(frame.seconds, str(frame), done=False) for frame in frames]
        steps = sorted([*self.steps, *seen], key=lambda step: step.seconds)
        self.steps = steps
        self._saw(publisher, _silence(publisher))
        self._saw(publisher, f"the channel still waits for {unconfirmed} confirms")
        self._saw(publisher, f"the queue has {length} messages")
        return Observation(
            experiment=self.experiment.name,
            published=BURST,
            frames=frames,
            later=later,
            queue_length=length,
            unconfirmed=unconfirmed,
            promoted=promoted(log),
            crash=crash_reason(log),
            steps=tuple(self.steps),
        )

    def _did(self, publisher: Publisher, text: str) -> None:
        self._note(publisher, text, done=True)

    def _saw(self, publisher: Publisher, text: str) -> None:
        self._note(publisher, text, done=False)

    def _note(self, publisher: Publisher, text: str, *, done: bool) -> None:
        self.steps.append(Step(time.monotonic() - publisher.began, text, done))


def _silence(publisher: Publisher) -> str:
    """Say for how long nothing came."""
    last = publisher.frames()[-1].seconds
    return f"no frame for {time.monotonic() - publisher.began - last:.0f} s"


def _length(node: Node, queue: str) -> int:
    """Return how many messages a queue has, once its process runs."""
    found: list[int] = []

    def runs() -> bool:
        rows = node.table("queues", "name", "state", "messages")
        found[:] = [
            row["messages"] for row in rows if (row["name"], row["state"]) == (queue, "running")
        ]
        return bool(found)

    wait_until(f"{queue} to run", runs, LIMIT_SECONDS, node.log)
    return found[0]
