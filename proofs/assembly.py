"""Assembly: lemmas that hold at small sizes, put together to a proof for any sizes.

Each lemma comes with those that it needs at small sizes, and is tried with these first; where they
are not enough, with all.  One that is not proved with all of them is no lemma, as far as anybody
knows, and whoever chose it has to choose again.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ackproof.lang.lemmas import Library
from ackproof.lang.model import Design, Model
from ackproof.lang.program import PropertyDecl
from ackproof.proofs.discharge import PROVED, discharged
from ackproof.proofs.encoding import Candidate, of_steps
from ackproof.proofs.inference_result import InferredLemma, distinct_names
from ackproof.proofs.obligations import Obligation, Obligations
from ackproof.proofs.proof_core import hypothesis_core
from ackproof.proofs.templates import Clause

__all__ = ["Assembly", "Proved"]


@dataclass(frozen=True)
class Proved:
    """Candidates that are proved.

    Attributes:
        lemmas: the lemmas among them.
        proofs: for each property, the names of what it is proved with.
        library: all of it, beside what was given.
    """

    lemmas: tuple[InferredLemma, ...]
    proofs: Mapping[str, tuple[str, ...]]
    library: Library


class Assembly:
    """A proof in the making.

    Args:
        model: the model.
        design: a change to it.
        library: lemmas and assumptions that are there already.
        requested: the names of the properties that are to be proved.
        using: the names of what may be assumed.
        each: seconds for each obligation, while there is time.
        until: when there is none, by `time.perf_counter`.

    Attributes:
        lemmas: the lemmas that were proposed last.
        hypotheses: the names of all candidates about states that may be hypotheses of others.
        best: what was proved so far with the most properties in it.
        missing: for each property that was tried and is not proved, why.
    """

    def __init__(
        self,
        model: Model,
        design: Design | None,
        library: Library,
        requested: Sequence[str],
        using: tuple[str, ...],
        each: float,
        until: float,
    ) -> None:
        self.requested = requested
        self.using = using
        self._each = each
        self.until = until
        self.given = Library(
            dict(library.lemmas),
            dict(library.assumptions),
            {n: by for n, by in library.proofs.items() if n not in requested},
            {n: by for n, by in library.follows.items() if n not in requested},
            set(library.restrictions),
        )
        self.obligations = Obligations(model, self.given, design)
        self.lemmas: dict[Clause, InferredLemma] = {}
        self.best = Proved((), {}, self.given)
        self.missing: dict[str, str] = {}
        self.hypotheses: tuple[str, ...] = ()
        self._names: dict[Clause, str] = {}

    @property
    def each(self) -> float:
        """Seconds for an obligation."""
        return max(0.0, min(self._each, self.until - time.perf_counter()))

    @property
    def library(self) -> Library:
        """The lemmas, with what properties are proved with."""
        return self.obligations.library

    # -- taking what is proposed ----------------------------------------------------------------

    def take(self, needs: Mapping[Candidate, Collection[Candidate]]) -> Candidate | None:
        """Prove candidates with each other.

        Args:
            needs: for each candidate the others that it needs at small sizes.

        Returns:
            One that is not proved with all of them and may be a hypothesis of others, or None.
        """
        self._named(c for c in needs if isinstance(c, Clause))
        order = [*needs, *(self.obligations.properties[n] for n in self.using)]
        by = {c: tuple(self._name(x) for x in order if x in more) for c, more in needs.items()}
        self.lemmas = {
            c: InferredLemma(self._names[c], c, by[c]) for c in needs if isinstance(c, Clause)
        }
        goals = [c for c in needs if isinstance(c, PropertyDecl)]
        proved: list[str] = []
        self._enter({goal.name: by[goal] for goal in goals})
        self.hypotheses = (*(self._name(c) for c in needs if not of_steps(c)), *self.using)
        for candidate in needs:
            failing = self._failing(self._name(candidate))
            if failing is not None and isinstance(candidate, PropertyDecl):
                self.missing[candidate.name] = f"{failing.name} is not proved for any sizes"
            if failing is not None and not of_steps(candidate):
                return candidate
            if failing is None and isinstance(candidate, PropertyDecl):
                proved.append(candidate.name)
        self._keep(proved)
        return None

    def _keep(self, proved: Sequence[str]) -> None:
        """Keep what is proved, if it is more than before."""
        if len(proved) <= len(self.best.proofs) and self.best.proofs:
            return
        needed_for = self.library.closure(proved)
        proofs = {name: self.library.by(name) for name in proved}
        lemmas = tuple(one for one in self.lemmas.values() if one.name in needed_for)
        made = {one.name: self.library.lemmas[one.name] for one in lemmas}
        library = replace(
            self.given,
            lemmas={**self.given.lemmas, **made},
            proofs={**self.given.proofs, **proofs},
        )
        self.best = Proved(lemmas, proofs, library)

    def _name(self, candidate: Candidate) -> str:
        return candidate.name if isinstance(candidate, PropertyDecl) else self._names[candidate]

    def _named(self, clauses: Iterable[Clause]) -> None:
        """Give names to clauses that have none; they keep them."""
        new = [c for c in clauses if c not in self._names]
        self._names |= distinct_names(new, [*self.obligations.properties, *self._names.values()])

    def _enter(self, proofs: Mapping[str, tuple[str, ...]]) -> None:
        """Make a library of the lemmas, and of what properties are proved with."""
        program = self.obligations.program
        made = {one.name: one.lemma(program) for one in self.lemmas.values()}
        self.obligations.library = replace(
            self.given,
            lemmas={**self.given.lemmas, **made},
            proofs={**self.given.proofs, **proofs},
        )
        for one in self.lemmas.values():
            self.obligations.properties[one.name] = one.declaration(program)

    def _failing(self, name: str) -> Obligation | None:
        """Return an obligation of a candidate that is not met; note what it is proved with."""
        library = self.obligations.library
        by = library.by(name)
        for one in list(self.obligations.of_one(name)):
            if discharged(self.obligations, one, self.each).status == PROVED:
                continue
            wide = replace(
                one, hypotheses=tuple(dict.fromkeys((*one.hypotheses, *self.hypotheses)))
            )
            if one.kind == "initiation" or wide == one:
                return one
            core = hypothesis_core(self.obligations, wide, self.each)
            if core is None:
                return one
            by = tuple(h for h in self.hypotheses if h in {*by, *core} and h != name)
        self._proved_with(name, by)
        return None

    def _proved_with(self, name: str, by: tuple[str, ...]) -> None:
        """Note what a candidate is proved with."""
        library = self.obligations.library
        if name not in library.lemmas:
            library.proofs[name] = by
            return
        library.lemmas[name] = replace(library.lemmas[name], by=by)
        clause = next(c for c, one in self.lemmas.items() if one.name == name)
        self.lemmas[clause] = replace(self.lemmas[clause], by=by)
