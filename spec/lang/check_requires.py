"""Pass: within a method, `require` comes before anything is changed.

A step that turns out not to be enabled must not have done anything.  Natively nothing is undone,
so the order in the source is what guarantees it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ackproof.spec.lang import ir
from ackproof.spec.lang.errors import SpecError
from ackproof.spec.lang.ir import Stmt
from ackproof.spec.lang.places import WRITES
from ackproof.spec.lang.program import Program

__all__ = ["check_requires"]

_CHANGES = (*WRITES, ir.Emit, ir.Call)


def check_requires(program: Program) -> Program:
    """Refuse a `require` that comes after a change.

    Raises:
        SpecError: at the `require`.
    """
    for process in program.processes:
        for method in process.methods:
            _check(method.body, changed=False)
    return program


def _check(body: Iterable[Stmt], changed: bool) -> bool:
    for stmt in body:
        if isinstance(stmt, ir.Require) and changed:
            raise SpecError(
                stmt.span,
                "this `require` comes after a change: a step that is not "
                "enabled must not have done anything",
                "move it to the top of the method",
            )
        if isinstance(stmt, ir.If):
            then = _check(stmt.then, changed)
            changed = _check(stmt.orelse, changed) or then
        elif isinstance(stmt, ir.For):
            changed = _check(stmt.body, changed)
        changed = changed or isinstance(stmt, _CHANGES)
    return changed
