"""Reading expressions: from `ast` to typed IR, one method for each kind of syntax node.

What no method knows is refused, with the construct to use instead.  `expected` is the type that
the context wants: it gives `None` and `set()` their type, lifts a plain value to an option, and
sees to it that an integer stays where it belongs.

The reader is built up over several modules, each of which adds one kind of source: `reader`,
`access`, `comparisons`, `sets`, `operators`, `calls`, `helpers`, and for statements `assignments`,
`mutations`, `statements`.
"""

from __future__ import annotations

import ast
import enum
from typing import Any

from ackproof.spec.lang import ir
from ackproof.spec.lang.declare import type_of_class
from ackproof.spec.lang.errors import SpecError
from ackproof.spec.lang.ir import Expr
from ackproof.spec.lang.scope import Scope
from ackproof.spec.lang.sorts import Sort
from ackproof.spec.lang.types import (
    BOOL,
    BoolT,
    IntT,
    MapT,
    OptionT,
    SeqT,
    SetT,
    Type,
    is_scalar,
    within,
    written,
)

__all__ = ["Reader", "fitted", "is_zero", "support"]

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
    ast.List: (
        "a list is outside the language",
        "use a set, or a bounded Seq declared as state",
    ),
    ast.ListComp: (
        "a list comprehension is outside the language",
        "use a set comprehension: {x for x in …}",
    ),
    ast.GeneratorExp: (
        "a generator is not a set: it is used up by whoever reads it first",
        "write a set comprehension, {x for x in …}; all, any, min, max and set take generators",
    ),
    ast.Tuple: ("a tuple is outside the language", "declare a Record with named fields"),
    ast.JoinedStr: ("text is outside the language", "use the members of an Enum"),
    ast.Yield: ("yield is outside the language", "write one action for each step"),
    ast.YieldFrom: ("yield is outside the language", "write one action for each step"),
    ast.NamedExpr: (
        "an assignment inside an expression is outside the language",
        "assign to a local in a statement of its own",
    ),
    ast.Starred: ("`*` is outside the language", "pass the arguments one by one"),
}


def fitted(found: Expr, expected: Type) -> Expr | None:
    """Return `found` as a value of type `expected`, or None if it is none.

    An integer is one if its range is contained in the expected one: elements, keys and fields are
    numbered by their types, so it is then given the wider type.
    """
    if found.type == expected:
        return found
    if isinstance(found.type, IntT) and isinstance(expected, IntT):
        if not within(found.type, expected):
            return None
        if isinstance(found, ir.Lit):
            return ir.Lit(found.value, type=expected, span=found.span)
        zero = ir.Lit(0, type=IntT(0, 0), span=found.span)
        return ir.Arith("+", found, zero, type=expected, span=found.span)
    if isinstance(expected, OptionT) and not isinstance(found.type, OptionT):
        inner = fitted(found, expected.inner)
        return inner and ir.Some(inner, type=expected, span=found.span)
    return None


