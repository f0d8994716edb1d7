"""Cases: an action that does one of two long things, as two steps.

After a branch the state is either of two, and what is said of it says both at once.  Where there is
a loop on either side, as in a commit that may end the channel instead, each side has quantifiers of
its own, and solvers that decide either in a moment do not decide both together.  So such an action
is two steps, each with the condition of its side; whatever the action does, one of them does.
"""

from __future__ import annotations

from dataclasses import replace

from ackproof.lang import ir
from ackproof.lang.program import Action
from ackproof.lang.types import BOOL

__all__ = ["cases_of"]


def cases_of(action: Action) -> tuple[Action, ...]:
    """Return an action as those that it is one of: two sides of a branch, or itself."""
    for place, stmt in enumerate(action.body):
        if isinstance(stmt, ir.If) and _has_loop(stmt.then) and _has_loop(stmt.orelse):
            other = ir.Not(stmt.cond, type=BOOL, span=stmt.cond.span)
            return tuple(
                replace(
                    action,
                    body=(
                        *action.body[:place],
                        ir.Require(cond, span=stmt.span),
                        *side,
                        *action.body[place + 1 :],
                    ),
                )
                for cond, side in ((stmt.cond, stmt.then), (other, stmt.orelse))
            )
    return (action,)


def _has_loop(body: tuple[ir.Stmt, ...]) -> bool:
    return any(isinstance(node, ir.For) for stmt in body for node in ir.walk(stmt))
