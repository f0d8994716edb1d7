"""The stateful test: a client does whatever comes to mind, and everything must be explained.

    Behaviour.against(target)       a state machine for Hypothesis, against a broker

Each publish, operation and frame is noted, and at each answer on the publishing channel, the states
of the specification that explain what was seen are advanced (`tests.explain.directed`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from ackproof.spec.wire import Complaint
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from pamqp import commands

from tests.explain.client import Client
from tests.explain.directed import Directed
from tests.explain.machine import SpecMachine
from tests.explain.seen import (
    Close,
    Crash,
    Delete,
    Get,
    Hold,
    Publish,
    Purge,
    Restart,
    Settle,
    Simple,
)
from tests.explain.target import Target

__all__ = ["Behaviour", "against"]

#: How many publishes there can be, in all and without an answer.
MESSAGES, AHEAD = 20, 4

#: The queues, each with the process that stands for it in the specification.  A queue that was
#: deleted and declared again is another one.
LIVES = {"a": ["a1", "a2"], "b": ["b1", "b2"], "t": ["t1", "t2"]}
PROCESSES = {"a1": "r1", "b1": "r2", "t1": "r3", "a2": "r4", "b2": "r5", "t2": "r6"}
DURABLE = (True, True, False, True, True, False)

names = st.sampled_from(sorted(LIVES))
#: Publishes without an answer in between: the queues, whether mandatory, whether persistent.
publishes = st.tuples(
    st.sets(names, max_size=2), st.booleans(), st.sampled_from([True, True, False])
)
bursts = st.lists(publishes, max_size=3)

#: What becomes of a delivery.
hows = st.sampled_from(["ack", "throw away", "put back"])

Burst = list[tuple[set[str], bool, bool]]


@cache
def _machine() -> SpecMachine:
    return SpecMachine(MESSAGES, DURABLE)


class Behaviour(RuleBasedStateMachine):
    """A client of a broker; a subclass says of which.

    Attributes:
        found: what was not explained, in all runs so far.
    """

    serve: Callable[[], AbstractContextManager[Target]]
    found: list[str]

    def __init__(self) -> None:
        super().__init__()
        self._serving = type(self).serve()
        self.target = self._serving.__enter__()
        machine = _machine()
        machine.forget()
        where = self.target.host, self.target.port
        explanations = Directed(machine, PROCESSES, type(self).found)
        self.client = Client(*where, explanations, self.target.patience)
        self.lives = dict.fromkeys(LIVES, 0)
        self.published = 0
        self.ahead = 0
        self.held = False
        self.unacked: dict[int, tuple[int, str]] = {}
        for name in LIVES:
            self._delete_unseen(name)
            self._declare(name)

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
                self.release()
                self.settle()
                self.target.check()
        finally:
            self.client.close()
            self._serving.__exit__(None, None, None)

    # -- publishing -----------------------------------------------------------------------------

    @rule(burst=st.lists(publishes, min_size=1, max_size=AHEAD))
    def publish(self, burst: Burst) -> None:
        """Publish to some queues, or to none, as far as there may be more."""
        for to, mandatory, persistent in burst:
            if self.published == MESSAGES or self.ahead == AHEAD:
                return
            self.published += 1
            self.ahead += 1
            queues = frozenset(self.life(name) for name in to)
            tx = self.client.transactional
            one = Publish(self.published, queues, mandatory, persistent, tx)
            self.client.publish(one, self.published, sorted(to), mandatory, persistent)

    @rule(burst=bursts)
    def publish_and_ask(self, burst: Burst) -> None:
        """Publish, and wait until all of that was taken."""
        self.publish(burst)
        self.answer()

    def answer(self) -> None:
        """Ask for something whose answer is the last of what is under way to this client."""
        if self.client.transactional:
            self.client.ask(Simple("tx_select"), commands.Tx.Select(), commands.Tx.SelectOk)
        else:
            self.client.ask(Simple("select"), commands.Confirm.Select(), commands.Confirm.SelectOk)
        if len(self.client.unsettled) < AHEAD:
            self.ahead = len(self.client.unsettled)

    @precondition(lambda self: not self.held)
    @rule(burst=bursts)
    def publish_and_wait(self, burst: Burst) -> None:
        """Publish, and wait until everything is settled."""
        self.publish(burst)
        self.settle()

    def settle(self) -> None:
        """Wait until everything is settled."""
        self.answer()
        self.client.settle_all()
        self.answer()
        self.ahead = 0

    @precondition(lambda self: self.client.transactional and not self.held)
    @rule(burst=bursts, commits=st.booleans())
    def end(self, burst: Burst, commits: bool) -> None:
        """Commit, or roll back."""
        self.publish(burst)
        if commits:
            answers = commands.Tx.CommitOk, commands.Channel.Close
            one, method = Simple("tx_commit"), commands.Tx.Commit()
            answer, _ = self.client.ask(one, method, *answers)
            if isinstance(answer, commands.Channel.Close):
                assert answer.reply_text.endswith(Complaint.PARTIAL_COMPLETION.value)
                self._reopen(self.client.transactional, closed=True)
        else:
            self.client.ask(Simple("tx_rollback"), commands.Tx.Rollback(), commands.Tx.RollbackOk)
        self.ahead = 0

    @precondition(lambda self: not self.held)
    @rule(burst=bursts, transactional=st.integers(0, 3).map(lambda n: n == 0))
    def reopen(self, burst: Burst, transactional: bool) -> None:
        """Close the channel, whatever is under way, and open it again."""
        self.publish(burst)
        self._reopen(transactional, closed=False)

    def _reopen(self, transactional: bool, *, closed: bool) -> None:
        self.client.reopen(Close(), self.published, closed=closed)
        self.client.transactional = transactional
        self.ahead = 0
        self.answer()

    # -- what else a client does ----------------------------------------------------------------

    @rule(burst=bursts, name=names, no_ack=st.booleans(), times=st.integers(1, 3))
    def get(self, burst: Burst, name: str, no_ack: bool, times: int) -> None:
        """Ask for the head of a queue, a few times."""
        self.publish(burst)
        for _ in range(times):
            self._get(name, no_ack)

    @rule(name=names, how=hows)
    def look_at(self, name: str, how: str) -> None:
        """Ask for the head of a queue, and do something with it, twice."""
        for _ in range(2):
            tag = self._get(name, no_ack=False)
            if tag is not None:
                self._settle([tag], tag, False, how)

    def _get(self, name: str, no_ack: bool) -> int | None:
        """Ask for the head of a queue; return its delivery tag, if it is to be settled."""
        begun = self.client.begin()
        answers = commands.Basic.GetOk, commands.Basic.GetEmpty
        answer, text = self.client.call(commands.Basic.Get(queue=name, no_ack=no_ack), *answers)
        if isinstance(answer, commands.Basic.GetEmpty):
            self.client.did(Get(self.life(name), no_ack, None), begun)
            return None
        msg, tag = int(text), int(answer.delivery_tag)
        self.client.did(Get(self.life(name), no_ack, msg, bool(answer.redelivered)), begun)
        if no_ack:
            return None
        self.unacked[tag] = msg, self.life(name)
        return tag

    @rule(burst=bursts, name=names, no_ack=st.booleans())
    def consume(self, burst: Burst, name: str, no_ack: bool) -> None:
        """Start a consumer, and stop it."""
        self.publish(burst)
        begun = self.client.begin()
        consume = commands.Basic.Consume(queue=name, consumer_tag="c", no_ack=no_ack)
        self.client.call(consume, commands.Basic.ConsumeOk)
        self.client.call(commands.Basic.Cancel(consumer_tag="c"), commands.Basic.CancelOk)
        for tag, msg, redelivered in self.client.deliveries():
            self.client.did(Get(self.life(name), no_ack, msg, redelivered), begun)
            if not no_ack:
                self.unacked[tag] = msg, self.life(name)

    @rule(burst=bursts, how=hows, multiple=st.booleans())
    def acknowledge(self, burst: Burst, how: str, multiple: bool) -> None:
        """Settle the oldest delivery, or all of them."""
        self.publish(burst)
        if not self.unacked:
            return
        tag = max(self.unacked) if multiple else min(self.unacked)
        self._settle(sorted(t for t in self.unacked if t <= tag), tag, multiple, how)

    def _settle(self, tags: list[int], tag: int, multiple: bool, how: str) -> None:
        begun = self.client.begin()
        if how == "ack":
            self.client.tell(commands.Basic.Ack(tag, multiple))
        else:
            self.client.tell(commands.Basic.Nack(tag, multiple, how == "put back"))
        for one in tags:
            msg, queue = self.unacked.pop(one)
            self.client.did(Settle(msg, queue, how == "put back"), begun)

    @rule(burst=bursts, name=names)
    def purge(self, burst: Burst, name: str) -> None:
        """Drop all that is ready."""
        self.publish(burst)
        begun = self.client.begin()
        answer, _ = self.client.call(commands.Queue.Purge(queue=name), commands.Queue.PurgeOk)
        self.client.did(Purge(self.life(name), answer.message_count or 0), begun)

    @precondition(lambda self: not self.held)
    @rule(burst=bursts, name=names)
    def delete(self, burst: Burst, name: str) -> None:
        """Delete a queue, and declare another one of the same name."""
        self.publish(burst)
        if self.lives[name] + 1 == len(LIVES[name]):
            return
        begun = self.client.begin()
        answer, _ = self.client.call(commands.Queue.Delete(queue=name), commands.Queue.DeleteOk)
        self.client.did(Delete(self.life(name), answer.message_count), begun)
        self._forget_unacked(name)
        self.lives[name] += 1
        self._declare(name)

    # -- what goes wrong ------------------------------------------------------------------------

    @precondition(lambda self: "crash_queue" in self.target.faults)
    @rule(burst=bursts, name=names)
    def crash(self, burst: Burst, name: str) -> None:
        """Crash a queue."""
        self.publish(burst)
        begun = self.client.begin()
        if self.target.crash_queue(name):
            self.client.did(Crash(self.life(name)), begun)
            self._forget_unacked(name)

    @precondition(lambda self: self.target.faults >= {"crash_queue", "hold_fsync"})
    @rule(burst=st.lists(publishes, min_size=1, max_size=AHEAD), name=names)
    def crash_unsynced(self, burst: Burst, name: str) -> None:
        """Crash a queue that has something on its way to the disk."""
        if not self.held:
            self.hold([])
        self.crash([({name}, mandatory, persistent) for _, mandatory, persistent in burst], name)

    @precondition(lambda self: "restart_node" in self.target.faults and not self.held)
    @rule(burst=bursts, transactional=st.integers(0, 3).map(lambda n: n == 0))
    def restart(self, burst: Burst, transactional: bool) -> None:
        """Kill the node and start it again."""
        self.answer()
        self.publish(burst[: max(0, 2 - self.ahead)])
        taken, _ = self.client.begin()
        self.target.restart_node()
        self.client.reconnect(self.published)
        again = Restart(len(self.client.seen.inputs), self.published + 1)
        self.client.did(again, (taken, len(self.client.seen.frames)))
        self.client.transactional = transactional
        self.ahead = 0
        self.unacked.clear()
        self._declare("t")
        self.answer()

    @precondition(lambda self: "hold_fsync" in self.target.faults and not self.held)
    @rule(burst=bursts)
    def hold(self, burst: Burst) -> None:
        """Let no fsync return; what was published before is settled."""
        self.publish(burst)
        self.settle()
        begun = self.client.begin()
        self.target.hold_fsync()
        self.held = True
        self.client.did(Hold(True), begun)

    @precondition(lambda self: self.held)
    @rule()
    def release(self) -> None:
        """Let them return again."""
        if self.held:
            begun = self.client.begin()
            self.target.release_fsync()
            self.held = False
            self.client.did(Hold(False), begun)

    # -- help -----------------------------------------------------------------------------------

    def life(self, name: str) -> str:
        """Return which of the queues of a name is there now."""
        return LIVES[name][self.lives[name]]

    def _declare(self, name: str) -> None:
        declare = commands.Queue.Declare(queue=name, durable=name != "t")
        self.client.call(declare, commands.Queue.DeclareOk)

    def _delete_unseen(self, name: str) -> None:
        """Delete what an earlier run may have left."""
        self.client.call(commands.Queue.Delete(queue=name), commands.Queue.DeleteOk)

    def _forget_unacked(self, name: str) -> None:
        """A queue is gone, and what it had delivered with it."""
        life = self.life(name)
        self.unacked = {t: (m, q) for t, (m, q) in self.unacked.items() if q != life}


def against(serve: Callable[[], Any]) -> type[Behaviour]:
    """Return the behaviour of a client of a broker.

    Args:
        serve: gives a target, as a context manager; called for each run.
    """
    return type("Behaviour", (Behaviour,), {"serve": staticmethod(serve), "found": []})
