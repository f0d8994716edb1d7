"""Lemmas and assumptions for the closet that are wrong, each in a way of its own."""

from __future__ import annotations

from ackproof.lang import assumption, lemma

from tests.proofs.closet import Closet, TheDoorIsLocked


@lemma("AloneInside", "TheDoorIsLocked")
def SomebodyIsFree(s: Closet) -> bool:
    """A lemma that says too little to be of use."""
    return s.free or not s.free


@lemma()
def NeverFree(s: Closet) -> bool:
    """False from the start."""
    return not s.free


@lemma()
def NobodyEverEnters(s: Closet) -> bool:
    """An invariant under which no step is possible: neither the key nor a guest is there."""
    return not s.free and not s.inside and s.locked


@assumption
def ThereIsNoLock(s: Closet) -> bool:
    """What contradicts the other assumption."""
    return not s.locked


@assumption
def TheKeyIsFree(s: Closet) -> bool:
    """An assumption about something that steps change."""
    return s.free


#: Suppositions of which one is of a state.
ASSUMED = {
    f.__name__: f.__ackproof_assumption__  # type: ignore[attr-defined]
    for f in (TheDoorIsLocked, TheKeyIsFree)
}
