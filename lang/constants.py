"""Values that are written down: what variables start with, and what constants are.

A constant has the value that an instance gives, else the one of the design, else the one in its
declaration, else the natural default of its type.  For a process that belongs to a family, a
mapping from its element (or elements, in a tuple) gives each member its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, assert_never

from ackproof.lang import ir
from ackproof.lang.data import Elements, default_data, in_range, owns, show, to_data
from ackproof.lang.declare import without_first_value
from ackproof.lang.empty import sort_without_first
from ackproof.lang.errors import BindError
from ackproof.lang.ir import Expr
from ackproof.lang.model import Design, Instance
from ackproof.lang.program import Program, Variable
from ackproof.lang.sorts import Owned
from ackproof.lang.types import (
    UNBOUNDED,
    BoolT,
    EnumT,
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
        by_element = {_keys(k): x for k, x in value.items()}
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
        return initial_data(v.initial, v.type, elements, dict(zip(v.keys, keys, strict=True)))
    value = to_data(value)
    if not _has_type(value, v.type, elements):
        raise BindError(f"{where} is {value!r}, which is not a value of type {written(v.type)}")
    return value


def _keys(key: Any) -> tuple[Any, ...]:
    """Return the elements, as data, that a constant is given for."""
    one = isinstance(key, Owned) or not isinstance(key, tuple)
    return tuple(map(to_data, (key,) if one else key))


def initial_data(expr: Expr, t: Type, elements: Elements, members: Mapping[str, Any]) -> Any:
    """Return what a declaration says a variable starts with, as data.

    Args:
        expr: what the declaration says.
        t: the type of the variable.
        elements: those of all sorts.
        members: the elements of the families that the variable lies in, by `Variable.keys`.
    """
    match expr:
        case ir.Lit():
            return expr.value
        case ir.First(type=SortT() as sort, owner=ir.Var(name=name)):
            return owns(sort, members[name], elements)[0]
        case ir.First(type=SortT() as sort):
            return elements[sort.name][0]
        case ir.Some():
            return initial_data(expr.arg, expr.arg.type, elements, members)
        case ir.MakeRecord():
            return tuple(initial_data(a, a.type, elements, members) for a in expr.args)
    if isinstance(t, IntT) and t == IntT(-UNBOUNDED, UNBOUNDED):
        return 0
    return default_data(t, elements)


def _has_type(value: Any, t: Type, elements: Elements) -> bool:
    match t:
        case BoolT():
            return isinstance(value, bool)
        case EnumT(members=members):
            return value in members
        case IntT():
            return type(value) is int and in_range(value, t)
        case SortT(name=name):
            return not isinstance(value, bool) and value in elements[name]
        case SetT(elem):
            return isinstance(value, frozenset) and all(_has_type(x, elem, elements) for x in value)
        case OptionT(inner):
            return value is None or _has_type(value, inner, elements)
        case RecordT(fields=fields):
            return (
                isinstance(value, tuple)
                and len(value) == len(fields)
                and all(_has_type(x, f, elements) for x, (_, f) in zip(value, fields, strict=True))
            )
        case MapT() | SeqT() | ProcT() | FamilyT():
            raise AssertionError(f"no constant has type {t!r}")
        case _:
            assert_never(t)
