"""Traces in the Informal Trace Format, which Apalache, Quint and their viewers read.

The format is JSON (Apalache ADR-015): `vars` names the state variables, `states` gives each of them
a value.  A variable of a family of processes becomes one variable that is a map from the family's
elements.  Integers are written as `#bigint`, which readers of every age understand; sets, maps and
tuples have tags of their own; records are objects; elements of a sort and members of an enum are
strings, but elements of an ordered sort are integers; None and a value that may be None are the
variants that Quint's options are.  Maps are total here, and list every key.

Two more variables follow Quint's convention for traces that drive tests: `mbt::actionTaken` is the
action that led to a state, and `mbt::nondetPicks` are its arguments.  The `#meta` of a state has
both as plain JSON, for readers that look there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ackproof.lang.binding import Bound
from ackproof.lang.data import default_data, domain
from ackproof.lang.program import Variable
from ackproof.lang.types import MapT, OptionT, RecordT, SeqT, SetT, Type
from ackproof.model.show import in_order, json_value
from ackproof.model.trace import Trace, TraceStep

__all__ = ["ACTION", "PICKS", "itf_trace", "itf_value"]

ACTION = "mbt::actionTaken"
PICKS = "mbt::nondetPicks"

_FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"
_NONE = {"tag": "None", "value": {"#tup": []}}


def itf_trace(trace: Trace) -> dict[str, Any]:
    """Return a counterexample as an ITF object."""
    bound = trace.bound
    variables = [v for v in bound.program.variables if not v.const]
    design = f" of a design: {bound.design.claim}" if bound.design else ""
    cycle = trace.cycle or ()
    taken = [*(s for s in trace.steps if s.after is not None), *cycle]
    states = [*trace.states, *(s.after for s in cycle if s.after is not None)]
    steps: list[TraceStep | None] = [None, *taken]
    # The last state is the one in which the loop began, so that the step that closes it is there.
    loop = {} if trace.cycle is None else {"loop": len(trace.states) - 1}
    return {
        "#meta": {
            "format": "ITF",
            "format-description": _FORMAT,
            "source": bound.program.name,
            "description": f"counterexample to {trace.property} on instance "
            f"{bound.instance.name}{design}",
            "status": "violation",
            "varTypes": {v.name: repr(v.type) for v in variables},
        },
        "params": [],
        "vars": [*(v.name for v in variables), ACTION, PICKS],
        "states": [
            {
                "#meta": {"index": i, **_meta(step)},
                **_state(bound, variables, state),
                **_taken(bound, step),
            }
            for i, (state, step) in enumerate(zip(states, steps, strict=True))
        ],
        **loop,
    }


def _state(bound: Bound, variables: list[Variable], state: tuple[Any, ...]) -> dict[str, Any]:
    values = {
        (loc.variable.path, loc.elements): value
        for loc, value in zip(bound.locations, state, strict=False)
    }

    def nested(v: Variable, chosen: tuple[Any, ...]) -> Any:
        if len(chosen) == len(v.families):
            return itf_value(values[v.path, chosen], v.type, bound)
        sort = v.families[len(chosen)]
        return {
            "#map": [
                [itf_value(e, sort, bound), nested(v, (*chosen, e))]
                for e in bound.elements[sort.name]
            ]
        }

    return {v.name: nested(v, ()) for v in variables}


def _meta(step: TraceStep | None) -> dict[str, Any]:
    if step is None:
        return {"action": "init", "args": {}}
    pairs = zip(step.instance.action.params, step.instance.args, strict=True)
    return {
        "action": step.instance.action.name,
        "args": {p.name: json_value(value, p.type) for p, value in pairs},
    }


def _taken(bound: Bound, step: TraceStep | None) -> dict[str, Any]:
    names = dict.fromkeys(p.name for a in bound.actions for p in a.params)
    picks = dict.fromkeys(names, _NONE)
    if step is not None:
        for p, value in zip(step.instance.action.params, step.instance.args, strict=True):
            picks[p.name] = _some(itf_value(value, p.type, bound))
    return {ACTION: "init" if step is None else step.instance.action.name, PICKS: picks}


def _some(value: Any) -> dict[str, Any]:
    return {"tag": "Some", "value": value}


def itf_value(value: Any, t: Type, bound: Bound) -> Any:
    """Return plain data of a type as an ITF value."""
    if isinstance(t, OptionT):
        return _NONE if value is None else _some(itf_value(value, t.inner, bound))
    if isinstance(t, RecordT):
        return {n: itf_value(v, f, bound) for (n, f), v in zip(t.fields, value, strict=True)}
    if isinstance(t, SetT):
        return {"#set": [itf_value(v, t.elem, bound) for v in in_order(value, t.elem)]}
    if isinstance(t, MapT):
        return {"#map": [list(entry) for entry in _entries(value, t, bound)]}
    if isinstance(t, SeqT):
        return [itf_value(v, t.elem, bound) for v in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return {"#bigint": str(value)}
    return value


def _entries(value: Any, t: MapT, bound: Bound) -> Iterator[tuple[Any, Any]]:
    given = dict(value)
    default = default_data(t.value, bound.elements)
    for key in domain(t.key, bound.elements):
        item = given.get(key, default)
        yield itf_value(key, t.key, bound), itf_value(item, t.value, bound)
