"""Soundness of a library: what may be a hypothesis of what.

Three rules keep a library sound, and a library that breaks one is refused.  What follows from
other claims must not be among what they follow from: hypotheses of one and the same state must not
go in a circle.  A hypothesis is a claim about states, for a claim about steps says nothing of the
state before a step.  And what is supposed is about constants, for nobody shows that it stays true.
"""

from __future__ import annotations

from collections.abc import Iterable

from ackproof.proofs.lemma import Library
from ackproof.proofs.obligations import Obligations
from ackproof.spec.lang.model import Model

__all__ = ["LibraryError", "check_circles", "check_names", "check_suppositions"]


class LibraryError(Exception):
    """Something cannot be proved as it stands; the message says what to do instead."""


def check_names(model: Model, library: Library, names: Iterable[str]) -> None:
    """Refuse a library where a name means nothing, or something that is no hypothesis.

    Raises:
        LibraryError: see there.
    """
    kinds = {p.name: p.kind for p in (*model.properties, *library.claims())}
    for name in names:
        if kinds.get(name) not in ("invariant", "step"):
            what = f"is of the kind {kinds[name]!r}" if name in kinds else "is not there"
            raise LibraryError(
                f"{name} {what}: what can be proved is true of states or of steps\n"
                "  instead: ask the checker about it: ackproof check --property " + name
            )
    for name in library.closure(names):
        if set(library.follows.get(name, ())) - set(library.by(name)):
            raise LibraryError(
                f"{name} is a lemma, and FOLLOWS has it too\n"
                "  instead: say once what it is proved with"
            )
        for other in library.by(name):
            if kinds.get(other) != "invariant":
                what = "says nothing of a state" if other in kinds else "is not there"
                raise LibraryError(
                    f"{name} is to be proved with {other}, which {what}\n"
                    "  instead: name an invariant or a lemma"
                )


def check_circles(library: Library) -> None:
    """Refuse a library in which claims follow from each other in a circle.

    Raises:
        LibraryError: they do.
    """
    for start in library.follows:
        trail, waiting = [start], list(library.follows[start])
        while waiting:
            name = waiting.pop()
            if name == start:
                raise LibraryError(
                    f"{start} is said to follow from itself, by way of what it follows from\n"
                    "  instead: prove one of the circle by induction"
                )
            if name in library.follows and name not in trail:
                trail.append(name)
                waiting += library.follows[name]


def check_suppositions(obligations: Obligations) -> None:
    """Refuse a library that supposes something of states.

    Raises:
        LibraryError: it does.
    """
    states = {v.path: v.name for v in obligations.program.variables if not v.const}
    for name in obligations.library.assumptions:
        read = [states[path] for path in obligations.reads(name) if path in states]
        if read:
            raise LibraryError(
                f"{name} is supposed, and speaks of {read[0]}, which steps change\n"
                "  instead: suppose something of constants only, and prove the rest as a lemma"
            )
