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
*follows* from them, and so may a lemma that names nothing itself.  So does one of runs from another
one, which comes true again and again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from types import ModuleType

from ackproof.lang.properties import Lemma, Property
from ackproof.lang.rankings import Helpful, Ranking

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
        ranked: what rankings are made of, by name: sets, and which steps help.
        rankings: for each property that must come true again and again, why it does.
    """

    lemmas: dict[str, Lemma] = field(default_factory=dict)
    assumptions: dict[str, Property] = field(default_factory=dict)
    proofs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    follows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    restrictions: set[str] = field(default_factory=set)
    ranked: dict[str, Lemma] = field(default_factory=dict)
    rankings: dict[str, Ranking] = field(default_factory=dict)

    @classmethod
    def of(cls, *modules: ModuleType) -> Library:
        """Return the library of the lemmas in modules.

        What properties are proved with stands there as `PROOFS`, `FOLLOWS` and `RANKINGS`.
        """
        library = cls()
        for module in modules:
            library.proofs |= getattr(module, "PROOFS", {})
            library.follows |= getattr(module, "FOLLOWS", {})
            library.rankings |= getattr(module, "RANKINGS", {})
            for value in vars(module).values():
                found = getattr(value, "__ackproof_lemma__", None)
                if isinstance(found, Lemma):
                    library.lemmas.setdefault(found.property.name, found)
                ranked = getattr(value, "__ackproof_ranked__", None)
                if isinstance(ranked, Lemma):
                    library.ranked.setdefault(ranked.property.name, ranked)
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
            {**self.ranked, **other.ranked},
            {**self.rankings, **other.rankings},
        )

    def claims(self) -> tuple[Property, ...]:
        """Return lemmas, assumptions and rankings as properties, for a model to be given."""
        return (
            *(one.property for one in self.lemmas.values()),
            *self.assumptions.values(),
            *(one.property for one in self.ranked.values()),
        )

    def by(self, name: str) -> tuple[str, ...]:
        """Return the names of what a lemma or property is proved with."""
        known = self.lemmas.get(name)
        if known is not None:
            return known.by or self.follows.get(name, ())
        ranking = self.rankings.get(name)
        if ranking is not None:
            named = (*ranking.measure, *ranking.helpful)
            parts = (self.ranked[p].by for p in named if p in self.ranked)
            return tuple(dict.fromkeys((*ranking.by, *(n for by in parts for n in by))))
        return self.follows.get(name) or self.proofs.get(name, ())

    def needs(self, name: str, action: str) -> tuple[str, ...]:
        """Return the names of what a lemma or property is proved with, for one action."""
        known = self.lemmas.get(name)
        return self.by(name) if known is None else known.needs(action)

    def waits_for(self, name: str) -> tuple[str, ...]:
        """Return the names of the actions on whose fairness a property of runs is proved."""
        rankings = [self.rankings[n] for n in self.closure([name]) if n in self.rankings]
        parts = [self.ranked[p] for ranking in rankings for p in ranking.helpful]
        return tuple(dict.fromkeys(p.action for p in parts if isinstance(p, Helpful)))

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
