"""Pass: within a method, `require` comes before anything is changed.

A step that turns out not to be enabled must not have done anything.  Natively nothing is undone,
so the order in the source is what guarantees it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from ackproof.lang import ir
from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Stmt
from ackproof.lang.program import Program

__all__ = ["check_requires"]


def check_requires(program: Program) -> Program:
    """Reject a `require` that comes after a change.

    Raises:
        SpecError: at the `require`.
    """
    for process in program.processes:
        for method in process.methods:
            _check(method.body, changed=False)
    return program


def _check(body: Iterable[Stmt], changed: bool) -> bool:
    """Check statements before which something was changed or not, and tell whether it was after."""
    for stmt in body:
        assert isinstance(stmt, ir.AnyStmt)
        match stmt:
            case ir.Require():
                if changed:
                    raise SpecError(
                        stmt.span,
                        "this `require` comes after a change: a step that is not "
                        "enabled must not have done anything",
                        "move it to the top of the method",
                    )
            case ir.If():
                then = _check(stmt.then, changed)
                changed = _check(stmt.orelse, changed) or then
            case ir.For():
                changed = _check(stmt.body, changed)
            case ir.Assign() | ir.SetAdd() | ir.SetDiscard() | ir.Push() | ir.Pop():
                changed = True
            case ir.Emit() | ir.Call():
                changed = True
            case ir.Local() | ir.Assert():
                pass
            case _:
                assert_never(stmt)
    return changed
