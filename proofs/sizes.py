"""For which sizes an obligation is met, where it is not proved for all.

The obligation is decided with one element of each sort, with two, and so on, and then with one
more of each sort by itself, until there is a counterexample or the time is up.  Constants are left
open, and nothing is abstracted.
"""

from __future__ import annotations

from dataclasses import dataclass

import z3
from ackproof.lang.errors import BindError
from ackproof.lang.frontend import compile_model
from ackproof.lang.lemmas import Library
from ackproof.lang.model import Design, Model
from ackproof.lang.program import Program
from ackproof.proofs.instance_query import InstanceQueries, Sizes, described
from ackproof.proofs.library import with_lemmas
from ackproof.proofs.obligation import Obligation

__all__ = ["DecidedSizes", "decide_sizes"]


@dataclass(frozen=True)
class DecidedSizes:
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


def decide_sizes(
    model: Model,
    design: Design | None,
    library: Library,
    obligation: Obligation,
    *,
    most: int = 4,
    limit: float = 60.0,
    program: Program | None = None,
) -> DecidedSizes:
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
    program = program or compile_model(with_lemmas(model, library), design)
    queries = InstanceQueries(model, design, library, obligation, program, limit)
    proved: Sizes | None = None
    for size in range(1, most + 1):
        sizes: Sizes = dict.fromkeys(queries.sorts, size)
        answer = _answer(queries, sizes)
        if answer == z3.sat:
            return DecidedSizes(obligation, proved, sizes)
        if answer == z3.unknown:
            break
        proved = sizes
    for sort in queries.sorts if proved else ():
        assert proved is not None
        sizes = {**proved, sort: proved[sort] + 1}
        if sizes[sort] <= most and _answer(queries, sizes) == z3.unsat:
            proved = sizes
    return DecidedSizes(obligation, proved, None)


def _answer(queries: InstanceQueries, sizes: Sizes) -> z3.CheckSatResult:
    """Return whether there is a counterexample; where no step comes up, there is none."""
    try:
        query = queries.at(sizes)
    except BindError:  # too wide to be computed with
        return z3.unknown
    return z3.unsat if query is None else query.answer()
