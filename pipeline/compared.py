"""Values that no variable has, in a query: they are refused, where SQL would find nothing.

In SQL the members of an enum and the elements of a sort are texts or numbers, so that a query that
misspells one is answered: no row is like that.  Here the query is read once more, and where it
compares something of a variable with a constant, or asks a map for a constant key, it must be one
that there is.

Known is what a query takes of a column directly: an entry of a map, a field of a record, an
element of a collection as a lambda names it, and collections of these.  Of what the query names
anew nothing is known, and it is not looked at; nor is a query that cannot be read here, of which
the engine tells what is wrong.  Integers are compared with whatever one likes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import sqlglot
from ackproof.lang.data import Elements
from ackproof.lang.types import EnumT, MapT, OptionT, RecordT, SeqT, SetT, SortT, Type
from ackproof.pipeline.columns import has_null
from ackproof.pipeline.query_error import QueryError, placed
from ackproof.pipeline.tables import Tables
from sqlglot import exp
from sqlglot.errors import SqlglotError

__all__ = ["require_values"]

# What it does not understand the engine will refuse, or not; nobody is to read of it here.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

#: They return a part of the collection that they are given first, or more of the same.
_SAME = (
    *("array_distinct", "array_except", "array_intersect", "array_sort", "array_union"),
    *("filter", "list_filter", "list_distinct", "list_sort", "map_filter"),
)
_CONTAINS = ("array_contains", "list_contains", "contains", "list_has", "array_has")


def require_values(tables: Tables, sql: str, dialect: Literal["duckdb", "spark"]) -> None:
    """Insist that a query compares variables with values that they may have.

    Args:
        tables: of the search that it asks.
        sql: the query.
        dialect: whose SQL it is.

    Raises:
        QueryError: it does not; the message tells where, and what there is.
    """
    try:
        queries = [query for query in sqlglot.parse(sql, dialect=dialect) if query is not None]
    except (SqlglotError, RecursionError):
        return
    shift = sqlglot.Dialect.get_or_raise(dialect).INDEX_OFFSET
    types: dict[str, Type] = {tables.names[v.name].lower(): v.type for v in tables.variables}
    if tables.actions:
        types["action"] = EnumT("Action", tables.actions)
    for query in queries:
        reading = _Reading(query, types)
        for node in query.walk():
            for compared in reading.constants(node):
                value = _value(compared.constant, shift if isinstance(node, exp.Bracket) else 0)
                known = _values(compared.type, tables.schema.elements)
                if known and value is not None and str(value) not in map(str, known):
                    said = compared.said(value, known, compared.subject.sql(dialect))
                    raise QueryError(placed(sql, _place(sql, compared), said))


class _Compared(NamedTuple):
    """A part of a query, of some type, with what it is compared with; or a map with a key."""

    type: Type
    subject: exp.Expr
    constant: exp.Expr
    key: bool = False

    def said(self, value: str | int, known: list[str | int], subject: str) -> str:
        """Say that this is never so, and how it may be."""
        shown = f"'{value}'" if isinstance(value, str) else str(value)
        listed = ", ".join(map(str, known))
        if self.key:
            return f"{subject} has no key {shown}; its keys are {listed}"
        return f"{subject} is never {shown}; it may be {listed}"


class _Reading:
    """What is known of the parts of a query.

    Args:
        query: it, as a tree.
        types: of the columns of variables, by their names in small letters.
    """

    def __init__(self, query: exp.Expr, types: Mapping[str, Type]) -> None:
        named = {alias.alias.lower() for alias in query.find_all(exp.Alias)}
        for table in query.find_all(exp.TableAlias):
            named |= {column.name.lower() for column in table.args.get("columns") or ()}
        self._types = {name: of for name, of in types.items() if name not in named}

    def constants(self, node: exp.Expr) -> Iterator[_Compared]:
        """Yield what a node compares of variables, and with which constants."""
        match node:
            case exp.EQ() | exp.NEQ() | exp.NullSafeEQ() | exp.NullSafeNEQ():
                yield from self._each(node.left, [node.right])
                yield from self._each(node.right, [node.left])
            case exp.In():
                yield from self._each(node.this, node.expressions)
            case exp.Case() if node.this is not None:
                yield from self._each(node.this, [branch.this for branch in node.args["ifs"]])
            case exp.Bracket():
                yield from self._keys(node.this, node.expressions)
            case exp.Func() if _name(node) == "element_at":
                yield from self._keys(*_first(node))
            case exp.Func() if _name(node) in _CONTAINS:
                collection, rest = _first(node)
                element = _element(self.type_of(collection))
                if element is not None:
                    yield from (_Compared(element, collection, one) for one in rest)

    def _each(self, node: exp.Expr, others: list[exp.Expr]) -> Iterator[_Compared]:
        of = self.type_of(node)
        if of is not None:
            yield from (_Compared(of, node, other) for other in others)

    def _keys(self, node: exp.Expr, keys: list[exp.Expr]) -> Iterator[_Compared]:
        of = self.type_of(node)
        if isinstance(of, MapT):
            yield from (_Compared(of.key, node, key, True) for key in keys)

    def type_of(self, node: exp.Expr) -> Type | None:
        """Return of what type the values of a part of a query are, if it is known."""
        of = self._type_of(node)
        if isinstance(of, OptionT):
            return of.inner
        return None if isinstance(of, MapT) and has_null(of.key) else of

    def _type_of(self, node: exp.Expr) -> Type | None:
        match node:
            case exp.Paren():
                return self.type_of(node.this)
            case exp.Identifier() | exp.Column():
                return self._named(node)
            case exp.Dot():
                return _field(self.type_of(node.this), node.name)
            case exp.Bracket():
                of = self.type_of(node.this)
                return of.value if isinstance(of, MapT) else _element(of)
            case exp.Func() if _name(node) in ("element_at", "map_keys", "map_values", *_SAME):
                return self._made(_name(node), self.type_of(_first(node)[0]))
        return None

    def _made(self, function: str, of: Type | None) -> Type | None:
        if function in _SAME:
            return of
        if not isinstance(of, MapT):
            return _element(of) if function == "element_at" else None
        if function == "element_at":
            return of.value
        return _collection(of.key if function == "map_keys" else of.value)

    def _named(self, node: exp.Expr) -> Type | None:
        """Return the type of what a name stands for: an argument of a lambda, or a column."""
        name = node.name.lower()
        within = node.parent
        while within is not None:
            if isinstance(within, exp.Lambda):
                names = [argument.name.lower() for argument in within.expressions]
                if name in names:
                    return self._argument(within, names.index(name))
            within = within.parent
        table = node.args.get("table")
        if table is not None and table.name.lower() in self._types:  # a field of a column
            return _field(self._types[table.name.lower()], name)
        return self._types.get(name)

    def _argument(self, function: exp.Lambda, place: int) -> Type | None:
        """Return the type of an argument of a lambda: of elements, or of keys and values."""
        caller = function.parent
        given = self.type_of(_first(caller)[0]) if isinstance(caller, exp.Func) else None
        if isinstance(given, MapT):
            return (given.key, given.value)[place] if place < 2 else None
        return _element(given) if place == 0 else None


def _name(function: exp.Func) -> str:
    """Return what a function is called, as one of its names."""
    if isinstance(function, exp.Anonymous):
        return str(function.this).lower()
    return function.sql_name().lower()


def _first(function: exp.Expr) -> tuple[exp.Expr, list[exp.Expr]]:
    """Return the first argument of a function, and the others."""
    named = [] if isinstance(function, exp.Anonymous) else [function.this]
    others = function.args.get("expression")
    found = [*named, *([others] if others is not None else []), *function.expressions]
    return found[0] if found else exp.Null(), found[1:]


def _element(of: Type | None) -> Type | None:
    return of.elem if isinstance(of, SeqT | SetT) else None


def _field(of: Type | None, name: str) -> Type | None:
    if not isinstance(of, RecordT):
        return None
    return next((t for field, t in of.fields if field.lower() == name.lower()), None)


def _collection(of: Type) -> Type | None:
    return SetT(of) if not isinstance(of, MapT | SetT | SeqT) else None


def _values(of: Type, elements: Elements) -> list[str | int]:
    """Return the values of an enum or of a sort, as SQL has them; none of other types."""
    match of:
        case OptionT():
            return _values(of.inner, elements)
        case EnumT():
            return list(of.members)
        case SortT():
            return list(elements[of.name])
    return []


def _value(node: exp.Expr, shift: int) -> str | int | None:
    """Return a constant, of which numbers may be shifted; None for what is none."""
    negative = isinstance(node, exp.Neg)
    literal = node.this if negative else node
    if not isinstance(literal, exp.Literal):
        return None
    text = str(literal.this)
    if literal.is_string:
        return None if negative else text
    return (-int(text) if negative else int(text)) + shift if text.isdecimal() else None


def _place(sql: str, compared: _Compared) -> tuple[int, int] | None:
    """Return where in a query a constant stands, or what it is compared with."""
    names = compared.subject.find_all(exp.Identifier)
    for node in (compared.constant, *names):
        if "start" in node.meta:
            start = int(node.meta["start"])
            return sql.count("\n", 0, start) + 1, start - sql.rfind("\n", 0, start)
    return None
