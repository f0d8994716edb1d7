"""Failures: that no step asserts in vain, and that every step is defined, as properties to prove.

The checker looks for failures in every search (`NoAssertionFails`, `StepsAreDefined`), for a step
that fails leads nowhere.  A proof of something else is about steps that do not; that none does is
proved like a property of steps, with what `PROOFS` names.  Most actions cannot fail, whatever the
state: their text asserts nothing, takes the `min` of no set, and puts into a variable only integers
that it has room for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from ackproof.lang import ir
from ackproof.lang.program import Action, PropertyDecl
from ackproof.lang.properties import ASSERTION, BUILT_IN, DEFINED, FAILURES
from ackproof.lang.types import BOOL

__all__ = ["declared", "may_fail", "relied_on", "unsure"]


#: What they say in a proof: there integers have no ranges.
_SAID = {
    ASSERTION: BUILT_IN[ASSERTION],
    DEFINED: "Every step is defined: min and max have elements; integers have no ranges here.",
}


def declared(name: str) -> PropertyDecl:
    """Return such a property as one of steps; its body is what remains of it where none fails."""
    body = ir.Lit(True, type=BOOL)
    return PropertyDecl(name, "step", ("before", "after"), None, body, _SAID[name], ir.NOWHERE)


def may_fail(name: str, action: Action) -> bool:
    """Tell whether a step of an action may break such a property, by its text."""
    every = (node for stmt in action.body for node in ir.walk(stmt))
    if name == ASSERTION:
        return any(isinstance(node, ir.Assert) for node in every)
    assert name == DEFINED
    return any(map(_may_be_undefined, every))


def unsure(actions: Iterable[Action]) -> tuple[str, ...]:
    """Return which of these properties some of the actions may break, by their texts."""
    listed = tuple(actions)
    return tuple(name for name in FAILURES if any(may_fail(name, one) for one in listed))


def relied_on(
    unsure: Iterable[str],
    shown: Collection[str],
    requested: Iterable[str],
    restrictions: Callable[[str], Collection[str]],
) -> tuple[str, ...]:
    """Return which of these properties a proof relies on, and does not show itself.

    What is shown under a restriction is relied on by what is shown without it.

    Args:
        unsure: those that steps may break.
        shown: the names of what the proof shows.
        requested: the names of what it is a proof of.
        restrictions: returns the names of the restrictions under which something is shown.
    """
    free = [frozenset(restrictions(goal)) for goal in requested]

    def everywhere(name: str) -> bool:
        return all(one.issuperset(restrictions(name)) for one in free)

    return tuple(name for name in unsure if name not in shown or not everywhere(name))


def _may_be_undefined(node: ir.Node) -> bool:
    """Tell whether evaluating a node may come to nothing, whatever is inside of it.

    An integer that leaves its range is none of that: in a proof integers have no ranges.
    """
    match node:
        case ir.Push() | ir.Pop() | ir.Head() | ir.Extreme(optional=False):
            return True
    return False
