"""Two counters without an end: what state constraints are for.

Each is raised by one as long as anybody likes; there is a step that takes both back to the
beginning.  Nothing bounds them but the ranges of their types, which are far away, and the
constraints: that their sum is small, and that the first one is not far ahead.
"""

from typing import Annotated

from ackproof.lang import (
    Const,
    Instance,
    Model,
    Range,
    System,
    action,
    constraint,
    eventually,
    invariant,
    properties_in,
    reachable,
    require,
    step_property,
)

FAR = 40


class Counting(System):
    """Two counters and a lamp."""

    most: Const[Annotated[int, Range(0, FAR)]] = 6
    ahead: Const[Annotated[int, Range(0, FAR)]] = 2
    a: Annotated[int, Range(0, FAR)]
    b: Annotated[int, Range(0, FAR)]
    lit: bool

    @action
    def raise_a(self) -> None:
        """Raise the first one."""
        require(self.a < FAR)
        self.a += 1

    @action(fair="weak")
    def raise_b(self) -> None:
        """Raise the second one."""
        require(self.b < FAR)
        self.b += 1

    @action
    def begin_again(self) -> None:
        """Begin a round while both are the same, and not at its beginning."""
        require(self.a == self.b and self.a > 0)
        self.a = 0
        self.b = 0

    @action(fair="weak")
    def switch(self) -> None:
        """Switch the lamp on or off, while the counters are equal."""
        require(self.a == self.b)
        self.lit = not self.lit


@constraint
def SmallSum(s: Counting) -> bool:
    """The counters are small together."""
    return s.a + s.b <= s.most


@constraint
def NotAhead(s: Counting) -> bool:
    """The first one is not far ahead."""
    return s.a <= s.b + s.ahead


@invariant
def WithinOneOfTheConstraints(s: Counting) -> bool:
    """A step leads at most one beyond them: what is cut is looked at, and nothing behind it."""
    return s.a + s.b <= s.most + 1 and s.a <= s.b + s.ahead + 1


@invariant
def Within(s: Counting) -> bool:
    """What the constraints say; it is false where a state is cut."""
    return s.a + s.b <= s.most and s.a <= s.b + s.ahead


@step_property
def NeverBeyond(before: Counting, after: Counting) -> bool:
    """No step leads beyond the first constraint; it is false of those that lead to a cut state."""
    return after.a + after.b <= after.most


@reachable
def Cut(s: Counting) -> bool:
    """A state that is cut is seen."""
    return s.a + s.b == s.most + 1


@eventually
def Lit(s: Counting) -> bool:
    """The lamp is on again and again."""
    return s.lit


@eventually
def Large(s: Counting) -> bool:
    """The counters become large, which they do only in states that are cut."""
    return s.a + s.b > s.most


@eventually
def Small(s: Counting) -> bool:
    """The counters are small again and again; without constraints they may stay large."""
    return s.a + s.b <= s.most


MODEL = Model(
    "counting",
    Counting,
    properties_in(
        SmallSum, NotAhead, WithinOneOfTheConstraints, Within, NeverBeyond, Cut, Lit, Large, Small
    ),
    (Instance("small", "sums up to six", sizes={}),),
)
