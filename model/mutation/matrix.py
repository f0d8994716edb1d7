"""The kill matrix: what became of many mutants, and who has noticed them.

A survivor may be no mistake at all.  Then a module of the model says so, with the reason, and the
mutant counts as explained; the names by which it does so hold no line numbers.  What is explained
there and does not survive, or does not exist, is said as well: an explanation has to be true.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ackproof.lang.model import Model
from ackproof.model.difference import by_size
from ackproof.model.mutation.judging import Fate, Verdict
from ackproof.model.mutation.mutants import Mutant

__all__ = ["Entry", "Matrix", "entries_of", "explanations"]

#: The fates of mutants that nothing has noticed, though they were looked at.
_UNNOTICED = (Fate.SURVIVED, Fate.UNCHANGED)

Explanations = Mapping[str, Mapping[str, str]]


def explanations(model: Model) -> Explanations:
    """Return what a model says of its mutants: why they are no mistakes, by method."""
    if not model.equivalents:
        return {}
    found: Explanations = importlib.import_module(model.equivalents).EQUIVALENT
    return found


@dataclass(frozen=True)
class Entry:
    """A mutant, what became of it, and why it is no mistake, if somebody says so."""

    mutant: Mutant
    verdict: Verdict
    explanation: str = ""

    @property
    def is_open(self) -> bool:
        """Whether nothing notices it, and nothing explains that."""
        return self.verdict.fate in _UNNOTICED and not self.explanation

    @property
    def is_false(self) -> bool:
        """Whether it is explained why nothing notices it, and something does."""
        return bool(self.explanation) and self.verdict.fate is Fate.KILLED


@dataclass(frozen=True)
class Noticed:
    """How many mutants something has noticed: first, at all, and alone."""

    name: str
    first: int
    at_all: int
    alone: int


class Matrix:
    """What became of the mutants of a model.

    Args:
        model: the model.
        entries: those that were looked at.
        mutants: all that there are.
        states: how many states of the base were to be spent on each.
        unfinished: how many were to be looked at, and were not.
    """

    def __init__(
        self,
        model: Model,
        entries: Sequence[Entry],
        mutants: Sequence[Mutant],
        states: int,
        unfinished: int = 0,
    ) -> None:
        self.model = model
        self.entries = entries
        self.mutants = mutants
        self.states = states
        self.unfinished = unfinished

    @property
    def open(self) -> list[Entry]:
        """Those that nothing notices and nothing explains."""
        return [e for e in self.entries if e.is_open]

    @property
    def false(self) -> list[Entry]:
        """Those that are explained and noticed."""
        return [e for e in self.entries if e.is_false]

    @property
    def stale(self) -> list[str]:
        """The names of explanations that no mutant has."""
        known = {m.name for m in self.mutants}
        said = explanations(self.model)
        names = (f"{place}: {what}" for place, whats in said.items() for what in whats)
        return [name for name in names if name not in known]

    def totals(self) -> dict[str, Counter[str]]:
        """Return how many mutants of each class had each fate, and how many are explained."""
        found: dict[str, Counter[str]] = {}
        for entry in self.entries:
            owner = entry.mutant.place.owner.__name__
            counts = found.setdefault(owner, Counter())
            counts[entry.verdict.fate.value] += 1
            counts["explained"] += bool(entry.explanation) and not entry.is_false
        return found

    def by_property(self) -> list[Noticed]:
        """Return what every property has noticed; what nothing else notices it notices alone."""
        names = [p.name for p in self.model.claims]
        killed = [e.verdict for e in self.entries if e.verdict.fate is Fate.KILLED]
        first = Counter(v.first[0] for v in killed)
        at_all = Counter(name for v in killed for name, _ in v.killers)
        alone = Counter(v.killers[0][0] for v in killed if len(v.killers) == 1)
        others = sorted(set(at_all) - set(names))
        return [Noticed(n, first[n], at_all[n], alone[n]) for n in (*names, *others)]

    def by_instance(self) -> list[tuple[str, int]]:
        """Return how many mutants were noticed on each instance, and on none that is smaller."""
        killed = Counter(e.verdict.instance for e in self.entries)
        return [(i.name, killed[i.name]) for i in by_size(self.model)]

    @property
    def exit_code(self) -> int:
        """0 if all is noticed or explained, 1 if not or falsely explained, 3 if it was stopped."""
        if self.open or self.false or self.stale:
            return 1
        return 3 if self.unfinished else 0


def entries_of(model: Model, mutants: Iterable[Mutant], verdicts: Iterable[Verdict]) -> list[Entry]:
    """Join mutants with what became of them and what is said of them."""
    said = explanations(model)
    return [
        Entry(mutant, verdict, said.get(mutant.place.name, {}).get(mutant.what, ""))
        for mutant, verdict in zip(mutants, verdicts, strict=True)
    ]
