"""Helpers: calls of pure functions, inlined where they stand.

A helper's parameters become `let`s and its body, a chain of locals, branches and returns, becomes
one expression.  So recursion would never end, and is refused.

A method is looked up as Python does it: on the class that plays the process, or for `super()` on
the classes that come after the writing class in the order of *that* class's bases.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ackproof.spec.lang import ir
from ackproof.spec.lang.calls import Calls
from ackproof.spec.lang.declare import to_type
from ackproof.spec.lang.errors import close_to
from ackproof.spec.lang.ir import Expr
from ackproof.spec.lang.parameters import Signature, hints_in, parameters, scope_of
from ackproof.spec.lang.process import Mark, mark_of
from ackproof.spec.lang.scope import Scope, known_after
from ackproof.spec.lang.sorts import Sort
from ackproof.spec.lang.types import FamilyT, IntT, MapT, ProcT, SeqT, Type

__all__ = ["Helpers", "Lets"]

#: Names with the values they stand for.
Lets = list[tuple[str, Expr]]


class Helpers(Calls):
    """Reads calls of helpers."""

    # -- finding the method ---------------------------------------------------------------------

    def _method_call(self, node: ast.Call, func: ast.Attribute) -> Expr:
        cls = self.scope.static(func.value)
        if isinstance(cls, type) and issubclass(cls, Sort):
            return self.sort_call(node, func, cls)
        if self.is_super(func.value):
            where = self.bases(func.value)
            obj = self.scope.roots["self"]
        else:
            obj, where = self.expr(func.value), ()
        if not isinstance(obj.type, ProcT):
            raise self.error(
                node,
                f"`.{func.attr}()` has no value here",
                "changes to sets, maps and sequences are statements; use |, &, - for a new set",
            )
        cls = self.scope.registry.classes[obj.type.name]
        owner, target, mark = self.method(where or cls.__mro__, func.attr)
        if mark is None or owner is None:
            raise self.error(
                node,
                f"{obj.type.name} has no helper `{func.attr}`",
                self.instead(
                    obj.type, func.attr, f"declare it in class {obj.type.name} with @helper"
                ),
            )
        if mark.kind != "helper":
            raise self.error(
                node,
                f"`{func.attr}` is a step and has no value",
                "call it as a statement of its own",
            )
        return self.inline(node, target, obj, owner)

    def instead(self, t: ProcT, name: str, otherwise: str) -> str:
        """Return what to write for a step or helper that is not there: a close name, if any."""
        cls = self.scope.registry.classes[t.name]
        meant = close_to(name, (n for n in dir(cls) if mark_of(getattr(cls, n)) is not None))
        return f"did you mean `{meant}`? if not, {otherwise}" if meant else otherwise

    def method(self, classes: Iterable[type], name: str) -> tuple[type | None, Any, Mark | None]:
        """Return the first class that defines a method, the method, and what it is marked as."""
        for cls in classes:
            if name in vars(cls):
                return cls, vars(cls)[name], mark_of(vars(cls)[name])
        return None, None, None

    def is_super(self, node: ast.expr) -> bool:
        """Tell whether a node is `super()`."""
        return (
            isinstance(node, ast.Call)
            and not node.args
            and isinstance(node.func, ast.Name)
            and self.scope.static(node.func) is super
        )

    def bases(self, node: ast.expr) -> tuple[type, ...]:
        """Return the classes in which `super()` looks for a method."""
        owner, root = self.scope.owner, self.scope.roots.get("self")
        if owner is None or root is None:
            raise self.error(node, "super() is for methods of a process", "call the helper by name")
        if self.scope.comprehensions:
            raise self.error(
                node,
                "super() has no meaning inside a comprehension, which is a function of its own",
                "call self.… there, or take the value into a local before",
            )
        assert isinstance(root.type, ProcT)
        order = self.scope.registry.classes[root.type.name].__mro__
        return order[order.index(owner) + 1 :]

    # -- inlining -------------------------------------------------------------------------------

    def inline(
        self, node: ast.Call, function: Callable[..., Any], obj: Expr | None, owner: type | None
    ) -> Expr:
        """Return what a call of a helper comes out as."""
        plain = inspect.unwrap(function)
        if plain in self.scope.stack:
            raise self.error(
                node,
                f"`{plain.__name__}` calls itself",
                "state it without recursion: quantify over a set instead",
            )
        inner, definition = scope_of(plain, self.scope)
        inner.owner, inner.stack = owner, (*self.scope.stack, plain)
        inner.comprehensions = 0
        params = parameters(inner, plain, definition, method=obj is not None)
        args = self.arguments(node, params, plain.__name__, "parameters")
        lets: Lets = []
        if obj is not None:
            inner.roots["self"] = self.steady(obj, lets)
        self._bind(inner, params, args, lets)
        result = self._result_type(inner, plain, definition)
        body = type(self)(inner).value_of(list(definition.body), definition, result)
        for name, arg in reversed(lets):
            body = ir.Let(name, arg, body, type=body.type, span=body.span)
        return body

    def _bind(self, inner: Scope, params: Signature, args: list[Expr], lets: Lets) -> None:
        """Give the parameters of a helper their arguments."""
        for (name, _), arg in zip(params, args, strict=True):
            if isinstance(arg, ir.Var | ir.Lit):
                inner.bound[name] = arg
            elif isinstance(arg.type, ProcT | FamilyT | MapT | SeqT):
                inner.bound[name] = self.steady(arg, lets)
            else:
                fresh = self.scope.fresh(name)
                lets.append((fresh, arg))
                inner.bound[name] = ir.Var(fresh, type=arg.type, span=arg.span)

    def steady(self, path: Expr, lets: Lets) -> Expr:
        """Return a path in which every key is a name or literal; others are given a name."""
        if isinstance(path, ir.Field):
            return ir.Field(self.steady(path.obj, lets), path.name, type=path.type, span=path.span)
        if isinstance(path, ir.Index):
            inner, key = self.steady(path.obj, lets), path.key
            if not isinstance(key, ir.Var | ir.Lit):
                name = self.scope.fresh("key")
                lets.append((name, key))
                key = ir.Var(name, type=key.type, span=key.span)
            return ir.Index(inner, key, type=path.type, span=path.span)
        return path

    def _result_type(
        self, inner: Scope, function: Callable[..., Any], definition: ast.FunctionDef
    ) -> Type:
        if definition.returns is None:
            raise inner.error(
                definition,
                f"the helper `{function.__name__}` does not say what it returns",
                "annotate it: def f(…) -> bool:",
            )
        hints = hints_in(inner, function, definition)
        result = to_type(hints["return"], inner.span(definition.returns), const=True)
        if isinstance(result, MapT | SeqT):
            raise inner.error(
                definition.returns,
                f"the helper `{function.__name__}` returns a map or sequence",
                "return a single value or a set; take the map as a parameter where it is read",
            )
        return result

    # -- bodies ---------------------------------------------------------------------------------

    def value_of(self, body: list[ast.stmt], where: ast.AST, result: Type) -> Expr:
        """Return the value of a helper's body: locals, branches and returns."""
        if not body:
            raise self.error(where, "this path returns nothing", "end every path with a return")
        head, rest = body[0], body[1:]
        if isinstance(head, ast.Expr) and isinstance(head.value, ast.Constant):
            return self.value_of(rest, where, result)
        if isinstance(head, ast.Pass):
            return self.value_of(rest, where, result)
        if isinstance(head, ast.Return):
            if head.value is None:
                raise self.error(head, "this path returns nothing", "return a value")
            if isinstance(result, IntT):  # the narrower range of what is returned is kept
                found = self.expr(head.value)
                self.coerce(head.value, found, result)
                return found
            return self.expr(head.value, result)
        if isinstance(head, ast.If):
            return self._branch(head, rest, where, result)
        if isinstance(head, ast.Assign | ast.AnnAssign) and head.value is not None:
            return self._let(head, rest, where, result)
        raise self.error(
            head,
            "a helper computes a value and does nothing else",
            "use locals, if, and return; put changes into a @handler",
        )

    def _branch(self, head: ast.If, rest: list[ast.stmt], where: ast.AST, result: Type) -> Expr:
        cond = self.boolean(head.test)
        with self.scope.knowing(known_after(cond, True)), self.scope.binding():
            yes = self.value_of(head.body + rest, where, result)
        with self.scope.knowing(known_after(cond, False)), self.scope.binding():
            no = self.value_of(head.orelse + rest, where, result)
        return self.either(head, cond, yes, no)

    def _let(
        self, head: ast.Assign | ast.AnnAssign, rest: list[ast.stmt], where: ast.AST, result: Type
    ) -> Expr:
        targets = [head.target] if isinstance(head, ast.AnnAssign) else head.targets
        target = targets[0]
        if not isinstance(target, ast.Name):
            raise self.error(head, "a helper changes nothing", "put changes into a @handler")
        if len(targets) != 1:
            raise self.error(
                head,
                "one value is assigned to one place at a time",
                "write one assignment for each",
            )
        assert head.value is not None
        value = self.expr(head.value)
        lets: Lets = []
        if isinstance(value.type, ProcT | FamilyT | MapT | SeqT):
            bound = self.steady(value, lets)
        else:
            name = self.scope.fresh(target.id)
            lets.append((name, value))
            bound = ir.Var(name, type=value.type, span=self.scope.span(target))
        with self.scope.binding({target.id: bound}):
            body = self.value_of(rest, where, result)
        for name, let in reversed(lets):
            body = ir.Let(name, let, body, type=body.type, span=body.span)
        return body
