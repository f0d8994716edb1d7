"""Lemmas: what has to be known besides a property to prove it, and which of it for what.

An invariant is proved by induction: it holds at first, and each step preserves it.  Few properties
are preserved by themselves; a *lemma* is an invariant that nobody asked for, and that helps.  It is
written in the language of the specification, like a property, and the model checker can be asked
about it like about any other.

    @lemma("ClosedIsEmpty")
    def WaitingWasSent(s: Confirms) -> bool:
        '''In confirm mode only what was sent is waited for.

        Otherwise a flush would tell of a message that nobody has published.
        '''

The names are those of lemmas and properties that it is proved with, itself aside.  All of them
together are one induction: they may lean on each other in a circle, as each is assumed of the state
before a step only.  A property that holds wherever certain others hold needs no induction; it
*follows* from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from types import ModuleType

from ackproof.lang.properties import Lemma, Property

__all__ = ["Library"]


@dataclass
class Library:
    """The lemmas of a model, and what its properties are proved with.

    Attributes:
        lemmas: by name, in order of definition.
        assumptions: by name.
        proofs: for each property that is preserved by each step, or is about steps, the names of
            what that is proved with.
        follows: for each property that holds wherever some others hold, the names of those.
        restrictions: the names of those assumptions that not every instance meets.
    """

    lemmas: dict[str, Lemma] = field(default_factory=dict)
    assumptions: dict[str, Property] = field(default_factory=dict)
    proofs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    follows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    restrictions: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, *modules: ModuleType) -> Library:
        """Return the library of the lemmas in modules.

        What properties are proved with stands there as `PROOFS` and `FOLLOWS`.
        """
        library = cls()
        for module in modules:
            library.proofs |= getattr(module, "PROOFS", {})
            library.follows |= getattr(module, "FOLLOWS", {})
            for value in vars(module).values():
                found = getattr(value, "__ackproof_lemma__", None)
                if isinstance(found, Lemma):
                    library.lemmas.setdefault(found.property.name, found)
                supposed = getattr(value, "__ackproof_assumption__", None)
                if isinstance(supposed, Property):
                    library.assumptions.setdefault(supposed.name, supposed)
                    if getattr(value, "__ackproof_restriction__", False):
                        library.restrictions.add(supposed.name)
        return library

    def __or__(self, other: Library) -> Library:
        """Return the two together; where both say something, the other counts."""
        return Library(
            {**self.lemmas, **other.lemmas},
            {**self.assumptions, **other.assumptions},
            {**self.proofs, **other.proofs},
            {**self.follows, **other.follows},
            self.restrictions | other.restrictions,
        )

    def claims(self) -> tuple[Property, ...]:
        """Return lemmas and assumptions as properties, for a model to be given."""
        return (
            *(one.property for one in self.lemmas.values()),
            *self.assumptions.values(),
        )

    def by(self, name: str) -> tuple[str, ...]:
        """Return the names of what a lemma or property is proved with."""
        known = self.lemmas.get(name)
        if known is not None:
            return known.by
        return self.follows.get(name) or self.proofs.get(name, ())

    def needs(self, name: str, action: str) -> tuple[str, ...]:
        """Return the names of what a lemma or property is proved with, for one action."""
        known = self.lemmas.get(name)
        return self.by(name) if known is None else known.needs(action)

    def restricted(self, name: str) -> tuple[str, ...]:
        """Return the names of the restrictions under which a lemma or property is proved."""
        return tuple(n for n in self.closure([name]) if n in self.restrictions)

    def closure(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return all that is proved together with what is named, each once, the named first."""
        found: dict[str, None] = {}
        waiting = list(names)
        while waiting:
            name = waiting.pop(0)
            if name not in found:
                found[name] = None
                waiting.extend(self.by(name))
        return tuple(found)
