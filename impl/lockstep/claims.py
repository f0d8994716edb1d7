"""What the specification claims of its states and of its steps, asked of a twin.

A claim about a step needs the state before it as well.  Therefore there are two twins, and one of
them is always a step behind.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, assert_never, get_type_hints

from ackproof.impl.lockstep.touching import touched
from ackproof.impl.lockstep.twin import Taken, Twin
from ackproof.lang import Event
from ackproof.lang.properties import Kind, Property
from ackproof.spec.model import MODEL
from ackproof.spec.properties_consuming import pushed
from ackproof.spec.sorts import ChannelId
from ackproof.spec.system import Confirms

__all__ = ["violated"]


def _is_watched(kind: Kind) -> bool:
    """Tell whether a step can show that a property of a kind is false."""
    match kind:
        case "invariant" | "step":
            return True
        case (
            "eventually"
            | "leads_to"
            | "reachable"
            | "constraint"
            | "initially"
            | "measure"
            | "helpful"
        ):
            return False
        case _:
            assert_never(kind)


#: What is not so where messages of a higher priority go first.
_OF_ORDER = ("DeliveredInOrder", "OldestGoesFirst", "ServedInOrderOfArrival")
#: What is not so where a queue was told to refuse, whatever it was declared to do.
_OF_REFUSALS = "OnlyWhoRejectsRefuses"
_CLAIMS = tuple(p for p in MODEL.properties if _is_watched(p.kind) and p.name != _OF_REFUSALS)
#: What is not so where a limit was lowered.
_OF_SHARED_LIMIT = "SharedPrefetchRespected"


def violated(before: Twin, after: Twin, step: Taken, *, alone: bool) -> Iterator[Property]:
    """Yield the claims that are false, of a step or of the state that it led to.

    Args:
        before: as it was before the step.
        after: as it is, with the events of the step.
        step: the action that was taken.
        alone: nothing else has changed since all was true; then an invariant that reads nothing of
            what the action writes is true as before, and is not asked.
    """
    ranked = after.has_ranks()
    with after.bound():
        for claim in _CLAIMS:
            if ranked and claim.name in _OF_ORDER:
                continue
            if alone and claim.kind == "invariant" and claim.name not in touched(step.action):
                continue
            if not _is_true(claim, before, after, step) and not _excused(claim, before, after):
                yield claim


def _excused(claim: Property, before: Twin, after: Twin) -> bool:
    """Tell whether a claim about a limit is false since a client has lowered that.

    The specification has limits as constants (`ackproof.impl.steps.serving`).  A client may set
    one that is lower than what it has already; then it must get nothing more.
    """
    if claim.name != _OF_SHARED_LIMIT:
        return False
    s1, s2 = before.system, after.system
    return all(
        len(pushed(s2, c)) <= max(s2.consuming[c].shared_prefetch, len(pushed(s1, c)))
        for c in ChannelId
        if s2.consuming[c].shared_prefetch
    )


def _is_true(claim: Property, before: Twin, after: Twin, step: Taken) -> bool:
    if claim.kind == "invariant":
        return bool(claim.function(after.system))
    if claim.of and step.action not in claim.of:
        return True
    asked = _asked(claim.function, step) if claim.of else {}
    states: tuple[Any, Any] = (before.system, after.system)
    event = _event_of(claim.function)
    if event is None:
        return bool(claim.function(*states, **asked))
    return all(claim.function(*states, e, **asked) for e in after.events if isinstance(e, event))


def _asked(function: Callable[..., bool], step: Taken) -> Mapping[str, Any]:
    """Return those arguments of a step that a claim about its action takes."""
    given = dict(zip(_parameters(getattr(Confirms, step.action))[1:], step.args, strict=True))
    return {name: given[name] for name in _parameters(function) if name in given}


@cache
def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


@cache
def _event_of(function: Callable[..., bool]) -> type[Event] | None:
    """Return the class of events that a claim about steps asks about, if it does."""
    hints = [h for name, h in get_type_hints(function).items() if name != "return"]
    events = (h for h in hints if isinstance(h, type) and issubclass(h, Event))
    return next(events, None)
