"""What goes wrong in a run of the stateful test: queues, connections and the node."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule
from pamqp import commands

from tests.explain.operations import Alarm, Crash, Cut, Delete, Restart
from tests.explain.scenario import FEW, MESSAGES, Burst, bursts, some_publishes
from tests.explain.seen import Fate, Simple
from tests.explain.striking import free, offered
from tests.explain.using import numbers
from tests.explain.withholding import Withholding

__all__ = ["Accidents"]


class Accidents(Withholding):
    """The faults of a broker with queues of one process."""

    # -- queues ---------------------------------------------------------------------------------
    @offered("crash_queue")
    @rule(burst=bursts, i=numbers)
    def crash(self, burst: Burst, i: int) -> None:
        """Crash a queue."""
        if not self.publish_few(burst):
            return
        begun = self.client.begin()
        try:
            self.target.strike("crash_queue", self.queues[i].name)
        except ValueError:  # it is down already
            self.client.did(begun)
            return
        self.client.did(begun, Crash(self.life(i)))
        self.crashed(i)

    @offered("crash_queue", "hold_fsync")
    @rule(burst=some_publishes, i=numbers)
    def crash_unsynced(self, burst: Burst, i: int) -> None:
        """Crash a queue that has something on its way to the disk."""
        if not self.held:
            self.hold([])
        self.crash([({i}, *one[1:]) for one in burst], i)
        self.release_all()

    @offered("delete_queue")
    @rule(burst=bursts, i=numbers)
    def delete_behind(self, burst: Burst, i: int) -> None:
        """Delete a queue behind the back of its clients."""
        if self.publish_few(burst) and self.may_be_deleted(i):
            self.strike(Delete(self.life(i), None), "delete_queue", self.queues[i].name)
            self.deleted(i)

    @offered("crash_next")
    @free
    @rule(burst=bursts, after=bursts, to=st.sets(numbers, min_size=1, max_size=2))
    def crash_next(self, burst: Burst, after: Burst, to: set[int]) -> None:
        """Crash the queues of a publish, with others before it and after it."""
        to = {i for i in to if not self.queues[i].kind.mirrors} or {1}
        self.look_closer(FEW)
        few = self.publish_few(burst)
        if few and self.publish_to(Fate.FATAL, "crash_next", to) is not None:
            self.publish(after[: self.few - 1])
            self.settle_or_commit()
            for i in to:
                self.crashed(i)

    @offered("delete_next")
    @free
    @rule(burst=bursts, after=bursts, to=st.sets(numbers, min_size=1, max_size=2))
    def delete_next(self, burst: Burst, after: Burst, to: set[int]) -> None:
        """Delete the queues of a publish, with others before it and after it."""
        to = {i for i in to if self.may_be_deleted(i)}
        self.look_closer(FEW)
        few = self.publish_few(burst)
        if few and to and self.publish_to(Fate.FINAL, "delete_next", to) is not None:
            self.publish(after[: self.few - 1])
            self.settle_or_commit()
            for i in to:
                self.deleted(i)

    @offered("nack_next")
    @rule(burst=bursts, after=bursts, to=st.sets(numbers, min_size=1, max_size=2))
    def nack_next(self, burst: Burst, after: Burst, to: set[int]) -> None:
        """Have a publish refused, with others before it and after it."""
        self.publish(burst)
        self.publish_to(Fate.REFUSED, "nack_next", to)
        self.publish(after)

    # -- connections, and the node --------------------------------------------------------------

    @offered("drop_connection")
    @free
    @rule(burst=bursts, to=st.sets(numbers, max_size=2), told=st.booleans(), tx=st.booleans())
    def drop(self, burst: Burst, to: set[int], told: bool, tx: bool) -> None:
        """Break the connection when a publish is settled, before or after that is told."""
        self.before_closing(burst)
        if self.published == MESSAGES or self.ahead >= self.most:
            return
        when = "after_confirm" if told else "before_confirm"
        self.target.strike("drop_connection", when, header={"number": self.published + 1})
        begun = self.client.begin()
        msg = self.publish_one(to, False, True)
        if self.client.transactional:
            self.answer()
            begun = self.client.begin()
            self.client.send(Simple("tx_commit"), commands.Tx.Commit())
        assert msg is not None
        self.client.reconnect(self.published)
        cut = Cut(msg, told, len(self.client.seen.inputs), self.published + 1)
        self.client.did(begun, cut)
        self.unacked.clear()
        self.started_over(tx)

    @offered("restart_node")
    @free
    @rule(burst=bursts, tx=st.integers(0, 3).map(lambda n: n == 0))
    def restart(self, burst: Burst, tx: bool) -> None:
        """Kill the node and start it again."""
        self.publish_few(burst)
        taken, _ = self.client.begin()
        self.target.strike("restart_node")
        self.client.reconnect(self.published)
        again = Restart(len(self.client.seen.inputs), self.published + 1)
        self.client.did((taken, len(self.client.seen.frames)), again)
        self.unacked.clear()
        for i, one in enumerate(self.queues):
            if not one.kind.durable:
                self.declare(i)
        self.started_over(tx)

    @offered("block")
    @rule(before=bursts, burst=some_publishes)
    def block(self, before: Burst, burst: Burst) -> None:
        """Be short of memory, while the client publishes, and hear of what was before."""
        self.publish(before)
        self.answer()
        self.strike(Alarm(True), "block")
        first = self.published + 1
        self.publish(burst)
        if self.published >= first:
            self.client.wait_until_blocked()
        if not self.held and not self.client.transactional:
            self.client.settle_all(but=first)
        self.strike(Alarm(False), "unblock")
        self.answer()
