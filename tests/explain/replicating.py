"""What happens to the processes of a mirrored queue, in a run of the stateful test."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.explain.accidents import Accidents
from tests.explain.machine import Kind
from tests.explain.mirrored import Mirrored
from tests.explain.operations import Hold, Kill, Release, Revive
from tests.explain.scenario import Burst, Named, bursts, some_publishes
from tests.explain.striking import confirming, free, offered

__all__ = ["Replicating"]

#: How many processes may join.
SPARES = 2
MIRRORED = Kind(mirrors=1, spares=SPARES)


class Replicating(Accidents):
    """One queue with a mirror, another one without since it is not durable, and one with a limit.

    Attributes:
        processes: for each replica that runs, its number in the broker and its name in the
            specification; the first one leads.
    """

    queues = (
        Named("m", MIRRORED, lives=1),
        Named("t", Kind(durable=False)),
        Named("u", Kind(durable=False, limit=2), {"x-max-length": 2}),
    )
    explaining = Mirrored
    most = 2

    def __init__(self) -> None:
        super().__init__()
        self.processes = [(0, "r1"), (1, "r2")]
        self.spares = ["r3", "r4"]

    @offered("kill_replica")
    @free
    @rule(burst=bursts, mirror=st.booleans())
    def kill(self, burst: Burst, mirror: bool) -> None:
        """Kill the process that leads, or its mirror."""
        self.publish_few([({0}, *one[1:]) for one in burst])
        self._kill(mirror)

    def _kill(self, mirror: bool) -> None:
        number, replica = self.processes[-1 if mirror else 0]
        self.strike(Kill("m1", replica), "kill_replica", "m", number)
        self.died(replica)

    def died(self, replica: str) -> None:
        """A process is gone; the last one comes back by itself."""
        if replica == self.processes[0][1]:
            self.forget_unacked(0)
        if len(self.processes) > 1:
            self.processes = [one for one in self.processes if one[1] != replica]

    @offered("restart_replica")
    @precondition(lambda self: self.spares and len(self.processes) == 1)
    @free
    @rule()
    def revive(self) -> None:
        """Start a process again; it has everything when it is there."""
        if not self.client.transactional:
            self.settle()
        number = 1 - self.processes[0][0]
        replica = self.spares.pop(0)
        self.strike(Revive("m1", replica), "restart_replica", "m", number)
        self.processes.append((number, replica))

    @offered("slow_replica")
    @precondition(lambda self: len(self.processes) == 2)
    @confirming
    @free
    @rule(burst=some_publishes, kills=st.booleans())
    def slow(self, burst: Burst, kills: bool) -> None:
        """Let a mirror do nothing while there are publishes, and it may have to lead."""
        self.settle()
        number, replica = self.processes[1]
        self.strike(Hold(replica), "slow_replica", "m", number)
        self.publish_few([({0}, *one[1:]) for one in burst])
        self.client.linger()
        if kills:
            self._kill(mirror=False)
        self.strike(Release(replica), "release_replica", "m", number)
        self.settle()

    # -- what else ends a process, or a channel --------------------------------------------------

    def crashed(self, i: int) -> None:
        """The process that leads a queue has crashed."""
        super().crashed(i)
        if i == 0:
            self.died(self.processes[0][1])

    def before_closing(self, burst: Burst) -> None:
        """Let nothing be under way: mirrors forget what a channel has sent that is closed."""
        if not self.client.transactional:
            self.settle()
