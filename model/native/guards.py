"""Guards: what an action requires, as far as that is said by what a program knows the action by.

Of an argument that is chosen a guard says no more than that there is something to choose.  So it
holds whenever the action is possible, and may hold where it is not.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ackproof.model.native.inlining import Method, all_names
from ackproof.model.native.triggers import Handle
from ackproof.model.native.writes import is_plain

__all__ = ["Guard"]


class Guard:
    """What an action requires, as far as its handles say it.

    Args:
        name: of the action.
        handles: what it is known by.
        method: its own, of which nothing has been changed yet.
    """

    def __init__(self, name: str, handles: Iterable[Handle], method: Method) -> None:
        self.name, self.method = name, method
        named = {h.param + ("_owner" if h.owner else ""): h for h in handles}
        self._params = list(named)
        self._locals: list[ast.Assign] = []
        owners = _Owners({h.param: n for n, h in named.items() if h.owner})
        chosen = set(method.params) - {h.param for h in named.values() if not h.owner}
        found = self._found(
            [owners.visit(stmt) for stmt in copy.deepcopy(method.tree.body)], chosen
        )
        self._conditions = list({ast.dump(cond): cond for cond in found}.values())

    def _found(self, body: Iterable[ast.stmt], chosen: set[str]) -> Iterator[ast.expr]:
        """Yield what is required; what is given a name before is noted."""
        some: dict[str, ast.expr] = {}
        for stmt in body:
            match stmt:
                case ast.Assign(targets=[ast.Name(id=local)], value=value):
                    if not all_names(value) & chosen:
                        self._locals.append(stmt)
                    elif (whole := _filtered(value, chosen)) is None:
                        chosen.add(local)
                    else:
                        some[local] = whole
                case ast.Expr(value=ast.Call(func=ast.Name(id="require"), args=[cond])):
                    yield from _without_chosen(cond, chosen, some)
                case ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    return

    def whole(self) -> ast.FunctionDef:
        """Return a method that tells whether the action may be possible."""
        said = _all_of(self._conditions)
        read = all_names(said)
        body: list[ast.stmt] = []
        for stmt in reversed(self._locals):
            if all_names(stmt.targets[0]) & read:
                read |= all_names(stmt)
                body.insert(0, stmt)
        args = ast.arguments(
            [], [ast.arg(n) for n in ("self", *self._params)], None, [], [], None, []
        )
        called = ast.Call(ast.Name("bool", ast.Load()), [said], [])
        body.append(ast.Return(called, lineno=0))
        return copy.deepcopy(ast.FunctionDef(f"may_{self.name}", args, body, [], None, lineno=0))

    def asked(self, handles: Sequence[ast.expr]) -> tuple[ast.expr, ...]:
        """Return what can be asked of such handles at next to no cost."""
        given = dict(zip(self._params, handles, strict=True))
        known: dict[str, ast.expr] = {n: e for n, e in given.items() if not _is_none(e)}
        for stmt in self._locals:
            known[all_names(stmt.targets[0]).copy().pop()] = _Given(known).visit(
                copy.deepcopy(stmt.value)
            )
        unknown = given.keys() - known.keys()
        found: list[ast.expr] = []
        for cond in self._conditions:
            asked = _Given(known).visit(_plainly(copy.deepcopy(cond)))
            if not all_names(asked) & unknown and _is_cheap(asked):
                found.append(asked)
        return tuple(found)


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
    owners = [n for n in ast.walk(cond) if isinstance(n, ast.Call) and is_plain(n)]
    return not any(isinstance(n, costly) and n not in owners for n in ast.walk(cond))


@dataclass
class _Given(ast.NodeTransformer):
    """Puts what they stand for in the places of names."""

    known: Mapping[str, ast.expr]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name that is read."""
        found = self.known.get(node.id) if isinstance(node.ctx, ast.Load) else None
        return node if found is None else copy.deepcopy(found)


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
class _Owners(ast.NodeTransformer):
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
