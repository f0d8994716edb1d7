"""Values that are written down: what variables start with, and what constants are.

A constant has the value that an instance gives, else the one of the design, else the one in its
declaration, else the natural default of its type.  For a process that belongs to a family, a
mapping from its element (or elements, in a tuple) gives each member its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from ackproof.spec.lang import ir
from ackproof.spec.lang.data import Elements, default_data, in_range, show, to_data
from ackproof.spec.lang.declare import without_first_value
from ackproof.spec.lang.empty import sort_without_first
from ackproof.spec.lang.errors import BindError
from ackproof.spec.lang.ir import Expr
from ackproof.spec.lang.model import Design, Instance
from ackproof.spec.lang.program import Program, Variable
from ackproof.spec.lang.types import (
    UNBOUNDED,
    BoolT,
    EnumT,
    IntT,
    OptionT,
    RecordT,
    SetT,
    SortT,
    Type,
    written,
)

__all__ = ["constants_of", "initial_data"]

_DECLARED = object()


def constants_of(
    program: Program, instance: Instance, design: Design | None, elements: Elements
) -> dict[tuple[str, tuple[Any, ...]], Any]:
    """Return the values of all constants as data, by the variable's name and its elements.

    Raises:
        BindError: a constant is unknown, has no value, or one of another type.
    """
    given = {**(design.constants if design else {}), **instance.constants}
    constants = [v for v in program.variables if v.const]
    known = list(dict.fromkeys(map(_constant_name, constants)))
    for name in given:
        if name not in known:
            raise BindError(
                f"instance {instance.name}: there is no constant {name!r}; "
                f"the constants are: {', '.join(known) or 'none'}"
            )
    return {
        (v.name, keys): _constant(v, keys, given, instance, elements)
        for v in constants
        for keys in itertools.product(*(elements[f.name] for f in v.families))
    }


def _constant_name(v: Variable) -> str:
    return f"{v.owner}.{v.path[-1]}"


def _constant(
    v: Variable,
    keys: tuple[Any, ...],
    given: Mapping[str, Any],
    instance: Instance,
    elements: Elements,
) -> Any:
    """Return the value of a constant of one process."""
    name = _constant_name(v)
    where = f"instance {instance.name}: the constant {name}"
    value = given.get(name, _DECLARED)
    if isinstance(value, Mapping) and keys:
        by_element = {k if isinstance(k, tuple) else (k,): x for k, x in value.items()}
        families = list(itertools.product(*(elements[f.name] for f in v.families)))
        for key in by_element:
            if key not in families:
                raise BindError(
                    f"{where} is given for {show(key if len(key) > 1 else key[0])}, which is no "
                    f"element of {' and '.join(f.name for f in v.families)}"
                )
        value = by_element.get(keys, _DECLARED)
    if value is _DECLARED:
        sort = without_first_value(v.type)
        if isinstance(v.initial, ir.Default) and sort is not None:
            raise BindError(f"{where} has no value; give an element of {sort.name}")
        if empty := sort_without_first(v.initial, v.type, elements):
            raise BindError(f"{where} has no value, as there is no {empty}; give {empty} a size")
        return initial_data(v.initial, v.type, elements)
    value = to_data(value)
    if not _has_type(value, v.type, elements):
        raise BindError(f"{where} is {value!r}, which is not a value of type {written(v.type)}")
    return value


def initial_data(expr: Expr, t: Type, elements: Elements) -> Any:
    """Return what a declaration says a variable starts with, as data."""
    if isinstance(expr, ir.Lit):
        return expr.value
    if isinstance(expr, ir.First):
        assert isinstance(expr.type, SortT)
        return elements[expr.type.name][0]
    if isinstance(expr, ir.Some):
        return initial_data(expr.arg, expr.arg.type, elements)
    if isinstance(expr, ir.MakeRecord):
        return tuple(initial_data(a, a.type, elements) for a in expr.args)
    if isinstance(t, IntT) and t == IntT(-UNBOUNDED, UNBOUNDED):
        return 0
    return default_data(t, elements)


def _has_type(value: Any, t: Type, elements: Elements) -> bool:
    if isinstance(t, BoolT):
        return isinstance(value, bool)
    if isinstance(t, EnumT):
        return value in t.members
    if isinstance(t, IntT):
        return type(value) is int and in_range(value, t)
    if isinstance(t, SetT):
        return isinstance(value, frozenset) and all(_has_type(x, t.elem, elements) for x in value)
    if isinstance(t, OptionT):
        return value is None or _has_type(value, t.inner, elements)
    if isinstance(t, RecordT):
        return (
            isinstance(value, tuple)
            and len(value) == len(t.fields)
            and all(_has_type(x, f, elements) for x, (_, f) in zip(value, t.fields, strict=True))
        )
    assert isinstance(t, SortT)
    return not isinstance(value, bool) and value in elements[t.name]
