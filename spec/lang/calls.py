"""Calls in expressions: built-in functions, records and events, and sorts' own functions."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

from ackproof.spec.lang import ir
from ackproof.spec.lang.declare import type_of_class
from ackproof.spec.lang.ir import Expr
from ackproof.spec.lang.operators import Operators
from ackproof.spec.lang.ordered import least
from ackproof.spec.lang.parameters import Signature
from ackproof.spec.lang.process import mark_of, require
from ackproof.spec.lang.sorts import Sort
from ackproof.spec.lang.types import (
    UNBOUNDED,
    IntT,
    OptionT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
    written,
)
from ackproof.spec.lang.values import Record

__all__ = ["Calls"]


class Calls(Operators):
    """Reads calls of what the language itself provides."""

    def _call(self, node: ast.Call, expected: Type | None) -> Expr:
        found = self.scope.static(node.func)
        builtin = (
            self._builtins().get(found) if inspect.isroutine(found) or found in _TYPES else None
        )
        if builtin is not None:
            return builtin(node, expected)
        if isinstance(found, type) and issubclass(found, Record):
            return self.record(node, found)
        mark = mark_of(found)
        if mark is not None and mark.kind == "helper" and callable(found):
            return self.inline(node, found, None, None)
        if found is require:
            raise self.error(
                node, "require is a statement, not a value", "write it on a line of its own"
            )
        if isinstance(node.func, ast.Attribute) and not inspect.ismodule(
            self.scope.static(node.func.value)
        ):
            return self._method_call(node, node.func)
        if not isinstance(node.func, ast.Name | ast.Attribute):
            raise self.error(node, "only names and methods can be called", "call a helper by name")
        raise self.error(
            node,
            f"`{ast.unparse(node.func)}` is not known to the language",
            "write it as a function decorated @helper, or use a built-in: "
            "set, len, min, max, least, all, any, sorted, bool",
        )

    def _method_call(self, node: ast.Call, func: ast.Attribute) -> Expr:
        raise NotImplementedError

    def inline(
        self, node: ast.Call, function: Callable[..., Any], obj: Expr | None, owner: type | None
    ) -> Expr:
        """Return what a call of a helper comes out as."""
        raise NotImplementedError

    def only(self, node: ast.Call) -> ast.expr:
        """Return the one argument of a call."""
        if len(node.args) != 1 or node.keywords:
            raise self.error(node, "this call takes one argument", "pass one argument")
        return node.args[0]

    # -- built-in functions ---------------------------------------------------------------------

    def _builtins(self) -> dict[Any, Callable[[ast.Call, Type | None], Expr]]:
        return {
            set: self._copy,
            len: self._len,
            min: self._extreme,
            max: self._extreme,
            least: self._least,
            all: lambda node, _: self.quantified(node, self.only(node), universal=True),
            any: lambda node, _: self.quantified(node, self.only(node), universal=False),
            sorted: self._sorted,
            bool: lambda node, _: self.boolean(self.only(node)),
        }

    def _copy(self, node: ast.Call, expected: Type | None) -> Expr:
        if not node.args:
            raise self.error(
                node,
                "nothing says of which type this empty set is",
                "use it where a set is expected, or compare with `not s`",
            )
        return self.members(self.only(node), expected)

    def _sorted(self, node: ast.Call, expected: Type | None) -> Expr:
        raise self.error(
            node,
            "`sorted` gives an order, and sets have none",
            "use it as the range of a `for` loop that emits; elsewhere leave it out",
        )

    def _len(self, node: ast.Call, expected: Type | None) -> Expr:
        value = self.container(self.only(node))
        span = self.scope.span(node)
        if isinstance(value.type, SeqT):
            return ir.Length(value, type=IntT(0, value.type.cap), span=span)
        return ir.Card(value, type=IntT(0, UNBOUNDED), span=span)

    def _extreme(self, node: ast.Call, expected: Type | None) -> Expr:
        op = "min" if self.scope.static(node.func) is min else "max"
        keywords = {k.arg: k.value for k in node.keywords}
        if len(node.args) == 2 and not keywords:
            return self._extreme_of_two(node, op)
        if len(node.args) != 1 or set(keywords) - {"default"}:
            raise self.error(
                node,
                f"{op} takes a set, and default=None if it may be empty",
                f"write {op}(s) or {op}(s, default=None)",
            )
        default = keywords.get("default")
        if default is not None and not (
            isinstance(default, ast.Constant) and default.value is None
        ):
            raise self.error(
                default,
                f"the default of {op} can only be None",
                "take the option and test it: `x is None`",
            )
        return self._extreme_of_set(node, node.args[0], op, default is not None)

    def _least(self, node: ast.Call, expected: Type | None) -> Expr:
        return self._extreme_of_set(node, self.only(node), "min", True)

    def _extreme_of_set(self, node: ast.Call, items: ast.expr, op: str, optional: bool) -> Expr:
        values = self.members(items)
        assert isinstance(values.type, SetT)
        elem = values.type.elem
        if not isinstance(elem, IntT) and not (isinstance(elem, SortT) and elem.ordered):
            raise self.error(
                node,
                f"{op} needs an order, and {written(elem)} has none",
                "use an OrderedSort or integers",
            )
        t: Type = OptionT(elem) if optional else elem
        return ir.Extreme(op, values, optional, type=t, span=self.scope.span(node))

    def _extreme_of_two(self, node: ast.Call, op: str) -> Expr:
        left, right = (self.expr(a) for a in node.args)
        if isinstance(left.type, IntT) and isinstance(right.type, IntT):
            return self.arith(op, left, right, node)
        raise self.error(
            node,
            f"{op} of two values is for integers",
            f"write {op}({{a, b}}) for elements of an ordered sort",
        )

    # -- records, sorts -------------------------------------------------------------------------

    def record(self, node: ast.Call, cls: type[Record]) -> Expr:
        """Return a record or event built by a call of its class."""
        t = type_of_class(cls)
        assert isinstance(t, RecordT)
        args = tuple(self.arguments(node, list(t.fields), cls.__name__, "fields"))
        return ir.MakeRecord(args, type=t, span=self.scope.span(node))

    def arguments(self, node: ast.Call, params: Signature, name: str, what: str) -> list[Expr]:
        """Return the arguments of a call in the order of the parameters (or fields)."""
        names = ", ".join(n for n, _ in params) or "none"
        given = dict(zip((n for n, _ in params), node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg in given or keyword.arg not in dict(params):
                raise self.error(
                    node,
                    f"`{name}` takes no argument `{keyword.arg or '**'}` here",
                    f"its {what} are: {names}",
                )
            given[keyword.arg] = keyword.value
        if set(given) != {n for n, _ in params} or len(node.args) > len(params):
            raise self.error(
                node,
                f"`{name}` is called with the wrong number of arguments",
                f"its {what} are: {names}",
            )
        return [self.expr(given[n], t) for n, t in params]

    def sort_call(self, node: ast.Call, func: ast.Attribute, cls: type[Sort]) -> Expr:
        """Return the first element of a sort, or the one after another."""
        t, span = type_of_class(cls), self.scope.span(node)
        assert isinstance(t, SortT)
        if func.attr not in {"first", "succ"}:
            raise self.error(
                node,
                f"{cls.__name__} has no function `{func.attr}`",
                f"use {cls.__name__}.first() or {cls.__name__}.succ(x)",
            )
        if not t.ordered:
            raise self.error(
                node,
                f"the sort {t.name} is not ordered",
                f"declare class {t.name}(OrderedSort) to have first and succ",
            )
        if func.attr == "succ":
            return ir.Succ(self.expr(self.only(node), t), type=OptionT(t), span=span)
        if node.args or node.keywords:
            raise self.error(node, "first takes no argument", f"write {cls.__name__}.first()")
        return ir.First(type=t, span=span)


_TYPES = (set, bool)
