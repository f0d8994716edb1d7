"""Two-phase commit: resource managers agree, through a transaction manager, to commit or to abort.

Gray and Lamport's protocol ("Consensus on Transaction Commit", TODS 31(1), 2006) with messages
that are never lost and never consumed: sending is adding to a set.  What it shows: sets, a map over
a sort, and instances that say how many managers there are, which the protocol does not.

Counts: `specifications/transaction_commit/TwoPhase.tla` of github.com/tlaplus/Examples, whose
manifest states 288 distinct and 1,146 generated states and 11 levels for three managers, and whose
closing comment states 50,816 for six; the other sizes are TLC 2.15's on the same module.
"""

from enum import Enum

from ackproof.lang import (
    Instance,
    Map,
    Model,
    Set,
    Sort,
    System,
    action,
    invariant,
    properties_in,
    require,
)


class Manager(Sort, prefix="rm"):
    """A resource manager."""


class Phase(Enum):
    """How far a resource manager is."""

    WORKING = "working"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Decision(Enum):
    """What the transaction manager has decided."""

    OPEN = "open"
    COMMIT = "commit"
    ABORT = "abort"


class TwoPhaseCommit(System):
    """All resource managers, the transaction manager, and every message ever sent."""

    phase: Map[Manager, Phase]
    decision: Decision
    heard: Set[Manager]  # the transaction manager knows that these are prepared
    prepared_sent: Set[Manager]
    commit_sent: bool
    abort_sent: bool

    @action
    def decide_commit(self) -> None:
        """Everybody is prepared."""
        require(self.decision == Decision.OPEN and self.heard == set(Manager))
        self.decision = Decision.COMMIT
        self.commit_sent = True

    @action
    def decide_abort(self) -> None:
        """The transaction manager may give up at any time before it has decided."""
        require(self.decision == Decision.OPEN)
        self.decision = Decision.ABORT
        self.abort_sent = True

    @action
    def hear_prepared(self, m: Manager) -> None:
        """The transaction manager receives `Prepared(m)`, perhaps once more."""
        require(self.decision == Decision.OPEN and m in self.prepared_sent)
        self.heard.add(m)

    @action
    def prepare(self, m: Manager) -> None:
        """A resource manager promises to commit if it is told to."""
        require(self.phase[m] == Phase.WORKING)
        self.phase[m] = Phase.PREPARED
        self.prepared_sent.add(m)

    @action
    def choose_to_abort(self, m: Manager) -> None:
        """A resource manager that has promised nothing may abort by itself."""
        require(self.phase[m] == Phase.WORKING)
        self.phase[m] = Phase.ABORTED

    @action
    def obey_commit(self, m: Manager) -> None:
        """A resource manager receives the commit message."""
        require(self.commit_sent)
        self.phase[m] = Phase.COMMITTED

    @action
    def obey_abort(self, m: Manager) -> None:
        """A resource manager receives the abort message."""
        require(self.abort_sent)
        self.phase[m] = Phase.ABORTED


@invariant
def Agreement(s: TwoPhaseCommit) -> bool:
    """Nobody has aborted if somebody has committed."""
    return not any(
        s.phase[a] == Phase.ABORTED and s.phase[c] == Phase.COMMITTED
        for a in Manager
        for c in Manager
    )


STATES = {2: 56, 3: 288, 4: 1_568, 5: 8_832, 6: 50_816, 7: 296_448, 8: 1_745_408, 9: 10_340_352}

MODEL = Model(
    "two-phase commit",
    TwoPhaseCommit,
    properties_in(Agreement),
    tuple(
        Instance(f"rm{n}", f"{n} resource managers", sizes={Manager: n}, states=states)
        for n, states in STATES.items()
    ),
)