def is_zero(node: ast.expr) -> bool:
    """Tell whether a node is the number 0, written out."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 0


def support(found: Expr) -> Expr:
    """Return the set of keys of a map whose value is not the default."""
    assert isinstance(found.type, MapT)
    return ir.Support(found, type=SetT(found.type.key), span=found.span)


class Reader:
    """Reads expressions in a scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def error(self, node: ast.AST, problem: str, instead: str) -> SpecError:
        """Return the refusal of a piece of source."""
        return self.scope.error(node, problem, instead)

    # -- entry points ---------------------------------------------------------------------------

    def expr(self, node: ast.expr, expected: Type | None = None) -> Expr:
        """Return the typed expression of a syntax node, lifted to `expected` if that is given.

        Raises:
            SpecError: the node is outside the language or has another type than expected.
        """
        if expected is None:
            return self._dispatch(node, None)
        if isinstance(node, ast.Constant) and node.value is None:
            if isinstance(expected, OptionT):
                return ir.Lit(None, type=expected, span=self.scope.span(node))
            raise self.error(
                node,
                f"None is not a value of type {written(expected)}",
                f"give a value, or declare Option[{written(expected)}]"
                if is_scalar(expected)
                else "give a set; an empty one is written set()",
            )
        if isinstance(expected, SetT) and self.is_empty_set(node):
            return ir.SetLit((), type=expected, span=self.scope.span(node))
        return self.coerce(node, self._dispatch(node, expected), expected)

    def coerce(self, node: ast.AST, found: Expr, expected: Type) -> Expr:
        """Return `found` as a value of type `expected`, or refuse it."""
        fits = fitted(found, expected)
        if fits is not None:
            return fits
        plain = expected.inner if isinstance(expected, OptionT) else expected
        if isinstance(found.type, IntT) and isinstance(plain, IntT):
            raise self.error(
                node,
                f"this may be {found.type.lo} to {found.type.hi} where {plain.lo} to {plain.hi} "
                "is needed",
                "widen the range that is declared there, or compute the value in a variable of "
                "that range first",
            )
        if isinstance(found.type, MapT) and expected == SetT(found.type.key):
            raise self.error(
                node, "a map is not a set", "write set(…) for its keys that are not default"
            )
        if isinstance(found.type, OptionT) and found.type.inner == expected:
            raise self.error(
                node,
                f"this may be None where a value of type {written(expected)} is needed",
                "test it first: `x is not None and …`",
            )
        raise self.error(
            node,
            f"this has type {written(found.type)} where {written(expected)} is needed",
            f"write an expression of type {written(expected)}",
        )

    def boolean(self, node: ast.expr) -> Expr:
        """Return a condition: a truth value, or whether a set, map or sequence has elements."""
        if isinstance(node, ast.BoolOp):
            return self._junction(node, self.boolean)
        found = self.expr(node)
        span = self.scope.span(node)
        if isinstance(found.type, BoolT):
            return found
        if isinstance(found.type, SeqT):
            zero = ir.Lit(0, type=IntT(0, 0), span=span)
            length = ir.Length(found, type=IntT(0, found.type.cap), span=span)
            return ir.Less(zero, length, True, type=BOOL, span=span)
        if isinstance(found.type, SetT | MapT):
            some = support(found) if isinstance(found.type, MapT) else found
            empty = ir.SetLit((), type=some.type, span=span)
            return ir.Not(ir.Eq(some, empty, type=BOOL, span=span), type=BOOL, span=span)
        if isinstance(found.type, OptionT):
            raise self.error(
                node,
                "an option is not a truth value: its value may be falsy",
                "compare it: `x is not None`",
            )
        raise self.error(
            node,
            f"a value of type {written(found.type)} is not a truth value",
            "compare it with something",
        )

    def is_empty_set(self, node: ast.expr) -> bool:
        """Tell whether a node is `set()`."""
        return self.is_copy(node) and not getattr(node, "args", ())

    def is_copy(self, node: ast.expr) -> bool:
        """Tell whether a node is a call of Python's `set`."""
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and self.scope.static(node.func) is set
        )

    def is_fresh(self, node: ast.expr) -> bool:
        """Tell whether an expression builds a new set, as opposed to naming one that exists."""
        if isinstance(node, ast.IfExp):
            return self.is_fresh(node.body) and self.is_fresh(node.orelse)
        return isinstance(node, ast.Set | ast.SetComp | ast.BinOp) or self.is_copy(node)

    # -- leaves ---------------------------------------------------------------------------------

    def _dispatch(self, node: ast.expr, expected: Type | None) -> Expr:
        for kind, (problem, instead) in _REFUSED.items():
            if isinstance(node, kind):
                raise self.error(node, problem, instead)
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.error(
                node,
                f"`{ast.unparse(node)}` is outside the language",
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
            raise self.error(
                node,
                "nothing says of which type this None is",
                "compare with `is None`, or assign it to an Option variable",
            )
        if isinstance(value, float | complex):
            raise self.error(
                node, "a float is outside the language", "use a bounded integer or an Enum"
            )
        raise self.error(node, "text is outside the language", "use the members of an Enum")

    def _name(self, node: ast.Name, expected: Type | None) -> Expr:
        found = self.scope.lookup(node)
        if isinstance(found, Expr):
            return self.narrowed(found)
        return self.constant(node, node.id, found)

    def narrowed(self, found: Expr) -> Expr:
        """Return an option's value where it is known not to be None."""
        if isinstance(found.type, OptionT) and repr(found) in self.scope.facts:
            return ir.Unwrap(found, type=found.type.inner, span=found.span)
        return found

    def constant(self, node: ast.expr, name: str, value: object) -> Expr:
        """Return the value of a name that is defined outside of the specification's state."""
        span = self.scope.span(node)
        if isinstance(value, enum.Enum):
            members = type_of_class(type(value))
            assert members is not None
            return ir.Lit(value.name, type=members, span=span)
        if isinstance(value, bool):
            return ir.Lit(value, type=BOOL, span=span)
        if type(value) is int:
            return ir.Lit(value, type=IntT(value, value), span=span)
        if isinstance(value, type):
            ranged = issubclass(value, Sort | enum.Enum)
            raise self.error(
                node,
                f"the class `{name}` is not a value",
                f"write set({name}) for the set of its elements"
                if ranged
                else "use a variable that was declared with it, or call it to build a record",
            )
        raise self.error(
            node,
            f"`{name}` is a {type(value).__name__}, and its value is not part of the state",
            "declare it as state or Const of a process; only bools, ints and Enum members may be "
            "read from a module",
        )

    def _junction(self, node: ast.BoolOp, read: Any) -> Expr:
        raise NotImplementedError
