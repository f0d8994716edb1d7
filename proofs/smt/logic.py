"""Formulas, kept small while they are built.

What is plainly true or false is folded away at once: most guards of most steps are about another
process or another element, and a formula that says so is never handed to a solver.  An existential
quantifier whose variable is equal to something is replaced by that (the one-point rule), so that no
solver has to guess what the text says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import z3
from ackproof.proofs.smt.walking import constants, has_quantifier, operator

__all__ = [
    "FALSE",
    "TRUE",
    "Term",
    "conjunction",
    "conjuncts",
    "constants",
    "disjunction",
    "equal",
    "has_quantifier",
    "iff",
    "implies",
    "ite",
    "negation",
    "one_point",
    "replaced",
]

#: A term or formula of Z3, which has no types of its own for them.
Term = Any

TRUE: Term = z3.BoolVal(True)
FALSE: Term = z3.BoolVal(False)


def negation(a: Term) -> Term:
    """Return the negation of a formula."""
    kind = operator(a)
    if kind == z3.Z3_OP_TRUE:
        return FALSE
    if kind == z3.Z3_OP_FALSE:
        return TRUE
    return a.arg(0) if kind == z3.Z3_OP_NOT else z3.Not(a)


def conjunction(parts: Iterable[Term]) -> Term:
    """Return the conjunction of formulas."""
    return _joined(parts, z3.Z3_OP_AND, z3.Z3_OP_TRUE, FALSE, TRUE, z3.And)


def conjuncts(term: Term) -> list[Term]:
    """Return the formulas that a formula is the conjunction of."""
    return term.children() if z3.is_and(term) else [term]


def disjunction(parts: Iterable[Term]) -> Term:
    """Return the disjunction of formulas."""
    return _joined(parts, z3.Z3_OP_OR, z3.Z3_OP_FALSE, TRUE, FALSE, z3.Or)


def _joined(
    parts: Iterable[Term], nested: int, neutral: int, zero: Term, one: Term, make: Any
) -> Term:
    found: dict[int, Term] = {}
    opposite = operator(zero)
    waiting = list(parts)
    waiting.reverse()
    while waiting:
        part = waiting.pop()
        kind = operator(part)
        if kind == nested:
            waiting.extend(reversed(part.children()))
        elif kind == opposite:
            return zero
        elif kind != neutral:
            found.setdefault(part.get_id(), part)
    if not found:
        return one
    terms = list(found.values())
    return terms[0] if len(terms) == 1 else make(terms)


def implies(a: Term, b: Term) -> Term:
    """Return the formula that says: if the one, then the other."""
    if z3.is_true(a) or z3.is_true(b):
        return b
    if z3.is_false(a):
        return TRUE
    if z3.is_false(b):
        return negation(a)
    return z3.Implies(a, b)


def iff(a: Term, b: Term) -> Term:
    """Return the formula that says that two formulas are both true or both false."""
    if z3.eq(a, b):
        return TRUE
    for this, other in ((a, b), (b, a)):
        if z3.is_true(this):
            return other
        if z3.is_false(this):
            return negation(other)
    return a == b


def equal(a: Term, b: Term) -> Term:
    """Return the formula that says that two terms have the same value."""
    if z3.is_bool(a):
        return iff(a, b)
    if z3.eq(a, b):
        return TRUE
    return FALSE if _is_value(a) and _is_value(b) else a == b


def _is_value(term: Term) -> bool:
    """Tell whether a term is a numeral or a member of an enum: different ones are not equal."""
    if z3.is_int_value(term) or z3.is_bv_value(term):
        return True
    declared = term.decl() if z3.is_app(term) and term.num_args() == 0 else None
    return declared is not None and declared.kind() == z3.Z3_OP_DT_CONSTRUCTOR


def ite(cond: Term, then: Term, orelse: Term) -> Term:
    """Return the term that is the one or the other."""
    if z3.is_true(cond) or z3.eq(then, orelse):
        return then
    if z3.is_false(cond):
        return orelse
    if not z3.is_bool(then):
        return z3.If(cond, then, orelse)
    if z3.is_true(then):
        return disjunction((cond, orelse))
    if z3.is_false(then):
        return conjunction((negation(cond), orelse))
    if z3.is_true(orelse):
        return disjunction((negation(cond), then))
    if z3.is_false(orelse):
        return conjunction((cond, then))
    return z3.If(cond, then, orelse)


def replaced(term: Term, old: Sequence[Term], new: Sequence[Term]) -> Term:
    """Return a term with constants replaced."""
    pairs = [(o, n) for o, n in zip(old, new, strict=True) if not z3.eq(o, n)]
    return z3.substitute(term, *pairs) if pairs else term


def one_point(bound: Sequence[Term], body: Term) -> tuple[list[Term], Term]:
    """Return what is left of bound constants and a body, of which there is said to be an example.

    A constant that must be equal to a term in which it does not occur is replaced by that term.
    """
    left = list(bound)
    changed = True
    while changed and left:
        changed = False
        for part in body.children() if z3.is_and(body) else [body]:
            found = _definition(part, left)
            if found is not None:
                name, value = found
                left = [x for x in left if not z3.eq(x, name)]
                body = conjunction(
                    replaced(p, [name], [value])
                    for p in (body.children() if z3.is_and(body) else [body])
                    if not z3.eq(p, part)
                )
                changed = True
                break
    used = constants(body)
    return [x for x in left if x.get_id() in used], body


def _definition(part: Term, left: Sequence[Term]) -> tuple[Term, Term] | None:
    if z3.is_const(part) or (z3.is_not(part) and z3.is_const(part.arg(0))):
        name = part if z3.is_const(part) else part.arg(0)
        if any(z3.eq(name, x) for x in left):
            return name, z3.BoolVal(z3.is_const(part))
    if not z3.is_eq(part):
        return None
    for this, other in (part.children(), reversed(part.children())):
        if any(z3.eq(this, x) for x in left) and this.get_id() not in constants(other):
            return this, other
    return None
