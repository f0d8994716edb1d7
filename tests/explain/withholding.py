"""What is held back for a while in a run of the stateful test, or comes in another order.

Either publishers are not told, or the disk does not answer, or it refuses.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from pamqp import commands

from tests.explain.operations import Fail, Hold, Release
from tests.explain.scenario import MESSAGES, Burst, bursts, some_publishes
from tests.explain.seen import Fate, Simple
from tests.explain.striking import Striking, confirming, free, offered, transactional
from tests.explain.using import numbers

__all__ = ["Withholding"]

#: The faults that hold a step back, and let it go.
_HOLDING = {
    "sync": ("hold_fsync", "release_fsync"),
    "flush": ("withhold_confirms", "release_confirms"),
}


class Withholding(Striking):
    """The faults of the disk, and of telling publishers."""

    # -- telling --------------------------------------------------------------------------------
    @offered("withhold_confirms")
    @rule(burst=bursts)
    def withhold(self, burst: Burst) -> None:
        """Let nothing be told to publishers."""
        self.publish(burst)
        if "flush" not in self.held:
            self.strike(Hold("flush"), "withhold_confirms")
            self.held.add("flush")

    @offered("delay_confirms")
    @confirming
    @rule(burst=bursts, to=st.sets(numbers, max_size=2))
    def delay(self, burst: Burst, to: set[int]) -> None:
        """Let the channel tell nothing, from some publish on."""
        self.publish(burst)
        if self.publish_to(Fate.MUTING, "delay_confirms", to) is not None:
            self.held.add("flush")
            self.answer()

    @offered("reorder_confirms")
    @confirming
    @free
    @rule(burst=some_publishes, drawn=st.booleans(), seed=st.integers(0, 9))
    def reorder(self, burst: Burst, drawn: bool, seed: int) -> None:
        """Have some publishes settled in another order."""
        self.settle()
        routed = [one for one in burst if one[0]][: min(self.most, MESSAGES - self.published)]
        if len(routed) > 1:
            order = "drawn" if drawn else "reversed"
            self.target.strike("reorder_confirms", len(routed), order, seed)
            self.publish(routed)
        self.settle()

    @offered("withhold_confirms")
    @transactional
    @free
    @rule(burst=some_publishes, step=st.sampled_from(list(_HOLDING)))
    def hold_commit(self, burst: Burst, step: str) -> None:
        """Commit while the disk is held, or nothing is told."""
        hold, release = _HOLDING[step if _HOLDING[step][0] in self.target.faults else "flush"]
        step = "sync" if hold == "hold_fsync" else "flush"
        self.publish(burst)
        self.strike(Hold(step), hold)
        self.client.send(Simple("tx_commit"), commands.Tx.Commit())
        read = self.client.linger()
        self.strike(Release(step), release)
        self.committed(among=read)

    # -- the disk -------------------------------------------------------------------------------
    @offered("fail_writes")
    @rule(burst=bursts, times=st.integers(1, 2))
    def fail_writes(self, burst: Burst, times: int) -> None:
        """Let the disk refuse something."""
        self.strike(Fail(), "fail_writes", times)
        self.publish(burst)

    @offered("hold_fsync")
    @free
    @rule(burst=bursts)
    def hold(self, burst: Burst) -> None:
        """Let no fsync return; what was published before is settled."""
        self.publish(burst)
        self.settle()
        self.strike(Hold("sync"), "hold_fsync")
        self.held.add("sync")

    @precondition(lambda self: self.held)
    @rule(first=st.sampled_from(["sync", "flush"]))
    def release(self, first: str) -> None:
        """Take again what was not taken, or some of it."""
        if self.held:
            step = first if first in self.held else next(iter(self.held))
            self.strike(Release(step), _HOLDING[step][1])
            self.held.discard(step)

    @precondition(lambda self: self.held)
    @rule(burst=bursts)
    def release_and_settle(self, burst: Burst) -> None:
        """Publish some more before everything goes on."""
        self.publish(burst)
        self.release_all()
        self.publish_and_wait([])

    def release_all(self) -> None:
        """Release what is held back."""
        while self.held:
            self.release("sync")
