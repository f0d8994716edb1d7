"""For which sizes an obligation is met, where it is not proved for all.

The obligation is decided with one element of each sort, with two, and so on, and then with one
more of each sort by itself, until there is a counterexample or the time is up.  Constants are left
open, and nothing is abstracted.
"""

from __future__ import annotations

from dataclasses import dataclass

import z3
from ackproof.proofs.lemma import Library
from ackproof.proofs.obligations import Obligation
from ackproof.proofs.question import Questions, Sizes, described, with_claims
from ackproof.spec.lang.errors import BindError
from ackproof.spec.lang.frontend import compile_model
from ackproof.spec.lang.model import Design, Model
from ackproof.spec.lang.program import Program

__all__ = ["Decided", "decided"]


@dataclass(frozen=True)
class Decided:
    """How far an obligation is decided.

    Attributes:
        obligation: which.
        proved: the largest sizes at which it is met; all smaller ones were decided on the way
            where all sorts have the same size.  None if there are none.
        refuted: sizes at which there is a counterexample, if there is one.
    """

    obligation: Obligation
    proved: Sizes | None
    refuted: Sizes | None

    def __str__(self) -> str:
        """How reports say it."""
        if self.refuted is not None:
            return f"{self.obligation.name} is refuted for {described(self.refuted)}"
        if self.proved is None:
            return f"{self.obligation.name} is not decided for any sizes"
        return f"{self.obligation.name} is proved for {described(self.proved)}"


def decided(
    model: Model,
    design: Design | None,
    library: Library,
    obligation: Obligation,
    *,
    most: int = 4,
    limit: float = 60.0,
    program: Program | None = None,
) -> Decided:
    """Return for which sizes an obligation is met.

    Args:
        model: the model, without its lemmas.
        design: a change to it.
        library: the lemmas and assumptions.
        obligation: which.
        most: how many elements a sort has at most.
        limit: seconds for the solver.
        program: the model with lemmas and design, compiled, if it is at hand.
    """
    program = program or compile_model(with_claims(model, library), design)
    questions = Questions(model, design, library, obligation, program, limit)
    proved: Sizes | None = None
    for size in range(1, most + 1):
        sizes: Sizes = dict.fromkeys(questions.sorts, size)
        answer = _answer(questions, sizes)
        if answer == z3.sat:
            return Decided(obligation, proved, sizes)
        if answer == z3.unknown:
            break
        proved = sizes
    for sort in questions.sorts if proved else ():
        assert proved is not None
        sizes = {**proved, sort: proved[sort] + 1}
        if sizes[sort] <= most and _answer(questions, sizes) == z3.unsat:
            proved = sizes
    return Decided(obligation, proved, None)


def _answer(questions: Questions, sizes: Sizes) -> z3.CheckSatResult:
    """Return whether there is a counterexample; where no step comes up, there is none."""
    try:
        question = questions.at(sizes)
    except BindError:  # too wide to be computed with
        return z3.unknown
    return z3.unsat if question is None else question.answer()
