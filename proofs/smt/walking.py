"""Walking through formulas: which symbols and which quantifiers are in them.

Formulas are large, and each is looked at several times before a solver sees it; so Z3's library is
called directly (`direct.py`).  Parts live as long as the whole that the caller holds, and these
calls cannot fail for what is a part.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from typing import Any

import z3
from ackproof.proofs.smt.direct import Address, address, call, context_of, sort_of, term_at

__all__ = [
    "BoundIn",
    "constants",
    "has_quantifier",
    "is_formula",
    "is_number",
    "operator",
    "parts_of",
    "scope_of",
    "symbols",
]

_kind_of = call("Z3_get_ast_kind", None, None)
_sort_kind_of = call("Z3_get_sort_kind", None, None)
_symbol_of = call("Z3_get_app_decl", None, None, result=None)
_operation_of = call("Z3_get_decl_kind", None, None)
_count_of = call("Z3_get_app_num_args", None, None)
_part_of = call("Z3_get_app_arg", None, None, ctypes.c_uint, result=None)
_body_of = call("Z3_get_quantifier_body", None, None, result=None)
_name_of = call("Z3_get_decl_name", None, None, result=None)
_text_of = call("Z3_get_symbol_string", None, None, result=ctypes.c_char_p)

#: How many quantifiers are inside each other, and where the constants lie that are in them.
BoundIn = tuple[int, frozenset[Address]]
_NOTHING: BoundIn = (0, frozenset())

_APP: int = z3.Z3_APP_AST
_NUMERAL: int = z3.Z3_NUMERAL_AST
_QUANTIFIER: int = z3.Z3_QUANTIFIER_AST
_BOOL: int = z3.Z3_BOOL_SORT
_OWN: int = z3.Z3_OP_UNINTERPRETED


def operator(term: Any) -> int:
    """Return Z3's number of the operation that a term begins with, -1 if there is none."""
    context, at = context_of(term), address(term)
    if _kind_of(context, at) != _APP:
        return -1
    return int(_operation_of(context, _symbol_of(context, at)))


def is_formula(term: Any) -> bool:
    """Tell whether a term is true or false."""
    return bool(_sort_kind_of(context_of(term), sort_of(term)) == _BOOL)


def is_number(term: Any) -> bool:
    """Tell whether a term is written as a number."""
    return bool(_kind_of(context_of(term), address(term)) == _NUMERAL)


def parts_of(term: Any) -> list[Any]:
    """Return what an operation is applied to."""
    context, at = context_of(term), address(term)
    return [term_at(_part_of(context, at, i), term.ctx) for i in range(_count_of(context, at))]


def _parts(terms: Iterable[Any]) -> Iterator[tuple[Address, Address, int, Address]]:
    """Yield all parts of terms once: context, part, and for what is applied its count and symbol.

    They come in order of occurrence; quantifiers come with -1 for the count, and no symbol.
    """
    seen: set[Address] = set()
    for term in terms:
        context = context_of(term)
        waiting = [address(term)]
        while waiting:
            part = waiting.pop()
            if part in seen:
                continue
            seen.add(part)
            kind = _kind_of(context, part)
            if kind == _APP:
                count = _count_of(context, part)
                yield context, part, count, _symbol_of(context, part)
                for i in range(count - 1, -1, -1):
                    waiting.append(_part_of(context, part, i))
            elif kind == _QUANTIFIER:
                yield context, part, -1, 0
                waiting.append(_body_of(context, part))


def constants(term: Any) -> dict[Address, Any]:
    """Return the uninterpreted constants in a term, by where they lie."""
    found: dict[Address, Any] = {}
    for context, part, count, symbol in _parts([term]):
        if count == 0 and _operation_of(context, symbol) == _OWN:
            found[part] = term_at(part, term.ctx)
    return found


def symbols(terms: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of all symbols in formulas that are not of logic, in order."""
    names: dict[str, None] = {}
    known: set[Address] = set()
    for context, _, count, symbol in _parts(terms):
        if count < 0 or symbol in known:
            continue
        known.add(symbol)
        if _operation_of(context, symbol) == _OWN:
            names[_text_of(context, _name_of(context, symbol)).decode()] = None
    return tuple(names)


def has_quantifier(term: Any) -> bool:
    """Tell whether a formula says something of all, or of some."""
    return any(count < 0 for _, _, count, _ in _parts([term]))


def scope_of(term: Any, known: dict[Address, BoundIn]) -> BoundIn:
    """Return how many quantifiers are inside each other in a term, and which constants are in it.

    Args:
        term: which; the caller keeps it for as long as `known`.
        known: what is known of the parts of terms that were looked at before, by where they are.
    """
    context = context_of(term)

    def of(part: Address) -> BoundIn:
        found = known.get(part)
        if found is None:
            kind, found = _kind_of(context, part), _NOTHING
            if kind == _APP:
                count, symbol = _count_of(context, part), _symbol_of(context, part)
                if count:
                    parts = [of(_part_of(context, part, i)) for i in range(count)]
                    found = _together(parts)
                elif _operation_of(context, symbol) == _OWN:
                    found = (0, frozenset((part,)))
            elif kind == _QUANTIFIER:
                deep, free = of(_body_of(context, part))
                found = (1 + deep, free)
            known[part] = found
        return found

    return of(address(term))


def _together(parts: list[BoundIn]) -> BoundIn:
    deep, free = parts[0]
    for other, more in parts[1:]:
        deep = max(deep, other)
        if not more <= free:
            free = free | more
    return deep, free
