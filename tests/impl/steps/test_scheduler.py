"""Whatever order a scheduler chooses, what publishers see is what the specification allows."""

from __future__ import annotations

import random
from collections import Counter
from itertools import groupby
from typing import Any, NamedTuple

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.machines.publication import content_of
from ackproof.impl.steps.scheduler import Action, Eager, Step
from ackproof.impl.steps.seeded import Seeded
from ackproof.impl.storage.journal import Batch
from ackproof.spec.sorts import Level
from pamqp import commands

from tests.exploring import seeds
from tests.impl.clients import Wire, content, encode


class Settled(NamedTuple):
    """What a publisher was told about its messages."""

    acked: set[int]
    nacked: set[int]


class Publisher:
    """Two channels of one connection, and what they were told."""

    def __init__(self, broker: Broker) -> None:
        self.wire = Wire(broker)
        self.must_be_stored: dict[tuple[int, int], bytes] = {}
        self.stored: set[bytes] = set()
        self.heard: list[str] = []
        self.sent = {1: 0, 2: 0}
        self.settled = {1: Settled(set(), set()), 2: Settled(set(), set())}
        self.returned = {1: 0, 2: 0}

    def publish(self, channel: int, queue: str, *, persistent: bool) -> None:
        """Publish, and note what is heard."""
        self.sent[channel] += 1
        number = self.sent[channel]
        text = b"%d.%d" % (channel, number)
        if queue == "a" and persistent:
            self.must_be_stored[channel, number] = text
        self.note(self.wire.publish(channel, queue, text, mandatory=True, persistent=persistent))

    def note(self, lines: list[str]) -> None:
        """Settle what a frame settles, and insist that it was not settled before."""
        self.heard += lines
        for line in lines:
            number, kind, *rest = line.split()
            channel = int(number)
            if kind == "return":
                self.returned[channel] += 1
            if kind in ("ack", "nack"):
                self._settle(channel, kind, rest[0])

    def _settle(self, channel: int, kind: str, tag: str) -> None:
        told = self.settled[channel]
        last = int(tag.rstrip("*"))
        first = 1 if tag.endswith("*") else last
        new = set(range(first, last + 1)) - told.acked - told.nacked
        assert last in new, f"{kind} {tag} on channel {channel} settles {last} again"
        assert last <= self.sent[channel]
        (told.acked if kind == "ack" else told.nacked).update(new)
        for number in new if kind == "ack" else ():
            text = self.must_be_stored.get((channel, number))
            assert text is None or text in self.stored, f"{number} is acked and not on the disk"


