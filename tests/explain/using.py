"""What a client of the stateful test does beside publishing."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule
from pamqp import commands

from tests.explain.operations import Delete, Get, Purge, Settle
from tests.explain.publishing import Publishing
from tests.explain.scenario import Burst, bursts

__all__ = ["Using", "numbers"]

numbers = st.integers(0, 2)

#: What becomes of a delivery.
hows = st.sampled_from(["ack", "throw away", "put back"])


class Using(Publishing):
    """Getting, consuming, settling; purging and deleting."""

    @rule(burst=bursts, i=numbers, no_ack=st.booleans(), times=st.integers(1, 3))
    def get(self, burst: Burst, i: int, no_ack: bool, times: int) -> None:
        """Ask for the head of a queue, a few times."""
        self.publish(burst)
        for _ in range(times):
            self.get_once(i, no_ack)

    @rule(i=numbers, how=hows, persistent=st.booleans())
    def look_at(self, i: int, how: str, persistent: bool) -> None:
        """Ask for the head of a queue that has something, and do something with it, twice."""
        self.publish_one({i}, False, persistent)
        self.answer()
        for _ in range(2):
            tag = self.get_once(i, no_ack=False)
            if tag is not None:
                self._settle([tag], tag, False, how)

    def get_once(self, i: int, no_ack: bool) -> int | None:
        """Ask for the head of a queue; return its delivery tag, if it is to be settled."""
        begun = self.client.begin()
        get = commands.Basic.Get(queue=self.queues[i].name, no_ack=no_ack)
        _, answer, text = self.client.call(get, commands.Basic.GetOk, commands.Basic.GetEmpty)
        if isinstance(answer, commands.Basic.GetEmpty):
            self.client.did(begun, Get(self.life(i), no_ack, None))
            return None
        msg, tag = int(text), int(answer.delivery_tag)
        self.client.did(begun, Get(self.life(i), no_ack, msg, bool(answer.redelivered)))
        if no_ack:
            return None
        self.unacked[tag] = msg, self.life(i)
        return tag

    @rule(burst=bursts, i=numbers, no_ack=st.booleans())
    def consume(self, burst: Burst, i: int, no_ack: bool) -> None:
        """Start a consumer, and stop it."""
        if self.expiring:
            self.settle_what_may_be()
        else:
            self.publish(burst)
        begun = self.client.begin()
        name = self.queues[i].name
        consume = commands.Basic.Consume(queue=name, consumer_tag="c", no_ack=no_ack)
        self.client.call(consume, commands.Basic.ConsumeOk)
        self.client.call(commands.Basic.Cancel(consumer_tag="c"), commands.Basic.CancelOk)
        got = self.client.deliveries()
        self.client.did(begun, *(Get(self.life(i), no_ack, msg, again) for _, msg, again in got))
        if not no_ack:
            self.unacked |= {tag: (msg, self.life(i)) for tag, msg, _ in got}

    def settle_what_may_be(self) -> None:
        """Let nothing be under way to a queue: a consumer would save what has no time (B4.1)."""
        if not self.held and not self.client.transactional:
            self.settle()

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
        settled = [self.unacked.pop(one) for one in tags]
        self.client.did(begun, *(Settle(msg, queue, how == "put back") for msg, queue in settled))

    @rule(burst=bursts, i=numbers)
    def purge(self, burst: Burst, i: int) -> None:
        """Drop all that is ready in a queue."""
        self.publish(burst)
        self._purge(i)

    def empty(self) -> None:
        """Drop all that is ready, so that it does not matter any more what that was."""
        for i in range(len(self.queues)):
            self._purge(i)
        self.answer()

    def _purge(self, i: int) -> None:
        begun = self.client.begin()
        purge = commands.Queue.Purge(queue=self.queues[i].name)
        answer = self.client.call(purge, commands.Queue.PurgeOk).method
        self.client.did(begun, Purge(self.life(i), answer.message_count or 0))

    @rule(burst=bursts, i=numbers)
    def delete(self, burst: Burst, i: int) -> None:
        """Delete a queue, and declare another one of the same name."""
        if self.publish_few(burst) and self.may_be_deleted(i):
            begun = self.client.begin()
            delete = commands.Queue.Delete(queue=self.queues[i].name)
            answer = self.client.call(delete, commands.Queue.DeleteOk).method
            self.client.did(begun, Delete(self.life(i), answer.message_count))
            self.deleted(i)
