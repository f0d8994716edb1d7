"""Waking: a translated system notes which actions may have become possible, as it writes.

Where a method of the system writes what an action waits for (`ackproof.model.native.triggers`),
it notes that:

    self.casts[owner].publishes[replica].add(msg)
    self.woken['deliver', owner, replica] = None

The notes stand at the end of the block that writes, and behind a loop if they are the same each
time.  A handle that is not known there is None, for any.  `woken` is the program's, a dictionary:
what it has noted it looks at when the action is over.

Whether an action that was noted is possible by then, the system tells, as far as it can without
knowing what is chosen: `may_deliver(owner, replica)`.  What it says no to is not possible.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from ackproof.lang.process import Process, mark_of
from ackproof.lang.sorts import Sort
from ackproof.model.native.classes import Layout, Variable, declarations
from ackproof.model.native.inlining import Method, MethodKey, all_names
from ackproof.model.native.triggers import Change, Handle, Source, Trigger, Waking

__all__ = ["add_waking"]

#: What methods of sets, maps and sequences do to them.
_CALLS = {"add": "more", "append": "more", "update": "more"}
_CALLS |= {"clear": "less", "discard": "less", "pop": "less", "remove": "less"}
_ANY, _MORE = Change("any"), Change("more")


class _Write(NamedTuple):
    """One write to the state.

    Attributes:
        path: leads to the variable, by names.
        keys: on the way to it; None for those that are not known.
        change: what is done to it.
        elem: what is added or taken away, if it is one element.
        owner: to whom the elements belong, if it is one.
    """

    path: tuple[str, ...]
    keys: tuple[ast.expr | None, ...]
    change: Change
    elem: ast.expr | None = None
    owner: ast.expr | None = None


def add_waking(
    methods: dict[MethodKey, Method],
    layout: Layout,
    waking: Waking,
    sorts: Mapping[str, type[Sort]],
) -> None:
    """Let the methods of a system note what they may have made possible, and tell what may be.

    Args:
        methods: of all classes, with nothing hoisted; those of the system are changed.
        layout: of the system.
        waking: the actions that are asked for.
        sorts: by name.
    """
    writes = _Writes(methods, layout)
    notes = _Notes(waking, writes, sorts)
    for (cls, name), method in list(methods.items()):
        if cls is not layout.root:
            continue
        if name in waking.handles:
            test = _test(method, name, waking.handles[name])
            methods[cls, test.name] = Method(test, method.names)
        method.tree.body, _ = notes.block(method.tree.body, method)
        used = all_names(method.tree)
        method.names = {**{n: s for n, s in sorts.items() if n in used}, **method.names}


# -- writes -------------------------------------------------------------------------------------


@dataclass
class _Writes:
    """What statements write, and the methods that they call."""

    methods: Mapping[MethodKey, Method]
    layout: Layout
    known: frozenset[str] = frozenset()  # the names of what is known to have elements

    def of(self, stmt: ast.stmt, cls: type[Process], method: Method) -> Iterator[_Write]:
        """Yield the writes of a statement by itself, and of what it calls on other processes."""
        match stmt:
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
                some = _is_copy(value, self.known)
                yield from self._at(target, cls, _MORE if some else _assigned(value, method))
            case ast.AugAssign(target=target, op=op, value=value):
                kinds = {ast.BitOr: "more", ast.Sub: "less", ast.BitAnd: "less"}
                change = Change(kinds.get(type(op), "any"))
                yield from self._at(target, cls, change, owner=_owner_of(value, method))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=attr), args=args)):
                place = self.layout.place(target, cls)
                if isinstance(place, Variable) and attr in _CALLS:
                    one = args[0] if len(args) == 1 and attr != "update" else None
                    yield from self._at(target, cls, Change(_CALLS[attr]), one)
                elif isinstance(place, type) and not (place is cls is self.layout.root):
                    yield from self._called(target, place, attr, args)

    def _at(
        self,
        target: ast.expr,
        cls: type[Process],
        change: Change,
        elem: ast.expr | None = None,
        owner: ast.expr | None = None,
    ) -> Iterator[_Write]:
        way = _way(target)
        if way is not None and isinstance(self.layout.place(target, cls), Variable):
            yield _Write(*way, change, elem, owner)

    def _called(
        self, target: ast.expr, of: type[Process], name: str, args: list[ast.expr]
    ) -> Iterator[_Write]:
        """Yield the writes of a method that is called, with its arguments."""
        way = _way(target)
        assert way is not None
        path, keys = way
        callee = self.methods.get((of, name))
        if callee is None:
            mark = mark_of(getattr(of, name, None))
            if mark is not None and mark.kind != "helper":  # it is the program's own, and not read
                for variable in declarations(of):
                    yield _Write((*path, variable), keys, _ANY)
            return
        given = dict(zip(callee.params, args, strict=False))
        for stmt in ast.walk(callee.tree):
            if not isinstance(stmt, ast.stmt):
                continue
            for inner in self.of(stmt, of, callee):
                yield inner._replace(
                    path=path + inner.path,
                    keys=keys + tuple(_with(key, given) for key in inner.keys),
                    elem=_with(inner.elem, given),
                    owner=_with(inner.owner, given),
                )


def _way(node: ast.expr) -> tuple[tuple[str, ...], tuple[ast.expr | None, ...]] | None:
    """Return the names and the keys by which an expression goes from `self`, if it does."""
    names: list[str] = []
    keys: list[ast.expr | None] = []
    while True:
        match node:
            case ast.Name(id="self"):
                return tuple(reversed(names)), tuple(reversed(keys))
            case ast.Attribute(value=value, attr=name):
                names.append(name)
                node = value
            case ast.Subscript(value=value, slice=key):
                keys.append(key if _is_plain(key) else None)
                node = value
            case _:
                return None


def _is_plain(node: ast.expr) -> bool:
    """Tell whether an expression says the same for as long as a step takes: names, and owners."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=ast.Name(id=name)):
            return name != "self"
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="owner"), args=[arg]):
            return _is_plain(arg)
    return False


