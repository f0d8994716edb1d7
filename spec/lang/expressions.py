"""Expressions: from `ast` to typed IR.

One method per kind of syntax node.  What is not in the table is refused, with the construct to
use instead.  `expected` is the type the context wants; it gives `None` and `set()` their type and
lifts a plain value to an option.
"""

from __future__ import annotations

import ast
import enum
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ackproof.spec.lang import ir
from ackproof.spec.lang.declare import type_of_class
from ackproof.spec.lang.ir import Binder, Expr
from ackproof.spec.lang.scope import Scope, known_after
from ackproof.spec.lang.sorts import Sort
from ackproof.spec.lang.types import (
    BOOL,
    BoolT,
    EnumT,
    FamilyT,
    IntT,
    MapT,
    OptionT,
    ProcT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
    is_scalar,
)

__all__ = ["Expressions", "join_ints"]

_SET_OPS = {ast.BitOr: "|", ast.BitAnd: "&", ast.Sub: "-", ast.BitXor: "^"}
_INT_OPS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lambda: ("a lambda is outside the language", "write a @helper function"),
    ast.Dict: (
        "a dict display is outside the language",
        "declare a Map on a process; its keys start with the default",
    ),
    ast.DictComp: (
        "a dict comprehension is outside the language",
        "assign to the entries in a `for` loop",
    ),
    ast.List: ("a list is outside the language", "use a set, or a bounded Seq declared as state"),
    ast.ListComp: (
        "a list comprehension is outside the language",
        "use a set comprehension: {x for x in …}",
    ),
    ast.Tuple: ("a tuple is outside the language", "declare a Record with named fields"),
    ast.JoinedStr: ("text is outside the language", "use the members of an Enum"),
    ast.Await: ("await is outside the language", "write one action for each step"),
    ast.Yield: ("yield is outside the language", "write one action for each step"),
    ast.NamedExpr: (
        "an assignment inside an expression is outside the language",
        "assign to a local in a statement of its own",
    ),
    ast.Starred: ("`*` is outside the language", "pass the arguments one by one"),
}


def join_ints(a: IntT, b: IntT) -> IntT:
    """Return the smallest range that holds both."""
    return IntT(min(a.lo, b.lo), max(a.hi, b.hi))


