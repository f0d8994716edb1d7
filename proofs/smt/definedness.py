"""Definedness: where an expression has a value, as a formula.

The `min` and the `max` of an empty set have none.  Python stops at the first of these that it comes
to, and does not look at what it does not need: the second part of an `and` whose first part is
false, or the other side of a choice.  So the formula of a part is under the conditions under which
Python gets to it.

The head of an empty sequence has no value, either; but nothing that takes a sequence has a formula.
"""

from __future__ import annotations

from ackproof.lang import ir
from ackproof.proofs.smt.expressions import Expressions, Scope
from ackproof.proofs.smt.logic import TRUE, Term, conjunction, implies, negation

__all__ = ["defined", "evaluated"]


def evaluated(stmt: ir.Stmt) -> tuple[ir.Expr, ...]:
    """Return the expressions that a statement evaluates itself, in order, before it does more."""
    match stmt:
        case ir.If():
            return (stmt.cond,)
        case ir.For():
            return (stmt.binder.domain,)
    return tuple(node for node in ir.children(stmt) if isinstance(node, ir.Expr))


def defined(expressions: Expressions, e: ir.Expr, scope: Scope) -> Term:
    """Return the formula that says that an expression has a value.

    Raises:
        Untranslatable: the domain has no counterpart for something in it.
    """
    if not e.can_fail:
        return TRUE
    match e:
        case ir.And() | ir.Or():
            return _in_turn(expressions, e, scope)
        case ir.Ite():
            cond = expressions.formula(e.cond, scope)
            return conjunction(
                (
                    defined(expressions, e.cond, scope),
                    implies(cond, defined(expressions, e.then, scope)),
                    implies(negation(cond), defined(expressions, e.orelse, scope)),
                )
            )
        case ir.Let():
            inner = scope.with_name(e.name, expressions.value(e.value, scope))
            parts = (defined(expressions, e.value, scope), defined(expressions, e.body, inner))
            return conjunction(parts)
        case ir.Comprehension():
            return _of_each(expressions, e, 0, scope)
        case ir.Extreme():
            members = expressions.members(e.set, scope)
            some = TRUE if e.optional else expressions.domain.some(members, lambda _: TRUE)
            return conjunction((defined(expressions, e.set, scope), some))
        case ir.Forall() | ir.Exists():
            raise AssertionError("the front end rejects what may fail inside of `all` and `any`")
    inside = (node for node in ir.children(e) if isinstance(node, ir.Expr))
    return conjunction(defined(expressions, node, scope) for node in inside)


def _in_turn(expressions: Expressions, e: ir.And | ir.Or, scope: Scope) -> Term:
    """Return the formula for operands of which each is evaluated only if those before ask for it.

    What an operand comes to is asked only where another comes after it.
    """
    found, before = [], TRUE
    for last, operand in zip((*e.args[1:], None), e.args, strict=True):
        found.append(implies(before, defined(expressions, operand, scope)))
        if last is not None:
            said = expressions.formula(operand, scope)
            before = conjunction((before, said if isinstance(e, ir.And) else negation(said)))
    return conjunction(found)


def _of_each(expressions: Expressions, e: ir.Comprehension, place: int, scope: Scope) -> Term:
    """Return the formula for a comprehension from the binder at a place on."""
    if place == len(e.binders):
        cond = defined(expressions, e.cond, scope)
        elem = implies(expressions.formula(e.cond, scope), defined(expressions, e.elem, scope))
        return conjunction((cond, elem))
    binder = e.binders[place]
    each = expressions.domain.every(
        expressions.members(binder.domain, scope),
        lambda x: _of_each(expressions, e, place + 1, scope.with_name(binder.name, x)),
    )
    return conjunction((defined(expressions, binder.domain, scope), each))
