"""What every run of the stateful test has: a client that publishes, on a channel of some kind.

Each publish, operation and frame is noted, and after each frame and operation the states of the
specification that explain what was seen are advanced (`tests.explain.directed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from ackproof.spec.wire import Complaint
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from pamqp import commands

from tests.explain.client import Client
from tests.explain.connection import Method
from tests.explain.directed import Directed
from tests.explain.explanations import Explanations
from tests.explain.machine import Kind, SpecMachine
from tests.explain.seen import Close, Fate, Publish, Simple
from tests.explain.target import Target

__all__ = ["AHEAD", "FEW", "MESSAGES", "Burst", "Named", "Scenario", "bursts", "some_publishes"]

#: How many publishes there can be, in all and without an answer.
MESSAGES, AHEAD = 20, 4

#: How many states may explain what was seen, before the client looks closer.
MANY = 50
#: And before several queues may end, each of them in many ways.
FEW = 10

#: Publishes without an answer in between: numbers of queues, whether mandatory, whether persistent,
#: and whether without time.
_publishes = st.tuples(
    st.sampled_from([{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, set()]),
    st.booleans(),
    st.sampled_from([True, True, False]),
    st.sampled_from([False] * 5 + [True]),
)
bursts = st.lists(_publishes, max_size=2)
some_publishes = st.lists(_publishes, min_size=1, max_size=AHEAD)

Burst = list[tuple[set[int], bool, bool, bool]]


class Named(NamedTuple):
    """A queue as a client declares it, and as the specification knows it.

    Attributes:
        lives: how many queues of this name there may be, one after another.
    """

    name: str
    kind: Kind = Kind()
    arguments: Mapping[str, Any] = MappingProxyType({})
    lives: int = 2

    def life(self, number: int) -> str:
        """Return which of its lives this is, by a name of its own."""
        return f"{self.name}{number + 1}"


@cache
def _machine(kinds: tuple[Kind, ...]) -> SpecMachine:
    return SpecMachine(MESSAGES, kinds)


class Scenario(RuleBasedStateMachine):
    """A client of a broker; a subclass says of which, and which queues there are.

    Attributes:
        found: what was not explained, in all runs so far.
        queues: those that are there, three of them.
        expiring: whether messages may be without time.
        most: how many publishes there are without an answer.
        few: how many there are without an answer when something happens to a queue.
        explaining: how explanations are found.
    """

    serve: Callable[[], AbstractContextManager[Target]]
    found: list[str]
    queues: ClassVar[tuple[Named, Named, Named]]
    expiring: ClassVar[bool] = False
    most: ClassVar[int] = AHEAD
    few: ClassVar[int] = 2
    explaining: ClassVar[type[Explanations]] = Directed

    def __init__(self) -> None:
        super().__init__()
        self._serving = type(self).serve()
        self.target = self._serving.__enter__()
        lives = [(one.life(i), one.kind) for one in self.queues for i in range(one.lives)]
        machine = _machine(tuple(kind for _, kind in lives))
        machine.forget()
        masters = [r for r in machine.replicas if machine.siblings[r][0] == r]
        processes = {life: r for (life, _), r in zip(lives, masters, strict=True)}
        explanations = self.explaining(machine, processes, type(self).found)
        self.client = Client(self.target.host, self.target.port, explanations, self.target.patience)
        self.lives = [0] * len(self.queues)
        self.published = 0
        self.ahead = 0
        self.held: set[str] = set()
        self.unacked: dict[int, tuple[int, str]] = {}
        for i, one in enumerate(self.queues):
            self.client.call(commands.Queue.Delete(queue=one.name), commands.Queue.DeleteOk)
            self.declare(i)

    @initialize(transactional=st.sampled_from([False, False, True]), order=st.integers(0, 999))
    def select(self, transactional: bool, order: int) -> None:
        """Choose what the publishing channel is, and in which order the broker takes its steps."""
        self.target.schedule(order)
        self.client.transactional = transactional
        self.answer()

    def teardown(self) -> None:
        """Let everything come to its end, and look whether that is explained, too."""
        try:
            if self.published:
                self.release_all()
                self.settle()
                self.target.check()
        finally:
            self.client.close()
            self._serving.__exit__(None, None, None)

    @invariant()
    def know_enough(self) -> None:
        """Look closer if there are very many ways in which all that was seen may have happened."""
        self.look_closer(MANY)

    def look_closer(self, many: int) -> None:
        """Have all settled, and all that is ready dropped, if more states than that explain it."""
        if len(self.client.explanations.places) > many:
            self.release_all()
            self.settle()
            self.empty()

    def empty(self) -> None:
        """Drop all that is ready, so that it does not matter any more what that was."""

    def release_all(self) -> None:
        """Release what is held back."""

    # -- publishing -----------------------------------------------------------------------------

    @rule(burst=some_publishes)
    def publish(self, burst: Burst) -> None:
        """Publish to some queues, or to none, as far as there may be more."""
        for to, mandatory, persistent, expiring in burst:
            fate = Fate.EXPIRING if expiring and self.expiring else None
            self.publish_one(to, mandatory, persistent, fate)

    def publish_few(self, burst: Burst) -> bool:
        """Publish so that little is under way, since each of that may be caught anywhere.

        Returns:
            whether it is little: what was published before may be held back.
        """
        self.answer()
        if self.ahead > self.few and not self.held and not self.client.transactional:
            self.settle()
        self.publish(burst[: max(0, self.few - self.ahead)])
        return self.ahead <= self.few

    def publish_one(
        self, to: set[int], mandatory: bool, persistent: bool, fate: Fate | None = None
    ) -> int | None:
        """Publish to the queues of these numbers; return the message, if there may be one more."""
        if self.published == MESSAGES or self.ahead >= self.most:
            return None
        self.published += 1
        self.ahead += 1
        queues = frozenset(self.life(i) for i in to)
        tx = self.client.transactional
        one = Publish(self.published, queues, mandatory, persistent, tx, fate)
        self.client.publish(one, [self.queues[i].name for i in sorted(to)])
        return self.published

    def answer(self) -> None:
        """Ask for something whose answer is the last of what is under way to this client."""
        if self.client.transactional:
            self.client.ask(Simple("tx_select"), commands.Tx.Select(), commands.Tx.SelectOk)
        else:
            self.client.ask(Simple("select"), commands.Confirm.Select(), commands.Confirm.SelectOk)
        if len(self.client.unsettled) < self.most:
            self.ahead = len(self.client.unsettled)

    def settle(self) -> None:
        """Wait until everything is settled."""
        self.answer()
        self.client.settle_all()
        self.answer()
        self.ahead = 0

    def commit(self) -> None:
        """Commit, and wait for the answer."""
        self.client.send(Simple("tx_commit"), commands.Tx.Commit())
        self.committed()

    def committed(self, among: Iterable[Method] = ()) -> None:
        """Wait for the answer to a commit, unless it is among what was read since.

        It may be that the channel is closed.
        """
        answers = commands.Tx.CommitOk, commands.Channel.Close
        answer = self.client.wait_for(*answers, among=among).method
        self.ahead = 0
        if isinstance(answer, commands.Channel.Close):
            assert answer.reply_text.endswith(Complaint.PARTIAL_COMPLETION.value)
            self.open_again(self.client.transactional, closed=True)

    def before_closing(self, burst: Burst) -> None:
        """Publish something of which nothing is heard before the channel is closed."""
        self.publish_few(burst)

    def open_again(self, transactional: bool, *, closed: bool) -> None:
        """Open the channel again, after the broker has closed it or to have another one."""
        self.client.reopen(Close(), self.published, closed=closed)
        self.started_over(transactional)

    def started_over(self, transactional: bool) -> None:
        """There is another channel; nothing is under way on it."""
        self.client.transactional = transactional
        self.ahead = 0
        self.answer()

    # -- help -----------------------------------------------------------------------------------

    def life(self, i: int) -> str:
        """Return which of the queues of a name is there now."""
        return self.queues[i].life(self.lives[i])

    def may_be_deleted(self, i: int) -> bool:
        """Tell whether there may be another queue of a name, and its deletion will be answered."""
        waits = "sync" in self.held and self.queues[i].kind.durable  # for the disk
        return self.lives[i] + 1 < self.queues[i].lives and not waits

    def declare(self, i: int) -> None:
        """Declare a queue."""
        one = self.queues[i]
        declare = commands.Queue.Declare(
            queue=one.name, durable=one.kind.durable, arguments=dict(one.arguments)
        )
        self.client.call(declare, commands.Queue.DeclareOk)

    def deleted(self, i: int) -> None:
        """A queue was deleted; declare another one of the same name."""
        self.forget_unacked(i)
        self.lives[i] += 1
        self.declare(i)

    def crashed(self, i: int) -> None:
        """The process of a queue has crashed."""
        self.forget_unacked(i)

    def forget_unacked(self, i: int) -> None:
        """A queue is gone, and what it had delivered with it."""
        life = self.life(i)
        self.unacked = {t: (m, q) for t, (m, q) in self.unacked.items() if q != life}
