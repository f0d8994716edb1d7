"""Reachability: whether the model checker finds a state, from the initial one.

A counterexample to induction begins in a state that the hypotheses allow.  Either the system can
get there, and then the specification does what the goal forbids; or it cannot, and then the
hypotheses say too little.  The checker explores the instance, every fault once, and watches for
that state and for the goal.  What it finds is replayed in plain Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from ackproof.lang import ir
from ackproof.lang.binding import Bound, Location, bind
from ackproof.lang.data import default_data, domain
from ackproof.lang.errors import BindError
from ackproof.lang.program import Program, PropertyDecl
from ackproof.lang.types import (
    BOOL,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)
from ackproof.model.beginnings import initial_states
from ackproof.model.outcome import Progress
from ackproof.model.plain import State
from ackproof.model.trace import ReplayError, Trace, replay

__all__ = ["Reachability", "ReachabilityAnswer", "reachability_of"]

_STATE = "TheStateBefore"


class Reachability(Enum):
    """What the checker says of a state."""

    REACHABLE = "reachable"
    UNREACHABLE = "unreachable"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class ReachabilityAnswer:
    """Whether a state, or something as bad, is reachable.

    Attributes:
        answer: what was found.
        bound: where it was looked for.
        states: how many states were seen.
        trace: for a reachable one, a run at whose end the goal is false.
        why: for an undecided one, why.
    """

    answer: Reachability
    bound: Bound
    states: int
    trace: Trace | None = None
    why: str = ""


def reachability_of(
    bound: Bound, goal: str, state: State, number: int | None, most: int
) -> ReachabilityAnswer:
    """Ask the checker whether a state is reachable, or the goal false in a run.

    Args:
        bound: the instance.
        goal: the name of the property.
        state: the state, as data.
        number: the step from it that breaks the goal, if it is a step that does.
        most: how many states to look at.
    """
    wide = _with_faults(bound)
    step = None if number is None else wide.instances().index(bound.instances()[number])
    own = [p for p in wide.program.properties if p.name == goal]  # none, if it is built in
    watched = replace(wide, properties=(*own, _apart_from(wide, state)))
    from ackproof.model.kernel.engine import explore

    def enough(progress: Progress) -> None:
        if progress.states > most:
            raise KeyboardInterrupt

    try:
        outcome = explore(watched, progress=enough)
    except BindError as large:
        return ReachabilityAnswer(Reachability.UNDECIDED, wide, 0, None, f"not decided: {large}")
    for name, path in outcome.violations.items():
        further = path if name == goal or step is None else (*path, step)
        try:
            start = initial_states(watched)[outcome.starts.get(name, 0)]
            trace = replay(wide, goal, further, start=start)
            if trace.outside:  # there the instance ends, and no proof is about that
                continue
        except ReplayError:  # a budget is spent, or a sequence differs where no property can look
            continue
        return ReachabilityAnswer(Reachability.REACHABLE, wide, outcome.states, trace)
    if outcome.exhausted:
        return ReachabilityAnswer(Reachability.UNREACHABLE, wide, outcome.states)
    why = f"not decided within {outcome.states:,} states"
    return ReachabilityAnswer(Reachability.UNDECIDED, wide, outcome.states, None, why)


def _with_faults(bound: Bound) -> Bound:
    """Return a bound program in which every fault may happen once."""
    faults = {a.name: 1 for a in bound.program.actions if a.kind == "fault"}
    instance = replace(bound.instance, faults=faults)
    return bind(bound.model, instance, bound.design, program=bound.program)


# -- a state as a property---------------------------------------------------------------------


def _apart_from(bound: Bound, state: State) -> PropertyDecl:
    """Return the property that a state is another one than this; budgets may be any."""
    program = bound.program
    parts = [
        same
        for loc, value in zip(bound.locations, state, strict=False)
        for same in _same(_place(program, loc, bound), value, bound)
    ]
    body = ir.Not(ir.And(tuple(parts), type=BOOL), type=BOOL)
    first = program.properties[0] if program.properties else program.actions[0]
    return PropertyDecl(_STATE, "invariant", ("s",), None, body, "", first.span)


def _place(program: Program, loc: Location, bound: Bound) -> ir.Expr:
    """Return the expression that names a location."""
    at: ir.Expr = ir.Root("s", type=ProcT(program.root))
    process, keys = program.root, iter(loc.elements)
    for name in loc.variable.path[:-1]:
        part = dict(program.process(process).parts)[name]
        at = ir.Field(at, name, type=part)
        if isinstance(part, FamilyT):
            at = ir.Index(at, _literal(next(keys), part.key, bound), type=part.proc)
            part = part.proc
        process = part.name
    return ir.Field(at, loc.variable.path[-1], type=loc.variable.type)


def _same(place: ir.Expr, value: Any, bound: Bound) -> Iterator[ir.Expr]:
    """Yield conditions that together say that a place has a value."""
    t = place.type
    if isinstance(t, MapT):
        entries = dict(value)
        for key in domain(t.key, bound.elements):
            entry = ir.Index(place, _literal(key, t.key, bound), type=t.value)
            missing = default_data(t.value, bound.elements)
            yield from _same(entry, entries.get(key, missing), bound)
    elif isinstance(t, SeqT):
        count = IntT(0, t.cap)
        length = ir.Length(place, type=count)
        yield ir.Eq(length, ir.Lit(len(value), type=count), type=BOOL)
    else:
        yield ir.Eq(place, _literal(value, t, bound), type=BOOL)


def _literal(value: Any, t: Type, bound: Bound) -> ir.Expr:
    """Return data as an expression."""
    if isinstance(t, SetT):
        elems = tuple(_literal(x, t.elem, bound) for x in value)
        return ir.SetLit(elems, type=t)
    if isinstance(t, RecordT):
        fields = zip(value, t.fields, strict=True)
        return ir.MakeRecord(tuple(_literal(x, f, bound) for x, (_, f) in fields), type=t)
    if isinstance(t, OptionT):
        if value is None:
            return ir.Lit(None, type=t)
        return ir.Some(_literal(value, t.inner, bound), type=t)
    if isinstance(t, SortT):
        return ir.Lit(domain(t, bound.elements).index(value), type=t)  # its position
    return ir.Lit(value, type=t)
