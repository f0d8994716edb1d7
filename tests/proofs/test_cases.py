"""An action that does one of two long things is proved case by case, and no case is left out."""

from __future__ import annotations

import pytest
from ackproof.lang import (
    Instance,
    Model,
    Set,
    Sort,
    System,
    action,
    invariant,
    properties_in,
)
from ackproof.lang.lemmas import Library
from ackproof.proofs.attempt import prepare
from ackproof.proofs.cases import cases_of
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL


class Letter(Sort, prefix="l"):
    """A letter."""


class Desk(System):
    """A desk with two trays, which is cleared one way or the other."""

    open: bool
    inbox: Set[Letter]
    outbox: Set[Letter]
    lost: Set[Letter]

    @action
    def clear(self, kept: Set[Letter]) -> None:
        """Send what is in the inbox, or while the desk is shut throw it away, all but some."""
        if self.open:
            for letter in self.inbox - kept:
                self.outbox.add(letter)
        else:
            for letter in self.inbox - kept:
                self.lost.add(letter)
        self.inbox &= kept

    @action
    def unlock(self) -> None:
        """Open the desk."""
        self.open = True


@invariant
def NothingIsSent(s: Desk) -> bool:
    """It is false of the first side only."""
    return not s.outbox


@invariant
def NothingIsLost(s: Desk) -> bool:
    """It is false of the second side only."""
    return not s.lost


@invariant
def NobodyIsSentWhatIsLost(s: Desk) -> bool:
    """It takes to be known what is where, and is preserved by neither side alone."""
    return not s.outbox & s.lost and not (s.outbox | s.lost) & s.inbox


DESK = Model(
    "desk",
    Desk,
    properties_in(NothingIsSent, NothingIsLost, NobodyIsSentWhatIsLost),
    (Instance("two", "two letters", {Letter: 2}),),
)


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("NothingIsSent", {"NothingIsSent/clear:1"}),
        ("NothingIsLost", {"NothingIsLost/clear:2"}),
        ("NobodyIsSentWhatIsLost", set[str]()),
    ],
)
def test_each_side_is_shown_and_the_one_that_breaks_it_is_named(
    name: str, broken: set[str]
) -> None:
    proof = prepare(DESK, Library(proofs={name: ()}), [name]).run()
    shown = {o.obligation.name: o.status for o in proof.outcomes}
    assert {f"{name}/clear:1", f"{name}/clear:2"} <= set(shown)
    assert {n for n, status in shown.items() if status != "proved"} == broken


def test_an_action_without_two_loops_is_one_step() -> None:
    [program] = [prepare(DESK, Library(proofs={"NothingIsLost": ()})).obligations.program]
    actions = {a.name: a for a in program.actions}
    assert cases_of(actions["unlock"]) == (actions["unlock"],)


def test_a_commit_is_proved_apart_from_the_channels_end() -> None:
    obligations = prepare(MODEL, LIBRARY, ["CommitSettles"]).todo
    assert {"CommitSettles/tx_commit:1", "CommitSettles/tx_commit:2"} <= {
        o.name for o in obligations
    }
