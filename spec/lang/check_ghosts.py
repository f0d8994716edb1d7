"""Pass: behaviour does not depend on ghost state, and nobody writes to a constant.

Ghost variables record history for properties to read.  They may be switched off, so nothing that
is not ghost may be computed from them: not a guard, not a value, not an event, not an argument,
not a branch in which anything but ghosts is written.  Nor may anything fail because of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from ackproof.spec.lang import ir
from ackproof.spec.lang.check_defined import partial
from ackproof.spec.lang.errors import SpecError
from ackproof.spec.lang.ir import Expr, Stmt
from ackproof.spec.lang.places import WRITES
from ackproof.spec.lang.program import Program
from ackproof.spec.lang.types import ProcT

__all__ = ["check_ghosts"]

_INSTEAD = "keep what behaviour needs in a variable that is not Ghost"


def check_ghosts(program: Program) -> Program:
    """Refuse behaviour that depends on ghost state, and writes to constants.

    Raises:
        SpecError: at the first such place.
    """
    for process in program.processes:
        for method in process.methods:
            _Checker(program).block(method.body, hidden=False)
    return program


class _Checker:
    """Follows ghost state through the body of one method."""

    def __init__(self, program: Program) -> None:
        variables = [(p.name, v) for p in program.processes for v in p.variables]
        self.ghosts = {(name, v.name) for name, v in variables if v.ghost}
        self.consts = {(name, v.name) for name, v in variables if v.const}
        self.tainted: set[str] = set()

    def reads(self, expr: Expr) -> Expr | None:
        """Return the first part of an expression that depends on a ghost, or None."""
        for node in ir.walk(expr):
            if isinstance(node, ir.Field) and self._lies_in(node, self.ghosts):
                return node
            if isinstance(node, ir.Var) and node.name in self.tainted:
                return node
        return None

    def _lies_in(self, place: Expr, variables: set[tuple[str, str]]) -> bool:
        """Whether a place lies in one of these variables."""
        while isinstance(place, ir.Field | ir.Index):
            if (
                isinstance(place, ir.Field)
                and isinstance(place.obj.type, ProcT)
                and (place.obj.type.name, place.name) in variables
            ):
                return True
            place = place.obj
        return False

    def refuse(self, expr: Expr, what: str) -> None:
        """Refuse an expression if it depends on a ghost."""
        found = self.reads(expr)
        if found is not None:
            raise SpecError(
                found.span, f"{what} depends on ghost state, which behaviour may not", _INSTEAD
            )

    # -- statements -----------------------------------------------------------------------------

    def block(self, body: Iterable[Stmt], hidden: bool) -> None:
        """Check a block; `hidden` is where control depends on ghosts."""
        for stmt in body:
            self.statement(stmt, hidden)

    def statement(self, stmt: Stmt, hidden: bool) -> None:
        """Check one statement."""
        if isinstance(stmt, ir.Local):
            self._refuse_failure(stmt.value, hidden)
            if self.reads(stmt.value) is not None:
                self.tainted.add(stmt.name)
        elif isinstance(stmt, WRITES):
            self.write(stmt, hidden)
        elif isinstance(stmt, ir.If):
            self._refuse_failure(stmt.cond, hidden)
            inner = hidden or self.reads(stmt.cond) is not None
            self.block(stmt.then, inner)
            self.block(stmt.orelse, inner)
        elif isinstance(stmt, ir.For):
            self._refuse_failure(stmt.binder.domain, hidden)
            tainted = self.reads(stmt.binder.domain) is not None
            if tainted:
                self.tainted.add(stmt.binder.name)
            self.block(stmt.body, hidden or tainted)
        else:
            self.effect(stmt, hidden)

    def _refuse_failure(self, expr: Expr, hidden: bool) -> None:
        """Refuse what is undefined in some states because of ghosts."""
        for part in partial(expr):
            assert isinstance(part, Expr)
            if hidden or self.reads(part) is not None:
                raise SpecError(
                    part.span,
                    "whether this is defined depends on ghost state, which behaviour may not",
                    "write min(s, default=None) and test for None",
                )

    def write(self, stmt: Stmt, hidden: bool) -> None:
        """Check a write: into a ghost anything goes, elsewhere nothing ghostly."""
        assert isinstance(stmt, WRITES)
        if self._lies_in(stmt.place, self.consts):
            raise SpecError(
                stmt.span, "a constant is not written", "declare it without Const to make it state"
            )
        value = stmt.value if isinstance(stmt, ir.Assign) else getattr(stmt, "elem", None)
        self._refuse_failure(stmt.place, hidden)
        if value is not None:
            self._refuse_failure(value, hidden)
        if self._lies_in(stmt.place, self.ghosts):
            return
        if hidden:
            raise SpecError(
                stmt.span,
                "whether this is written depends on ghost state, which behaviour may not",
                _INSTEAD,
            )
        if value is not None:
            self.refuse(value, "the value")
        self.refuse(stmt.place, "the place")

    def effect(self, stmt: Stmt, hidden: bool) -> None:
        """Check a statement that behaviour consists of."""
        if hidden:
            raise SpecError(
                stmt.span,
                "whether this happens depends on ghost state, which behaviour may not",
                _INSTEAD,
            )
        if isinstance(stmt, ir.Require | ir.Assert):
            self.refuse(stmt.cond, "this condition")
        elif isinstance(stmt, ir.Emit):
            self.refuse(stmt.event, "this event")
        elif isinstance(stmt, ir.Call):
            self.refuse(stmt.obj, "which process is called")
            for arg in stmt.args:
                self.refuse(arg, "this argument")
