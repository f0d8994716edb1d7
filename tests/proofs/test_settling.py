"""Every publish settles, and of a broker in which one does not the ranking shows where."""

from __future__ import annotations

import pytest
from ackproof.lang import Design, action, handler, require
from ackproof.model.check import check
from ackproof.proofs.attempt import prepare
from ackproof.proofs.discharge import PROVED, REFUTED, discharged
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import ChannelId, Level, Msg
from ackproof.spec.store import Store
from ackproof.spec.system import Confirms

from tests.exploring import sample

GOAL = "EveryPublishSettles"

#: How many obligations are decided in a usual run; all of them take more than a minute.
SOME = 12


class SilentChannels(Confirms):
    """Channels that tell what is settled if they like to."""

    @action
    def flush(self, channel: ChannelId) -> None:
        """As ever, but it need not happen."""
        super().flush(channel)


class LazyStore(Store):
    """A store that syncs what was written, and need not write."""

    @handler
    def sync(self, msg: Msg) -> None:
        """Only what the kernel has gets to the disk."""
        require(self.level[msg] == Level.WRITTEN)
        super().sync(msg)


@pytest.mark.parametrize(
    ("design", "fails"),
    [
        (Design("It is told in the end.", replace=(SilentChannels,)), "ToBeTold/fairness"),
        (Design("The kernel writes in the end.", replace=(LazyStore,)), "ToBeSynced/enabling"),
    ],
)
def test_a_broker_that_need_not_settle_is_noticed(design: Design, fails: str) -> None:
    obligations = prepare(MODEL, LIBRARY, [GOAL], design).obligations
    [one] = [o for o in obligations.of_one(GOAL) if o.name == f"{GOAL}/{fails}"]
    assert discharged(obligations, one, 5.0).status == REFUTED
    tiny = MODEL.instance("tiny")
    assert tiny is not None
    found = check(MODEL, tiny, design, properties=[GOAL])
    assert [trace.property for trace in found.traces] == [GOAL]


@pytest.mark.slow
def test_the_obligations_of_its_ranking_are_met() -> None:
    obligations = prepare(MODEL, LIBRARY, [GOAL]).obligations
    chosen = sample(list(obligations.of_one(GOAL)), SOME)
    failed = [o.name for o in chosen if discharged(obligations, o, 20.0).status != PROVED]
    assert failed == []