def _is_copy(value: ast.expr, of: frozenset[str]) -> bool:
    """Tell whether a value is a set of the same elements as one of these."""
    match value:
        case ast.Call(func=ast.Name(id="set"), args=[ast.Name(id=name)]):
            return name in of
    return False


def _assigned(value: ast.expr, method: Method) -> Change:
    match value:
        case ast.Constant(value=bool() | None as known):
            return Change("is", known)
        case ast.Attribute(value=ast.Name(id=name), attr=member):
            found = method.names.get(name)
            if isinstance(found, type) and issubclass(found, Enum):
                return Change("is", member)
        case ast.Call(func=ast.Name(id="set"), args=[]):
            return Change("less")
    return _ANY


def _owner_of(value: ast.expr, method: Method) -> ast.expr | None:
    """Return to whom the elements of a set belong, if the set is made of those of one owner."""
    if isinstance(value, ast.Name):
        given = [
            stmt.value
            for stmt in ast.walk(method.tree)
            if isinstance(stmt, ast.Assign) and ast.dump(stmt.targets[0]) == _stored(value.id)
        ]
        if len(given) == 1:
            value = given[0]
    match value:
        case ast.Call(func=ast.Name(id="set"), args=[inner]):
            return _owner_of(inner, method)
        case ast.SetComp(elt=ast.Name(id=elt), generators=[ast.comprehension(ifs=ifs)]):
            for cond in ifs:
                match cond:
                    case ast.Compare(
                        left=ast.Call(func=ast.Attribute(attr="owner"), args=[ast.Name(id=one)]),
                        ops=[ast.Eq()],
                        comparators=[owner],
                    ) if one == elt and _is_plain(owner):
                        return owner
    return None


def _stored(name: str) -> str:
    return ast.dump(ast.Name(name, ast.Store()))


def _with(node: ast.expr | None, given: Mapping[str, ast.expr]) -> ast.expr | None:
    """Return an expression of a method as its caller would write it, if it can."""
    match node:
        case ast.Constant():
            return node
        case ast.Name(id=name):
            arg = given.get(name)
            return arg if arg is not None and _is_plain(arg) else None
        case ast.Call(func=func, args=[arg]):
            inner = _with(arg, given)
            return None if inner is None else ast.Call(func, [inner], [])
    return None


# -- notes --------------------------------------------------------------------------------------


