"""Pass: an integer is a key, an element or a field only where it is sure to be in its range.

A bounded integer is checked when a step ends, and may be outside of its range before.  Maps, sets
and records of integers have places for the integers in range and for no others.  The types see to
it that what is put there fits, as long as a variable that is read holds a value of its type: so a
variable that was changed in this step, and may be out of range since, is not read there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ackproof.lang import ir
from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Expr, Node, Stmt
from ackproof.lang.kept import once
from ackproof.lang.places import path_of
from ackproof.lang.program import Program
from ackproof.lang.types import IntT, within

__all__ = ["check_ranges"]


def check_ranges(program: Program) -> Program:
    """Reject integers that may be out of range where only integers in range have a place.

    Raises:
        SpecError: at the integer.
    """
    for action in program.actions:
        once(_check, action.body)
    return program


def _check(body: tuple[Stmt, ...]) -> None:
    _Loose().block(body)


class _Loose:
    """Variables and names that may hold an integer outside of its range."""

    def __init__(self) -> None:
        self.places: set[str] = set()
        self.names: set[str] = set()

    def block(self, body: Iterable[Stmt]) -> None:
        """Go through statements in order; branches and iterations add up."""
        for stmt in body:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        """Check one statement, and take note of what it makes uncertain."""
        match stmt:
            case ir.If():
                self.check(stmt.cond)
                self.block(stmt.then)
                self.block(stmt.orelse)
            case ir.For():
                self.check(stmt.binder.domain)
                self.block(stmt.body)
            case _:
                self.check(stmt)
                self._note(stmt)

    def _note(self, stmt: Stmt) -> None:
        match stmt:
            case ir.Local(name=name, value=value):
                if isinstance(value.type, IntT) and self.reads(value):
                    self.names.add(name)
            case ir.Assign(place=place, value=value) if isinstance(place.type, IntT):
                assert isinstance(value.type, IntT)
                if not within(value.type, place.type) or self.reads(value):
                    self.places.add(path_of(place))

    def check(self, node: Node) -> None:
        """Reject what is uncertain where it would have to be in range."""
        for part in ir.walk(node):
            if isinstance(part, ir.Let) and self.reads(part.value):
                self.names.add(part.name)
        for part in ir.walk(node):
            for expr in _placed(part):
                if isinstance(expr.type, IntT) and self.reads(expr):
                    raise SpecError(
                        expr.span,
                        "this integer was changed in this step, and may be out of its range here",
                        "take it into a local before it is changed",
                    )

    def reads(self, expr: Expr) -> bool:
        """Tell whether an integer is computed from uncertain ones."""
        return any(
            (isinstance(n, ir.Var) and n.name in self.names)
            or (isinstance(n, ir.Field) and path_of(n) in self.places)
            for n in ir.walk(expr)
        )


def _placed(node: Node) -> Iterator[Expr]:
    """Yield the operands of a node that become keys, elements or fields."""
    match node:
        case ir.Index():
            yield node.key
        case ir.In() | ir.Comprehension() | ir.SetAdd() | ir.SetDiscard() | ir.Push():
            yield node.elem
        case ir.MakeRecord():
            yield from node.args
        case ir.SetLit():
            yield from node.elems
        case ir.Some():
            yield node.arg
