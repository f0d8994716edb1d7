"""Calls in expressions: built-in functions, records, sorts' own functions, and helpers.

A helper is inlined here: its parameters become `let`s and its body, a chain of locals, branches
and returns, becomes one expression.  So recursion would never end, and is refused.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

from ackproof.spec.lang import ir
from ackproof.spec.lang.declare import to_type, type_of_class
from ackproof.spec.lang.expressions import Expressions, join_ints
from ackproof.spec.lang.ir import Binder, Expr
from ackproof.spec.lang.process import Process, hints_of, mark_of, require, split_marks
from ackproof.spec.lang.scope import Scope, known_after
from ackproof.spec.lang.sorts import Sort
from ackproof.spec.lang.source import function_ast, names_of
from ackproof.spec.lang.types import (
    BOOL,
    UNBOUNDED,
    FamilyT,
    IntT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
)
from ackproof.spec.lang.values import CONST, Each, Record

__all__ = ["Calls", "parameters"]


class Calls(Expressions):
    """Reads expressions, calls included."""

    def _declared(self, t: ProcT, name: str) -> Type | None:
        cls = self.scope.registry.classes[t.name]
        hints = hints_of(cls)
        if name not in hints:
            return None
        inner, marks = split_marks(hints[name])
        if isinstance(inner, type) and issubclass(inner, Process):
            return ProcT(inner.__name__)
        if getattr(inner, "__origin__", None) is Each:
            sort, proc = inner.__args__
            key = type_of_class(sort)
            assert isinstance(key, SortT)
            return FamilyT(key, ProcT(proc.__name__))
        return to_type(hints[name], ir.NOWHERE, const=CONST in marks)

    def _call(self, node: ast.Call, expected: Type | None) -> Expr:
        if isinstance(node.func, ast.Attribute):
            return self._method_call(node, node.func)
        if not isinstance(node.func, ast.Name):
            self.scope.refuse(node, "only names and methods can be called", "call a helper by name")
        found = self.scope.lookup(node.func)
        builtin = self._builtins().get(found) if callable(found) else None
        if builtin is not None:
            return builtin(node)
        if isinstance(found, type) and issubclass(found, Record):
            return self.record(node, found)
        mark = mark_of(found)
        if mark is not None and mark.kind == "helper" and callable(found):
            return self._inline(node, found, None, None)
        if found is require:
            self.scope.refuse(
                node, "require is a statement, not a value", "write it on a line of its own"
            )
        self.scope.refuse(
            node,
            f"`{node.func.id}` is not known to the language",
            "write it as a function decorated @helper, or use a built-in: "
            "set, len, min, max, all, any, sorted, bool",
        )

    def _builtins(self) -> dict[Any, Callable[[ast.Call], Expr]]:
        return {
            set: self._set_of,
            len: self._len,
            min: self._extreme,
            max: self._extreme,
            all: self._quantified,
            any: self._quantified,
            sorted: self._sorted,
            bool: lambda node: self.boolean(self._only(node)),
        }

    def _only(self, node: ast.Call) -> ast.expr:
        if len(node.args) != 1 or node.keywords:
            self.scope.refuse(node, "this call takes one argument", "pass one argument")
        return node.args[0]

    def _set_of(self, node: ast.Call) -> Expr:
        if not node.args:
            self.scope.refuse(
                node,
                "nothing says of which type this empty set is",
                "use it where a set is expected, or compare with `not s`",
            )
        return self.iterable(self._only(node))

    def _sorted(self, node: ast.Call) -> Expr:
        self.scope.refuse(
            node,
            "`sorted` gives an order, and sets have none",
            "use it as the range of a `for` loop that emits; elsewhere leave it out",
        )

    def _len(self, node: ast.Call) -> Expr:
        arg = self._only(node)
        span = self.scope.span(node)
        found = self.scope.lookup(arg) if isinstance(arg, ast.Name) else None
        value = self._universe(arg, found) if isinstance(found, type) else self.expr(arg)
        if isinstance(value.type, SeqT):
            return ir.Length(value, type=IntT(0, value.type.cap), span=span)
        return ir.Card(self._as_set(arg, value), type=IntT(0, UNBOUNDED), span=span)

    def _quantified(self, node: ast.Call) -> Expr:
        arg = self._only(node)
        universal = isinstance(node.func, ast.Name) and node.func.id == "all"
        if not isinstance(arg, ast.GeneratorExp):
            self.scope.refuse(
                arg,
                "all and any range over a generator here",
                "write all(condition for x in some_set)",
            )
        span = self.scope.span(node)

        def build(binders: tuple[Binder, ...], cond: Expr) -> Expr:
            body = self.boolean(arg.elt)
            if cond != ir.And((), type=BOOL):
                body = (
                    ir.Or((ir.Not(cond, type=BOOL), body), type=BOOL)
                    if universal
                    else ir.And((cond, body), type=BOOL)
                )
            make = ir.Forall if universal else ir.Exists
            return make(binders, body, type=BOOL, span=span)

        return self.comprehend(arg.generators, build)

    def _extreme(self, node: ast.Call) -> Expr:
        assert isinstance(node.func, ast.Name)
        op, span = node.func.id, self.scope.span(node)
        keywords = {k.arg: k.value for k in node.keywords}
        if len(node.args) == 2 and not keywords:
            left, right = (self.expr(a) for a in node.args)
            if isinstance(left.type, IntT) and isinstance(right.type, IntT):
                return self.arith(op, left, right, node)
            self.scope.refuse(
                node,
                f"{op} of two values is for integers",
                f"write {op}({{a, b}}) for elements of an ordered sort",
            )
        if len(node.args) != 1 or set(keywords) - {"default"}:
            self.scope.refuse(
                node,
                f"{op} takes a set, and default=None if it may be empty",
                f"write {op}(s) or {op}(s, default=None)",
            )
        default = keywords.get("default")
        if default is not None and not (
            isinstance(default, ast.Constant) and default.value is None
        ):
            self.scope.refuse(
                default,
                f"the default of {op} can only be None",
                "take the option and test it: `x is None`",
            )
        values = self.iterable(node.args[0])
        assert isinstance(values.type, SetT)
        elem = values.type.elem
        if not isinstance(elem, IntT) and not (isinstance(elem, SortT) and elem.ordered):
            self.scope.refuse(
                node,
                f"{op} needs an order, and {elem!r} has none",
                "use an OrderedSort or integers",
            )
        t: Type = elem if default is None else OptionT(elem)
        return ir.Extreme(op, values, default is not None, type=t, span=span)

    def record(self, node: ast.Call, cls: type[Record]) -> Expr:
        """Return a record or event built by a call of its class."""
        t = type_of_class(cls)
        assert isinstance(t, RecordT)
        given = dict(zip((n for n, _ in t.fields), node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg is None or t.field(keyword.arg) is None or keyword.arg in given:
                self.scope.refuse(
                    node,
                    f"{cls.__name__} takes no argument `{keyword.arg}` here",
                    f"its fields are: {', '.join(n for n, _ in t.fields)}",
                )
            given[keyword.arg] = keyword.value
        missing = [n for n, _ in t.fields if n not in given]
        if missing or len(node.args) > len(t.fields):
            fields = ", ".join(n for n, _ in t.fields)
            self.scope.refuse(
                node, f"{cls.__name__} takes exactly the fields: {fields}", "give each of them once"
            )
        args = tuple(self.expr(given[n], ft) for n, ft in t.fields)
        return ir.MakeRecord(args, type=t, span=self.scope.span(node))

    # -- methods and helpers --------------------------------------------------------------------

    def _method_call(self, node: ast.Call, func: ast.Attribute) -> Expr:
        if isinstance(func.value, ast.Name):
            found = self.scope.lookup(func.value)
            if isinstance(found, type) and issubclass(found, Sort):
                return self._sort_call(node, func, found)
            if inspect.ismodule(found):
                target = getattr(found, func.attr, None)
                if isinstance(target, type) and issubclass(target, Record):
                    return self.record(node, target)
                mark = mark_of(target)
                if callable(target) and mark is not None and mark.kind == "helper":
                    return self._inline(node, target, None, None)
        if self._is_super(func.value):
            return self._super_call(node, func)
        obj = self.expr(func.value)
        if isinstance(obj.type, ProcT):
            return self._helper_method(node, func, obj, self.scope.registry.classes[obj.type.name])
        self.scope.refuse(
            node,
            f"`.{func.attr}()` has no value here",
            "changes to sets, maps and sequences are statements; use |, &, - for a new set",
        )

    def _is_super(self, node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "super"
            and not node.args
        )

    def _super_call(self, node: ast.Call, func: ast.Attribute) -> Expr:
        owner = self.scope.owner
        assert owner is not None
        return self._helper_method(node, func, self.scope.roots["self"], owner.__mro__[1])

    def _helper_method(self, node: ast.Call, func: ast.Attribute, obj: Expr, cls: type) -> Expr:
        target = getattr(cls, func.attr, None)
        mark = mark_of(target)
        if target is None or mark is None:
            self.scope.refuse(
                node,
                f"{cls.__name__} has no helper `{func.attr}`",
                f"declare it in class {cls.__name__} with @helper",
            )
        if mark.kind != "helper":
            self.scope.refuse(
                node,
                f"`{func.attr}` is a step and has no value",
                "call it as a statement of its own",
            )
        owner = next(c for c in cls.__mro__ if func.attr in vars(c))
        return self._inline(node, target, obj, owner)

    def _sort_call(self, node: ast.Call, func: ast.Attribute, cls: type[Sort]) -> Expr:
        t, span = type_of_class(cls), self.scope.span(node)
        assert isinstance(t, SortT)
        if func.attr not in {"first", "succ"}:
            self.scope.refuse(
                node,
                f"{cls.__name__} has no function `{func.attr}`",
                f"use {cls.__name__}.first() or {cls.__name__}.succ(x)",
            )
        if not t.ordered:
            self.scope.refuse(
                node,
                f"the sort {t.name} is not ordered",
                f"declare class {t.name}(OrderedSort) to have first and succ",
            )
        if func.attr == "first":
            return ir.First(type=t, span=span)
        return ir.Succ(self.expr(self._only(node), t), type=OptionT(t), span=span)

    def bind_arguments(
        self, node: ast.Call, params: list[tuple[str, Type]], name: str
    ) -> list[Expr]:
        """Return the arguments of a call in the order of the parameters."""
        given = dict(zip((n for n, _ in params), node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg in given or keyword.arg not in dict(params):
                self.scope.refuse(
                    node,
                    f"`{name}` takes no argument `{keyword.arg}` here",
                    f"its parameters are: {', '.join(n for n, _ in params)}",
                )
            given[keyword.arg] = keyword.value
        if set(given) != {n for n, _ in params} or len(node.args) > len(params):
            expected = ", ".join(n for n, _ in params) or "none"
            self.scope.refuse(
                node,
                f"`{name}` is called with the wrong number of arguments",
                f"its parameters are: {expected}",
            )
        return [self.expr(given[n], t) for n, t in params]

    def _inline(
        self,
        node: ast.Call,
        function: Callable[..., Any],
        obj: Expr | None,
        owner: type | None,
    ) -> Expr:
        plain = inspect.unwrap(function)
        if plain in self.scope.stack:
            self.scope.refuse(
                node,
                f"`{plain.__name__}` calls itself",
                "state it without recursion: quantify over a set instead",
            )
        file, definition = function_ast(plain)
        inner = Scope(
            file,
            names_of(plain),
            self.scope.registry,
            owner=owner,
            stack=(*self.scope.stack, plain),
            counter=self.scope.counter,
        )
        params = parameters(inner, plain, definition, method=obj is not None)
        args = self.bind_arguments(node, params, plain.__name__)
        if obj is not None:
            inner.roots["self"] = obj
        lets: list[tuple[str, Expr]] = []
        for (name, _), arg in zip(params, args, strict=True):
            if isinstance(arg, ir.Var | ir.Lit):
                inner.bound[name] = arg
            else:
                fresh = self.scope.fresh(name)
                lets.append((fresh, arg))
                inner.bound[name] = ir.Var(fresh, type=arg.type, span=arg.span)
        result = self._result_type(inner, plain, definition)
        body = type(self)(inner).value_of(list(definition.body), definition, result)
        for name, arg in reversed(lets):
            body = ir.Let(name, arg, body, type=body.type, span=body.span)
        return body

    def _result_type(
        self, inner: Scope, function: Callable[..., Any], definition: ast.FunctionDef
    ) -> Type:
        hints = get_type_hints(function, include_extras=True)
        if "return" not in hints or definition.returns is None:
            inner.refuse(
                definition,
                f"the helper `{function.__name__}` does not say what it returns",
                "annotate it: def f(…) -> bool:",
            )
        return to_type(hints["return"], inner.span(definition.returns), const=True)

    def value_of(self, body: list[ast.stmt], where: ast.AST, result: Type) -> Expr:
        """Return the value of a helper's body: locals, branches and returns."""
        if not body:
            self.scope.refuse(where, "this path returns nothing", "end every path with a return")
        head, rest = body[0], body[1:]
        if isinstance(head, ast.Expr) and isinstance(head.value, ast.Constant):
            return self.value_of(rest, where, result)
        if isinstance(head, ast.Return):
            if head.value is None:
                self.scope.refuse(head, "this path returns nothing", "return a value")
            if result == BOOL:
                return self.boolean(head.value)
            return self.expr(head.value, result)
        if isinstance(head, ast.If):
            return self._branch(head, rest, where, result)
        if isinstance(head, ast.Assign | ast.AnnAssign) and head.value is not None:
            return self._let(head, rest, where, result)
        self.scope.refuse(
            head,
            "a helper computes a value and does nothing else",
            "use locals, if, and return; put changes into a @handler",
        )

    def _branch(self, head: ast.If, rest: list[ast.stmt], where: ast.AST, result: Type) -> Expr:
        cond = self.boolean(head.test)
        with self.scope.knowing(known_after(cond, True)), self.scope.binding({}):
            then = self.value_of(head.body + rest, where, result)
        with self.scope.knowing(known_after(cond, False)), self.scope.binding({}):
            orelse = self.value_of(head.orelse + rest, where, result)
        t = then.type
        if isinstance(t, IntT) and isinstance(orelse.type, IntT):
            t = join_ints(t, orelse.type)
        return ir.Ite(cond, then, orelse, type=t, span=self.scope.span(head))

    def _let(
        self, head: ast.Assign | ast.AnnAssign, rest: list[ast.stmt], where: ast.AST, result: Type
    ) -> Expr:
        target = head.target if isinstance(head, ast.AnnAssign) else head.targets[0]
        if not isinstance(target, ast.Name):
            self.scope.refuse(head, "a helper changes nothing", "put changes into a @handler")
        assert head.value is not None
        value = self.expr(head.value)
        name = self.scope.fresh(target.id)
        var = ir.Var(name, type=value.type, span=self.scope.span(target))
        with self.scope.binding({target.id: var}):
            body = self.value_of(rest, where, result)
        return ir.Let(name, value, body, type=body.type, span=body.span)


