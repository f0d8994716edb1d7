"""What happens to a cluster of three nodes, in a run of the stateful test.

One node is cut off, or all but that of the clients.  In the first case the rest goes on when it has
noticed, and in the second one nothing is told any more, until the clients' node pauses.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.explain.accidents import Accidents
from tests.explain.machine import Kind
from tests.explain.operations import Heal, Notice, Part, Pause, Revive
from tests.explain.parted import Parted
from tests.explain.scenario import Burst, Named, bursts, some_publishes
from tests.explain.striking import offered

__all__ = ["Parting"]

#: The numbers of the nodes by their names.
_NUMBERS = {"n2": 1, "n3": 2}
#: A queue with two mirrors, of which the first is cut off once, and then the master.
_MIRRORED = Kind(mirrors=2, spares=2, nodes=("n1", "n2", "n3", "n2", "n1"))
_AT_HOME = ("n1",)


class Parting(Accidents):
    """One queue on three nodes, and two on that of the clients.

    Attributes:
        spares: the processes that have not joined, with their nodes.
    """

    queues = (
        Named("m", _MIRRORED, lives=1),
        Named("t", Kind(durable=False, nodes=_AT_HOME)),
        Named("u", Kind(durable=False, limit=2, nodes=_AT_HOME), {"x-max-length": 2}),
    )
    explaining = Parted
    most = 2

    def __init__(self) -> None:
        super().__init__()
        self.spares = [("r4", "n2"), ("r5", "n1")]

    @offered("partition")
    @rule(burst=some_publishes, others=st.booleans())
    def part_and_heal(self, burst: Burst, others: bool) -> None:
        """Cut off one node, or both, and mend that before anybody has noticed."""
        self.part(frozenset({"n2", "n3"} if others else {"n3"}))
        self.publish(burst)
        self.client.linger()
        self.strike(Heal(), "heal")
        self.settle()

    @offered("partition")
    @precondition(lambda run: len(run.spares) > 1)
    @rule(before=bursts, after=bursts)
    def cut_off(self, before: Burst, after: Burst) -> None:
        """Cut off a node, notice it some time, and get it back."""
        replica, node = self.spares.pop(0)
        self.part(frozenset({node}))
        self.publish(before)
        self.client.linger()
        self.strike(Notice(), "notice_partition")
        self.settle()
        self.publish(after)
        self.settle()
        begun = self.client.begin()
        self.target.strike("heal")
        self.client.did(begun, Heal(), Revive("m1", replica))

    @offered("partition")
    @precondition(lambda run: run.spares)
    @rule(before=bursts, after=bursts, i=st.integers(0, 2), tx=st.booleans())
    def pause(self, before: Burst, after: Burst, i: int, tx: bool) -> None:
        """Cut off all others, notice it, and let the clients' node pause and start again."""
        if len(self.spares) > 1:
            self.cut_off(before, [])
        replica, _ = self.spares.pop(0)
        self.part(frozenset({"n2", "n3"}))
        self.publish(before[:1])
        self.client.linger()
        self.strike(Notice(), "notice_partition")
        self.publish(after[:1])
        self.client.linger()
        self.get_once(i, no_ack=True)
        begun = self.client.begin()
        self.target.strike("pause_minority")
        self.client.wait_for_end()
        self.target.strike("heal")
        self.client.come_back(self.published)
        paused = Pause(len(self.client.seen.inputs), self.published + 1)
        self.client.did(begun, paused, Revive("m1", replica))
        self.unacked.clear()
        for number in (1, 2):
            self.declare(number)
        self.started_over(tx)

    def part(self, nodes: frozenset[str]) -> None:
        """Let the network fall apart, when nothing is under way on a channel in confirm mode."""
        self.release_all()
        if self.client.transactional:
            self.open_again(False, closed=False)
        self.settle()
        away = sorted(_NUMBERS[node] for node in nodes)
        self.strike(Part(nodes), "partition", away, ticktime=1e6)

    def before_closing(self, burst: Burst) -> None:
        """Let nothing be under way: mirrors forget what a channel has sent that is closed."""
        if not self.client.transactional:
            self.settle()
