"""Mutations: what the methods of sets, maps and sequences become.

Everything that Python offers to change one of them is reduced to a few statements of the IR.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ackproof.spec.lang import ir
from ackproof.spec.lang.assignments import Assignments
from ackproof.spec.lang.ir import Expr, Span, Stmt
from ackproof.spec.lang.reader import is_zero
from ackproof.spec.lang.types import MapT, SeqT, SetT, written

__all__ = ["Mutations"]

_UPDATES = {"update": "|", "difference_update": "-", "intersection_update": "&"}


class Mutations(Assignments):
    """Reads calls of methods that change a set, a map or a sequence."""

    def _mutation(self, call: ast.Call, func: ast.Attribute, span: Span) -> Stmt:
        place = self.place(func.value)
        name, t = func.attr, place.type
        table: dict[str, Callable[[ast.Call, Expr, Span], Stmt]] = {}
        if isinstance(t, SetT):
            table = {"add": self._add, "discard": self._discard, "clear": self._clear}
            table |= dict.fromkeys(_UPDATES, self._update)
        elif isinstance(t, MapT):
            table = {"clear": self._clear}
        elif isinstance(t, SeqT):
            table = {"append": self._append, "pop": self._pop, "clear": self._clear}
        if name not in table:
            raise self.error(
                call,
                f"`.{name}()` is not a change that {written(t)} knows",
                f"its changes are: {', '.join(table) or 'none, assign to it'}",
            )
        change = table[name](call, place, span)
        self.wrote(place)
        return change

    def _add(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        assert isinstance(place.type, SetT)
        return ir.SetAdd(place, self.expr(self.only(call), place.type.elem), span=span)

    def _discard(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        assert isinstance(place.type, SetT)
        return ir.SetDiscard(place, self.expr(self.only(call), place.type.elem), span=span)

    def _clear(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        if call.args or call.keywords:
            raise self.error(call, "clear takes no argument", "write .clear()")
        return ir.Assign(place, ir.Default(type=place.type, span=span), span=span)

    def _update(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        assert isinstance(call.func, ast.Attribute)
        argument = self.only(call)
        if isinstance(argument, ast.GeneratorExp):
            raise self.error(
                argument,
                "a generator would see the set change while it runs",
                "write a set comprehension: {x for x in …}",
            )
        value = self.coerce(argument, self.members(argument, place.type), place.type)
        change = ir.SetOp(_UPDATES[call.func.attr], place, value, type=place.type, span=span)
        return ir.Assign(place, change, span=span)

    def _append(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        assert isinstance(place.type, SeqT)
        return ir.Push(place, self.expr(self.only(call), place.type.elem), span=span)

    def _pop(self, call: ast.Call, place: Expr, span: Span) -> Stmt:
        if len(call.args) != 1 or call.keywords or not is_zero(call.args[0]):
            raise self.error(call, "a sequence gives up its head only", "write .pop(0)")
        return ir.Pop(place, span=span)
