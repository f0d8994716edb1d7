"""What the specification claims of its states and of its steps, asked of a twin.

A claim about a step needs the state before it as well.  Therefore there are two twins, and one of
them is always a step behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

from ackproof.impl.lockstep.twin import Twin
from ackproof.lang import Event
from ackproof.lang.properties import Property
from ackproof.spec.model import MODEL

__all__ = ["violated"]

_CLAIMS = tuple(p for p in MODEL.properties if p.kind in ("invariant", "step"))
#: What is not so where messages of a higher priority go first.
_OF_ORDER = ("DeliveredInOrder", "ServedInOrderOfArrival")
_EVENTS: dict[Callable[..., bool], type[Event] | None] = {}


def violated(before: Twin, after: Twin) -> Iterator[Property]:
    """Yield the claims that are false, of a step or of the state that it led to.

    Args:
        before: as it was before the step.
        after: as it is, with the events of the step.
    """
    ranked = after.has_ranks()
    with after.bound():
        for claim in _CLAIMS:
            if ranked and claim.name in _OF_ORDER:
                continue
            if not _is_true(claim, before, after):
                yield claim


def _is_true(claim: Property, before: Twin, after: Twin) -> bool:
    if claim.kind == "invariant":
        return bool(claim.function(after.system))
    states: tuple[Any, Any] = (before.system, after.system)
    event = _event_of(claim.function)
    if event is None:
        return bool(claim.function(*states))
    return all(claim.function(*states, e) for e in after.events if isinstance(e, event))


def _event_of(function: Callable[..., bool]) -> type[Event] | None:
    """Return the class of events that a claim about steps asks about, if it does."""
    if function not in _EVENTS:
        hints = [h for name, h in get_type_hints(function).items() if name != "return"]
        _EVENTS[function] = next((h for h in hints if issubclass(h, Event)), None)
    return _EVENTS[function]
