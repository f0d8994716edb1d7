"""Templates: candidates for lemmas, made of the vocabulary of a specification.

A *clause* is what a candidate says: of all elements, one of a few atoms holds or does not hold.
Much of what people write in lemmas is that, for example:

    that two sets have nothing in common     not (s.waiting & s.served)
    that one is part of the other            s.served <= s.clients
    that a set is empty where a flag is set  not s.free or not s.grants
    that a set has one member at most        all(c1 == c2 for c1 in s.holders for c2 in s.holders)

All clauses of one and of two atoms are candidates, and of two with an order or equality of the
variables that they speak of.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ackproof.lang.types import SortT
from ackproof.proofs.vocabulary import Atom

__all__ = ["Clause", "Literal", "clauses_of", "implied", "strongest"]

#: How many variables a clause has at most.
_VARIABLES = 3


@dataclass(frozen=True)
class Literal:
    """An atom of variables of a clause, by their positions, that holds or does not."""

    atom: Atom
    at: tuple[int, ...]
    holds: bool


@dataclass(frozen=True)
class Clause:
    """A candidate: of all elements, one of some literals is true.

    Attributes:
        sorts: of the variables.
        literals: one of which is true.
    """

    sorts: tuple[SortT, ...]
    literals: frozenset[Literal]

    @cached_property
    def ordered(self) -> tuple[Literal, ...]:
        """The literals in an order that is the same each time."""
        return tuple(sorted(self.literals, key=_order))


def clauses_of(atoms: Sequence[Atom], width: int = 2) -> Iterator[Clause]:
    """Yield all clauses of up to so many atoms, each once and shorter ones first."""
    made = [c for sorts in _contexts(atoms) for c in _of_context(atoms, sorts, width)]
    known: set[Clause] = set()
    for clause in sorted(made, key=lambda c: (len(c.literals), len(c.sorts))):
        plain = _canonical(clause)
        if plain not in known and not _redundant(plain):
            known.add(plain)
            yield plain


def _of_context(atoms: Sequence[Atom], sorts: tuple[SortT, ...], width: int) -> Iterator[Clause]:
    """Yield the clauses with variables of some sorts, all of which they speak of."""
    said = [Literal(a, at, h) for a in atoms for at in _positions(a, sorts) for h in (False, True)]
    relations = list(_relations(sorts))
    for count in range(1, width + 1):
        for literals in itertools.combinations(said, count):
            if len({i for x in literals for i in x.at}) != len(sorts):
                continue
            if any(_trivial(x, y) for x, y in itertools.combinations(literals, 2)):
                continue
            if count > 2 and not _connected(literals):
                continue
            wider = [literals]
            if count == 2 and _apart(*literals):
                wider += [(*literals, relation) for relation in relations]
            for made in wider:
                if not any(_entry(x, made, atoms) for x in made):
                    yield Clause(sorts, frozenset(made))


def _entry(one: Literal, literals: Sequence[Literal], atoms: Sequence[Atom]) -> bool:
    """Tell whether a literal says in two words that a map has no entry: that it has no member."""
    if one.atom.kind != "member" or one.holds or not one.atom.keys:
        return False
    others = (i for x in literals if x is not one for i in x.at)
    return one.at[-1] not in (*one.at[:-1], *others) and any(
        x.kind == "key" and x.variable is one.atom.variable for x in atoms
    )


def _connected(literals: Sequence[Literal]) -> bool:
    """Tell whether literals speak of the same: one that speaks of nobody is with all others."""
    rest = [set(x.at) for x in literals if x.at]
    reached = set(rest[0]) if rest else set()
    for _ in rest:
        reached |= {i for at in rest if at & reached for i in at}
    return all(at <= reached for at in rest)


def _apart(one: Literal, other: Literal) -> bool:
    """Tell whether the order of variables is of use: where each atom speaks of another one."""
    differ = set(one.at) - set(other.at) and set(other.at) - set(one.at)
    return bool(differ) and not (one.holds and other.holds)


def _trivial(one: Literal, other: Literal) -> bool:
    """Tell whether one of two literals is always true, or both of a variable say too little."""
    if one.at != other.at or one.atom.variable is not other.atom.variable:
        return False
    values = one.atom.kind == other.atom.kind == "value"
    return one.atom == other.atom or (values and not (one.holds and other.holds))


def _contexts(atoms: Sequence[Atom]) -> list[tuple[SortT, ...]]:
    """Return the sorts of variables that clauses of two atoms may have."""
    order = {s: None for a in atoms for s in a.sorts}
    found: dict[tuple[SortT, ...], None] = {(): None}
    wanted = {a.sorts for a in atoms}
    for one, other in itertools.combinations_with_replacement(sorted(wanted, key=repr), 2):
        most = {s: one.count(s) + other.count(s) for s in order}
        least = {s: max(one.count(s), other.count(s)) for s in order}
        for counts in itertools.product(
            *(range(min(1, least[s]), min(2, most[s]) + 1) for s in order)
        ):
            if 0 < sum(counts) <= _VARIABLES:
                found[tuple(s for s, n in zip(order, counts, strict=True) for _ in range(n))] = None
    return list(found)


def _positions(atom: Atom, sorts: tuple[SortT, ...]) -> Iterator[tuple[int, ...]]:
    yield from itertools.product(
        *([i for i, s in enumerate(sorts) if s == wanted] for wanted in atom.sorts)
    )


def _relations(sorts: tuple[SortT, ...]) -> Iterator[Literal]:
    for i, j in itertools.combinations(range(len(sorts)), 2):
        if sorts[i] == sorts[j]:
            yield Literal(Atom(None, "same", (sorts[i], sorts[j])), (i, j), True)
            if sorts[i].ordered:
                below = Atom(None, "below", (sorts[i], sorts[j]))
                yield from (Literal(below, at, h) for at in ((i, j), (j, i)) for h in (True, False))


def _redundant(clause: Clause) -> bool:
    """Tell whether a clause says the same with fewer variables: two stand for one."""
    places = ([i for i, t in enumerate(clause.sorts) if t == sort] for sort in clause.sorts)
    for p in itertools.product(*places):
        if len(set(p)) < len(p) and all(_renamed(x, p) in clause.literals for x in clause.literals):
            return True
    return False


def implied(weaker: Clause, by: Clause) -> bool:
    """Tell whether a clause says no more than another, whose variables may be chosen alike."""
    if len(by.literals) > len(weaker.literals):
        return False
    places = ([i for i, t in enumerate(weaker.sorts) if t == sort] for sort in by.sorts)
    return any(
        all(_renamed(x, p) in weaker.literals for x in by.literals)
        for p in itertools.product(*places)
    )


def strongest(clauses: Iterable[Clause], known: Iterable[Clause] = ()) -> list[Clause]:
    """Return clauses without those that say no more than one before them, or than a known one."""
    found: list[Clause] = []
    at: dict[frozenset[tuple[Atom, bool]], list[Clause]] = defaultdict(list)
    for clause in known:
        at[_parts(clause)].append(clause)
    for clause in clauses:
        parts = _parts(clause)
        fewer = (
            frozenset(some)
            for count in range(1, len(parts) + 1)
            for some in itertools.combinations(parts, count)
        )
        if not any(implied(clause, other) for some in fewer for other in at.get(some, ())):
            found.append(clause)
            at[parts].append(clause)
    return found


def _parts(clause: Clause) -> frozenset[tuple[Atom, bool]]:
    return frozenset((x.atom, x.holds) for x in clause.literals)


def _canonical(clause: Clause) -> Clause:
    """Return one and the same of all clauses that differ by the names of variables."""
    ways = [
        p
        for p in itertools.permutations(range(len(clause.sorts)))
        if all(clause.sorts[i] == clause.sorts[j] for i, j in enumerate(p))
    ]
    if len(ways) < 2:
        return clause
    made = [frozenset(_renamed(x, p) for x in clause.literals) for p in ways]
    return Clause(clause.sorts, min(made, key=lambda c: sorted(map(_order, c))))


def _renamed(x: Literal, p: tuple[int, ...]) -> Literal:
    at = tuple(p[i] for i in x.at)
    if x.atom.kind == "same":
        at = tuple(sorted(at))
    return Literal(x.atom, at, x.holds)


def _order(x: Literal) -> tuple[Any, ...]:
    name = x.atom.variable.name if x.atom.variable else "~"
    return (name, x.atom.kind, str(x.atom.value), x.at, x.holds)
