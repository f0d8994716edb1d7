"""Counterexamples to induction: a state and a step that an invariant does not survive.

An obligation that is not discharged has one: a state in which all hypotheses hold, and a step from
it to a state in which the goal is false.  It is looked for at sizes that grow from one element of
each sort, with constants left open.  What is found is made small: first the sizes, one sort after
the other, then the state, which is as near to the initial one as can be.

The step is taken in plain Python, and the hypotheses are evaluated there, before it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import z3
from ackproof.lang.binding import Bound
from ackproof.lang.errors import BindError
from ackproof.lang.frontend import compile_model
from ackproof.lang.lemmas import Library
from ackproof.lang.model import Design, Model
from ackproof.lang.program import Program
from ackproof.lang.types import SetT
from ackproof.model.plain import PlainMachine, State
from ackproof.model.trace import ReplayError, Trace, replay
from ackproof.proofs.instance_query import InstanceQueries, InstanceQuery, Sizes
from ackproof.proofs.library import with_lemmas
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.reachability import Reachability, ReachabilityAnswer, reachability_of
from ackproof.proofs.smt.finite import Finite, FiniteState, reading
from ackproof.proofs.smt.logic import Term

__all__ = ["Counterexample", "Reachability", "ReachabilityAnswer", "counterexample"]

#: How many elements each sort has at most, and how many states the checker looks at.
MOST_ELEMENTS = 3
MOST_STATES = 200_000


@dataclass(frozen=True)
class Counterexample:
    """Why an obligation is not met.

    Attributes:
        obligation: which.
        bound: the instance, with its sizes and constants.
        before: the state before the step, as data; all hypotheses hold in it.
        trace: the step (none, if the obligation is about states alone) and what is false after it.
        reached: whether the checker finds the state before, from the initial one.
    """

    obligation: Obligation
    bound: Bound
    before: State
    trace: Trace
    reached: ReachabilityAnswer


def counterexample(
    model: Model,
    design: Design | None,
    library: Library,
    obligation: Obligation,
    *,
    most: int = MOST_ELEMENTS,
    states: int = MOST_STATES,
    limit: float = 60.0,
    program: Program | None = None,
) -> Counterexample | None:
    """Return the smallest counterexample to induction that is found, or None.

    Args:
        model: the model, without its lemmas.
        design: a change to it.
        library: the lemmas and assumptions.
        obligation: what is not discharged.
        most: how many elements a sort has at most.
        states: how many states the checker looks at before it gives up.
        limit: seconds for the solver.
        program: the model with lemmas and design, compiled, if it is at hand.

    Raises:
        ReplayError: the solver's step is not one of plain Python: a defect of the translation.
    """
    program = program or compile_model(with_lemmas(model, library), design)
    queries = InstanceQueries(model, design, library, obligation, program, limit)
    found = _smallest(queries, most)
    if found is None:
        return None
    bound, before, number = _nearest(queries, found)
    trace = _replayed(bound, obligation, before, number)
    answer = reachability_of(bound, obligation.goal, before, number, states)
    return Counterexample(obligation, bound, before, trace, answer)


def _replayed(bound: Bound, obligation: Obligation, before: State, number: int | None) -> Trace:
    """Take the step in plain Python, from a state in which the hypotheses hold."""
    known = {p.name: p for p in bound.program.properties}
    with PlainMachine(bound) as machine:
        for name in obligation.hypotheses:
            if not machine.holds(known[name], before):
                raise ReplayError(
                    f"the counterexample to {obligation.name} is not reproduced by plain Python: "
                    f"in the state before, {name} is false"
                )
    path = () if number is None else (number,)
    return replay(bound, obligation.goal, path, start=before)


# -- sizes -------------------------------------------------------------------------------------


def _smallest(queries: InstanceQueries, most: int) -> InstanceQuery | None:
    """Return the query at the smallest sizes at which there is a counterexample."""
    for size in range(1, most + 1):
        sizes: Sizes = dict.fromkeys(queries.sorts, size)
        found = _answered(queries, sizes)
        if found is not None:
            return _shrunk(queries, found, sizes)
    return None


def _shrunk(queries: InstanceQueries, found: InstanceQuery, sizes: Sizes) -> InstanceQuery:
    for sort in queries.sorts:
        for smaller in range(sizes[sort]):
            fewer = {**sizes, sort: smaller}
            other = _answered(queries, fewer)
            if other is not None:
                found, sizes = other, fewer
                break
    return found


def _answered(queries: InstanceQueries, sizes: Sizes) -> InstanceQuery | None:
    """Return the query at some sizes, if there is a counterexample."""
    try:
        query = queries.at(sizes)
    except BindError:  # too wide
        return None
    return query if query is not None and query.answer() == z3.sat else None


# -- the state ---------------------------------------------------------------------------------


def _nearest(queries: InstanceQueries, query: InstanceQuery) -> tuple[Bound, State, int | None]:
    """Return a counterexample as near to the initial state as can be, with its step."""
    finite, model = query.finite, query.solver.model()
    for wish in _wishes(finite, query.before):
        if not z3.is_true(model.eval(wish, model_completion=True)):
            if query.answer(wish) != z3.sat:
                continue
            model = query.solver.model()
        query.solver.add(wish)
    read = reading(model)
    bound = queries.bound(query.bound.sizes, finite.constants_data(read))
    state = finite.data(query.before, read)
    if query.step is None:
        return bound, state, None
    args = finite.arguments_data(query.step, read)
    numbers = {(i.action.name, i.args): n for n, i in enumerate(bound.instances())}
    return bound, state, numbers[query.step.action.name, args]


def _wishes(finite: Finite, state: FiniteState) -> Iterator[Term]:
    """Yield what would make a counterexample plainer, most first: usual constants, initial values.

    Ghosts come last: with everything else as it is at first, they tell what is strange.
    """
    yield from finite.usual()
    initial = finite.given(finite.bound.first())
    ghost = {n for n, loc in enumerate(finite.bound.locations) if loc.variable.ghost}
    leaves = sorted(finite.leaves.types, key=lambda leaf: leaf.location in ghost)
    ops = finite.ops
    for leaf in leaves:
        if leaf.location >= 0:
            yield ops.bit(finite.alike(leaf, state.get(leaf), initial.get(leaf)))
    for leaf in leaves:
        t = finite.leaves.types[leaf]
        if isinstance(t, SetT):
            for i in range(finite.codec.cardinality(t.elem)):
                here, there = ops.test(state.get(leaf), i), ops.test(initial.get(leaf), i)
                yield ops.bit(ops.pick(here, there, ops.no(there)))
