"""Assignments: to places in the state, and to locals.

A place is never shared.  What is stored must be fresh, so that no two variables, nor a variable
and a local, are one Python set; then a name holds in Python what it stands for in the IR.
A local is assigned once; a local that is a process is merely a shorter name for it.
"""

from __future__ import annotations

import ast

from ackproof.spec.lang import ir
from ackproof.spec.lang.helpers import Helpers, Lets
from ackproof.spec.lang.ir import Expr, Stmt
from ackproof.spec.lang.operators import INT_OPERATORS, SET_OPERATORS
from ackproof.spec.lang.scope import known_after
from ackproof.spec.lang.types import (
    FamilyT,
    IntT,
    MapT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    is_mutable,
    written,
)

__all__ = ["Assignments"]


class Assignments(Helpers):
    """Reads assignments."""

    def _assignment(self, node: ast.Assign | ast.AnnAssign) -> list[Stmt]:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
        if len(targets) != 1 or node.value is None:
            raise self.error(
                node,
                "one value is assigned to one place at a time",
                "write one assignment for each",
            )
        target = targets[0]
        if isinstance(target, ast.Name):
            return self._to_local(target, node.value)
        if not isinstance(target, ast.Attribute | ast.Subscript):
            raise self.error(
                target,
                "this is not a place that can be assigned to",
                "assign to a variable of a process, an entry of a map, or a local",
            )
        return [self._to_place(node, target, node.value)]

    # -- places ---------------------------------------------------------------------------------

    def _to_place(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> Stmt:
        place = self.place(target)
        if isinstance(place.type, MapT | SeqT):
            raise self.error(
                node,
                "a map or sequence is not assigned as a whole",
                "clear it, and fill it entry by entry",
            )
        if isinstance(place.type, SetT) and self.is_ghost(place):
            raise self.error(
                node,
                "a ghost set is changed in place, so that it can be switched off",
                "use .clear(), .add(…), |= …",
            )
        if isinstance(place.type, IntT):
            found = self.expr(value)
            if not isinstance(found.type, IntT):
                found = self.coerce(value, found, place.type)
        else:
            found = self.expr(value, place.type)
        if is_mutable(place.type) and not self.is_fresh(value):
            raise self.error(
                value, "two places of the state would share this set", "copy it: set(…)"
            )
        self.wrote(place)
        return ir.Assign(place, found, span=self.scope.span(node))

    def place(self, node: ast.expr) -> Expr:
        """Return an expression that can be written to."""
        found = self.expr(node)
        if isinstance(found, ir.Unwrap):
            found = found.arg  # what is known of the old value says nothing of the new one
        root = found
        while isinstance(root, ir.Field | ir.Index):
            if isinstance(root, ir.Field) and isinstance(root.obj.type, RecordT):
                raise self.error(
                    node, "a record does not change", "assign a new record with the changed field"
                )
            root = root.obj
        if not isinstance(root, ir.Root) or isinstance(found, ir.Root):
            raise self.error(
                node, "only state can be changed, and this is a value", "start from self"
            )
        if isinstance(found.type, ProcT | FamilyT):
            raise self.error(
                node,
                "a process is not assigned as a whole",
                "assign its variables, or call its handlers",
            )
        return found

    def wrote(self, place: Expr) -> None:
        """Forget what was known of a variable that is written to."""
        while not isinstance(place, ir.Field):
            assert isinstance(place, ir.Index)
            place = place.obj
        self.scope.forget(place.name)

    def _augmented(self, node: ast.AugAssign) -> Stmt:
        if isinstance(node.target, ast.Name):
            raise self._again(node, node.target.id)
        place, span = self.place(node.target), self.scope.span(node)
        if isinstance(place.type, SetT) and type(node.op) in SET_OPERATORS:
            value = self.expr(node.value, place.type)
            change = ir.SetOp(
                SET_OPERATORS[type(node.op)], place, value, type=place.type, span=span
            )
            return ir.Assign(place, change, span=span)
        if isinstance(place.type, IntT) and type(node.op) in INT_OPERATORS:
            value = self.expr(node.value)
            if isinstance(value.type, IntT):
                result = self.arith(INT_OPERATORS[type(node.op)], place, value, node)
                return ir.Assign(place, result, span=span)
        raise self.error(
            node,
            f"this operator is not defined on {written(place.type)}",
            "use |= &= -= ^= on sets and += -= *= on integers",
        )

    # -- locals ---------------------------------------------------------------------------------

    def _to_local(self, target: ast.Name, value: ast.expr) -> list[Stmt]:
        found = self.expr(value)
        if isinstance(found.type, ProcT | FamilyT):
            return self._alias(target, found)
        self._refuse_shared(value, found)
        return [self._local(target, target.id, found)]

    def _refuse_shared(self, node: ast.expr, value: Expr) -> None:
        if is_mutable(value.type) and not self.is_fresh(node):
            raise self.error(
                node,
                "a second name for a set in the state would change with it",
                "copy it: set(…)",
            )

    def _alias(self, target: ast.Name, process: Expr) -> list[Stmt]:
        """Let a local stand for a process; the keys that lead to it are evaluated now."""
        self._refuse_again(target, target.id)
        lets: Lets = []
        self.scope.bound[target.id] = self.steady(process, lets)
        return [ir.Local(name, key, span=key.span) for name, key in lets]

    def _local(self, node: ast.AST, name: str, value: Expr) -> Stmt:
        self._refuse_again(node, name)
        fresh, span = self.scope.fresh(name), self.scope.span(node)
        self.scope.bound[name] = ir.Var(fresh, type=value.type, span=span)
        return ir.Local(fresh, value, span=span)

    def _refuse_again(self, node: ast.AST, name: str) -> None:
        if name in self.scope.bound or name in self.scope.roots:
            raise self._again(node, name)

    def _again(self, node: ast.AST, name: str) -> Exception:
        return self.error(
            node,
            f"the local `{name}` is assigned a second time",
            "give the second value a name of its own",
        )

    # -- locals that both branches assign -------------------------------------------------------

    def _joined(self, node: ast.If) -> list[Stmt]:
        """Return the locals that all branches assign, if the branches do nothing else."""
        out: list[Stmt] = []
        for name in _assigned_alike(node) or ():
            with self.scope.knowing():
                value = self._joined_value(node, name)
            out.append(self._local(node, name, value))
        return out

    def _joined_value(self, node: ast.If, name: str) -> Expr:
        cond = self.boolean(node.test)
        then = _assigned_to(node.body, name)
        if isinstance(node.orelse[0], ast.If):
            with self.scope.knowing(known_after(cond, True)):
                yes = self.expr(then)
            with self.scope.knowing(known_after(cond, False)):
                no = self._joined_value(node.orelse[0], name)
            found = self.either(node, cond, yes, no)
        else:
            orelse = _assigned_to(node.orelse, name)
            found = self.choice(node, cond, then, orelse)
            self._refuse_shared(orelse, found)
        self._refuse_shared(then, found)
        return found


def _assigned_alike(node: ast.If) -> list[str] | None:
    """Return the names that every branch assigns once, or None if it does anything else."""
    sides = []
    for part in (node.body, node.orelse):
        if part is node.orelse and len(part) == 1 and isinstance(part[0], ast.If):
            inner = _assigned_alike(part[0])
            if inner is None:
                return None
            sides.append(inner)
            continue
        names = [s.targets[0].id for s in part if _assigns_local(s)]  # type: ignore[attr-defined]
        if len(names) != len(part) or len(set(names)) != len(names):
            return None
        sides.append(names)
    return sides[0] if sides[0] and set(sides[0]) == set(sides[1]) else None


def _assigns_local(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
    )


def _assigned_to(body: list[ast.stmt], name: str) -> ast.expr:
    for s in body:
        if isinstance(s, ast.Assign) and s.targets[0].id == name:  # type: ignore[attr-defined]
            return s.value
    raise AssertionError(f"{name} is assigned here")
