"""Sets: what can be ranged over, set displays, comprehensions, and quantifiers.

Python tells sets, maps and classes apart where they are used as values, and so does the language:
a set is compared and combined with sets only.  Where something is merely ranged over, each of them
will do: a map stands for its keys that are not default, a sort or enum for all its elements.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable

from ackproof.spec.lang import ir
from ackproof.spec.lang.annotations import KINDS, kind_refused, type_of_class
from ackproof.spec.lang.comparisons import Comparisons
from ackproof.spec.lang.ir import Binder, Expr
from ackproof.spec.lang.reader import support
from ackproof.spec.lang.scope import known_after
from ackproof.spec.lang.sorts import Sort
from ackproof.spec.lang.types import (
    BOOL,
    IntT,
    MapT,
    SeqT,
    SetT,
    Type,
    is_scalar,
    join_ints,
    written,
)

__all__ = ["Sets"]

_PARTIAL = (ir.Unwrap, ir.Extreme, ir.Head)


class Sets(Comparisons):
    """Reads sets and what ranges over them."""

    # -- what can be ranged over ----------------------------------------------------------------

    def members(self, node: ast.expr, expected: Type | None = None) -> Expr:
        """Return the set that a node stands for where it is ranged over."""
        if isinstance(node, ast.GeneratorExp):
            return self._comprehension(node, expected)
        cls = self.scope.static(node)
        if isinstance(cls, type):
            return self._universe(node, cls)
        found = self.expr(node, expected if self.is_empty_set(node) else None)
        if isinstance(found.type, MapT):
            return support(found)
        if isinstance(found.type, SetT):
            return found
        raise self.error(
            node,
            f"a value of type {written(found.type)} is not a set",
            "use a set, a map (its keys that are not default), or a sort",
        )

    def container(self, node: ast.expr) -> Expr:
        """Return what `in` and `len` ask: a set, a map's keys, a sort, or a sequence."""
        if not isinstance(node, ast.GeneratorExp) and not isinstance(self.scope.static(node), type):
            found = self.expr(node)
            if isinstance(found.type, SeqT):
                return found
        if isinstance(node, ast.GeneratorExp):
            return self.expr(node)
        return self.members(node)

    def _universe(self, node: ast.AST, cls: type) -> Expr:
        if cls in KINDS:
            raise kind_refused(cls, self.scope.span(node))
        element = type_of_class(cls) if issubclass(cls, Sort | enum.Enum) else None
        if element is None:
            raise self.error(
                node,
                f"`{cls.__name__}` is not a set that can be ranged over",
                "range over a Sort, an Enum, or a set in the state",
            )
        return ir.Universe(type=SetT(element), span=self.scope.span(node))

    # -- displays and comprehensions ------------------------------------------------------------

    def _set(self, node: ast.Set, expected: Type | None) -> Expr:
        if isinstance(expected, SetT):
            wanted = expected.elem
            given = tuple(self.expr(e, wanted) for e in node.elts)
            return ir.SetLit(given, type=expected, span=self.scope.span(node))
        elems = [self.expr(e) for e in node.elts]
        t = elems[0].type
        for e in elems:
            if isinstance(t, IntT) and isinstance(e.type, IntT):
                t = join_ints(t, e.type)
        self._single(node.elts[0], t)
        coerced = tuple(self.coerce(n, e, t) for n, e in zip(node.elts, elems, strict=True))
        return ir.SetLit(coerced, type=SetT(t), span=self.scope.span(node))

    def _single(self, node: ast.AST, t: Type) -> None:
        if not is_scalar(t):
            raise self.error(
                node,
                "the elements of a set are single values",
                "collect elements of sorts, enum members, integers or records",
            )

    def _setcomp(self, node: ast.SetComp, expected: Type | None) -> Expr:
        return self._comprehension(node, expected)

    def _comprehension(self, node: ast.SetComp | ast.GeneratorExp, expected: Type | None) -> Expr:
        wanted = expected.elem if isinstance(expected, SetT) else None

        def build(binders: tuple[Binder, ...], cond: Expr) -> Expr:
            elem = self.expr(node.elt, wanted)
            self._single(node.elt, elem.type)
            t = SetT(elem.type)
            return ir.Comprehension(elem, binders, cond, type=t, span=self.scope.span(node))

        return self._ranging(node.generators, build)

    def quantified(self, node: ast.Call, arg: ast.expr, universal: bool) -> Expr:
        """Return `all(…)` or `any(…)` of a generator."""
        if not isinstance(arg, ast.GeneratorExp):
            raise self.error(
                arg,
                "all and any range over a generator here",
                "write all(condition for x in some_set)",
            )
        span = self.scope.span(node)
        generator = arg

        def build(binders: tuple[Binder, ...], cond: Expr) -> Expr:
            body = self.boolean(generator.elt)
            if cond != ir.And((), type=BOOL):
                body = (
                    ir.Or((ir.Not(cond, type=BOOL), body), type=BOOL)
                    if universal
                    else ir.And((cond, body), type=BOOL)
                )
            make = ir.Forall if universal else ir.Exists
            return make(binders, body, type=BOOL, span=span)

        return self._ranging(arg.generators, build)

    def _ranging(
        self,
        clauses: list[ast.comprehension],
        build: Callable[[tuple[Binder, ...], Expr], Expr],
    ) -> Expr:
        """Bind the variables of `for` clauses, then build with them and the joint condition."""
        self.scope.comprehensions += 1
        binders: list[Binder] = []
        conds: list[Expr] = []
        facts: frozenset[str] = frozenset()
        with self.scope.binding():
            for clause in clauses:
                with self.scope.knowing(facts):
                    binders.append(self._binder(clause, conds))
                for test in clause.ifs:
                    with self.scope.knowing(facts):
                        conds.append(self.boolean(test))
                    facts |= known_after(conds[-1], True)
            with self.scope.knowing(facts):
                result = build(tuple(binders), _joint(conds))
        self.scope.comprehensions -= 1
        return result

    def _binder(self, clause: ast.comprehension, conds: list[Expr]) -> Binder:
        """Bind the variable of one clause; `conds` are the conditions that come before it."""
        if not isinstance(clause.target, ast.Name):
            raise self.error(
                clause.target,
                "a comprehension binds one name at a time",
                "write one `for` for each variable",
            )
        domain = self.members(clause.iter)
        if conds and any(isinstance(n, _PARTIAL) for n in ir.walk(domain)):
            # Python does not ask for the inner set where a condition before it fails.
            empty = ir.SetLit((), type=domain.type, span=domain.span)
            domain = ir.Ite(_joint(conds), domain, empty, type=domain.type, span=domain.span)
        binder = Binder(self.scope.fresh(clause.target.id), domain)
        self.scope.bound[clause.target.id] = ir.Var(
            binder.name, type=binder.type, span=self.scope.span(clause.target)
        )
        return binder


def _joint(conds: list[Expr]) -> Expr:
    return conds[0] if len(conds) == 1 else ir.And(tuple(conds), type=BOOL)