class Play:
    """A broker with a random scheduler, a slow disk, and random clients and faults."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.broker = Broker(Seeded(seed))
        self.publisher = Publisher(self.broker)
        self.batch: Batch | None = None
        self.crashed = False
        self.publisher.wire.opened(1, 2).with_queue("a").with_queue("b").confirming(1, 2)

    def act(self) -> None:
        """Do one random thing."""
        dice = self.random.random()
        if dice < 0.55:
            self.publisher.publish(
                self.random.choice((1, 2)),
                self.random.choice(("a", "a", "b", "none")),
                persistent=self.random.random() < 0.7,
            )
        elif dice < 0.9:
            self.disk()
        elif dice < 0.97:
            self.crash(self.random.choice("ab"))
        elif dice < 0.985:
            self.publisher.note(self.publisher.wire.say(1, commands.Queue.Purge(queue="b")))
        else:
            delete = commands.Queue.Delete(queue="b", nowait=True)
            declare = commands.Queue.Declare(queue="b", durable=True, nowait=True)
            self.publisher.note(self.publisher.wire.say(2, delete, declare))

    def disk(self) -> None:
        """Begin a commit, or end it."""
        if self.batch is not None:
            self.publisher.stored |= {
                content_of(placed.msg).body for _, placed in self.batch.messages
            }
            self.broker.committed(self.batch)
            self.batch = None
        elif self.broker.journal.pending:
            self.batch = self.broker.journal.take()
        self.publisher.note(self.publisher.wire.hear())

    def crash(self, name: str) -> None:
        """Crash a queue, if it is there and running."""
        if name in self.broker.queues and self.broker.queues[name].running:
            self.broker.crash_queue(name)
            self.crashed = True
        self.publisher.note(self.publisher.wire.hear())

    def finish(self) -> None:
        """Let everything that is due happen."""
        while self.batch is not None or self.broker.journal.pending or self.broker.waiting:
            self.disk()


@pytest.mark.parametrize("seed", seeds(100))
def test_every_message_is_settled_once_in_any_order_of_steps(seed: int) -> None:
    play = Play(seed)
    for _ in range(60):
        play.act()
    play.finish()
    for channel, told in play.publisher.settled.items():
        assert told.acked | told.nacked == set(range(1, play.publisher.sent[channel] + 1))
        assert not told.acked & told.nacked
        assert play.crashed or not told.nacked
    for queue in play.broker.queues.values():
        assert queue.running
        assert not queue.machine.owes()
        assert not queue.machine.awaiting
        assert not queue.buffered


def lines_of(seed: int) -> list[str]:
    """Return everything the broker says in a play."""
    play = Play(seed)
    for _ in range(60):
        play.act()
    play.finish()
    return play.publisher.heard


def test_the_same_seed_says_the_same_and_another_seed_something_else() -> None:
    assert lines_of(3) == lines_of(3)
    assert lines_of(3) != lines_of(4)


def test_eager_takes_the_earliest_action_first_and_flushes_only_when_idle() -> None:
    eager = Eager()
    for action in (Action.FLUSH, Action.DRAIN, Action.DELIVER, Action.DRAIN):
        eager.offer(Step(action, None, None))
    taken = [eager.take(idle=False) for _ in range(3)]
    assert taken == [Step(Action.DELIVER, None, None), Step(Action.DRAIN, None, None), None]
    assert eager.take(idle=True) == Step(Action.FLUSH, None, None)
    assert eager.take(idle=True) is None


class Held(Eager):
    """Eager, but for some actions, which wait until they are released."""

    def __init__(self) -> None:
        super().__init__()
        self.held: set[Action] = set()
        self._kept: list[Step] = []

    def offer(self, step: Step) -> None:
        """Note that a step may be possible now, unless its action is held."""
        if step.action in self.held:
            self._kept.append(step)
        else:
            super().offer(step)

    def release(self, action: Action) -> None:
        """Offer what was held."""
        self.held.discard(action)
        kept, self._kept = self._kept, []
        for step in kept:
            self.offer(step)


def holding(*actions: Action) -> tuple[Held, Wire]:
    """Return a broker with a durable queue, whose scheduler holds these actions."""
    scheduler = Held()
    wire = Wire(Broker(scheduler)).opened().with_queue("q").confirming()
    scheduler.held |= set(actions)
    return scheduler, wire


def test_a_confirm_that_was_sent_arrives_before_the_news_of_the_crash() -> None:
    scheduler, wire = holding(Action.CONFIRM_ARRIVES)
    wire.publish(1, "q")
    wire.commit()
    wire.publish(1, "q")
    wire.broker.crash_queue("q")
    assert wire.hear() == []
    scheduler.release(Action.CONFIRM_ARRIVES)
    assert wire.hear() == ["1 ack 1", "1 nack 2"]


def test_messages_of_two_channels_stand_in_a_queue_as_they_arrived_and_not_as_published() -> None:
    scheduler, wire = holding(Action.DELIVER)
    other = Wire(wire.broker).opened()
    wire.publish(1, "q", b"first published")
    other.publish(1, "q", b"first there")
    queue = wire.broker.queues["q"]
    wire.broker.steps.arrivals.deliver(other.session.channels[1].publishing, queue)
    scheduler.release(Action.DELIVER)
    wire.commit()
    assert [content_of(msg).body for msg in queue.ready()] == [b"first there", b"first published"]


def test_a_refusal_that_was_sent_arrives_before_the_news_of_the_crash() -> None:
    scheduler, wire = holding(Action.REJECT_ARRIVES)
    wire.broker.faults.nack_next()
    wire.publish(1, "q")
    wire.publish(1, "q")
    wire.broker.crash_queue("q")
    assert wire.hear() == []
    assert not wire.broker.queues["q"].running
    scheduler.release(Action.REJECT_ARRIVES)
    assert wire.hear() == ["1 nack 2*"]
    assert wire.broker.queues["q"].running
    assert not wire.broker.queues["q"].machine.owes()


def test_a_queue_does_not_restart_before_its_crash_is_known() -> None:
    scheduler, wire = holding(Action.DOWN_ARRIVES)
    wire.publish(1, "q")
    wire.broker.crash_queue("q")
    assert not wire.broker.queues["q"].running
    assert wire.publish(1, "q") == []
    scheduler.release(Action.DOWN_ARRIVES)
    assert wire.hear() == ["1 nack 2*"]
    assert wire.broker.queues["q"].running


def test_deleting_a_crashed_queue_does_not_turn_its_nacks_into_acks() -> None:
    _, wire = holding(Action.DOWN_ARRIVES)
    wire.publish(1, "q")
    wire.broker.crash_queue("q")
    assert wire.say(1, commands.Queue.Delete(queue="q", nowait=True)) == ["1 nack 1*"]
    assert wire.commit() == []


def test_what_is_on_its_way_to_a_queue_dies_with_it() -> None:
    scheduler, wire = holding(Action.DELIVER)
    wire.publish(1, "q")
    wire.broker.crash_queue("q")
    assert wire.hear() == ["1 nack 1*"]
    scheduler.release(Action.DELIVER)
    assert wire.commit() == []
    assert not wire.broker.queues["q"].machine.ready
    channel = wire.session.channels[1].publishing
    assert not channel.casts.publishes


def test_what_is_on_its_way_arrives_when_its_channel_is_closed() -> None:
    scheduler, wire = holding(Action.DELIVER)
    wire.publish(1, "q")
    channel = wire.session.channels[1].publishing
    wire.say(1, commands.Channel.Close(0, "", 0, 0))
    assert channel in wire.broker.queues["q"].watchers
    scheduler.release(Action.DELIVER)
    assert wire.commit() == []
    assert len(wire.broker.queues["q"].machine.ready) == 1
    assert not wire.broker.queues["q"].watchers


def test_what_lands_while_the_queue_is_down_is_synced_when_it_is_back() -> None:
    scheduler, wire = holding(Action.RESTART)
    wire.publish(1, "q")
    batch = wire.broker.journal.take()
    wire.broker.crash_queue("q")
    wire.broker.committed(batch)
    assert wire.hear() == ["1 nack 1*"]
    store = wire.broker.queues["q"].machine.store
    assert list(store.level.values()) == [Level.WRITTEN]
    scheduler.release(Action.RESTART)
    assert wire.hear() == []
    assert list(store.level.values()) == [Level.SYNCED]


class Taken:
    """Takes down the steps that are taken."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def before(self, step: str, _: tuple[Any, ...]) -> None:
        """A step is about to be taken."""

    def after(self, step: str, _: tuple[Any, ...]) -> None:
        """A step was taken."""
        self.steps.append(step)

    def not_taken(self, step: str, _: tuple[Any, ...]) -> None:
        """It was not."""

    def committed(self, _: Batch) -> None:
        """A commit has returned."""


