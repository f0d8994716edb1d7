"""Pass: behaviour does not depend on ghost state, and nobody writes to a constant.

Ghost variables record history for properties to read.  They may be switched off, so nothing that
is not ghost may be computed from them: not a guard, not a value, not an event, not an argument,
not a branch in which anything but ghosts is written.  Nor may anything fail because of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from ackproof.lang import ir
from ackproof.lang.check_defined import partial
from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Expr, Stmt
from ackproof.lang.kept import once
from ackproof.lang.program import Method, Program
from ackproof.lang.types import ProcT

__all__ = ["check_ghosts"]

#: Variables, by the names of their processes and their own.
Places = frozenset[tuple[str, str]]

_INSTEAD = "keep what behaviour needs in a variable that is not Ghost"


def check_ghosts(program: Program) -> Program:
    """Reject behaviour that depends on ghost state, and writes to constants.

    Raises:
        SpecError: at the first such place.
    """
    variables = [(p.name, v) for p in program.processes for v in p.variables]
    ghosts = frozenset((name, v.name) for name, v in variables if v.ghost)
    consts = frozenset((name, v.name) for name, v in variables if v.const)
    for process in program.processes:
        for method in process.methods:
            once(_check, method, ghosts, consts)
    return program


def _check(method: Method, ghosts: Places, consts: Places) -> None:
    _Checker(ghosts, consts).block(method.body, hidden=False)


class _Checker:
    """Follows ghost state through the body of one method."""

    def __init__(self, ghosts: Places, consts: Places) -> None:
        self.ghosts, self.consts = ghosts, consts
        self.tainted: set[str] = set()

    def reads(self, expr: Expr) -> Expr | None:
        """Return the first part of an expression that depends on a ghost, or None."""
        for node in ir.walk(expr):
            if isinstance(node, ir.Field) and self._lies_in(node, self.ghosts):
                return node
            if isinstance(node, ir.Var) and node.name in self.tainted:
                return node
        return None

    def _lies_in(self, place: Expr, variables: Places) -> bool:
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

    def reject(self, expr: Expr, what: str) -> None:
        """Reject an expression if it depends on a ghost."""
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
        assert isinstance(stmt, ir.AnyStmt)
        match stmt:
            case ir.Local():
                self._reject_failure(stmt.value, hidden)
                if self.reads(stmt.value) is not None:
                    self.tainted.add(stmt.name)
            case ir.Assign():
                self.write(stmt, stmt.value, hidden)
            case ir.SetAdd() | ir.SetDiscard() | ir.Push():
                self.write(stmt, stmt.elem, hidden)
            case ir.Pop():
                self.write(stmt, None, hidden)
            case ir.If():
                self._reject_failure(stmt.cond, hidden)
                inner = hidden or self.reads(stmt.cond) is not None
                self.block(stmt.then, inner)
                self.block(stmt.orelse, inner)
            case ir.For():
                self.loop(stmt, hidden)
            case ir.Require() | ir.Assert():
                self.effect(stmt, hidden, (stmt.cond, "this condition"))
            case ir.Emit():
                self.effect(stmt, hidden, (stmt.event, "this event"))
            case ir.Call():
                arguments = [(arg, "this argument") for arg in stmt.args]
                self.effect(stmt, hidden, (stmt.obj, "which process is called"), *arguments)
            case _:
                assert_never(stmt)

    def loop(self, loop: ir.For, hidden: bool) -> None:
        """Check a loop: what it does depends on what it ranges over."""
        self._reject_failure(loop.binder.domain, hidden)
        tainted = self.reads(loop.binder.domain) is not None
        if tainted:
            self.tainted.add(loop.binder.name)
        self.block(loop.body, hidden or tainted)

    def _reject_failure(self, expr: Expr, hidden: bool) -> None:
        """Reject what is undefined in some states because of ghosts."""
        for part in partial(expr):
            assert isinstance(part, Expr)
            if hidden or self.reads(part) is not None:
                raise SpecError(
                    part.span,
                    "whether this is defined depends on ghost state, which behaviour may not",
                    "write min(s, default=None) and test for None",
                )

    def write(self, stmt: ir.AnyWrite, value: Expr | None, hidden: bool) -> None:
        """Check a write: into a ghost anything goes, elsewhere nothing ghostly."""
        if self._lies_in(stmt.place, self.consts):
            raise SpecError(
                stmt.span, "a constant is not written", "declare it without Const to make it state"
            )
        self._reject_failure(stmt.place, hidden)
        if value is not None:
            self._reject_failure(value, hidden)
        if self._lies_in(stmt.place, self.ghosts):
            return
        if hidden:
            raise SpecError(
                stmt.span,
                "whether this is written depends on ghost state, which behaviour may not",
                _INSTEAD,
            )
        if value is not None:
            self.reject(value, "the value")
        self.reject(stmt.place, "the place")

    def effect(self, stmt: Stmt, hidden: bool, *parts: tuple[Expr, str]) -> None:
        """Check a statement that behaviour consists of, with its parts in words."""
        if hidden:
            raise SpecError(
                stmt.span,
                "whether this happens depends on ghost state, which behaviour may not",
                _INSTEAD,
            )
        for part, what in parts:
            self.reject(part, what)
