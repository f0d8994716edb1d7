"""How a client of the stateful test publishes: on a channel of either kind, waiting or not."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from pamqp import commands

from tests.explain.scenario import Burst, Scenario, bursts
from tests.explain.seen import Simple

__all__ = ["Publishing"]


class Publishing(Scenario):
    """Publishing, committing, and opening the channel again."""

    @rule(burst=bursts)
    def publish_and_ask(self, burst: Burst) -> None:
        """Publish, and wait until all of that was taken."""
        self.publish(burst)
        self.answer()

    @precondition(lambda self: not self.held)
    @rule(burst=bursts)
    def publish_and_wait(self, burst: Burst) -> None:
        """Publish, and wait until everything is settled or committed."""
        if self.client.transactional:
            self.end(burst, commits=True)
            return
        self.publish(burst)
        self.settle()

    @precondition(lambda self: self.client.transactional and not self.held)
    @rule(burst=bursts, commits=st.booleans())
    def end(self, burst: Burst, commits: bool) -> None:
        """Commit, or roll back."""
        self.publish(burst)
        if commits:
            self.commit()
        else:
            self.client.ask(Simple("tx_rollback"), commands.Tx.Rollback(), commands.Tx.RollbackOk)
            self.ahead = 0

    @precondition(lambda self: not self.held)
    @rule(burst=bursts, transactional=st.integers(0, 3).map(lambda n: n == 0))
    def reopen(self, burst: Burst, transactional: bool) -> None:
        """Close the channel, whatever is under way, and open it again."""
        self.before_closing(burst)
        self.open_again(transactional, closed=False)
