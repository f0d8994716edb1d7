"""Guards: what an action requires, as far as that is said by what a program knows the action by.

Of an argument that is chosen a guard says no more than that there is something to choose.  So it
holds whenever the action is possible, and may hold where it is not.

What an action requires is read in order, and what comes later may have a value only where the rest
holds: the head of a line, a part of an option.  Where not all of the rest is asked, such a
condition is not asked either.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args, get_origin

from ackproof.lang.values import Map
from ackproof.model.native.classes import Family, Layout, Variable
from ackproof.model.native.inlining import Method, all_names
from ackproof.model.native.trees import Transformer, copied, walk
from ackproof.model.native.triggers import Handle
from ackproof.model.native.writes import is_plain

__all__ = ["Guard"]

#: Functions of any set that have a value, and never None.
_TOTAL = {"all", "any", "bool", "frozenset", "having", "len", "owner", "set", "sorted"}


class Guard:
    """What an action requires, as far as its handles say it.

    Args:
        name: of the action.
        handles: what it is known by.
        method: its own, of which nothing has been changed yet.
        layout: of the system.
    """

    def __init__(
        self, name: str, handles: Iterable[Handle], method: Method, layout: Layout
    ) -> None:
        self.name, self.method = name, method
        named = {h.param + ("_owner" if h.owner else ""): h for h in handles}
        self._params = list(named)
        self._defined = _Defined(layout, frozenset(self._params))
        owners = _Owners({h.param: n for n, h in named.items() if h.owner})
        chosen = set(method.params) - {h.param for h in named.values() if not h.owner}
        found = self._found([owners.visit(stmt) for stmt in copied(method.tree).body], chosen)
        self._said = list({ast.dump(one): one for one in found}.values())

    def _found(self, body: Iterable[ast.stmt], chosen: set[str]) -> Iterator[ast.expr | ast.Assign]:
        """Yield what is required, and what is given a name before, in order."""
        some: dict[str, ast.expr] = {}
        exact = True  # all that was required so far is asked as it was
        for stmt in body:
            match stmt:
                case ast.Assign(targets=[ast.Name(id=local)], value=value):
                    if not all_names(value) & (chosen | some.keys()):
                        if exact or self._defined.holds(value):
                            yield stmt
                            self._defined = self._defined.given(local, value)
                        else:
                            chosen.add(local)
                    elif (whole := _filtered(value, chosen)) is None:
                        chosen.add(local)
                    else:
                        some[local] = whole
                case ast.Expr(value=ast.Call(func=ast.Name(id="require"), args=[cond])):
                    left = _without_chosen(cond, chosen, some)
                    exact = exact and [*map(ast.dump, left)] == [*map(ast.dump, _conjuncts(cond))]
                    yield from (one for one in left if exact or self._defined.holds(one))
                case ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    return

    def whole(self) -> ast.FunctionDef:
        """Return a method that tells whether the action may be possible."""
        body: list[ast.stmt] = []
        said: list[ast.expr] = []  # by whose turn nothing is given a name any more
        read: set[str] = set()
        for one in reversed(self._said):
            if not isinstance(one, ast.Assign):
                if body:
                    stop = ast.Return(ast.Constant(False), lineno=0)
                    body.insert(0, ast.If(ast.UnaryOp(ast.Not(), one), [stop], []))
                else:
                    said.insert(0, one)
                read |= all_names(one)
            elif all_names(one.targets[0]) & read:
                read |= all_names(one)
                body.insert(0, one)
        args = ast.arguments(
            [], [ast.arg(n) for n in ("self", *self._params)], None, [], [], None, []
        )
        called = ast.Call(ast.Name("bool", ast.Load()), [_all_of(said)], [])
        body.append(ast.Return(called, lineno=0))
        return copied(ast.FunctionDef(f"may_{self.name}", args, body, [], None, lineno=0))

    def asked(self, handles: Sequence[ast.expr]) -> tuple[ast.expr, ...]:
        """Return what can be asked of such handles at next to no cost."""
        given = dict(zip(self._params, handles, strict=True))
        known: dict[str, ast.expr] = {n: e for n, e in given.items() if not _is_none(e)}
        own: dict[str, ast.expr] = {}  # what is given a name, as the action itself says it
        unknown = given.keys() - known.keys()
        found: list[ast.expr] = []
        for one in self._said:
            match copied(one):
                case ast.Assign(targets=[ast.Name(id=local)], value=value):
                    own[local] = _Given(own).visit(copied(value))
                    known[local] = _Given(known).visit(value)
                case ast.expr() as cond:
                    meant = _Given(own).visit(copied(cond))
                    asked = _Given(known).visit(_plainly(cond))
                    cheap = not all_names(asked) & unknown and _is_cheap(asked)
                    if cheap and self._defined.holds(meant):
                        found.append(asked)
        return tuple(found)


@dataclass(frozen=True)
class _Defined:
    """Knows which expressions have a value whatever holds.

    An option may be None, and then has no parts, no order, and no member; a line may have no head.

    Attributes:
        layout: of the system.
        elements: names that stand for elements.
    """

    layout: Layout
    elements: frozenset[str]

    def holds(self, node: ast.expr) -> bool:
        """Tell whether an expression is one of them; of most calls nothing is known."""
        match node:
            case ast.Name() | ast.Constant():
                return True
            case ast.Attribute(value=value):
                return self._is_there(value)
            case ast.Subscript(value=value, slice=key):
                return self._has_member(value) and self._is_there(key)
            case ast.BoolOp(values=parts) | ast.Set(elts=parts):
                return all(map(self.holds, parts))
            case ast.UnaryOp(operand=inner):
                return self.holds(inner)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return all(map(self.holds, (test, body, orelse)))
            case ast.BinOp(left=left, right=right):
                return self._is_there(left) and self._is_there(right)
            case ast.Compare(left=left, ops=ops, comparators=others):
                ordered = any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in ops)
                return all(map(self._is_there if ordered else self.holds, (left, *others)))
            case ast.SetComp(generators=generators) | ast.GeneratorExp(generators=generators):
                return self._all_of(node.elt, generators)
            case ast.Call(func=func, args=args, keywords=keywords):
                return self._is_known(func, keywords) and all(map(self._is_there, args))
        return False

    def given(self, local: str, value: ast.expr) -> _Defined:
        """Return the same, where a local has a value."""
        more = {local} if self._is_there(value) else set()
        return replace(self, elements=self.elements | more)

    def _all_of(self, elt: ast.expr, generators: Iterable[ast.comprehension]) -> bool:
        inner = self
        for one in generators:
            if not inner.holds(one.iter):
                return False
            inner = replace(inner, elements=inner.elements | all_names(one.target))
            if not all(map(inner.holds, one.ifs)):
                return False
        return inner.holds(elt)

    def _is_known(self, func: ast.expr, keywords: Iterable[ast.keyword]) -> bool:
        match func:
            case ast.Name(id="min" | "max"):
                return any(one.arg == "default" for one in keywords)
            case ast.Name(id=name):
                return name in _TOTAL
            case ast.Attribute(value=ast.Name(id=name), attr="owner"):
                return name != "self"
            case ast.Attribute(value=value):
                of = self.layout.place(value, self.layout.root)
                return isinstance(of, type) and self.holds(value)  # a helper of a process
        return False

    def _is_there(self, node: ast.expr) -> bool:
        """Tell whether an expression has a value that is not None."""
        if isinstance(node, ast.Name):
            return node.id in self.elements or node.id == "self" or node.id[:1].isupper()
        place = self.layout.place(node, self.layout.root)
        if isinstance(place, Variable):
            hint = get_args(place.hint)[-1] if place.entry else place.hint
            return type(None) not in get_args(hint) and self.holds(node)
        if isinstance(node, ast.IfExp | ast.Call):
            return _name_of(node) in _TOTAL and self.holds(node)
        return self.holds(node)

    def _has_member(self, node: ast.expr) -> bool:
        """Tell whether something has a member, or an entry, for each element."""
        place = self.layout.place(node, self.layout.root)
        if isinstance(place, Variable):
            hint = get_args(place.hint)[-1] if place.entry else place.hint
            return get_origin(hint) is Map and self.holds(node)
        return isinstance(place, Family) and self.holds(node)


def _name_of(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name
        case ast.Call(func=ast.Attribute(attr="owner" as name)):
            return name
    return ""


def _conjuncts(cond: ast.expr) -> list[ast.expr]:
    match cond:
        case ast.BoolOp(op=ast.And(), values=values):
            return [part for value in values for part in _conjuncts(value)]
    return [cond]


def _all_of(conditions: list[ast.expr]) -> ast.expr:
    match conditions:
        case []:
            return ast.Constant(True)
        case [one]:
            return one
    return ast.BoolOp(ast.And(), conditions)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _plainly(cond: ast.expr) -> ast.expr:
    """Return a condition that is as true, without saying that it is one."""
    match cond:
        case ast.Call(func=ast.Name(id="bool"), args=[arg]):
            return arg
    return cond


def _is_cheap(cond: ast.expr) -> bool:
    """Tell whether a condition is said by variables alone."""
    costly = (ast.Call, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.BinOp)
    owners = [n for n in walk(cond) if isinstance(n, ast.Call) and is_plain(n)]
    return not any(isinstance(n, costly) and n not in owners for n in walk(cond))


@dataclass
class _Given(Transformer):
    """Puts what they stand for in the places of names."""

    known: Mapping[str, ast.expr]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name that is read."""
        found = self.known.get(node.id) if isinstance(node.ctx, ast.Load) else None
        return node if found is None else copied(found)


