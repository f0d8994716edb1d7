"""Z3's library, called directly.

Z3's Python interface makes an object of each part of a formula that it shows, checks and converts
what it is given, and asks after each call whether it has failed.  A translation makes and looks at
hundreds of thousands of terms, and most of its time went there.  Here the library is called with
plain addresses.

That is safe where the caller keeps its terms: a part lives as long as the whole, and a term in the
dictionary of somebody who holds it has its address to itself.  A call that makes a term gives none
where it fails, which is an error with the words that Z3 has for it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import z3
from z3 import z3core

__all__ = [
    "Address",
    "address",
    "addresses",
    "call",
    "check",
    "context_of",
    "hold",
    "release",
    "sort_of",
    "term_at",
]

#: Where something of Z3's lies: a term, a symbol, or a context.
Address = int

_ADDRESS = ctypes.c_void_p


def call(name: str, *arguments: Any, result: Any = ctypes.c_uint) -> Callable[..., Any]:
    """Return a function of the library, as one of addresses and numbers.

    Args:
        name: what Z3 calls it.
        arguments: their types; None is an address.
        result: the type of what it gives; None is an address.
    """
    # Z3's interface forgets the library, and keeps each function with the wrapper that calls it.
    found = getattr(z3core, name).__defaults__[0].f
    types = [_ADDRESS if t is None else t for t in (result, *arguments)]
    at = ctypes.cast(found, _ADDRESS).value
    assert at is not None, "a function that Z3's interface has loaded lies somewhere"
    # Calls are short, so they keep Python's lock; and they convert what they are given themselves.
    return ctypes.PYFUNCTYPE(*types)(at)


#: Counts of who has a term: one more, and one less.
hold = call("Z3_inc_ref", None, None)
release = call("Z3_dec_ref", None, None)

_kind_of = call("Z3_get_ast_kind", None, None)
_sort_of = call("Z3_get_sort", None, None, result=None)
_sort_kind_of = call("Z3_get_sort_kind", None, None)
_error_of = call("Z3_get_error_code", None)
_words_for = call("Z3_get_error_msg", None, ctypes.c_uint, result=ctypes.c_char_p)

#: The classes of Z3's interface for terms, by the kind of their sort.  A number is another one.
_CLASSES = {
    z3.Z3_BOOL_SORT: z3.BoolRef,
    z3.Z3_INT_SORT: z3.ArithRef,
    z3.Z3_DATATYPE_SORT: z3.DatatypeRef,
    z3.Z3_UNINTERPRETED_SORT: z3.ExprRef,
}


def address(term: Any) -> Address:
    """Return where a term lies: two terms of one context are the same if they lie there both."""
    found: Address = term.ast.value
    return found


def sort_of(term: Any) -> Address:
    """Return where the sort of a term lies."""
    found: Address = _sort_of(context_of(term), address(term))
    return found


def addresses(terms: Sequence[Any]) -> Any:
    """Return where terms lie, as an array for a call."""
    return (_ADDRESS * len(terms))(*[term.ast.value for term in terms])


def context_of(term: Any) -> Address:
    """Return where the context of a term lies."""
    found: Address = term.ctx.ctx.value
    return found


def check(within: Address) -> None:
    """Raise the error that the last call in a context has ended with, if it has.

    Raises:
        z3.Z3Exception: the error, in the words that Z3 has for it.
    """
    error = _error_of(within)
    if error != z3.Z3_OK:
        raise z3.Z3Exception(_words_for(within, error).decode())


def term_at(at: Address | None, context: z3.Context) -> Any:
    """Return the term that lies somewhere, as Z3's interface has it.

    Raises:
        z3.Z3Exception: there is none, as the call that should have made it has failed.
    """
    within: Address = context.ctx.value
    if at is None:
        check(within)
        raise z3.Z3Exception("there is no term")
    kind = _kind_of(within, at)
    made_as = z3.QuantifierRef if kind == z3.Z3_QUANTIFIER_AST else None
    if kind == z3.Z3_APP_AST:
        made_as = _CLASSES.get(_sort_kind_of(within, _sort_of(within, at)))
    part = z3.Ast(at)
    part.value = at
    if made_as is None:
        return z3.z3._to_expr_ref(part, context)
    made = made_as.__new__(made_as)
    made.ast, made.ctx = part, context
    hold(within, at)
    return made
