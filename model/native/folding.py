"""Folding: what is left of a method where constants are known, and ghosts are not kept.

A method is folded as a syntax tree, in the order in which Python would run it:

* a constant that is known is its value, a sort without elements and a set of them is empty, and
  whatever follows from that (`and`, `or`, `if`, loops over nothing) is decided;
* a statement that only changes a ghost goes, with the local names that only it has used;
* a call of a step that does nothing goes, and one of a helper that always says the same is that;
* a loop over a whole sort is one over the processes that there are, and over those that a constant
  selects where it is asked for (`if self.replicas[r].of == queue`).

Expressions of the language are pure, so that one whose value is not used can go.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, get_args, get_origin

from ackproof.lang.process import Process
from ackproof.lang.sorts import Sort
from ackproof.lang.values import Event, Map
from ackproof.model.native.classes import (
    CHANGES,
    Family,
    Layout,
    Place,
    Variable,
    uses,
)
from ackproof.model.native.trees import Transformer, walk

__all__ = ["Facts", "folded", "is_impossible", "is_literal", "sort_of"]


@dataclass
class Facts:
    """What is known of all methods of a system.

    Attributes:
        layout: of the system.
        constants: values of constants, by class and name.
        empty: the sorts without elements.
        always: what a helper returns each time, by class and name.
        idle: the steps that do nothing, by class and name.
        ignored: which arguments a method does not look at, by class and name.
        unchanged: what variables hold that no step changes, by class and name; an empty set for
            those that hold sets, maps or sequences.
        supposed: what further variables hold, if the steps that are possible then keep that; what
            is written to them stays.
        unheard: the events that nobody hears of.
        enums: those of which members are written, by name.
    """

    layout: Layout
    constants: Mapping[tuple[type[Process], str], Any]
    empty: frozenset[type[Sort]]
    always: dict[tuple[type[Process], str], Any] = field(default_factory=dict)
    idle: set[tuple[type[Process], str]] = field(default_factory=set)
    ignored: dict[tuple[type[Process], str], frozenset[int]] = field(default_factory=dict)
    unchanged: dict[tuple[type[Process], str], Any] = field(default_factory=dict)
    supposed: dict[tuple[type[Process], str], Any] = field(default_factory=dict)
    unheard: frozenset[type[Event]] = frozenset()
    enums: dict[str, type[Enum]] = field(default_factory=dict)

    def holds(self, key: tuple[type[Process], str]) -> bool:
        """Tell whether it is known or supposed what a variable holds."""
        return key in self.unchanged or key in self.supposed

    def literal(self, value: Any) -> ast.expr:
        """Return a value as it is written: a truth value, a number, None, a member, or nothing."""
        if isinstance(value, Enum):
            self.enums[type(value).__name__] = type(value)
            return ast.Attribute(ast.Name(type(value).__name__, ast.Load()), value.name, ast.Load())
        return _nothing() if value == frozenset() else ast.Constant(value)


def folded(
    body: Sequence[ast.stmt], cls: type[Process], names: Mapping[str, Any], facts: Facts
) -> list[ast.stmt]:
    """Return what is left of the body of a method of `cls`.

    Args:
        body: is changed, too.
        cls: the class on which the method runs.
        names: what its global names mean.
        facts: what is known.
    """
    fold = _Fold(cls, names, facts)
    left = fold.block(body)
    while (shorter := _without_unused(fold.spread(left))) is not left:
        left = fold.block(shorter)
    return left


def sort_of(node: ast.expr, names: Mapping[str, Any]) -> type[Sort] | None:
    """Return the sort over all of which an expression ranges, if it does."""
    match node:
        case ast.Call(func=ast.Name(id="sorted" | "set" | "list"), args=[ast.Name() as inner]):
            return sort_of(inner, names)
        case ast.Name(id=name):
            found = names.get(name)
            return found if isinstance(found, type) and issubclass(found, Sort) else None
    return None


def is_literal(value: Any) -> bool:
    """Tell whether a value is one that can be written down by itself."""
    return value is None or value == frozenset() or isinstance(value, bool | int | Enum)


# -- what is known of an expression ---------------------------------------------------------------


def _nothing() -> ast.expr:
    return ast.Call(ast.Name("set", ast.Load()), [], [])


def _is_nothing(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="set"), args=[], keywords=[]):
            return True
    return False


def _truth(node: ast.expr) -> bool | None:
    """Return whether an expression counts as true; None if that is not known."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    return False if _is_nothing(node) else None