@dataclass
class _Notes:
    """Puts notes where something is written."""

    waking: Waking
    writes: _Writes
    sorts: Mapping[str, type[Sort]]

    def __post_init__(self) -> None:
        self.waited: dict[tuple[str, ...], list[Trigger]] = {}
        for trigger in self.waking.triggers:
            self.waited.setdefault(trigger.path, []).append(trigger)

    def block(
        self, body: list[ast.stmt], method: Method, inner: frozenset[str] | None = None
    ) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Return statements with notes, and the notes that belong behind the loop around them.

        Args:
            body: the statements.
            method: which they are of.
            inner: the names that the loop around them gives values to, if there is one.
        """
        left: list[ast.stmt] = []
        notes: dict[str, ast.stmt] = {}
        outside: dict[str, ast.stmt] = {}
        for stmt in body:
            found: list[ast.stmt] = []
            match stmt:
                case ast.If():
                    with self._knowing(stmt.test):
                        stmt.body, behind = self.block(stmt.body, method, inner)
                    stmt.orelse, also = self.block(stmt.orelse, method, inner)
                    outside |= {ast.dump(note): note for note in (*behind, *also)}
                case ast.For():
                    stmt.body, found = self.block(stmt.body, method, frozenset(_given(stmt)))
                case _:
                    found = list(self._of(stmt, method))
            for note in found:
                is_outside = inner is not None and not all_names(note) & inner
                (outside if is_outside else notes)[ast.dump(note)] = note
            left.append(stmt)
        at_end = len(left) - bool(left and isinstance(left[-1], ast.Return | ast.Raise))
        left[at_end:at_end] = notes.values()
        return left, list(outside.values())

    @contextmanager
    def _knowing(self, cond: ast.expr) -> Iterator[None]:
        """Something is known to have elements, if that is what a condition says."""
        before = self.writes.known
        if isinstance(cond, ast.Name):
            self.writes.known = before | {cond.id}
        yield
        self.writes.known = before

    def _of(self, stmt: ast.stmt, method: Method) -> Iterator[ast.stmt]:
        for write in self.writes.of(stmt, self.writes.layout.root, method):
            for trigger in self.waited.get(write.path, ()):
                if write.change.serves(trigger.wanted):
                    yield self._note(trigger, write)

    def _note(self, trigger: Trigger, write: _Write) -> ast.stmt:
        kin: list[tuple[str, ast.expr]] = []
        handles: list[ast.expr] = [ast.Constant(trigger.action)]
        for source in trigger.handles:
            found = self._handle(source, write)
            if found is None or source is None or source.kin is None:
                handles.append(found or ast.Constant(None))
                continue
            family, constant = source.kin
            members = ast.Attribute(ast.Name("self", ast.Load()), family, ast.Load())
            common = ast.Attribute(ast.Subscript(members, found, ast.Load()), constant, ast.Load())
            args = [copy.deepcopy(members), ast.Constant(constant), common]
            kin.append(("kin", ast.Call(ast.Name("having", ast.Load()), args, [])))
            handles.append(ast.Name("kin", ast.Load()))
        woken = ast.Attribute(ast.Name("self", ast.Load()), "woken", ast.Load())
        target = ast.Subscript(woken, ast.Tuple(handles, ast.Load()), ast.Store())
        note: ast.stmt = ast.Assign([target], ast.Constant(None), lineno=0)
        for name, among in kin:
            note = ast.For(ast.Name(name, ast.Store()), among, [note], [], lineno=0)
        return copy.deepcopy(note)

    def _handle(self, source: Source | None, write: _Write) -> ast.expr | None:
        if source is None:
            return None
        if source.key is None:
            if source.owner is not None and write.owner is not None:
                return write.owner
            found = write.elem if write.elem is not None and _is_plain(write.elem) else None
        else:
            found = write.keys[source.key] if source.key < len(write.keys) else None
        if found is None or source.owner is None:
            return found
        sort = ast.Name(source.owner, ast.Load())
        return ast.Call(ast.Attribute(sort, "owner", ast.Load()), [found], [])


def _given(loop: ast.For) -> Iterator[str]:
    """Yield the names that a loop gives values to."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


# -- tests --------------------------------------------------------------------------------------


def _test(method: Method, name: str, handles: Iterable[Handle]) -> ast.FunctionDef:
    """Return a method that tells whether an action may be possible, by its handles."""
    named = {h.param + ("_owner" if h.owner else ""): h for h in handles}
    chosen = set(method.params) - {h.param for h in named.values() if not h.owner}
    body: list[ast.Assign] = []
    conditions: list[ast.expr] = []
    some: dict[str, ast.expr] = {}
    for stmt in copy.deepcopy(method.tree.body):
        owned = _Owners({h.param: n for n, h in named.items() if h.owner})
        stmt = owned.visit(stmt)
        match stmt:
            case ast.Assign(targets=[ast.Name(id=local)], value=value):
                if all_names(value) & chosen:
                    whole = _filtered(value, chosen)
                    if whole is None:
                        chosen.add(local)
                    else:
                        some[local] = whole
                else:
                    body.append(stmt)
            case ast.Expr(value=ast.Call(func=ast.Name(id="require"), args=[cond])):
                conditions += _without_chosen(cond, chosen, some)
            case ast.Expr(value=ast.Constant()):
                pass
            case _:
                break
    conditions = list({ast.dump(cond): cond for cond in conditions}.values())
    if conditions:
        said = conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.And(), conditions)
    else:
        said = ast.Constant(True)
    read = all_names(said)
    for stmt in reversed(body):
        if all_names(stmt.targets[0]) & read:
            read |= all_names(stmt)
    body = [stmt for stmt in body if all_names(stmt.targets[0]) & read]
    args = ast.arguments([], [ast.arg(n) for n in ("self", *named)], None, [], [], None, [])
    called = ast.Call(ast.Name("bool", ast.Load()), [said], [])
    return ast.FunctionDef(
        f"may_{name}", args, [*body, ast.Return(called, lineno=0)], [], None, lineno=0
    )


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