def parameters(
    scope: Scope, function: Callable[..., Any], definition: ast.FunctionDef, *, method: bool
) -> list[tuple[str, Type]]:
    """Return the names and types of a function's parameters, `self` left out.

    Raises:
        SpecError: a parameter is not annotated, has a default, or has no type of the language.
    """
    a = definition.args
    if a.vararg or a.kwarg or a.posonlyargs:
        scope.refuse(
            definition, "`*args` and `**kwargs` are outside the language", "name every parameter"
        )
    named = [*a.args, *a.kwonlyargs]
    if method:
        named = named[1:]
    if a.defaults or any(d is not None for d in a.kw_defaults):
        scope.refuse(
            definition,
            "a parameter with a default is outside the language",
            "give every argument where it is called",
        )
    for p in named:
        if p.annotation is None:
            scope.refuse(
                p, f"the parameter `{p.arg}` has no annotation", f"say what it is: {p.arg}: Msg"
            )
    hints = get_type_hints(function, include_extras=True)
    found: list[tuple[str, Type]] = []
    for p in named:
        hint = hints[p.arg]
        if isinstance(hint, type) and issubclass(hint, Process):
            found.append((p.arg, ProcT(hint.__name__)))
        else:
            assert p.annotation is not None
            found.append((p.arg, to_type(hint, scope.span(p), const=False)))
    return found
