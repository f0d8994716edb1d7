"""Walking through formulas: which symbols and which quantifiers are in them.

Formulas are large, and each is looked at several times before a solver sees it.  Z3's Python
interface makes an object of every part that it shows, with its own count of references, and asks
after each call whether it has failed.  Here its library is called directly.  That is safe: parts
live as long as the whole that the caller holds, and these calls cannot fail for what is a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import z3
from z3 import z3core

__all__ = ["constants", "depth", "has_quantifier", "operator", "symbols"]


def _direct(function: Any) -> Any:
    """Return what Z3's interface calls, without what it does around each call."""
    return function.__defaults__[0].f


_kind_of = _direct(z3core.Z3_get_ast_kind)
_symbol_of = _direct(z3core.Z3_get_app_decl)
_operation_of = _direct(z3core.Z3_get_decl_kind)
_count_of = _direct(z3core.Z3_get_app_num_args)
_part_of = _direct(z3core.Z3_get_app_arg)
_body_of = _direct(z3core.Z3_get_quantifier_body)

_APP: int = z3.Z3_APP_AST
_QUANTIFIER: int = z3.Z3_QUANTIFIER_AST
_OWN: int = z3.Z3_OP_UNINTERPRETED


def operator(term: Any) -> int:
    """Return Z3's number of the operation that a term begins with, -1 if there is none."""
    context, ast = term.ctx.ref(), term.ast
    if _kind_of(context, ast) != _APP:
        return -1
    return int(_operation_of(context, _symbol_of(context, ast)))


def _parts(terms: Iterable[Any]) -> Iterator[tuple[Any, Any, int, Any]]:
    """Yield all parts of terms once: context, part, and for what is applied its count and symbol.

    They come in order of occurrence; quantifiers come with -1 for the count, and no symbol.
    """
    seen: set[int] = set()
    for term in terms:
        context = term.ctx.ref()
        waiting = [term.ast]
        while waiting:
            part = waiting.pop()
            if part.value in seen:
                continue
            seen.add(part.value)
            kind = _kind_of(context, part)
            if kind == _APP:
                count = _count_of(context, part)
                yield context, part, count, _symbol_of(context, part)
                for i in range(count - 1, -1, -1):
                    waiting.append(_part_of(context, part, i))
            elif kind == _QUANTIFIER:
                yield context, part, -1, None
                waiting.append(_body_of(context, part))


def constants(term: Any) -> dict[int, Any]:
    """Return the uninterpreted constants in a term, by their number."""
    found: dict[int, Any] = {}
    for context, part, count, symbol in _parts([term]):
        if count == 0 and _operation_of(context, symbol) == _OWN:
            found[z3core.Z3_get_ast_id(context, part)] = z3.z3._to_expr_ref(part, term.ctx)
    return found


def symbols(terms: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of all symbols in formulas that are not of logic, in order."""
    names: dict[str, None] = {}
    known: set[int] = set()
    for context, _, count, symbol in _parts(terms):
        if count < 0 or symbol.value in known:
            continue
        known.add(symbol.value)
        if _operation_of(context, symbol) == _OWN:
            name = z3core.Z3_get_symbol_string(context, z3core.Z3_get_decl_name(context, symbol))
            names[name] = None
    return tuple(names)


def has_quantifier(term: Any) -> bool:
    """Tell whether a formula says something of all, or of some."""
    return any(count < 0 for _, _, count, _ in _parts([term]))


def depth(term: Any, known: dict[int, int]) -> int:
    """Return how many quantifiers are inside each other in a term.

    Args:
        term: which; the caller keeps it for as long as `known`.
        known: the depths of what was looked at before, by where it is.
    """
    context = term.ctx.ref()

    def of(part: Any) -> int:
        found = known.get(part.value)
        if found is None:
            kind, found = _kind_of(context, part), 0
            if kind == _APP:
                for i in range(_count_of(context, part)):
                    found = max(found, of(_part_of(context, part, i)))
            elif kind == _QUANTIFIER:
                found = 1 + of(_body_of(context, part))
            known[part.value] = found
        return found

    return of(term.ast)
