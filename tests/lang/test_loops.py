"""What belongs to an iteration: its element, by whatever name, and in what was made of it."""

from __future__ import annotations

import pytest
from ackproof.lang import (
    Event,
    Instance,
    Model,
    Option,
    OrderedSort,
    Set,
    System,
    action,
    handler,
    on,
    properties_in,
)
from ackproof.lang.errors import SpecError
from ackproof.lang.frontend import compile_model
from ackproof.lang.model import Design
from ackproof.model.check import check
from ackproof.spec.channel import Channel
from ackproof.spec.model import MODEL as CONFIRMS
from ackproof.spec.sorts import Msg, Replica


class Bell(OrderedSort):
    """A bell."""


class Rings(Event):
    """A bell rings, if it is known which."""

    bell: Option[Bell]


class Tower(System):
    """Rings all bells, and keeps which of them it has heard, and heard again."""

    heard: Set[Bell]
    again: Set[Bell]

    @action
    def ring(self) -> None:
        """Ring each."""
        for bell in sorted(Bell):
            self.emit(Rings(bell))

    @on(Rings)
    def hears(self, rings: Rings) -> None:
        """Tell a bell that was heard before from a new one."""
        if rings.bell is not None:
            if rings.bell in self.heard:
                self.again.add(rings.bell)
            self.heard.add(rings.bell)


class Nameless(Tower):
    """Rings, and does not say which."""

    @action
    def ring(self) -> None:
        """Ring each, and something."""
        for bell in sorted(Bell):
            self.emit(Rings(None))
            self.emit(Rings(bell))


class Carillon(Tower):
    """Rings another bell with each."""

    @action
    def ring(self) -> None:
        """Ring each, and the one after it."""
        for bell in sorted(Bell):
            self.emit(Rings(Bell.succ(bell)))


TWO = Instance("two", "two bells", {Bell: 2})
MODEL = Model("bells", Tower, properties_in(), (TWO,))


@pytest.mark.parametrize("engine", ["plain", "kernel"])
@pytest.mark.parametrize("tower", [Tower, Nameless])
def test_an_observer_may_ask_for_the_element_that_an_event_of_a_loop_has(
    tower: type[Tower], engine: str
) -> None:
    design = None if tower is Tower else Design("rings", replace=(tower,))
    outcome = check(MODEL, TWO, design, engine=engine).outcome  # type: ignore[arg-type]
    assert outcome.states == 3  # silent, all heard, all heard again


def test_it_may_not_ask_for_another_one() -> None:
    with pytest.raises(SpecError, match="another iteration"):
        compile_model(MODEL, Design("rings", replace=(Carillon,)))


class Careful(Channel):
    """A channel that acks one message at a time."""

    @handler
    def settle(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        """Only if nothing waits; whoever calls it does so in a loop."""
        if not self.confirmed:
            super().settle(seq, replica, siblings)


def test_where_a_loop_is_elsewhere_it_is_said_where() -> None:
    with pytest.raises(SpecError, match=r"test_loops.py:.*; the loop is at .*confirming.py:\d+"):
        compile_model(CONFIRMS, Design("One at a time.", replace=(Careful,)))
