"""Normal form: a method with fewer ways of saying the same.

What translates a specification reads it as it is written, and looks for what is written to: the
target of an assignment, and what a method is called on.  The language allows the same to be said in
other ways.  Here a method loses those of which the rest of this package knows nothing:

- `self.busy: bool = True` is the assignment without the type,
- a local that is a process (`box = self.boxes[b]`) is what it is short for, with its keys evaluated
  where it stands.

A statement that the language does not have is an error, and so is a change to a set, map or
sequence by a method that is not in `CHANGES`: whoever extends the language is told to look here.
"""

from __future__ import annotations

import ast

from ackproof.lang.process import Process
from ackproof.model.native.classes import CHANGES, Family, Layout, Variable
from ackproof.model.native.trees import Transformer, copied, walk

__all__ = ["in_normal_form"]


def in_normal_form(tree: ast.FunctionDef, cls: type[Process], layout: Layout) -> ast.FunctionDef:
    """Return a method of a class in normal form.

    Args:
        tree: the method; is changed, too.
        cls: the class of `self`.
        layout: of the system.

    Raises:
        LookupError: it has a statement, or a change, that is not translated.
    """
    normal = _Normal(tree, cls, layout)
    tree.body = normal.block(tree.body)
    return tree


class _Normal(Transformer):
    """Rewrites one method; `short` has the locals that are processes, where they are known."""

    def __init__(self, tree: ast.FunctionDef, cls: type[Process], layout: Layout) -> None:
        self._where = f"{cls.__name__}.{tree.name}"
        self._cls, self._layout = cls, layout
        self._taken = {n.id for n in walk(tree) if isinstance(n, ast.Name)}
        self._taken |= {n.arg for n in walk(tree) if isinstance(n, ast.arg)}
        self._short: dict[str, ast.expr] = {}

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return statements in normal form; what a local is short for it is up to their end."""
        before = self._short
        self._short = dict(before)
        left = [one for stmt in body for one in self._statement(stmt)]
        self._short = before
        return left

    def _statement(self, stmt: ast.stmt) -> list[ast.stmt]:
        match stmt:
            case ast.If():
                stmt.test = self.visit(stmt.test)
                stmt.body, stmt.orelse = self.block(stmt.body), self.block(stmt.orelse)
                return [stmt]
            case ast.For():
                stmt.iter = self.visit(stmt.iter)
                stmt.body = self.block(stmt.body)
                return [stmt]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self._statement(ast.copy_location(ast.Assign([target], value), stmt))
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                stmt.value = self.visit(value)
                if isinstance(self._layout.place(stmt.value, self._cls), type | Family):
                    return self._shortened(name, stmt.value)
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.AugAssign():
                self.generic_visit(stmt)
            case ast.Expr() | ast.Assert() | ast.Return() | ast.Pass():
                self.generic_visit(stmt)
                self._check(stmt)
            case _:
                raise LookupError(
                    f"{self._where} says {ast.unparse(stmt)!r}, and no rule translates that; "
                    "write one in ackproof.model.native"
                )
        return [stmt]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Put what a local is short for in its place."""
        found = self._short.get(node.id)
        return node if found is None else copied(found)

    def _shortened(self, name: str, path: ast.expr) -> list[ast.stmt]:
        """Note what a local is short for; return what gives names to the keys on the way."""
        keys: list[ast.stmt] = []
        node = path
        while isinstance(node, ast.Attribute | ast.Subscript):
            if isinstance(node, ast.Subscript) and not isinstance(
                node.slice, ast.Name | ast.Constant
            ):
                fresh = self._fresh(f"{name}_key")
                keys.append(ast.Assign([ast.Name(fresh, ast.Store())], node.slice, lineno=0))
                node.slice = ast.Name(fresh, ast.Load())
            node = node.value
        self._short[name] = path
        return keys

    def _fresh(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _check(self, stmt: ast.stmt) -> None:
        """Reject a change of which nobody knows what it does to a variable."""
        match stmt:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=attr))):
                if (
                    isinstance(self._layout.place(target, self._cls), Variable)
                    and attr not in CHANGES
                ):
                    raise LookupError(
                        f"{self._where} calls .{attr}() on {ast.unparse(target)}, and no rule says "
                        "what that changes; add it to CHANGES in ackproof.model.native.classes"
                    )
