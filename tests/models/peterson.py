"""Peterson's algorithm: mutual exclusion of two processes with three shared bits.

G. L. Peterson, "Myths about the mutual exclusion problem", IPL 12(3), 1981, one step per access
to shared memory.  What it shows: an enum as the index of a map and as an action's parameter, and
a constant that an instance sets: a process that may not enter either waits or looks again.

Counts: 42 distinct and 77 generated states and 11 levels if it waits are stated by the manifest of
`specifications/locks_auxiliary_vars` (Peterson.cfg) in github.com/tlaplus/Examples; 42, 85 and 11
if it looks again, each look being a step, by `test/pcal/PetersonTest.java` of
github.com/tlaplus/tlaplus.
"""

from enum import Enum

from ackproof.lang import (
    Const,
    Instance,
    Map,
    Model,
    System,
    action,
    helper,
    invariant,
    properties_in,
    reachable,
    require,
)


class Side(Enum):
    """The two processes."""

    LEFT = "left"
    RIGHT = "right"


class Place(Enum):
    """What a process does next."""

    IDLE = "idle"
    RAISE_FLAG = "raise flag"
    YIELD_TURN = "yield turn"
    WAIT = "wait"
    CRITICAL = "critical section"
    LOWER_FLAG = "lower flag"


@helper
def other(side: Side) -> Side:
    """Return the process opposite."""
    return Side.RIGHT if side == Side.LEFT else Side.LEFT


class Peterson(System):
    """Two program counters and the shared bits."""

    at: Map[Side, Place]
    flag: Map[Side, bool]
    turn: Side
    busy: Const[bool] = False

    @helper
    def may_enter(self, p: Side) -> bool:
        """Whether the other is not interested, or it is our turn."""
        return not self.flag[other(p)] or self.turn == p

    @action
    def become_interested(self, p: Side) -> None:
        """Leave the part of the program that needs no protection."""
        require(self.at[p] == Place.IDLE)
        self.at[p] = Place.RAISE_FLAG

    @action
    def raise_flag(self, p: Side) -> None:
        """Say that one wants to enter."""
        require(self.at[p] == Place.RAISE_FLAG)
        self.flag[p] = True
        self.at[p] = Place.YIELD_TURN

    @action
    def yield_turn(self, p: Side) -> None:
        """Let the other go first."""
        require(self.at[p] == Place.YIELD_TURN)
        self.turn = other(p)
        self.at[p] = Place.WAIT

    @action
    def enter(self, p: Side) -> None:
        """Enter; if that is not allowed, wait, or look and find out."""
        require(self.at[p] == Place.WAIT and (self.busy or self.may_enter(p)))
        if self.may_enter(p):
            self.at[p] = Place.CRITICAL

    @action
    def leave(self, p: Side) -> None:
        """Leave the critical section."""
        require(self.at[p] == Place.CRITICAL)
        self.at[p] = Place.LOWER_FLAG

    @action
    def lower_flag(self, p: Side) -> None:
        """Say that one is done."""
        require(self.at[p] == Place.LOWER_FLAG)
        self.flag[p] = False
        self.at[p] = Place.IDLE


@invariant
def MutualExclusion(s: Peterson) -> bool:
    """The two are never in the critical section together."""
    return not all(s.at[p] == Place.CRITICAL or s.at[p] == Place.LOWER_FLAG for p in Side)


@invariant
def FlagsTellTheTruth(s: Peterson) -> bool:
    """A flag is up from the moment it is raised until it is lowered."""
    return all(s.flag[p] == (s.at[p] not in {Place.IDLE, Place.RAISE_FLAG}) for p in Side)


@reachable
def BothWait(s: Peterson) -> bool:
    """The two meet at the gate."""
    return all(s.at[p] == Place.WAIT for p in Side)


MODEL = Model(
    "peterson",
    Peterson,
    properties_in(MutualExclusion, FlagsTellTheTruth, BothWait),
    (
        Instance("await", "a process that may not enter waits", sizes={}, states=42),
        Instance(
            "busy",
            "a process that may not enter looks again",
            sizes={},
            states=42,
            constants={"Peterson.busy": True},
        ),
    ),
    deadlock_free=True,
)
