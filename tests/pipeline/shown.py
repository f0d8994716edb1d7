"""What a column must show of a state, found without the code that decodes columns."""

from __future__ import annotations

from typing import Any

from ackproof.lang.binding import Bound
from ackproof.lang.data import default_data, domain
from ackproof.lang.types import MapT, OptionT, RecordT, SeqT, SetT, SortT, Type
from ackproof.pipeline.schema import BUDGET, StateVariable

State = tuple[Any, ...]


def shown(value: Any, t: Type, bound: Bound) -> Any:
    """Return plain data as Arrow gives it to Python."""
    if value is None:
        return None
    if isinstance(t, OptionT):
        return shown(value, t.inner, bound)
    if isinstance(t, RecordT):
        return {n: shown(v, f, bound) for (n, f), v in zip(t.fields, value, strict=True)}
    if isinstance(t, SetT):
        return [shown(v, t.elem, bound) for v in domain(t.elem, bound.elements) if v in value]
    if isinstance(t, SeqT):
        return [shown(v, t.elem, bound) for v in value]
    if isinstance(t, MapT):
        given, default = dict(value), default_data(t.value, bound.elements)
        entries = [(k, given.get(k, default)) for k in domain(t.key, bound.elements)]
        return pairs([(shown(k, t.key, bound), shown(v, t.value, bound)) for k, v in entries], t)
    return value


def pairs(entries: list[tuple[Any, Any]], t: MapT) -> list[Any]:
    """Return the entries of a map; where a key may be None, there is no map in SQL."""
    if isinstance(t.key, OptionT):
        return [{"key": k, "value": v} for k, v in entries]
    return entries


def expected(bound: Bound, variable: StateVariable, state: State) -> Any:
    """Return the value of a variable in a state, families as maps."""
    if variable.name.startswith(BUDGET):
        fault = list(bound.budgets).index(variable.name.removeprefix(BUDGET))
        return state[len(bound.locations) + fault]
    places = {
        loc.elements: value
        for loc, value in zip(bound.locations, state, strict=False)
        if loc.variable.name == variable.name
    } | {keys: value for (name, keys), value in bound.constants.items() if name == variable.name}
    declared = next(v for v in bound.program.variables if v.name == variable.name)

    def nested(chosen: tuple[Any, ...], families: tuple[SortT, ...]) -> Any:
        if not families:
            return shown(places[chosen], declared.type, bound)
        elements = bound.elements[families[0].name]
        return [(e, nested((*chosen, e), families[1:])) for e in elements]

    return nested((), declared.families)