def _conjuncts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [part for value in node.values for part in _conjuncts(value)]
    return [node]


# -- what is left ----------------------------------------------------------------------------------


class _Fold(Transformer):
    """Folds the statements and expressions of one method."""

    def __init__(self, cls: type[Process], names: Mapping[str, Any], facts: Facts) -> None:
        self._cls = cls
        self._names = names
        self._facts = facts

    def block(self, body: Iterable[ast.stmt]) -> list[ast.stmt]:
        """Fold statements; what follows a `return`, or what is never possible, goes."""
        left: list[ast.stmt] = []
        for stmt in body:
            found = self.visit(stmt)
            for one in found if isinstance(found, list) else [found]:
                if one is not None:
                    left.append(one)
                    if isinstance(one, ast.Return) or is_impossible(one):
                        return left
        return left

    def spread(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Put what local names stand for in their places, where it is known; or change nothing."""
        values: dict[str, ast.expr] = {}
        given: Counter[str] = Counter()
        for node in walk(ast.Module(body, [])):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                given[node.id] += 1
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    if self._literal(value) is not None or _is_nothing(value):
                        values[name] = value
        known = {name: value for name, value in values.items() if given[name] == 1}
        if known:
            put = _Put(known)
            body = [put.visit(stmt) for stmt in body]
        return body

    # -- places -----------------------------------------------------------------------------------

    def _place(self, node: ast.expr) -> Place | None:
        return self._facts.layout.place(node, self._cls)

    def _variable(self, node: ast.expr) -> Variable | None:
        place = self._place(node)
        return place if isinstance(place, Variable) else None

    def _goes(self, target: ast.expr) -> bool:
        """Tell whether nobody reads what is written to a place."""
        variable = self._variable(target)
        if variable is None:
            return False
        unchanged = (variable.owner, variable.name) in self._facts.unchanged
        return variable.ghost or unchanged or self._holds_nothing(variable.hint)

    def _is_unheard(self, event: ast.expr) -> bool:
        """Tell whether nobody hears of an event."""
        match event:
            case ast.Call(func=ast.Name(id=name)):
                return self._names.get(name) in self._facts.unheard
        return False

    def _is_supposed(self, target: ast.expr) -> bool:
        """Tell whether something is written to a place that is supposed to stay as it is."""
        variable = self._variable(target)
        return variable is not None and (variable.owner, variable.name) in self._facts.supposed

    def _holds_nothing(self, hint: Any) -> bool:
        """Tell whether a variable of a type can only be empty."""
        return get_origin(hint) in (set, Map) and get_args(hint)[0] in self._facts.empty

    def _sort(self, node: ast.expr) -> type[Sort] | None:
        return sort_of(node, self._names)

    def _everybody(self, sort: type[Sort], otherwise: ast.expr) -> ast.expr:
        """Return the processes that there are for the elements of a sort, if there is a family."""
        name = self._facts.layout.family(self._cls, sort)
        if name is None:
            return otherwise
        return ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())

    # -- expressions ------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A constant is its value, if it is known; a set of nothing is empty."""
        known = self._known(node)
        if known is not None:
            return known
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """An entry of a map that nobody writes to is the default."""
        return self.visit_Attribute(node)  # type: ignore[arg-type]

    def _known(self, node: ast.Attribute | ast.Subscript) -> ast.expr | None:
        """Return the value of a place, if it is the same each time."""
        variable = self._variable(node)
        if variable is None or not isinstance(node.ctx, ast.Load):
            return None
        key = (variable.owner, variable.name)
        if variable.entry:
            if not self._facts.holds(key) or get_origin(variable.hint) is not Map:
                return None
            inner = get_args(variable.hint)[1]
            return None if get_origin(inner) is Map else self._facts.literal(variable.first)
        if variable.const and key in self._facts.constants:
            return self._facts.literal(self._facts.constants[key])
        if self._holds_nothing(variable.hint):
            return _nothing()
        if any(of in self._facts.empty for of in get_args(variable.hint)[:1]):
            return ast.Constant(None)
        if self._facts.holds(key):
            return self._facts.literal(variable.first)
        return None

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call whose value is known is that value."""
        if self._ranges(node):
            return _nothing()
        match node.func:
            case ast.Attribute(value=ast.Name() as sort, attr="of") if self._ranges(sort):
                return _nothing()
            case ast.Attribute(value=value, attr=name):
                owner = self._place(value)
                if isinstance(owner, type) and (owner, name) in self._facts.always:
                    return self._facts.literal(self._facts.always[owner, name])
                if isinstance(owner, type):
                    for i in self._facts.ignored.get((owner, name), ()):
                        node.args[i] = ast.Constant(None)
        self.generic_visit(node)
        return _called(node)

    def _ranges(self, node: ast.expr) -> bool:
        """Tell whether an expression ranges over a sort without elements."""
        return self._sort(node) in self._facts.empty

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A sort without elements is empty."""
        ranges = isinstance(node.ctx, ast.Load) and self._ranges(node)
        return _nothing() if ranges else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Operands that decide nothing go; one that decides is the value."""
        decides = isinstance(node.op, ast.Or)
        left: list[ast.expr] = []
        for value in node.values:
            found = self.visit(value)
            if _truth(found) is decides:
                return ast.Constant(decides)
            if _truth(found) is None:
                left.append(found)
        if not left:
            return ast.Constant(not decides)
        return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """The negation of what is known is known."""
        self.generic_visit(node)
        known = _truth(node.operand)
        return (
            node if known is None or not isinstance(node.op, ast.Not) else ast.Constant(not known)
        )

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """One of two values is left where the condition is known."""
        self.generic_visit(node)
        known = _truth(node.test)
        return node if known is None else node.body if known else node.orelse

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Compare what is known; nothing is in an empty set."""
        self.generic_visit(node)
        if len(node.ops) != 1:
            return node
        left, op, right = node.left, node.ops[0], node.comparators[0]
        if isinstance(op, ast.In | ast.NotIn) and _is_nothing(right):
            return ast.Constant(isinstance(op, ast.NotIn))
        one, other = self._literal(left), self._literal(right)
        return node if one is None or other is None else _compared(node, one[0], op, other[0])

    def _literal(self, node: ast.expr) -> tuple[Any] | None:
        """Return the value of an expression that is written down, by itself; None of others."""
        match node:
            case ast.Constant(value=value):
                return (value,)
            case ast.Attribute(value=ast.Name(id=name), attr=member):
                enum = self._facts.enums.get(name, self._names.get(name))
                if isinstance(enum, type) and issubclass(enum, Enum):
                    return (enum[member],)
        return None

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Sets that nothing is added to, or taken from, stay as they are."""
        self.generic_visit(node)
        if _is_nothing(node.left):
            return node.right if isinstance(node.op, ast.BitOr) else _nothing()
        if _is_nothing(node.right):
            return _nothing() if isinstance(node.op, ast.BitAnd) else node.left
        return node

    # -- ranges -----------------------------------------------------------------------------------

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        """A comprehension over nothing is empty; one over all of a sort is over who there is."""
        if not self._generators(node.generators):
            return _nothing()
        node.elt = self.visit(node.elt)
        match node:
            case ast.SetComp(
                elt=ast.Name(id=one),
                generators=[ast.comprehension(target=ast.Name(id=other), iter=whole, ifs=[])],
            ) if one == other:
                return ast.Call(ast.Name("set", ast.Load()), [whole], [])
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        """As a comprehension: `any` and `all` see what is left of it."""
        if not self._generators(node.generators):
            return _nothing()
        node.elt = self.visit(node.elt)
        return node

    def _generators(self, generators: list[ast.comprehension]) -> bool:
        """Fold the ranges of a comprehension; tell whether there may be anything in them."""
        for one in list(generators):
            one.ifs = [p for cond in one.ifs for p in _conjuncts(self.visit(cond))]
            if any(_truth(cond) is False for cond in one.ifs) or self._ranges(one.iter):
                return False
            one.ifs = [cond for cond in one.ifs if _truth(cond) is None]
            sort = self._sort(one.iter)
            if sort is None:
                one.iter = self.visit(one.iter)
                if _is_nothing(one.iter):
                    return False
            elif not self._select(one, sort, generators):
                one.iter = self._everybody(sort, one.iter)
        return True

    def _select(
        self, one: ast.comprehension, sort: type[Sort], generators: list[ast.comprehension]
    ) -> bool:
        """Range over those that a constant selects, if a condition asks for its value."""
        for cond in one.ifs:
            match cond:
                case ast.Compare(
                    left=ast.Attribute(value=ast.Subscript(value=family, slice=key), attr=name),
                    ops=[ast.Eq() | ast.In() as op],
                    comparators=[value],
                ) if ast.unparse(key) == ast.unparse(one.target):
                    of = self._place(family)
                    constant = self._variable(cond.left)
                    fits = isinstance(of, Family) and of.sort is sort
                    if not fits or constant is None or not constant.const:
                        continue
                    if ast.unparse(one.target) in uses(value):
                        continue
                    one.ifs.remove(cond)
                    wanted = value
                    if isinstance(op, ast.In):
                        wanted = ast.Name(f"{name}_", ast.Load())
                        target = ast.Name(f"{name}_", ast.Store())
                        at = generators.index(one)
                        generators.insert(at, ast.comprehension(target, value, [], 0))
                    having = ast.Name("having", ast.Load())
                    one.iter = ast.Call(having, [family, ast.Constant(name), wanted], [])
                    return True
        return False

    # -- statements -------------------------------------------------------------------------------

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | None:
        """A call that changes nothing goes, and so does a requirement that always holds."""
        match node.value:
            case ast.Call(func=ast.Attribute(value=target, attr=name)):
                owner = self._place(target)
                if isinstance(owner, type) and (owner, name) in self._facts.idle:
                    return None
                if name in CHANGES and self._goes(target):
                    return None
                if name == "emit" and self._is_unheard(node.value.args[0]):
                    return None
                if name in CHANGES and self._is_supposed(target):
                    node.value.args = [self.visit(arg) for arg in node.value.args]
                    return node
        node.value = self.visit(node.value)
        match node.value:
            case ast.Constant():
                return None
            case ast.Call(func=ast.Name(id="require"), args=[cond]) if _truth(cond):
                return None
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt | None:
        """What always holds is not asserted."""
        self.generic_visit(node)
        return None if _truth(node.test) else node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | None:
        """What is written to a ghost is not kept."""
        (target,) = node.targets
        if self._goes(target):
            return None
        node.value = self.visit(node.value)
        if not isinstance(target, ast.Name) and not self._is_supposed(target):
            self.generic_visit(target)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | None:
        """Nor is what changes nothing done."""
        if self._goes(node.target):
            return None
        if self._is_supposed(node.target):
            node.value = self.visit(node.value)
        else:
            self.generic_visit(node)
        changes = isinstance(node.op, ast.BitAnd) or not _is_nothing(node.value)
        return node if changes else None

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt] | None:
        """One branch is left where the condition is known, none where both do nothing."""
        node.test = self.visit(node.test)
        known = _truth(node.test)
        if known is not None:
            return self.block(node.body if known else node.orelse)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        if node.body:
            return node
        if node.orelse:
            return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, [])
        return None

    def visit_For(self, node: ast.For) -> ast.stmt | None:
        """A loop over nothing goes, and so does one in which nothing is done."""
        sort = self._sort(node.iter)
        if sort in self._facts.empty:
            return None
        node.body = self.block(node.body)
        if not node.body:
            return None
        if sort is None:
            node.iter = self.visit(node.iter)
        else:
            everybody = self._everybody(sort, node.iter)
            is_sorted = isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "sorted"
            kind = "sorted" if is_sorted else "list"
            if everybody is not node.iter:
                node.iter = ast.Call(ast.Name(kind, ast.Load()), [everybody], [])
        return None if _is_nothing(node.iter) else node


class _Put(Transformer):
    """Puts values in the places of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name that is read."""
        return self._values.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _compared(node: ast.Compare, left: Any, op: ast.cmpop, right: Any) -> ast.expr:
    """Return what a comparison of two values comes to."""
    match op:
        case ast.Eq() | ast.Is():
            return ast.Constant(left == right)
        case ast.NotEq() | ast.IsNot():
            return ast.Constant(left != right)
        case ast.Lt():
            return ast.Constant(left < right)
        case ast.LtE():
            return ast.Constant(left <= right)
        case ast.Gt():
            return ast.Constant(left > right)
        case ast.GtE():
            return ast.Constant(left >= right)
    return node


def _called(node: ast.Call) -> ast.expr:
    """Return what a call of a built-in function comes to, if that is known."""
    match node:
        case ast.Call(func=ast.Name(id="bool"), args=[arg]) if _truth(arg) is not None:
            return ast.Constant(_truth(arg))
        case ast.Call(func=ast.Name(id="any" | "all" as name), args=[arg]):
            if _is_nothing(arg):
                return ast.Constant(name == "all")
            if isinstance(arg, ast.GeneratorExp) and _truth(arg.elt) is (name == "all"):
                return ast.Constant(name == "all")
        case ast.Call(func=ast.Name(id="set" | "sorted"), args=[arg]) if _is_nothing(arg):
            return arg
        case ast.Call(
            func=ast.Name(id="set"),
            args=[ast.SetComp() | ast.Call(func=ast.Name(id="set")) as arg],
        ):
            return arg
        case ast.Call(func=ast.Name(id="len"), args=[arg]) if _is_nothing(arg):
            return ast.Constant(0)
        case ast.Call(func=ast.Name(id="least"), args=[arg]) if _is_nothing(arg):
            return ast.Constant(None)
        case ast.Call(
            func=ast.Name(id="min" | "max"), args=[arg], keywords=[ast.keyword("default", value)]
        ):
            if _is_nothing(arg):
                return value
    return node


def is_impossible(stmt: ast.stmt) -> bool:
    """Tell whether a statement is a requirement that never holds."""
    match stmt:
        case ast.Expr(value=ast.Call(func=ast.Name(id="require"), args=[cond])):
            return _truth(cond) is False
    return False


def _without_unused(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements without assignments to names that nobody reads; the same if all do."""
    nodes = list(walk(ast.Module(body, [])))
    read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    given = {name for n in nodes if isinstance(n, ast.Assign) for name in _named(n)}
    unused = given - read
    if not unused:
        return body

    class Drop(Transformer):
        def visit_Assign(self, node: ast.Assign) -> ast.stmt | None:
            return None if unused.intersection(_named(node)) else node

    drop = Drop()
    return [found for stmt in body if (found := drop.visit(stmt)) is not None]


def _named(node: ast.Assign) -> Iterator[str]:
    """Yield the name that an assignment gives a value, if it is one."""
    (target,) = node.targets
    if isinstance(target, ast.Name):
        yield target.id
