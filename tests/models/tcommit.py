"""Transaction commit: what any commit protocol has to achieve, before there is a protocol.

Gray and Lamport's specification that two-phase commit implements.  What it shows: guards that
look at every element of a sort, and a system that ends (every path comes to a state without
steps, so `deadlock_free` is left off).

Counts: `specifications/transaction_commit/TCommit.cfg` of github.com/tlaplus/Examples, whose
manifest states 34 distinct and 94 generated states and 7 levels for three managers; the other
sizes are TLC 2.15's on the same module.
"""

from enum import Enum

from ackproof.lang import (
    Instance,
    Map,
    Model,
    Sort,
    System,
    action,
    helper,
    invariant,
    properties_in,
    reachable,
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


class TCommit(System):
    """Resource managers that see each other's state, which no real one can."""

    phase: Map[Manager, Phase]

    @helper
    def undecided(self, m: Manager) -> bool:
        """Whether a manager has neither committed nor aborted."""
        return self.phase[m] == Phase.WORKING or self.phase[m] == Phase.PREPARED

    @action
    def prepare(self, m: Manager) -> None:
        """A manager becomes ready to commit."""
        require(self.phase[m] == Phase.WORKING)
        self.phase[m] = Phase.PREPARED

    @action
    def commit(self, m: Manager) -> None:
        """A manager commits once everybody is prepared."""
        require(self.phase[m] == Phase.PREPARED)
        require(all(self.phase[other] in {Phase.PREPARED, Phase.COMMITTED} for other in Manager))
        self.phase[m] = Phase.COMMITTED

    @action
    def abort(self, m: Manager) -> None:
        """A manager aborts as long as nobody has committed."""
        require(self.undecided(m))
        require(all(self.phase[other] != Phase.COMMITTED for other in Manager))
        self.phase[m] = Phase.ABORTED


@invariant
def Agreement(s: TCommit) -> bool:
    """Nobody has aborted if somebody has committed."""
    return all(s.phase[m] != Phase.ABORTED for m in Manager) or all(
        s.phase[m] != Phase.COMMITTED for m in Manager
    )


@reachable
def EverybodyCommits(s: TCommit) -> bool:
    """The transaction can succeed."""
    return all(s.phase[m] == Phase.COMMITTED for m in Manager)


MODEL = Model(
    "transaction commit",
    TCommit,
    properties_in(Agreement, EverybodyCommits),
    tuple(
        Instance(f"rm{n}", f"{n} resource managers", sizes={Manager: n}, states=states)
        for n, states in {2: 12, 3: 34, 4: 96, 5: 274, 6: 792}.items()
    ),
)
