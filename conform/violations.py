"""Violations: which rule no behaviour of the specification breaks, and a frame has.

Each has a name.  It is the specification's property where there is one, so that what a real broker
has done can be looked up, checked and shown with the shortest run of a design that does the same.
What only a step says, and no property, goes by the number of its rule alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ackproof.conform.events import Event
from ackproof.spec.model import MODEL

__all__ = ["RULES", "Refusal", "Violation", "rules_of"]

#: The properties of which one channel shows whether they hold.
_PROPERTIES = (
    "NoPhantomConfirm",
    "SettledOnce",
    "RefusedOnce",
    "NeverBothAckAndNack",
    "NoNeedlessAck",
    "NoNeedlessNack",
    "UnroutableIsConfirmed",
    "ReturnPrecedesAck",
    "ReturnPrecedesNack",
    "ReturnedIsUnroutable",
    "NothingBeforeCommit",
    "ConfirmXorTransaction",
    "NoAckInTransaction",
    "NoNackInTransaction",
    "DeliveryTagsIncrease",
    "GetTakesATag",
    "PrefetchRespected",
    "SharedPrefetchRespected",
    "UnknownTagClosesChannel",
)

_RULE = re.compile(r"\b(?:INV-)?[A-Z]\d+(?:\.\d+)?\b")


def rules_of(name: str) -> tuple[str, ...]:
    """Return the rules that a property cites."""
    (doc,) = (prop.doc for prop in MODEL.properties if prop.name == name)
    return tuple(_RULE.findall(doc.partition("\n\n")[0]))


#: The rules behind the name of each property.
RULES: dict[str, tuple[str, ...]] = {name: rules_of(name) for name in _PROPERTIES}


@dataclass(frozen=True)
class Violation:
    """The first event of a channel that no behaviour of the specification explains.

    Attributes:
        event: the event.
        position: how many events of the channel came before it.
        name: the property that it breaks, or the rule, where no property says it.
        rules: the rules that the property states.
        why: what is wrong with it, in a sentence.
    """

    event: Event
    position: int
    name: str
    rules: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        rules = ", ".join(self.rules)
        said = self.name if self.name in self.rules else f"{self.name} ({rules})"
        return f"event {self.position + 1}, {self.event.kind}: {said}: {self.why}"


class Refusal(Exception):
    """An event is not explained: the name of what it breaks, and why."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name = name
        self.why = why

    @property
    def rules(self) -> tuple[str, ...]:
        """Return the rules that the name stands for."""
        return RULES.get(self.name, (self.name,))
