"""Which statements and conditions of a program an instance comes to, and whether another program is
the same there.

A mutant or a design changes a method or two, which most instances have no use for: a guard before
it speaks of a part that is off.  The abstract execution that finds out what never changes (see
`ackproof.model.lower.fixed`) comes to all that a step of a reachable state may come to.  So where
two programs are the same in all that the one comes to, the other comes to the same, and all steps
of both are the same.  To know that takes no code, and one execution of the base for many mutants.

What may be left out is what Python leaves out: the statements of a branch or a loop, what follows
a demand that is never met, an operand of `and` and `or` but for the first, a side of a conditional
expression.  All else counts as looked at if what it stands in is.  Of what a bound variable ranges
over, each part counts, since such conditions are evaluated for all elements at once.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.ir import Expr, Node, Stmt
from ackproof.lang.program import Action
from ackproof.model.lower.codec import Value
from ackproof.model.lower.evaluate import Evaluator
from ackproof.model.lower.execute import Run
from ackproof.model.lower.fixed import Analysis, Case, Found
from ackproof.model.lower.state import SymbolicState

__all__ = ["Reach"]


class _Evaluator(Evaluator):
    """Evaluates, and takes note of what."""

    met: set[int]

    def value(self, expr: Expr) -> Value:
        """Evaluate any expression."""
        self.met.add(id(expr))
        return super().value(expr)


class _Run(Run):
    """Executes, and takes note of what."""

    eval: _Evaluator

    def statement(self, stmt: Stmt) -> None:
        """Execute one statement."""
        self.eval.met.add(id(stmt))
        super().statement(stmt)


class _Tracing(Analysis):
    """An analysis for which nothing was found before, and which notes what it comes to."""

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound)
        self.met: set[int] = set()

    def find(self, case: Case) -> Found:
        """Execute an action."""
        return self.look(case)

    def beginning(self, action: Action, state: SymbolicState, names: dict[str, Value]) -> Run:
        """Return an execution of an action that has not begun."""
        evaluator = _Evaluator(self.access, {"self": state}, names)
        evaluator.met = self.met
        return _Run(evaluator, action)


class Reach:
    """What the steps of a bound program come to.

    Args:
        bound: the program at the sizes of an instance.
    """

    def __init__(self, bound: Bound) -> None:
        analysis = _Tracing(bound)
        analysis.settle()
        self._bound = bound
        self._met = frozenset(analysis.met)

    def is_same(self, other: Bound) -> bool:
        """Tell whether another program has the same states and takes the same steps, for certain.

        Args:
            other: a program bound to the same instance, such as a mutant of this one.
        """
        mine, theirs = self._bound, other
        if _frame(mine) != _frame(theirs):
            return False
        return all(
            self._same_block(a.body, b.body)
            for a, b in zip(mine.actions, theirs.actions, strict=True)
        )

    def _is_met(self, node: Node) -> bool:
        """Tell whether a step comes to a node.

        Of a demand, its parts are executed one by one.
        """
        match node:
            case ir.Require():
                return self._is_met(node.cond)
            case ir.And():
                return not node.args or self._is_met(node.args[0])
            case _:
                return id(node) in self._met

    def _same_block(self, mine: tuple[Stmt, ...], theirs: tuple[Stmt, ...]) -> bool:
        for one, other in zip(mine, theirs, strict=False):
            if not self._is_met(one):
                return True
            if not self._same(one, other):
                return False
        return len(mine) == len(theirs)

    def _same_if_met(self, mine: Expr, theirs: Expr) -> bool:
        return not self._is_met(mine) or self._same(mine, theirs)

    def _same_operands(self, mine: tuple[Expr, ...], theirs: tuple[Expr, ...]) -> bool:
        """Compare what stands between `and` or `or`: what follows the first may be left out."""
        for number, (one, other) in enumerate(zip(mine, theirs, strict=False)):
            if number and not self._is_met(one):
                return True
            if not self._same(one, other):
                return False
        return len(mine) == len(theirs)

    def _same(self, mine: Node, theirs: Node) -> bool:
        """Tell whether two nodes are the same in all that is come to, where the first is."""
        if mine is theirs:
            return True
        if type(mine) is not type(theirs):
            return False
        other = cast(Any, theirs)
        match mine:
            case ir.And() | ir.Or():
                return self._same_operands(mine.args, other.args)
            case ir.Ite():
                return (
                    mine.type == other.type
                    and self._same(mine.cond, other.cond)
                    and self._same_if_met(mine.then, other.then)
                    and self._same_if_met(mine.orelse, other.orelse)
                )
            case ir.If():
                return (
                    self._same(mine.cond, other.cond)
                    and self._same_block(mine.then, other.then)
                    and self._same_block(mine.orelse, other.orelse)
                )
            case ir.For():
                head = (mine.binder, mine.ordered) == (other.binder, other.ordered)
                return head and self._same_block(mine.body, other.body)
            case ir.Exists() | ir.Forall() | ir.Comprehension():
                return mine == theirs
            case _:
                return all(
                    self._same_part(getattr(mine, f.name), getattr(theirs, f.name))
                    for f in fields(cast(Any, mine))
                    if f.compare
                )

    def _same_part(self, mine: object, theirs: object) -> bool:
        if isinstance(mine, Node) and isinstance(theirs, Node):
            return self._same(mine, theirs)
        return mine == theirs


def _frame(bound: Bound) -> tuple[object, ...]:
    """Return all of a bound program but the bodies of its actions."""
    program = bound.program
    actions = tuple((a.name, a.kind, a.fair, a.params, a.added) for a in bound.actions)
    stated = (program.stated, program.deadlock_free, bound.properties, bound.folded)
    return (actions, bound.locations, bound.constants, bound.budgets, bound.sizes, *stated)
