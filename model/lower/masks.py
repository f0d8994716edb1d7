"""Conditions on a bound variable, for all its values at once.

Sets are masks, so for a variable `x` the condition `x in s` *is* the mask of `s`; `x < c` is the
mask of what is below `c`; `and`, `or` and `not` are bitwise.  `bitwise` recognises these forms and
returns None for the others, which are then evaluated for each value of `x`.
"""

from __future__ import annotations

from collections.abc import Callable

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
    mask: Callable[[Expr], Word],
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
        mask: gives the mask of a part of the condition.
        word: evaluates an expression that does not mention the variable.
        owned: gives the mask of all elements of an owner.
    """
    if isinstance(cond, ir.Not):
        return ops.differ(mask(cond.arg), full)
    if isinstance(cond, ir.And | ir.Or):
        conjunction = isinstance(cond, ir.And)
        result: Word = full if conjunction else 0
        for arg in cond.args:
            join = ops.both if conjunction else ops.either
            result = join(result, mask(arg))
            if result == (0 if conjunction else full):
                break
        return result
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
