"""Terms, made by direct calls of Z3's library.

Each is the term that Z3's interface makes of the same parts, so what it is given must fit: here
nobody turns a number into a term, or an integer into a real number.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from typing import Any

from ackproof.proofs.smt.direct import (
    Address,
    address,
    addresses,
    call,
    check,
    context_of,
    hold,
    release,
    term_at,
)

__all__ = [
    "all_of",
    "any_of",
    "applied",
    "chosen",
    "equals",
    "moved",
    "negated",
    "quantified",
    "substituted",
    "tell",
    "when",
]

_MANY = ctypes.c_void_p
_COUNT = ctypes.c_uint

#: Z3 instantiates what is lighter first; its interface makes them all alike.
_WEIGHT = 1

_and = call("Z3_mk_and", None, _COUNT, _MANY, result=None)
_or = call("Z3_mk_or", None, _COUNT, _MANY, result=None)
_not = call("Z3_mk_not", None, None, result=None)
_implies = call("Z3_mk_implies", None, None, None, result=None)
_eq = call("Z3_mk_eq", None, None, None, result=None)
_ite = call("Z3_mk_ite", None, None, None, None, result=None)
_app = call("Z3_mk_app", None, None, _COUNT, _MANY, result=None)
_quantifier = call(
    "Z3_mk_quantifier_const_ex",
    *(None, ctypes.c_bool, _COUNT, None, None),
    *(_COUNT, _MANY, _COUNT, _MANY, _COUNT, _MANY, None),
    result=None,
)
_name = call("Z3_mk_string_symbol", None, ctypes.c_char_p, result=None)
_assert = call("Z3_solver_assert", None, None, None)
_translate = call("Z3_translate", None, None, None, result=None)
_substitute = call("Z3_substitute", None, None, _COUNT, _MANY, _MANY, result=None)


def all_of(terms: Sequence[Any]) -> Any:
    """Return the conjunction of formulas, of which there are some."""
    first = terms[0]
    return term_at(_and(context_of(first), len(terms), addresses(terms)), first.ctx)


def any_of(terms: Sequence[Any]) -> Any:
    """Return the disjunction of formulas, of which there are some."""
    first = terms[0]
    return term_at(_or(context_of(first), len(terms), addresses(terms)), first.ctx)


def negated(a: Any) -> Any:
    """Return the negation of a formula."""
    return term_at(_not(context_of(a), address(a)), a.ctx)


def when(a: Any, b: Any) -> Any:
    """Return the implication from one formula to the other."""
    return term_at(_implies(context_of(a), address(a), address(b)), a.ctx)


def equals(a: Any, b: Any) -> Any:
    """Return the equation of two terms of one sort."""
    return term_at(_eq(context_of(a), address(a), address(b)), a.ctx)


def chosen(cond: Any, then: Any, orelse: Any) -> Any:
    """Return the term that is one of two of one sort."""
    made = _ite(context_of(cond), address(cond), address(then), address(orelse))
    return term_at(made, cond.ctx)


def applied(function: Any, terms: Sequence[Any]) -> Any:
    """Return a function applied to terms of its sorts; a constant, if there are none."""
    made = _app(context_of(function), address(function), len(terms), addresses(terms))
    return term_at(made, function.ctx)


def quantified(everywhere: bool, names: Sequence[Any], body: Any) -> Any:
    """Return what a formula says of all values of constants, or of some."""
    within, none = context_of(body), (0, None)
    unnamed = _name(within, b"")
    said = (_WEIGHT, unnamed, unnamed, len(names), addresses(names), *none, *none, address(body))
    return term_at(_quantifier(within, everywhere, *said), body.ctx)


def substituted(term: Any, old: Sequence[Any], new: Sequence[Any]) -> Any:
    """Return a term with others in the place of some, one by one of the same sorts."""
    made = _substitute(context_of(term), address(term), len(old), addresses(old), addresses(new))
    return term_at(made, term.ctx)


def tell(solver: Any, terms: Iterable[Any]) -> None:
    """Assert formulas of another context to a solver.

    Raises:
        z3.Z3Exception: one cannot be asserted, or an option of the solver is none.
    """
    within, at = solver.ctx.ctx.value, solver.solver.value
    for term in terms:
        made = _translate(context_of(term), address(term), within)
        hold(within, made)
        _assert(within, at, made)
        check(within)
        release(within, made)


def moved(terms: Iterable[Any], context: Any) -> list[Any]:
    """Return the same terms in another context."""
    within: Address = context.ctx.value
    return [term_at(_translate(context_of(t), address(t), within), context) for t in terms]