def test_what_comes_together_is_confirmed_together() -> None:
    wire, taken = Wire().opened().with_queue("q").confirming(), Taken()
    wire.broker.steps.observe(taken)
    assert wire.receive(encode(1, *content("q", persistent=False)) * 5) == ["1 ack 5*"]
    count = Counter(taken.steps)
    assert (count["publish"], count["arrive"]) == (5, 5)
    assert (count["confirm_arrives"], count["flush"]) == (1, 1)


def test_acks_that_come_together_are_processed_before_more_is_delivered() -> None:
    wire = Wire().opened().with_queue("q")
    for _ in range(4):
        wire.publish(1, "q")
    wire.say(1, commands.Basic.Qos(prefetch_count=2))
    wire.say(1, commands.Basic.Consume(queue="q", consumer_tag="c"))
    taken = Taken()
    wire.broker.steps.observe(taken)
    heard = wire.say(1, commands.Basic.Ack(1), commands.Basic.Ack(2))
    assert [line for line in heard if "deliver" in line] == ["1 deliver c 3 {}", "1 deliver c 4 {}"]
    settling_and_serving = [s for s in taken.steps if s in ("consumer_acks", "hand_out")]
    assert settling_and_serving == ["consumer_acks", "consumer_acks", "hand_out", "hand_out"]


def test_a_queue_that_has_much_to_hand_out_lets_another_one_come_between() -> None:
    wire = Wire().opened().with_queue("q").with_queue("p")
    for name in ("q", "p"):
        wire.say(1, commands.Basic.Consume(queue=name, consumer_tag=name))
    wire.session.clogged = True
    for name in ("q", "p"):
        wire.receive(encode(1, *content(name)) * 2 * Eager.portion)
    wire.session.unclog()
    tags = [line.split()[2] for line in wire.hear() if "deliver" in line]
    turns = [name for name, _ in groupby(tags)]
    assert turns == ["q", "p", "q", "p"]