def _filtered(value: ast.expr, chosen: set[str]) -> ast.expr | None:
    """Return the set of which a set is what belongs to something that is chosen, if it is that."""
    match value:
        case ast.Call(func=ast.Name(id="set"), args=[inner]):
            return _filtered(inner, chosen)
        case ast.SetComp(elt=ast.Name(), generators=[ast.comprehension(iter=whole)]):
            return None if all_names(whole) & chosen else whole
    return None


def _without_chosen(
    cond: ast.expr, chosen: set[str], some: Mapping[str, ast.expr]
) -> list[ast.expr]:
    """Return what a condition says without what is chosen: that there is something to choose."""
    match cond:
        case ast.BoolOp(op=ast.And(), values=values):
            return [part for value in values for part in _without_chosen(value, chosen, some)]
        case ast.Call(func=ast.Name(id="bool"), args=[ast.Name(id=name)]) if name in some:
            return [some[name]]
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Name(id=name)]) if (
            name in chosen and not all_names(left) & chosen
        ):
            return [_there_is_one(left)]
        case ast.Compare(left=ast.Name(id=name), ops=[ast.In()], comparators=[among]) if (
            name in chosen and not all_names(among) & chosen
        ):
            return [among]
    return [] if all_names(cond) & (chosen | some.keys()) else [cond]


def _there_is_one(node: ast.expr) -> ast.expr:
    """Return the condition that an option is not None, which is the least or first of something."""
    match node:
        case ast.Call(
            func=ast.Name(id="min" | "max"),
            args=[among],
            keywords=[ast.keyword(arg="default", value=ast.Constant(value=None))],
        ):
            return among
    return ast.Compare(node, [ast.IsNot()], [ast.Constant(None)])


@dataclass
class _Owners(Transformer):
    """Puts a name in the place of the owner of an argument."""

    names: Mapping[str, str]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Replace `Msg.owner(msg)`."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(attr="owner"), args=[ast.Name(id=name)]):
                if name in self.names:
                    return ast.Name(self.names[name], ast.Load())
        return node
