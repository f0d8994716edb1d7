"""A door with a bell, and designs that a visitor can or cannot tell from it.

The bell rings once or twice after each push, but after two single rings a double one has to come.
"""

from __future__ import annotations

from typing import Annotated

from ackproof.lang import (
    Design,
    Event,
    Ghost,
    Instance,
    Model,
    OrderedSort,
    Range,
    System,
    action,
    helper,
    require,
)

__all__ = [
    "BELLS",
    "FORGETFUL",
    "IN_ONE_STEP",
    "LEFT_HANDED",
    "NEVER_TWICE",
    "THOUGHTFUL",
    "Hand",
    "Porch",
]

Few = Annotated[int, Range(0, 4)]


class Rung(Event):
    """The bell rings."""

    again: bool


class Door(System):
    """A door with a bell."""

    left: Few = 4
    single: Few = 0
    thinking: bool = False
    rung: Ghost[Few] = 0
    second: bool = False

    @action
    def once(self) -> None:
        """It rings once."""
        require(self.left > 0 and self.single < 2 and not self.second and not self.thinking)
        self.left -= 1
        self.single += 1
        self.rung = 1
        self.emit(Rung(False))

    @action
    def twice(self) -> None:
        """It rings for the first time of two."""
        require(self.left > 0 and not self.second and not self.thinking)
        self.left -= 1
        self.single = 0
        self.rung = 2
        self.emit(Rung(False))
        self.second = True

    @action
    def again(self) -> None:
        """And for the second."""
        require(self.second)
        self.second = False
        self.emit(Rung(True))

    @action
    def think(self) -> None:
        """Nobody sees this, and in the base it is never done."""
        require(self.idle())
        self.thinking = not self.thinking

    @helper
    def idle(self) -> bool:
        """Tell whether there is time to think."""
        return False


class InOneStep(Door):
    """Both rings of two come in one step."""

    @action
    def twice(self) -> None:
        """It rings twice."""
        require(self.left > 0 and not self.second and not self.thinking)
        self.left -= 1
        self.single = 0
        self.emit(Rung(False))
        self.emit(Rung(True))


class Thoughtful(Door):
    """It stops to think, which nobody sees."""

    @helper
    def idle(self) -> bool:
        """Tell whether there is time to think."""
        return not self.second


class Forgetful(Door):
    """It may ring once three times in a row."""

    @action
    def once(self) -> None:
        """It rings once, and does not count."""
        require(self.left > 0 and not self.second and not self.thinking)
        self.left -= 1
        self.emit(Rung(False))


class NeverTwice(Door):
    """It never rings twice."""

    @action
    def again(self) -> None:
        """It never does."""
        require(False)


class Hand(OrderedSort):
    """A hand of a visitor."""


class Porch(System):
    """Where the button is."""

    @action
    def push(self, hand: Hand, hard: bool) -> None:
        """A visitor pushes the button."""
        require(self.allowed(hand))
        self.emit(Rung(hard))

    @helper
    def allowed(self, hand: Hand) -> bool:
        """Tell whether it may be this one."""
        return True


class LeftHanded(Porch):
    """One hand has to do."""

    @helper
    def allowed(self, hand: Hand) -> bool:
        """Tell whether it is the first one."""
        return hand == Hand.first()


BELLS = Model("bells", Door, (), (Instance("four", "four pushes", {}),))
IN_ONE_STEP = Design(claim="One step will do.", replace=(InOneStep,))
THOUGHTFUL = Design(claim="Thinking shows in nothing.", replace=(Thoughtful,))
FORGETFUL = Design(claim="Who counts?", replace=(Forgetful,))
NEVER_TWICE = Design(claim="Once is enough.", replace=(NeverTwice,))
LEFT_HANDED = Design(claim="One hand will do.", replace=(LeftHanded,))