class Expressions:
    """Reads expressions in a scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    # -- entry points ---------------------------------------------------------------------------

    def expr(self, node: ast.expr, expected: Type | None = None) -> Expr:
        """Return the typed expression of a syntax node, lifted to `expected` if that is given.

        Raises:
            SpecError: the node is outside the language or has another type than expected.
        """
        if expected is not None and isinstance(node, ast.Constant) and node.value is None:
            if isinstance(expected, OptionT):
                return ir.Lit(None, type=expected, span=self.scope.span(node))
            self.scope.refuse(
                node,
                f"None is not a value of type {expected!r}",
                f"give a value, or declare Option[{expected!r}]",
            )
        if expected is not None and self._is_empty_set(node) and isinstance(expected, SetT):
            return ir.SetLit((), type=expected, span=self.scope.span(node))
        found = self._dispatch(node, expected)
        return found if expected is None else self.coerce(node, found, expected)

    def coerce(self, node: ast.AST, found: Expr, expected: Type) -> Expr:
        """Return `found` as a value of type `expected`, or refuse it."""
        if found.type == expected:
            return found
        if isinstance(found.type, IntT) and isinstance(expected, IntT):
            return found
        if isinstance(expected, OptionT) and found.type == expected.inner:
            return ir.Some(found, type=expected, span=found.span)
        if isinstance(found.type, MapT) and expected == SetT(found.type.key):
            return self._as_set(node, found)
        if isinstance(found.type, OptionT) and found.type.inner == expected:
            self.scope.refuse(
                node,
                f"this may be None where a value of type {expected!r} is needed",
                "test it first: `x is not None and …`",
            )
        self.scope.refuse(
            node,
            f"this has type {found.type!r} where {expected!r} is needed",
            f"write an expression of type {expected!r}",
        )

    def boolean(self, node: ast.expr) -> Expr:
        """Return a condition: a truth value, or whether a set, map or sequence has elements."""
        found = self.expr(node)
        span = self.scope.span(node)
        if isinstance(found.type, BoolT):
            return found
        if isinstance(found.type, SeqT):
            zero = ir.Lit(0, type=IntT(0, 0), span=span)
            length = ir.Length(found, type=IntT(0, found.type.cap), span=span)
            return ir.Less(zero, length, True, type=BOOL, span=span)
        if isinstance(found.type, SetT | MapT):
            some = self._as_set(node, found)
            empty = ir.SetLit((), type=some.type, span=span)
            return ir.Not(ir.Eq(some, empty, type=BOOL, span=span), type=BOOL, span=span)
        if isinstance(found.type, OptionT):
            self.scope.refuse(
                node,
                "an option is not a truth value: its value may be falsy",
                "compare it: `x is not None`",
            )
        self.scope.refuse(
            node,
            f"a value of type {found.type!r} is not a truth value",
            "compare it with something",
        )

    def iterable(self, node: ast.expr) -> Expr:
        """Return the set that a loop or comprehension ranges over."""
        found = self.scope.lookup(node) if isinstance(node, ast.Name) else None
        if isinstance(found, type):
            return self._universe(node, found)
        return self._as_set(node, self.expr(node))

    # -- dispatch -------------------------------------------------------------------------------

    def _dispatch(self, node: ast.expr, expected: Type | None) -> Expr:
        for kind, (problem, instead) in _REFUSED.items():
            if isinstance(node, kind):
                self.scope.refuse(node, problem, instead)
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            self.scope.refuse(
                node,
                f"{type(node).__name__} is outside the language",
                "see the list of expressions in the language reference",
            )
        result: Expr = method(node, expected)
        return result

    def _constant(self, node: ast.Constant, expected: Type | None) -> Expr:
        span, value = self.scope.span(node), node.value
        if isinstance(value, bool):
            return ir.Lit(value, type=BOOL, span=span)
        if isinstance(value, int):
            return ir.Lit(value, type=IntT(value, value), span=span)
        if value is None:
            self.scope.refuse(
                node,
                "nothing says of which type this None is",
                "compare with `is None`, or assign it to an Option variable",
            )
        if isinstance(value, float):
            self.scope.refuse(
                node, "a float is outside the language", "use a bounded integer or an Enum"
            )
        self.scope.refuse(node, "text is outside the language", "use the members of an Enum")

    def _name(self, node: ast.Name, expected: Type | None) -> Expr:
        found = self.scope.lookup(node)
        if isinstance(found, Expr):
            return self._narrowed(found)
        return self._global(node, node.id, found, expected)

    def _global(self, node: ast.expr, name: str, value: object, expected: Type | None) -> Expr:
        span = self.scope.span(node)
        if isinstance(value, enum.Enum):
            members = type_of_class(type(value))
            assert members is not None
            return ir.Lit(value.name, type=members, span=span)
        if isinstance(value, bool):
            return ir.Lit(value, type=BOOL, span=span)
        if isinstance(value, int):
            return ir.Lit(value, type=IntT(value, value), span=span)
        if isinstance(value, type):
            if issubclass(value, Sort | enum.Enum) or value is bool:
                return self._universe(node, value)
            self.scope.refuse(
                node,
                f"the class `{name}` is not a value",
                "call it, or use the state that was declared with it",
            )
        self.scope.refuse(
            node,
            f"`{name}` is a {type(value).__name__}, and its value is not part of the state",
            "declare it as state or Const of a process; only bools, ints and Enum members "
            "may be read from a module",
        )

    def _universe(self, node: ast.AST, cls: type) -> Expr:
        element = type_of_class(cls)
        if element is None or not is_scalar(element):
            self.scope.refuse(
                node,
                f"`{cls.__name__}` is not a set that can be iterated over",
                "iterate over a Sort, an Enum, or a set in the state",
            )
        return ir.Universe(type=SetT(element), span=self.scope.span(node))

    def _narrowed(self, found: Expr) -> Expr:
        if isinstance(found.type, OptionT) and repr(found) in self.scope.facts:
            return ir.Unwrap(found, type=found.type.inner, span=found.span)
        return found

    # -- access ---------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute, expected: Type | None) -> Expr:
        if isinstance(node.value, ast.Name):
            found = self.scope.lookup(node.value)
            if isinstance(found, type) and issubclass(found, enum.Enum):
                return self._member(node, found)
            if inspect.ismodule(found):
                return self._global(node, node.attr, getattr(found, node.attr, None), expected)
        obj = self.expr(node.value)
        return self._narrowed(self.field(node, obj, node.attr))

    def _member(self, node: ast.Attribute, cls: type[enum.Enum]) -> Expr:
        t = type_of_class(cls)
        if not isinstance(t, EnumT) or node.attr not in t.members:
            self.scope.refuse(
                node,
                f"{cls.__name__} has no member `{node.attr}`",
                f"use one of {', '.join(cls.__members__)}",
            )
        return ir.Lit(node.attr, type=t, span=self.scope.span(node))

    def field(self, node: ast.AST, obj: Expr, name: str) -> Expr:
        """Return the field `name` of a process or record."""
        span = self.scope.span(node)
        if isinstance(obj.type, RecordT):
            t = obj.type.field(name)
            if t is None:
                have = ", ".join(n for n, _ in obj.type.fields) or "none"
                self.scope.refuse(
                    node, f"{obj.type!r} has no field `{name}`", f"its fields are: {have}"
                )
            return ir.Field(obj, name, type=t, span=span)
        if isinstance(obj.type, ProcT):
            t = self._declared(obj.type, name)
            if t is None:
                self._refuse_unknown_field(node, obj.type, name)
            return ir.Field(obj, name, type=t, span=span)
        if isinstance(obj.type, OptionT) and isinstance(obj.type.inner, RecordT):
            self.scope.refuse(
                node,
                f"this may be None, and None has no field `{name}`",
                "test it first: `x is not None and …`",
            )
        self.scope.refuse(
            node,
            f"a value of type {obj.type!r} has no field `{name}`",
            "only processes and records have fields",
        )

    def _declared(self, t: ProcT, name: str) -> Type | None:
        raise NotImplementedError

    def _refuse_unknown_field(self, node: ast.AST, t: ProcT, name: str) -> None:
        cls = self.scope.registry.classes[t.name]
        if hasattr(cls, name):
            self.scope.refuse(
                node,
                f"`{name}` is a method of {t.name}, not a value",
                "call a @helper for its value; other steps are called as statements",
            )
        self.scope.refuse(
            node,
            f"{t.name} declares no variable `{name}`",
            f"declare it in class {t.name} with its type, or correct the name",
        )

    def _subscript(self, node: ast.Subscript, expected: Type | None) -> Expr:
        obj = self.expr(node.value)
        span = self.scope.span(node)
        if isinstance(obj.type, MapT):
            key = self.expr(node.slice, obj.type.key)
            return self._narrowed(ir.Index(obj, key, type=obj.type.value, span=span))
        if isinstance(obj.type, FamilyT):
            key = self.expr(node.slice, obj.type.key)
            return ir.Index(obj, key, type=obj.type.proc, span=span)
        if isinstance(obj.type, SeqT):
            if isinstance(node.slice, ast.Constant) and node.slice.value == 0:
                return ir.Head(obj, type=obj.type.elem, span=span)
            self.scope.refuse(
                node,
                "only the head of a sequence can be read by position",
                "read s[0] and take it with s.pop(0)",
            )
        self.scope.refuse(
            node,
            f"a value of type {obj.type!r} cannot be indexed",
            "index a Map by its key, or a family by an element of its sort",
        )

    # -- logic ----------------------------------------------------------------------------------

    def _boolop(self, node: ast.BoolOp, expected: Type | None) -> Expr:
        conjunction = isinstance(node.op, ast.And)
        args: list[Expr] = []
        facts: frozenset[str] = frozenset()
        for value in node.values:
            with self.scope.knowing(facts):
                args.append(self.boolean(value))
            facts |= known_after(args[-1], conjunction)
        make = ir.And if conjunction else ir.Or
        return make(tuple(args), type=BOOL, span=self.scope.span(node))

    def _unaryop(self, node: ast.UnaryOp, expected: Type | None) -> Expr:
        if isinstance(node.op, ast.Not):
            return ir.Not(self.boolean(node.operand), type=BOOL, span=self.scope.span(node))
        if (
            isinstance(node.op, ast.USub)
            and isinstance(node.operand, ast.Constant)
            and isinstance(node.operand.value, int)
        ):
            value = -node.operand.value
            return ir.Lit(value, type=IntT(value, value), span=self.scope.span(node))
        self.scope.refuse(
            node,
            "this operator is outside the language",
            "use `not`, or write 0 - x for a negative number",
        )

    def _ifexp(self, node: ast.IfExp, expected: Type | None) -> Expr:
        cond = self.boolean(node.test)
        if expected is None and self._typeless(node.body):
            expected = self.expr(node.orelse).type
        with self.scope.knowing(known_after(cond, True)):
            then = self.expr(node.body, expected)
        if expected is None and self._typeless(node.orelse):
            expected = then.type
        with self.scope.knowing(known_after(cond, False)):
            orelse = self.expr(node.orelse, expected)
        then, orelse = self._same(node, then, orelse)
        t = then.type
        if isinstance(t, IntT) and isinstance(orelse.type, IntT):
            t = join_ints(t, orelse.type)
        return ir.Ite(cond, then, orelse, type=t, span=self.scope.span(node))

    def _same(self, node: ast.AST, left: Expr, right: Expr) -> tuple[Expr, Expr]:
        """Bring two expressions to one type: lift to an option where the other side is one."""
        if isinstance(left.type, MapT) and isinstance(right.type, SetT):
            left = self._as_set(node, left)
        if isinstance(right.type, MapT) and isinstance(left.type, SetT):
            right = self._as_set(node, right)
        if isinstance(left.type, OptionT):
            return left, self.coerce(node, right, left.type)
        if isinstance(right.type, OptionT):
            return self.coerce(node, left, right.type), right
        return left, self.coerce(node, right, left.type)

    def _compare(self, node: ast.Compare, expected: Type | None) -> Expr:
        operands = [node.left, *node.comparators]
        parts = [
            self._comparison(node, a, op, b)
            for a, op, b in zip(operands, node.ops, operands[1:], strict=False)
        ]
        if len(parts) == 1:
            return parts[0]
        return ir.And(tuple(parts), type=BOOL, span=self.scope.span(node))

    def _comparison(self, node: ast.Compare, a: ast.expr, op: ast.cmpop, b: ast.expr) -> Expr:
        span = self.scope.span(node)
        if isinstance(op, ast.Is | ast.IsNot):
            return self._identity(node, a, op, b)
        if isinstance(op, ast.In | ast.NotIn):
            inside = self._membership(node, a, b)
            return inside if isinstance(op, ast.In) else ir.Not(inside, type=BOOL, span=span)
        left, right = self._pair(node, a, b)
        if isinstance(op, ast.Eq | ast.NotEq):
            if isinstance(left.type, MapT | ProcT | FamilyT):
                self.scope.refuse(
                    node,
                    f"values of type {left.type!r} are not compared as a whole",
                    "compare entry by entry: all(a[k] == b[k] for k in …)",
                )
            same = ir.Eq(left, right, type=BOOL, span=span)
            return same if isinstance(op, ast.Eq) else ir.Not(same, type=BOOL, span=span)
        if isinstance(op, ast.Gt | ast.GtE):
            left, right = right, left
        return self._order(node, left, right, isinstance(op, ast.Lt | ast.Gt))

    def _pair(self, node: ast.AST, a: ast.expr, b: ast.expr) -> tuple[Expr, Expr]:
        if self._typeless(a) and not self._typeless(b):
            right = self.expr(b)
            return self.expr(a, right.type), right
        left = self.expr(a)
        if self._typeless(b):
            return left, self.expr(b, left.type)
        return self._same(node, left, self.expr(b))

    def _typeless(self, node: ast.expr) -> bool:
        return self._is_empty_set(node) or (isinstance(node, ast.Constant) and node.value is None)

    def _is_empty_set(self, node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "set"
            and not node.args
        )

    def _identity(self, node: ast.Compare, a: ast.expr, op: ast.cmpop, b: ast.expr) -> Expr:
        span = self.scope.span(node)
        if not (isinstance(b, ast.Constant) and b.value is None):
            self.scope.refuse(
                node,
                "`is` compares identity, and values have none",
                "use `==`; `is` is for `is None` only",
            )
        with self.scope.knowing(frozenset()):
            before, self.scope.facts = self.scope.facts, frozenset()
            option = self.expr(a)
            self.scope.facts = before
        if not isinstance(option.type, OptionT):
            self.scope.refuse(
                node,
                f"a value of type {option.type!r} is never None",
                "leave the test out, or declare it Option[…]",
            )
        none = ir.IsNone(option, type=BOOL, span=span)
        return none if isinstance(op, ast.Is) else ir.Not(none, type=BOOL, span=span)

    def _membership(self, node: ast.Compare, a: ast.expr, b: ast.expr) -> Expr:
        span = self.scope.span(node)
        found = self.scope.lookup(b) if isinstance(b, ast.Name) else None
        where = self._universe(b, found) if isinstance(found, type) else self.expr(b)
        if not isinstance(where.type, SeqT):
            where = self._as_set(b, where)
        assert isinstance(where.type, SetT | SeqT)
        element = self.expr(a)
        if isinstance(element.type, OptionT) and element.type.inner == where.type.elem:
            self.scope.refuse(
                a,
                "this may be None, and None is not an element",
                "test it first: `x is not None and x in …`",
            )
        return ir.In(self.coerce(a, element, where.type.elem), where, type=BOOL, span=span)

    def _order(self, node: ast.AST, left: Expr, right: Expr, strict: bool) -> Expr:
        span = self.scope.span(node)
        if isinstance(left.type, SetT):
            return ir.Subset(left, right, strict, type=BOOL, span=span)
        if isinstance(left.type, OptionT):
            self.scope.refuse(
                node,
                "an option has no order: None is not before or after anything",
                "test it first: `x is not None and …`",
            )
        if isinstance(left.type, SortT) and not left.type.ordered:
            self.scope.refuse(
                node,
                f"the sort {left.type.name} is not ordered",
                f"compare with ==, or declare class {left.type.name}(OrderedSort)",
            )
        if not isinstance(left.type, SortT | IntT):
            self.scope.refuse(
                node,
                f"values of type {left.type!r} have no order",
                "compare integers, sets, or elements of an OrderedSort",
            )
        return ir.Less(left, right, strict, type=BOOL, span=span)

    # -- sets and integers ----------------------------------------------------------------------

    def _as_set(self, node: ast.AST, found: Expr) -> Expr:
        if isinstance(found.type, SetT):
            return found
        if isinstance(found.type, MapT):
            return ir.Support(found, type=SetT(found.type.key), span=self.scope.span(node))
        self.scope.refuse(
            node,
            f"a value of type {found.type!r} is not a set",
            "use a set, a map (its keys that are not default), or a sort",
        )

    def _set(self, node: ast.Set, expected: Type | None) -> Expr:
        elems = [self.expr(e) for e in node.elts]
        t = expected.elem if isinstance(expected, SetT) else elems[0].type
        if isinstance(t, IntT) and not isinstance(expected, SetT):
            ranges = [e.type for e in elems if isinstance(e.type, IntT)]
            t = IntT(min(r.lo for r in ranges), max(r.hi for r in ranges))
        coerced = tuple(self.coerce(n, e, t) for n, e in zip(node.elts, elems, strict=True))
        return ir.SetLit(coerced, type=SetT(t), span=self.scope.span(node))

    def _binop(self, node: ast.BinOp, expected: Type | None) -> Expr:
        span = self.scope.span(node)
        left, right = self._pair(node, node.left, node.right)
        left = self._as_set(node, left) if isinstance(left.type, MapT) else left
        right = self._as_set(node, right) if isinstance(right.type, MapT) else right
        if isinstance(left.type, SetT) and type(node.op) in _SET_OPS:
            right = self.coerce(node, right, left.type)
            return ir.SetOp(_SET_OPS[type(node.op)], left, right, type=left.type, span=span)
        if isinstance(left.type, IntT) and isinstance(right.type, IntT):
            if type(node.op) in _INT_OPS:
                return self.arith(_INT_OPS[type(node.op)], left, right, node)
        self.scope.refuse(
            node,
            f"this operator is not defined on {left.type!r}",
            "use + - * on integers, | & - ^ on sets; Msg.succ(m) for the next element",
        )

    def arith(self, op: str, left: Expr, right: Expr, node: ast.AST) -> Expr:
        """Return an integer operation with the range of its results."""
        assert isinstance(left.type, IntT)
        assert isinstance(right.type, IntT)
        a, b = left.type, right.type
        ends = {
            "+": [a.lo + b.lo, a.hi + b.hi],
            "-": [a.lo - b.hi, a.hi - b.lo],
            "*": [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)],
            "min": [min(a.lo, b.lo), min(a.hi, b.hi)],
            "max": [max(a.lo, b.lo), max(a.hi, b.hi)],
        }[op]
        t = IntT(min(ends), max(ends))
        return ir.Arith(op, left, right, type=t, span=self.scope.span(node))

    def _setcomp(self, node: ast.SetComp, expected: Type | None) -> Expr:
        span = self.scope.span(node)

        def build(binders: tuple[Binder, ...], cond: Expr) -> Expr:
            elem = self.expr(node.elt)
            if not is_scalar(elem.type):
                self.scope.refuse(
                    node.elt,
                    "the elements of a set are single values",
                    "collect sorts, enums, integers or records",
                )
            return ir.Comprehension(elem, binders, cond, type=SetT(elem.type), span=span)

        return self.comprehend(node.generators, build)

    def comprehend(
        self,
        generators: list[ast.comprehension],
        build: Callable[[tuple[Binder, ...], Expr], Expr],
    ) -> Expr:
        """Bind the variables of `for` clauses, then build with them and the joint condition."""
        names: dict[str, Expr] = {}
        binders: list[Binder] = []
        conds: list[Expr] = []
        facts: frozenset[str] = frozenset()
        for clause in generators:
            if not isinstance(clause.target, ast.Name):
                self.scope.refuse(
                    clause.target,
                    "a comprehension binds one name at a time",
                    "write one `for` for each variable",
                )
            with self.scope.binding(names), self.scope.knowing(facts):
                domain = self.iterable(clause.iter)
                binder = Binder(self.scope.fresh(clause.target.id), domain)
                binders.append(binder)
                names[clause.target.id] = ir.Var(
                    binder.name, type=binder.type, span=self.scope.span(clause.target)
                )
                with self.scope.binding(names):
                    for test in clause.ifs:
                        with self.scope.knowing(facts):
                            conds.append(self.boolean(test))
                        facts |= known_after(conds[-1], True)
        cond = conds[0] if len(conds) == 1 else ir.And(tuple(conds), type=BOOL)
        with self.scope.binding(names), self.scope.knowing(facts):
            return build(tuple(binders), cond)

    def _generatorexp(self, node: ast.GeneratorExp, expected: Type | None) -> Expr:
        return self._setcomp(
            ast.copy_location(ast.SetComp(elt=node.elt, generators=node.generators), node), expected
        )

    def _call(self, node: ast.Call, expected: Type | None) -> Expr:
        raise NotImplementedError

    def arguments(self, node: ast.Call) -> Iterable[Any]:
        """Yield the positional arguments of a call; a keyword stands for itself elsewhere."""
        return node.args
