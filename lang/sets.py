"""Sets: what can be ranged over, set displays, comprehensions, and quantifiers.

Python tells sets, maps and classes apart where they are used as values, and so does the language:
a set is compared and combined with sets only.  Where something is merely ranged over, each of them
will do: a map stands for its keys that are not default, a sort or enum for all its elements.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable

from ackproof.lang import ir
from ackproof.lang.annotations import KINDS, kind_rejected, type_of_class
from ackproof.lang.ir import Binder, Expr
from ackproof.lang.reader import Reader, support
from ackproof.lang.scope import known_after
from ackproof.lang.sorts import Sort
from ackproof.lang.truth import condition
from ackproof.lang.types import (
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

__all__ = ["container", "members", "quantified", "read_comprehension", "read_display"]

_PARTIAL = (ir.Unwrap, ir.Extreme, ir.Head)


# -- what can be ranged over --------------------------------------------------------------------


def members(reader: Reader, node: ast.expr, expected: Type | None = None) -> Expr:
    """Return the set that a node stands for where it is ranged over."""
    if isinstance(node, ast.GeneratorExp):
        return read_comprehension(reader, node, expected)
    cls = reader.scope.static(node)
    if isinstance(cls, type):
        return _universe(reader, node, cls)
    found = reader.expr(node, expected if reader.is_empty_set(node) else None)
    if isinstance(found.type, MapT):
        return support(found)
    if isinstance(found.type, SetT):
        return found
    raise reader.error(
        node,
        f"a value of type {written(found.type)} is not a set",
        "use a set, a map (its keys that are not default), or a sort",
    )


def container(reader: Reader, node: ast.expr) -> Expr:
    """Return what `in` and `len` ask: a set, a map's keys, a sort, or a sequence."""
    if isinstance(node, ast.GeneratorExp):
        return reader.expr(node)
    if not isinstance(reader.scope.static(node), type):
        found = reader.expr(node)
        if isinstance(found.type, SeqT):
            return found
    return members(reader, node)


def _universe(reader: Reader, node: ast.AST, cls: type) -> Expr:
    if cls in KINDS:
        raise kind_rejected(cls, reader.span(node))
    element = type_of_class(cls) if issubclass(cls, Sort | enum.Enum) else None
    if element is None:
        raise reader.error(
            node,
            f"`{cls.__name__}` is not a set that can be ranged over",
            "range over a Sort, an Enum, or a set in the state",
        )
    return ir.Universe(type=SetT(element), span=reader.span(node))


# -- displays and comprehensions ----------------------------------------------------------------


def read_display(reader: Reader, node: ast.Set, expected: Type | None) -> Expr:
    """Return a set that is written out."""
    if isinstance(expected, SetT):
        wanted = expected.elem
        given = tuple(reader.expr(e, wanted) for e in node.elts)
        return ir.SetLit(given, type=expected, span=reader.span(node))
    elems = [reader.expr(e) for e in node.elts]
    t = elems[0].type
    for e in elems:
        if isinstance(t, IntT) and isinstance(e.type, IntT):
            t = join_ints(t, e.type)
    _require_scalar(reader, node.elts[0], t)
    coerced = tuple(reader.coerce(n, e, t) for n, e in zip(node.elts, elems, strict=True))
    return ir.SetLit(coerced, type=SetT(t), span=reader.span(node))


def _require_scalar(reader: Reader, node: ast.AST, t: Type) -> None:
    if not is_scalar(t):
        raise reader.error(
            node,
            "the elements of a set are single values",
            "collect elements of sorts, enum members, integers or records",
        )


def read_comprehension(
    reader: Reader, node: ast.SetComp | ast.GeneratorExp, expected: Type | None
) -> Expr:
    """Return the set of what a comprehension collects."""
    wanted = expected.elem if isinstance(expected, SetT) else None

    def build(binders: tuple[Binder, ...], cond: Expr) -> Expr:
        elem = reader.expr(node.elt, wanted)
        _require_scalar(reader, node.elt, elem.type)
        t = SetT(elem.type)
        return ir.Comprehension(elem, binders, cond, type=t, span=reader.span(node))

    return _ranging(reader, node.generators, build)


def quantified(reader: Reader, node: ast.Call, arg: ast.expr, universal: bool) -> Expr:
    """Return `all(…)` or `any(…)` of a generator."""
    if not isinstance(arg, ast.GeneratorExp):
        raise reader.error(
            arg,
            "all and any range over a generator here",
            "write all(condition for x in some_set)",
        )
    span = reader.span(node)
    generator = arg

    def build(binders: tuple[Binder, ...], cond: Expr) -> Expr:
        body = condition(reader, generator.elt)
        if cond != ir.And((), type=BOOL):
            body = (
                ir.Or((ir.Not(cond, type=BOOL), body), type=BOOL)
                if universal
                else ir.And((cond, body), type=BOOL)
            )
        make = ir.Forall if universal else ir.Exists
        return make(binders, body, type=BOOL, span=span)

    return _ranging(reader, arg.generators, build)


def _ranging(
    reader: Reader,
    clauses: list[ast.comprehension],
    build: Callable[[tuple[Binder, ...], Expr], Expr],
) -> Expr:
    """Bind the variables of `for` clauses, then build with them and the joint condition."""
    scope = reader.scope
    scope.comprehensions += 1
    binders: list[Binder] = []
    conds: list[Expr] = []
    facts: frozenset[str] = frozenset()
    with scope.binding():
        for clause in clauses:
            with scope.knowing(facts):
                binders.append(_binder(reader, clause, conds))
            for test in clause.ifs:
                with scope.knowing(facts):
                    conds.append(condition(reader, test))
                facts |= known_after(conds[-1], True)
        with scope.knowing(facts):
            result = build(tuple(binders), _joint(conds))
    scope.comprehensions -= 1
    return result


def _binder(reader: Reader, clause: ast.comprehension, conds: list[Expr]) -> Binder:
    """Bind the variable of one clause; `conds` are the conditions that come before it."""
    target = clause.target
    if not isinstance(target, ast.Name):
        raise reader.error(
            target,
            "a comprehension binds one name at a time",
            "write one `for` for each variable",
        )
    domain = members(reader, clause.iter)
    if conds and any(isinstance(n, _PARTIAL) for n in ir.walk(domain)):
        # Python does not ask for the inner set where a condition before it fails.
        empty = ir.SetLit((), type=domain.type, span=domain.span)
        domain = ir.Ite(_joint(conds), domain, empty, type=domain.type, span=domain.span)
    binder = Binder(reader.scope.fresh(target.id), domain)
    var = ir.Var(binder.name, type=binder.type, span=reader.span(target))
    reader.scope.bound[target.id] = var
    return binder


def _joint(conds: list[Expr]) -> Expr:
    return conds[0] if len(conds) == 1 else ir.And(tuple(conds), type=BOOL)
