"""The variables of a state as columns: their names, and their types in Arrow and in SQL.

A column is named like its variable, with `_` for each dot, so that SQL needs no backquotes:
`cluster.parted` is `cluster_parted`.

======================  ==================  ====================================================
in the specification    in SQL
======================  ==================  ====================================================
bool                    boolean
integer                 bigint
enum                    string              the member's name
element of a sort       bigint, string      as traces show it: 1, 2…, `q1`, `q2`… or `ch2.1`
Option                  as what it holds    None is null
record                  struct
Set                     array               in the order of the domain, so that equal sets are equal
Seq                     array               in its own order
Map                     map                 with each key, also those that have the default
======================  ==================  ====================================================

A map in SQL has no null among its keys; one whose keys may be None is an array of `key` and `value`
instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pyarrow as pa
from ackproof.lang.data import Elements
from ackproof.lang.types import (
    BoolT,
    EnumT,
    IntT,
    MapT,
    OptionT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)
from ackproof.model.show import in_order

__all__ = [
    "arrow_type",
    "column_names",
    "column_value",
    "has_null",
    "plain_rows",
    "sql_literal",
    "sql_type",
    "type_text",
]


def column_names(variables: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """Return the name of the column of each variable, none of which is `taken`.

    SQL does not tell upper from lower case, so neither does this.
    """
    found: dict[str, str] = {}
    used = {name.lower() for name in taken}
    for variable in variables:
        name = variable.replace(".", "_")
        while name.lower() in used:
            name += "_"
        used.add(name.lower())
        found[variable] = name
    return found


def has_null(t: Type) -> bool:
    """Tell whether null is a value of the column, so that no map can have it as a key."""
    return isinstance(t, OptionT)


def _numbered(sort: SortT, elements: Elements) -> bool:
    found = elements[sort.name]
    return isinstance(found[0], int) if found else sort.ordered


def arrow_type(t: Type, elements: Elements) -> pa.DataType:
    """Return the Arrow type of a column or of a part of one."""
    match t:
        case BoolT():
            return pa.bool_()
        case IntT():
            return pa.int64()
        case SortT():
            return pa.int64() if _numbered(t, elements) else pa.string()
        case EnumT():
            return pa.string()
        case OptionT():
            return arrow_type(t.inner, elements)
        case RecordT():
            return pa.struct([(name, arrow_type(field, elements)) for name, field in t.fields])
        case SetT() | SeqT():
            return pa.list_(arrow_type(t.elem, elements))
    assert isinstance(t, MapT), "a state holds no processes"
    key, value = arrow_type(t.key, elements), arrow_type(t.value, elements)
    if has_null(t.key):
        return pa.list_(pa.struct([("key", key), ("value", value)]))
    return pa.map_(key, value)


def sql_type(t: Type, elements: Elements) -> str:
    """Return the type of a column as SQL writes it."""
    match t:
        case BoolT():
            return "boolean"
        case IntT():
            return "bigint"
        case SortT():
            return "bigint" if _numbered(t, elements) else "string"
        case EnumT():
            return "string"
        case OptionT():
            return sql_type(t.inner, elements)
        case RecordT():
            fields = ", ".join(f"`{name}`: {sql_type(field, elements)}" for name, field in t.fields)
            return f"struct<{fields}>"
        case SetT() | SeqT():
            return f"array<{sql_type(t.elem, elements)}>"
    assert isinstance(t, MapT), "a state holds no processes"
    key, value = sql_type(t.key, elements), sql_type(t.value, elements)
    if has_null(t.key):
        return f"array<struct<key: {key}, value: {value}>>"
    return f"map<{key}, {value}>"


def column_value(data: Any, t: Type) -> Any:
    """Return plain data of a type that is no map as Arrow takes it."""
    if data is None:
        return None
    match t:
        case OptionT():
            return column_value(data, t.inner)
        case RecordT():
            pairs = zip(t.fields, data, strict=True)
            return {name: column_value(value, field) for (name, field), value in pairs}
        case SetT():
            return [column_value(value, t.elem) for value in in_order(data, t.elem)]
        case SeqT():
            return [column_value(value, t.elem) for value in data]
    return data


def sql_literal(value: Any, t: Type, elements: Elements) -> str:
    """Return a value of a column, as Arrow gives it to Python, as SQL writes it."""
    if value is None:
        return f"CAST(NULL AS {sql_type(t, elements)})"
    match t:
        case OptionT():
            return sql_literal(value, t.inner, elements)
        case RecordT():
            return _struct([(n, sql_literal(value[n], of, elements)) for n, of in t.fields])
        case SetT() | SeqT():
            return _array([sql_literal(v, t.elem, elements) for v in value], t, elements)
        case MapT():
            return _map_literal(value, t, elements)
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return f"CAST({value} AS {sql_type(t, elements)})"


def _map_literal(value: Any, t: MapT, elements: Elements) -> str:
    pairs = [(x["key"], x["value"]) if isinstance(x, dict) else x for x in value]
    keys = [sql_literal(key, t.key, elements) for key, _ in pairs]
    values = [sql_literal(v, t.value, elements) for _, v in pairs]
    if has_null(t.key):
        both = zip(keys, values, strict=True)
        return _array([_struct([("key", k), ("value", v)]) for k, v in both], t, elements)
    listed = [
        f"CAST(array({', '.join(found)}) AS array<{sql_type(of, elements)}>)"
        for found, of in ((keys, t.key), (values, t.value))
    ]
    return f"map_from_arrays({', '.join(listed)})"


def _array(items: list[str], t: Type, elements: Elements) -> str:
    return f"CAST(array({', '.join(items)}) AS {sql_type(t, elements)})"


def _struct(fields: list[tuple[str, str]]) -> str:
    listed = ", ".join(f"'{name}', {value}" for name, value in fields)
    return f"named_struct({listed})"


def type_text(of: pa.DataType) -> str:
    """Return what Spark calls the type of a column of an answer."""
    if pa.types.is_map(of):
        return f"map<{type_text(of.key_type)},{type_text(of.item_type)}>"
    if pa.types.is_list(of):
        return f"array<{type_text(of.value_type)}>"
    if pa.types.is_struct(of):
        return f"struct<{','.join(f'{field.name}:{type_text(field.type)}' for field in of)}>"
    if pa.types.is_decimal(of):
        return f"decimal({of.precision},{of.scale})"
    known = {"int32": "int", "int64": "bigint", "bool": "boolean", "float": "float"}
    return known.get(str(of), str(of))


def plain_rows(answer: pa.Table | pa.RecordBatch) -> list[list[Any]]:
    """Return the rows of an answer, as values that JSON has."""
    found = [
        [_plain(value, of.type) for value in column.to_pylist()]
        for of, column in zip(answer.schema, answer.columns, strict=True)
    ]
    return [list(row) for row in zip(*found, strict=True)]


def _plain(value: Any, of: pa.DataType) -> Any:
    """Return a value of a column, as Arrow gives it to Python, as one that JSON has."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if pa.types.is_map(of):
        pairs = ((_plain(k, of.key_type), _plain(v, of.item_type)) for k, v in value)
        return {key if isinstance(key, str) else str(key): v for key, v in pairs}
    if pa.types.is_list(of):
        return [_plain(v, of.value_type) for v in value]
    if pa.types.is_struct(of):
        return {field.name: _plain(value[field.name], field.type) for field in of}
    return int(value) if pa.types.is_decimal(of) and of.scale == 0 else str(value)
