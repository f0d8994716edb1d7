"""Conditions on a bound variable, for all its values at once.

Sets are masks, so for a variable `x` the condition `x in s` *is* the mask of `s`; `x < c` is the
mask of what is below `c`; `and`, `or` and `not` are bitwise.  `bitwise` recognises these forms and
returns None for the others, which are then evaluated for each value of `x`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ackproof.lang import ir
from ackproof.lang.ir import Binder, Expr
from ackproof.lang.types import EnumT, SetT, SortT
from ackproof.model.lower.ops import Emitter, Word

__all__ = ["bitwise", "is_variable"]


def is_variable(e: Expr, binder: Binder) -> bool:
    """Whether an expression is the bound variable and nothing else."""
    return isinstance(e, ir.Var) and e.name == binder.name


def bitwise(
    ops: Emitter,
    binder: Binder,
    cond: Expr,
    full: int,
    width: int,
    mask: Callable[[Expr, int], Word | None],
    each: Callable[[Expr, int], Word],
    word: Callable[[Expr], Word],
    owned: Callable[[Word], Word],
) -> Word | None:
    """Return the mask of a condition if its form allows, else None.

    Args:
        ops: where code goes.
        binder: the variable.
        cond: the condition.
        full: the mask of all values of the variable.
        width: how many bits the words have that hold them.
        mask: gives the mask of a part of the condition as far as only some values matter; None if
            that has to be evaluated for each value.
        each: does so.
        word: evaluates an expression that does not mention the variable.
        owned: gives the mask of all elements of an owner.
    """
    if isinstance(cond, ir.Not):
        inner = mask(cond.arg, full)
        return None if inner is None else ops.differ(inner, full)
    if isinstance(cond, ir.And | ir.Or):
        return _joined(ops, cond, full, mask, each)
    if isinstance(cond, ir.In) and isinstance(cond.set.type, SetT):
        own = is_variable(cond.elem, binder) and binder.name not in cond.set.names
        return word(cond.set) if own else None
    if not isinstance(binder.type, SortT | EnumT):
        return None
    if isinstance(cond, ir.Eq):
        for one, other in ((cond.left, cond.right), (cond.right, cond.left)):
            if is_variable(one, binder) and binder.name not in other.names:
                return ops.left(1, word(other), width)
            of_variable = isinstance(one, ir.Owner) and is_variable(one.arg, binder)
            if of_variable and binder.name not in other.names:
                return owned(word(other))
    if isinstance(cond, ir.Less):
        return _order(ops, binder, cond, full, width, word)
    return None


def _joined(
    ops: Emitter,
    cond: ir.And | ir.Or,
    full: int,
    mask: Callable[[Expr, int], Word | None],
    each: Callable[[Expr, int], Word],
) -> Word | None:
    """Return the mask of a conjunction or disjunction, None if all of it is left for each value.

    What has to be evaluated for each value comes last, where others have not decided, and all of it
    at once: much of it folds together.
    """
    conjunction = isinstance(cond, ir.And)
    join = ops.both if conjunction else ops.either
    result: Word = full if conjunction else 0
    others: list[Expr] = []
    for arg in cond.args:
        left = _undecided(ops, result, conjunction, full)
        if not left:
            return result
        part = mask(arg, left)
        if part is None:
            others.append(arg)
        else:
            result = join(result, part)
    left = _undecided(ops, result, conjunction, full)
    if len(others) == len(cond.args):
        return None
    if not others or not left:
        return result
    rest = others[0] if len(others) == 1 else replace(cond, args=tuple(others))
    return join(result, each(rest, left))


def _undecided(ops: Emitter, result: Word, conjunction: bool, full: int) -> int:
    """Return the values of which what comes next still matters."""
    may, has = ops.bits(result)
    return (may if conjunction else ~has) & full


def _order(
    ops: Emitter,
    binder: Binder,
    cond: ir.Less,
    full: int,
    width: int,
    word: Callable[[Expr], Word],
) -> Word | None:
    if is_variable(cond.left, binder) and binder.name not in cond.right.names:
        return ops.both(ops.below(word(cond.right), width, strict=cond.strict), full)
    if is_variable(cond.right, binder) and binder.name not in cond.left.names:
        below = ops.below(word(cond.left), width, strict=not cond.strict)
        return ops.differ(ops.both(below, full), full)
    return None
