"""Whatever the specification allows, and the broker takes by itself, is on offer.

A step that has become possible and that nobody offers is never taken: a confirm would not come.
After each step the twin of lockstep, the specification as it stands, is asked which actions are
enabled, for all elements that there are.  The answer has nothing to do with the broker's offers: it
is what the actions require, evaluated.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any, get_type_hints

import pytest
from ackproof.impl.broker import Broker
from ackproof.impl.lockstep.lockstep import Lockstep
from ackproof.impl.machines.hosted_system import wake
from ackproof.impl.machines.queue_processes import HostedMirror, processes_of
from ackproof.impl.steps.scheduler import Action, Step
from ackproof.impl.steps.seeded import Seeded
from ackproof.lang import NotEnabled
from ackproof.lang.sorts import Sort
from ackproof.spec.sorts import Consumer, Msg
from ackproof.spec.system import Confirms

from tests.impl.clients import content
from tests.impl.lockstep import test_lockstep as alone
from tests.impl.lockstep.test_mirrors_in_lockstep import calm, deadly
from tests.impl.mirror_traffic import Traffic

#: The actions that happen by themselves when they are possible.  What waits for a clock is not
#: among them, nor for the disk: the specification knows neither.
BY_THEMSELVES = (
    *("master_tells", "master_removes", "deliver", "deliver_to_mirror", "drain"),
    *("confirm_arrives", "reject_arrives", "down_arrives", "promote", "synchronise"),
    *("forget_sender", "restart", "hand_out", "flush", "complete"),
)

#: Those that the broker takes for one channel.
OF_A_CHANNEL = {"down_arrives", "forget_sender", "flush", "complete"}

#: The step of the broker that takes an action, where it has another name.
STEPS = {
    "deliver": Action.DELIVER,
    "deliver_to_mirror": Action.DELIVER,
    "master_tells": Action.FOLLOW,
    "master_removes": Action.FOLLOW,
    "hand_out": Action.SERVE,
}


def requirements(name: str) -> Callable[..., None]:
    """Return an action of the specification without what it does: all that it requires."""
    action = getattr(Confirms, name)
    tree = ast.parse(textwrap.dedent(inspect.getsource(action))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    last = max(i for i, stmt in enumerate(tree.body) if "require(" in ast.unparse(stmt))
    tree.body, tree.decorator_list = tree.body[: last + 1], []
    names = dict(action.__globals__)
    exec(compile(ast.Module([tree], []), name, "exec"), names)
    found: Callable[..., None] = names[name]
    return found


def same(one: str, other: str) -> bool:
    """Tell whether the broker takes two actions by the same step."""
    return STEPS.get(one, one) == STEPS.get(other, other)


REQUIREMENTS = {name: requirements(name) for name in BY_THEMSELVES}
SORTS = {
    name: [
        hint
        for hint in get_type_hints(getattr(Confirms, name)).values()
        if isinstance(hint, type) and issubclass(hint, Sort)
    ]
    for name in BY_THEMSELVES
}


class Watch:
    """Looks before each step whether all that is enabled is on offer.

    Attributes:
        enabled: how often an action was enabled when somebody looked.
        missing: what was not on offer, and should have been.
        dropped: an action of the system and one that it no longer wakes, nor another one that the
            broker takes by the same step: whichever is told of, the step is on offer.
        pairs: which actions of the system have woken which.
    """

    def __init__(
        self, broker: Broker, lockstep: Lockstep, dropped: tuple[str, str] | None = None
    ) -> None:
        self.steps, self.lockstep, self.dropped = broker.steps, lockstep, dropped
        self.enabled = dict.fromkeys(BY_THEMSELVES, 0)
        self.missing: list[str] = []
        self.pairs: set[tuple[str, str]] = set()
        self._system = broker.system
        self._taken: list[str] = []
        told = vars(self._system)["wake"]
        wakes = {name: self._telling(name, tell) for name, tell in vars(told).items()}
        wake(self._system, SimpleNamespace(**wakes))
        for name in dir(Confirms):
            taken = getattr(self._system, name, None)
            if name in vars(self._system) and callable(taken):  # lockstep has tapped it
                setattr(self._system, name, self._during(name, taken))
        scheduler: Any = broker.steps.context.scheduler
        self._take, scheduler.take = scheduler.take, self._taking

    def _during(self, name: str, act: Callable[..., None]) -> Callable[..., None]:
        def take(*args: Any) -> None:
            self._taken.append(name)
            try:
                act(*args)
            finally:
                self._taken.pop()

        return take

    def _telling(self, name: str, tell: Callable[..., None]) -> Callable[..., None]:
        def told(*handles: Any) -> None:
            by = self._taken[-1]
            self.pairs.add((by, name))
            if self.dropped is None or by != self.dropped[0] or not same(name, self.dropped[1]):
                tell(*handles)

        return told

    def _taking(self, idle: bool) -> Step | None:
        self.look()
        step: Step | None = self._take(idle)
        return step

    def look(self) -> None:
        """Compare what is enabled with what is on offer."""
        with self.lockstep.twin.bound():
            enabled = list(self._enabled())
        for name, args, step in enabled:
            self.enabled[name] += 1
            if step not in self._offered() and not self._held(step):
                self.missing.append(f"{name} {step.action.name} {args} {step.queue}")

    def _offered(self) -> set[Step]:
        scheduler: Any = self.steps.context.scheduler
        if isinstance(scheduler, Seeded):
            return scheduler._offered
        return {step for offers in scheduler._offers for step in offers}

    def _enabled(self) -> Iterator[tuple[str, tuple[Any, ...], Step]]:
        system = self.lockstep.twin.system
        for name, required in REQUIREMENTS.items():
            for args in product(*map(tuple, SORTS[name])):
                try:
                    required(system, *args)
                except NotEnabled:
                    continue
                found = self._step(name, args)
                if found is not None:
                    yield name, args, found

    def _step(self, name: str, args: tuple[Any, ...]) -> Step | None:
        """Return the step of the broker that is an action of the specification."""
        named = dict(zip(get_type_hints(getattr(Confirms, name)), args, strict=False))
        action = STEPS[name] if name in STEPS else Action[name.upper()]
        channel = named["channel"] if name in OF_A_CHANNEL else None
        if action is Action.DELIVER:
            channel = Msg.owner(named["msg"])
        replica = named.get("replica", named.get("mirror"))
        queue = processes_of(self._system).get(replica) if replica is not None else None
        if replica is not None and queue is None:
            return None  # the twin has not forgotten it yet
        known = self.steps.context.channels.get(channel) if channel is not None else None
        if channel is not None and known is None:
            return None
        if action is Action.SERVE and not self._serves(named["consumer"]):
            return None
        return Step(action, known, queue)

    def _serves(self, consumer: Consumer) -> bool:
        """Tell whether the client of a consumer reads, and has not more than is remembered."""
        channel = self.steps.context.consuming.get(Consumer.owner(consumer))
        return channel is not None and channel.reads() and not channel.full

    def _held(self, step: Step) -> bool:
        """Tell whether a step waits for something that the specification does not speak of."""
        queue = step.queue
        if step.action is Action.DOWN_ARRIVES:  # the disk does not know yet who leads; or in the
            assert step.channel is not None  # broker the channel does not monitor the process
            assert queue is not None
            return not queue.recorded or queue not in step.channel.watching
        if step.action is Action.RESTART and queue is not None and queue.membership is not None:
            return queue is not queue.membership.leader  # the disk says who led last
        return queue is not None and queue.slow


def among_queues(dropped: tuple[str, str] | None = None) -> Watch:
    """Let four channels use queues without mirrors in all ways."""
    traffic = alone.Traffic(Seeded(7))
    watch = Watch(traffic.wire.broker, traffic.lockstep, dropped)
    commands: list[tuple[object, ...]] = [
        ("consume", "transient", False),
        *[("publish", one, ["durable", "transient"], True, True) for one in (1, 2, 3, 1, 2)],
        ("publish", 1, [], True, False),
        ("settle", True, False, False),
        ("settle", False, True, True),
        ("end_transaction", True),
        ("begin_commit",),
        ("end_commit",),
        ("publish", 1, ["durable"], False, True),
        ("crash", "durable"),
        ("publish", 1, ["durable", "other"], False, True),
        ("reopen", 1),
        ("publish", 2, ["other"], False, True),
        ("settle", True, True, False),
        ("delete", "other"),
        ("publish", 2, ["durable"], False, True),
    ]
    alone.run(commands, traffic)
    return watch


def among_mirrors(seed: int, dropped: tuple[str, str] | None = None) -> Watch:
    """Let processes of mirrored queues die, come back and be slow."""
    traffic = Traffic(seed, lockstep=True)
    assert traffic.lockstep is not None
    watch = Watch(traffic.broker, traffic.lockstep, dropped)
    for number in range(9):
        traffic.declare()
        traffic.publish()
        ways = (traffic.consume, traffic.reopen, traffic.transact, traffic.subscribe)
        ways[number % len(ways)]()
        (calm if number % 3 else deadly)(traffic)
    traffic.settle()
    traffic.lockstep.check()
    return watch


class WithoutMasters(Seeded):
    """Lets no message arrive at a master."""

    def offer(self, step: Step) -> None:
        """Forget what would arrive there."""
        at = step.queue
        if step.action is not Action.DELIVER or isinstance(at, HostedMirror):
            super().offer(step)


def after_a_master_that_heard_nothing(dropped: tuple[str, str] | None = None) -> Watch:
    """Let a mirror lead that knows a message from its channel only (D5.5)."""
    traffic = Traffic(0, scheduler=WithoutMasters(0), lockstep=True)
    assert traffic.lockstep is not None
    traffic.say(traffic.wires[0], *content("plain"))
    traffic.rest()
    watch = Watch(traffic.broker, traffic.lockstep, dropped)
    traffic.broker.faults.kill_replica("plain", traffic.membership("plain").leader.replica)
    traffic.settle()
    traffic.lockstep.check()
    return watch


def test_what_queues_without_mirrors_may_do_is_on_offer() -> None:
    watch = among_queues()
    assert watch.missing == []
    never = {name for name, count in watch.enabled.items() if not count}
    mirrors = {"deliver_to_mirror", "promote", "synchronise", "forget_sender"}
    assert never <= mirrors | {"master_tells", "master_removes", "reject_arrives"}


@pytest.mark.parametrize("seed", range(2))
def test_what_mirrors_may_do_is_on_offer(seed: int) -> None:
    assert among_mirrors(seed).missing == []


@pytest.mark.parametrize(
    "pair",
    [
        ("publish", "deliver"),
        ("publish", "flush"),
        ("tx_commit", "deliver"),
        ("deliver", "hand_out"),
        ("deliver", "confirm_arrives"),
        ("hand_out", "hand_out"),
        ("consumer_rejects", "hand_out"),
        ("sync", "drain"),
        ("drain", "confirm_arrives"),
        ("confirm_arrives", "flush"),
        ("confirm_arrives", "complete"),
        ("crash_queue", "down_arrives"),
        ("delete_queue", "down_arrives"),
        ("down_arrives", "flush"),
    ],
    ids=" ".join,
)
def test_what_no_longer_wakes_another_is_found_out(pair: tuple[str, str]) -> None:
    assert pair in among_queues().pairs
    assert among_queues(pair).missing


@pytest.mark.parametrize(
    "pair",
    [
        ("deliver", "master_tells"),
        ("deliver", "reject_arrives"),
        ("master_tells", "confirm_arrives"),
        ("lose_node", "promote"),
        ("lose_node", "down_arrives"),
        ("deliver_to_mirror", "deliver_to_mirror"),
    ],
    ids=" ".join,
)
def test_so_it_is_among_mirrors(pair: tuple[str, str]) -> None:
    assert any(among_mirrors(seed, pair).missing for seed in range(4))


def test_a_mirror_that_leads_gets_what_it_knows_from_channels_only() -> None:
    watch = after_a_master_that_heard_nothing()
    assert ("promote", "deliver") in watch.pairs
    assert watch.missing == []
    assert after_a_master_that_heard_nothing(("promote", "deliver")).missing
