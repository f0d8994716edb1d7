"""The reader: what every rule of the language is given, and what rules have in common.

To read a specification is to turn `ast` nodes into typed IR.  Each kind of node has one rule, a
plain function `rule(reader, node, …)`, and modules hold rules that belong together:

    expressions   the one table from kinds of expressions to rules
    access        names, fields, entries of maps, keys
    truth         conditions, `and`, `or`, `not`, and the choice between two values
    sets          what can be ranged over, displays, comprehensions, quantifiers
    operators     comparisons, membership, and operations of two operands
    calls         built-in functions, records, functions of sorts
    helpers       helper functions, read where they are called
    statements    the one table from kinds of statements to rules; branches, loops
    assignments   what writes: assignments, and methods of sets, maps and sequences

A rule reads the nodes below its own with `reader.expr`, which goes to the table; so no rule needs
the module of another kind of node.  What the table does not have is rejected, with the construct to
use instead.

`expected` is the type that the context wants: it gives `None` and `set()` their type, lifts a plain
value to an option, and sees to it that an integer stays where it belongs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace

from ackproof.lang import ir
from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Expr, Span
from ackproof.lang.scope import Scope
from ackproof.lang.types import IntT, MapT, OptionT, SetT, Type, is_scalar, within, written

__all__ = ["Reader", "Table", "fitted", "is_none", "is_zero", "support"]

#: Returns the expression of a node, given the type that is expected, if any.
Table = Callable[["Reader", ast.expr, Type | None], Expr]


@dataclass(frozen=True)
class Reader:
    """What a rule is given: the scope it reads in, and the way to the other rules.

    Args:
        scope: what names mean.
        table: the rules for expressions.
        in_loop: whether the statements that are read stand in a loop.
    """

    scope: Scope
    table: Table
    in_loop: bool = False

    def error(self, node: ast.AST, problem: str, instead: str) -> SpecError:
        """Return the diagnostic for a piece of source."""
        return self.scope.error(node, problem, instead)

    def span(self, node: ast.AST) -> Span:
        """Return where a node stands."""
        return self.scope.span(node)

    def within(self, scope: Scope) -> Reader:
        """Return a reader for the body of another function."""
        return Reader(scope, self.table)

    def looping(self) -> Reader:
        """Return a reader for the body of a loop in this scope."""
        return replace(self, in_loop=True)

    # -- expressions ----------------------------------------------------------------------------

    def expr(self, node: ast.expr, expected: Type | None = None) -> Expr:
        """Return the typed expression of a node, lifted to `expected` if that is given.

        Raises:
            SpecError: the node is outside the language or has another type than expected.
        """
        if expected is None:
            return self.table(self, node, None)
        if is_none(node):
            return self._none(node, expected)
        if isinstance(expected, SetT) and self.is_empty_set(node):
            return ir.SetLit((), type=expected, span=self.span(node))
        return self.coerce(node, self.table(self, node, expected), expected)

    def _none(self, node: ast.expr, expected: Type) -> Expr:
        if isinstance(expected, OptionT):
            return ir.Lit(None, type=expected, span=self.span(node))
        raise self.error(
            node,
            f"None is not a value of type {written(expected)}",
            f"give a value, or declare Option[{written(expected)}]"
            if is_scalar(expected)
            else "give a set; an empty one is written set()",
        )

    def coerce(self, node: ast.AST, found: Expr, expected: Type) -> Expr:
        """Return `found` as a value of type `expected`.

        Raises:
            SpecError: it is none.
        """
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

    # -- forms of nodes -------------------------------------------------------------------------

    def is_copy(self, node: ast.expr) -> bool:
        """Tell whether a node is a call of Python's `set`."""
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and self.scope.static(node.func) is set
        )

    def is_empty_set(self, node: ast.expr) -> bool:
        """Tell whether a node is `set()`."""
        return isinstance(node, ast.Call) and not node.args and self.is_copy(node)

    def is_fresh(self, node: ast.expr) -> bool:
        """Tell whether an expression builds a new set, as opposed to naming one that exists."""
        if isinstance(node, ast.IfExp):
            return self.is_fresh(node.body) and self.is_fresh(node.orelse)
        return isinstance(node, ast.Set | ast.SetComp | ast.BinOp) or self.is_copy(node)


def is_none(node: ast.expr) -> bool:
    """Tell whether a node is None, written out."""
    return isinstance(node, ast.Constant) and node.value is None


def is_zero(node: ast.expr) -> bool:
    """Tell whether a node is the number 0, written out."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 0


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


def support(found: Expr) -> Expr:
    """Return the set of keys of a map whose value is not the default."""
    assert isinstance(found.type, MapT)
    return ir.Support(found, type=SetT(found.type.key), span=found.span)
