"""Die Hard: measure four gallons with a jug of three, a jug of five, and a fountain.

The puzzle of the film "Die Hard with a Vengeance", and Lamport's first example.  What it shows:
claim that a puzzle has no solution, and the shortest counterexample is the shortest solution.

Counts: `tlatools/org.lamport.tlatools/test-model/DieHardTLA.tla` of github.com/tlaplus/tlaplus
states 16 distinct and 97 generated states and diameter 8; `DepthFirstDieHardTest.java` there
expects the solution of 7 states, which is 6 steps.
"""

from typing import Annotated

from ackproof.lang import Instance, Model, Range, System, action, invariant, properties_in


class DieHard(System):
    """Two jugs, by the gallons in them."""

    small: Annotated[int, Range(0, 3)]
    big: Annotated[int, Range(0, 5)]

    @action
    def fill_small(self) -> None:
        """Fill the small jug at the fountain."""
        self.small = 3

    @action
    def fill_big(self) -> None:
        """Fill the big jug at the fountain."""
        self.big = 5

    @action
    def empty_small(self) -> None:
        """Pour the small jug out."""
        self.small = 0

    @action
    def empty_big(self) -> None:
        """Pour the big jug out."""
        self.big = 0

    @action
    def small_to_big(self) -> None:
        """Pour until the small jug is empty or the big one is full."""
        poured = min(self.small, 5 - self.big)
        self.small -= poured
        self.big += poured

    @action
    def big_to_small(self) -> None:
        """Pour until the big jug is empty or the small one is full."""
        poured = min(self.big, 3 - self.small)
        self.big -= poured
        self.small += poured


@invariant
def NeverFourGallons(s: DieHard) -> bool:
    """The puzzle has no solution; it is false."""
    return s.big != 4


MODEL = Model(
    "die hard",
    DieHard,
    properties_in(NeverFourGallons),
    (Instance("jugs", "three and five gallons", sizes={}, states=16),),
    deadlock_free=True,
)
