"""One proof obligation: what it is about, and the formulas of it that must have no model.

Which obligations there are is said in `ackproof.proofs.obligations`, and for properties of runs in
`ackproof.proofs.ranking`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import z3
from ackproof.proofs.smt.direct import address
from ackproof.proofs.smt.logic import Term, negation
from ackproof.proofs.smt.making import moved

__all__ = ["Obligation", "Part", "Query"]

#: What of a query a solver is given: all, all but the types, or the short part, if it has one.
Part = Literal["all", "untyped", "short"]


@dataclass(frozen=True)
class Obligation:
    """One thing to show.

    Attributes:
        goal: the name of the lemma or property that it belongs to.
        kind: "initiation", "consecution", "safety" or "stuttering"; or one of `ranking.KINDS`.
        action: the name of the step, if it is about one.
        hypotheses: the names of what is assumed of the state before.
        event: for a property of steps with an event, which of those that the action emits, from 0.
        part: of a ranking, the name of the predicate that it is about.
        case: where the action is proved case by case (`cases_of`), which of them, from 0.
    """

    goal: str
    kind: str
    action: str = ""
    hypotheses: tuple[str, ...] = ()
    event: int | None = None
    part: str = ""
    case: int | None = None

    @property
    def name(self) -> str:
        """How reports call it: `ServedHadWaited/serve`, with `#1` for an event, `:1` for a case."""
        if self.kind == "initiation":
            return f"{self.goal}/initially"
        if self.kind in ("stuttering", "progress"):
            return f"{self.goal}/{self.kind}"
        if self.part:
            last = self.action if self.kind in ("measure", "persistence") else self.kind
            return f"{self.goal}/{self.part}/{last}"
        number = f"#{self.event + 1}" if self.event is not None else ""
        if self.case is not None:
            number = f":{self.case + 1}"
        return f"{self.goal}/{self.action or 'always'}{number}"


@dataclass(frozen=True)
class Query:
    """The formulas of an obligation.

    Attributes:
        assertions: the hypotheses, the step, and last the negation of the conclusion.
        axioms: what defines the names that were made for them.
        typing: that states have nothing of what does not exist; many proofs do without.
        short: gives a part that may do, without those conditions of the step that take a
            quantifier.  Most of them are about something else, and long.  There is none if they
            are all short.
    """

    assertions: list[Term]
    axioms: list[Term]
    typing: list[Term]
    short: Callable[[], Query] | None = None

    @property
    def all(self) -> list[Term]:
        """All of them, in the order of a certificate."""
        return [*self.typing, *self.axioms, *self.assertions]

    def formulas(self, part: Part) -> list[Term] | None:
        """Return a part of the query, None if it has none of that name."""
        if part == "short":
            return None if self.short is None else self.short().formulas("all")
        return [*self.axioms, *self.assertions, *(self.typing if part == "all" else ())]

    @property
    def assumed(self) -> bool:
        """Whether what is to be shown is assumed, to the letter: terms that are alike are one."""
        *known, broken = self.assertions
        return address(negation(broken)) in {address(one) for one in known}

    @property
    def context(self) -> z3.Context:
        """The context of Z3 that they are in."""
        return self.assertions[0].ctx

    def alone(self, context: z3.Context | None = None) -> Query:
        """Return the whole query in a context where nothing else was ever said."""
        other = context or z3.Context()
        said, made, typing = (
            moved(part, other) for part in (self.assertions, self.axioms, self.typing)
        )
        return Query(said, made, typing)
