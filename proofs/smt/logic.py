"""Formulas, kept small while they are built.

What is plainly true or false is folded away at once: most guards of most steps are about another
process or another element, and a formula that says so is never handed to a solver.  An existential
quantifier whose variable is equal to something is replaced by that (the one-point rule), so that no
solver has to guess what the text says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import z3
from ackproof.proofs.smt import making
from ackproof.proofs.smt.direct import address
from ackproof.proofs.smt.walking import (
    constants,
    has_quantifier,
    is_formula,
    is_number,
    operator,
    parts_of,
)

__all__ = [
    "FALSE",
    "TRUE",
    "Term",
    "alike",
    "conjunction",
    "conjuncts",
    "constants",
    "disjunction",
    "equal",
    "has_quantifier",
    "iff",
    "implies",
    "is_false",
    "is_true",
    "ite",
    "negation",
    "one_point",
    "product",
    "replaced",
]

#: A term or formula of Z3, which has no types of its own for them.
Term = Any

TRUE: Term = z3.BoolVal(True)
FALSE: Term = z3.BoolVal(False)
_TRUE_AT, _FALSE_AT = address(TRUE), address(FALSE)


def is_true(a: Term) -> bool:
    """Tell whether a formula is the one that is always true."""
    return address(a) == _TRUE_AT


def is_false(a: Term) -> bool:
    """Tell whether a formula is the one that is always false."""
    return address(a) == _FALSE_AT


def alike(a: Term, b: Term) -> bool:
    """Tell whether two terms are one and the same."""
    return address(a) == address(b)


def negation(a: Term) -> Term:
    """Return the negation of a formula."""
    if is_true(a):
        return FALSE
    if is_false(a):
        return TRUE
    return parts_of(a)[0] if operator(a) == z3.Z3_OP_NOT else making.negated(a)


def conjunction(parts: Iterable[Term]) -> Term:
    """Return the conjunction of formulas."""
    return _joined(parts, z3.Z3_OP_AND, FALSE, TRUE, making.all_of)


def conjuncts(term: Term) -> list[Term]:
    """Return the formulas that a formula is the conjunction of."""
    return parts_of(term) if operator(term) == z3.Z3_OP_AND else [term]


def disjunction(parts: Iterable[Term]) -> Term:
    """Return the disjunction of formulas."""
    return _joined(parts, z3.Z3_OP_OR, TRUE, FALSE, making.any_of)


def _joined(
    parts: Iterable[Term],
    nested: int,
    zero: Term,
    one: Term,
    make: Callable[[Sequence[Term]], Term],
) -> Term:
    found: dict[int, Term] = {}
    opposite, neutral = address(zero), address(one)
    waiting = list(parts)
    waiting.reverse()
    while waiting:
        part = waiting.pop()
        at = address(part)
        if at == opposite:
            return zero
        if at == neutral or at in found:
            continue
        if operator(part) == nested:
            waiting.extend(reversed(parts_of(part)))
        else:
            found[at] = part
    if not found:
        return one
    terms = list(found.values())
    return terms[0] if len(terms) == 1 else make(terms)


def implies(a: Term, b: Term) -> Term:
    """Return the formula that says: if the one, then the other."""
    if is_true(a) or is_true(b):
        return b
    if is_false(a):
        return TRUE
    if is_false(b):
        return negation(a)
    return making.when(a, b)


def iff(a: Term, b: Term) -> Term:
    """Return the formula that says that two formulas are both true or both false."""
    if alike(a, b):
        return TRUE
    for this, other in ((a, b), (b, a)):
        if is_true(this):
            return other
        if is_false(this):
            return negation(other)
    return making.equals(a, b)


def equal(a: Term, b: Term) -> Term:
    """Return the formula that says that two terms have the same value."""
    if is_formula(a):
        return iff(a, b)
    if alike(a, b):
        return TRUE
    return FALSE if _is_value(a) and _is_value(b) else making.equals(a, b)


def _is_value(term: Term) -> bool:
    """Tell whether a term is a numeral or a member of an enum: different ones are not equal."""
    if is_number(term):
        return True
    return operator(term) == z3.Z3_OP_DT_CONSTRUCTOR and not parts_of(term)


def ite(cond: Term, then: Term, orelse: Term) -> Term:
    """Return the term that is the one or the other."""
    if is_true(cond) or alike(then, orelse):
        return then
    if is_false(cond):
        return orelse
    if not is_formula(then):
        return making.chosen(cond, then, orelse)
    if is_true(then):
        return disjunction((cond, orelse))
    if is_false(then):
        return conjunction((negation(cond), orelse))
    if is_true(orelse):
        return disjunction((negation(cond), then))
    if is_false(orelse):
        return conjunction((cond, then))
    return making.chosen(cond, then, orelse)


def product(a: Term, b: Term) -> Term:
    """Return a product, as the sum of products that have no choice or sum in them.

    To solvers the product of two unknowns is an unknown; that of one that has grown by one and the
    other is linear in it, but not where what has grown is a choice.
    """
    if is_number(a) or is_number(b):
        return a * b
    for one, other in ((a, b), (b, a)):
        match operator(one):
            case z3.Z3_OP_ITE:
                cond, then, orelse = parts_of(one)
                return ite(cond, product(then, other), product(orelse, other))
            case z3.Z3_OP_ADD:
                return z3.Sum([product(part, other) for part in parts_of(one)])
    return a * b


def replaced(term: Term, old: Sequence[Term], new: Sequence[Term]) -> Term:
    """Return a term with constants replaced."""
    pairs = [(o, n) for o, n in zip(old, new, strict=True) if not alike(o, n)]
    if not pairs:
        return term
    return making.substituted(term, [o for o, _ in pairs], [n for _, n in pairs])


def one_point(bound: Sequence[Term], body: Term) -> tuple[list[Term], Term]:
    """Return what is left of bound constants and a body, of which there is said to be an example.

    A constant that must be equal to a term in which it does not occur is replaced by that term.
    """
    left = list(bound)
    changed = True
    while changed and left:
        changed = False
        for part in conjuncts(body):
            found = _definition(part, left)
            if found is not None:
                name, value = found
                left = [x for x in left if not alike(x, name)]
                body = conjunction(
                    replaced(p, [name], [value]) for p in conjuncts(body) if not alike(p, part)
                )
                changed = True
                break
    used = constants(body)
    return [x for x in left if address(x) in used], body


def _definition(part: Term, left: Sequence[Term]) -> tuple[Term, Term] | None:
    """Return a constant and the term that it must be equal to, if a formula says that."""
    kind = operator(part)
    name = parts_of(part)[0] if kind == z3.Z3_OP_NOT else part
    if any(alike(name, x) for x in left):
        return name, TRUE if name is part else FALSE
    if kind != z3.Z3_OP_EQ:
        return None
    sides = parts_of(part)
    for this, other in (sides, reversed(sides)):
        if any(alike(this, x) for x in left) and address(this) not in constants(other):
            return this, other
    return None
