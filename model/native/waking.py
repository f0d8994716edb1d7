"""Waking: a translated system tells which actions may have become possible, as it writes.

Where a method of the system writes what an action waits for (`ackproof.model.native.triggers`),
it tells the program so, with what it knows the action by:

    self.casts[owner].publishes[replica].add(msg)
    if self.replicas[replica].status == Status.RUNNING:
        self.wake.deliver(owner, replica)

It is told at the end of the block that writes, or before a branch in which the method may end, and
behind a loop if it is the same each time.  A
handle that is not known there is None, for any.  `wake` is the program's: an object with a method
for each action that it waits for.

What the action requires besides is asked first, as far as that costs next to nothing: what is said
by variables alone, of handles that are known, and of members of families that the method asks for
itself, since a growing family has whatever member somebody asks for.  What the write has seen to is
not asked.  Nobody is told where the answer is no, and nothing is lost by that: what makes the
answer yes is a write, too, and after that it is asked again.

Whether an action is possible later, the system says, as far as it can without knowing what is
chosen (`ackproof.model.native.guards`): `may_deliver(owner, replica)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ackproof.lang.sorts import Sort
from ackproof.model.native.classes import Layout
from ackproof.model.native.guards import Guard
from ackproof.model.native.inlining import Method, MethodKey, all_names
from ackproof.model.native.requirements import words_of
from ackproof.model.native.trees import Transformer, copied, walk
from ackproof.model.native.triggers import Change, Source, Trigger, Waking
from ackproof.model.native.writes import Write, Writes, is_plain, writes_once

__all__ = ["add_waking"]


def add_waking(
    methods: dict[MethodKey, Method],
    layout: Layout,
    waking: Waking,
    sorts: Mapping[str, type[Sort]],
) -> None:
    """Let the methods of a system tell what they may have made possible, and what may be.

    Args:
        methods: of all classes, with nothing hoisted; those of the system are changed.
        layout: of the system.
        waking: the actions that are asked for.
        sorts: by name.
    """
    writes = Writes(methods, layout)
    root = layout.root
    guards = {
        n: Guard(n, handles, methods[root, n], layout) for n, handles in waking.handles.items()
    }
    spoken: dict[str, Any] = {**sorts}
    for guard in guards.values():
        spoken |= guard.method.names
    asking = {(root, f"may_{n}"): Method(g.whole(), g.method.names) for n, g in guards.items()}
    wakes = _Wakes(waking, writes, guards)
    for (cls, _), method in methods.items():
        if cls is root:
            method.tree.body, _ = wakes.block(method.tree.body, method)
            used = all_names(method.tree)
            method.names = {**{n: s for n, s in spoken.items() if n in used}, **method.names}
    methods |= asking


@dataclass(frozen=True)
class _Wake:
    """A program is told that an action may have become possible.

    Attributes:
        call: tells it.
        asked: what has to hold besides, of which any may have been written since.
        unseen: those of them that the write has not seen to itself.
        kin: of what the call is made for each: the family, the constant, and one that has it.
    """

    call: ast.expr
    asked: tuple[ast.expr, ...]
    unseen: tuple[ast.expr, ...]
    kin: tuple[str, str, ast.expr] | None = None

    @property
    def text(self) -> str:
        """Return what tells two of them apart."""
        return ast.dump(self.call) + repr(self.kin and ast.dump(self.kin[2]))

    def later(self) -> _Wake:
        """Return the same for a place where it is not known whether the write has happened."""
        return replace(self, unseen=self.asked)

    def stmt(self) -> ast.stmt:
        """Return the statement that tells."""
        told: ast.stmt = ast.Expr(self.call)
        if self.unseen:
            test = (
                self.unseen[0] if len(self.unseen) == 1 else ast.BoolOp(ast.And(), [*self.unseen])
            )
            told = ast.If(test, [told], [])
        if self.kin is not None:
            family, constant, found = self.kin
            members = ast.Attribute(ast.Name("self", ast.Load()), family, ast.Load())
            common = ast.Attribute(ast.Subscript(members, found, ast.Load()), constant, ast.Load())
            args = [copied(members), ast.Constant(constant), common]
            among = ast.Call(ast.Name("having", ast.Load()), args, [])
            told = ast.For(ast.Name("kin", ast.Store()), among, [told], [], lineno=0)
        return copied(told)


@dataclass
class _Wakes:
    """Lets a program be told where something is written."""

    waking: Waking
    writes: Writes
    guards: Mapping[str, Guard]

    def __post_init__(self) -> None:
        self._asked_for: dict[str, frozenset[str]] = {}
        self.waited: dict[tuple[str, ...], list[Trigger]] = {}
        for trigger in self.waking.triggers:
            self.waited.setdefault(trigger.path, []).append(trigger)

    def block(
        self, body: list[ast.stmt], method: Method, inner: frozenset[str] | None = None
    ) -> tuple[list[ast.stmt], list[_Wake]]:
        """Return statements that tell, and what is to be told behind the loop around them.

        Args:
            body: the statements.
            method: which they are of.
            inner: the names that the loop around them gives values to, if there is one.
        """
        left: list[ast.stmt] = []
        here: dict[str, _Wake] = {}
        outside: dict[str, _Wake] = {}
        for stmt in body:
            found: list[_Wake] = []
            match stmt:
                case ast.If():
                    if _leaves(stmt):  # what was written so far is told before it may be too late
                        left += [wake.stmt() for wake in here.values()]
                        here = {}
                    stmt.body, behind = self.block(stmt.body, method, inner)
                    stmt.orelse, also = self.block(stmt.orelse, method, inner)
                    outside |= {wake.text: wake for wake in (*behind, *also)}
                case ast.For():
                    stmt.body, found = self.block(stmt.body, method, frozenset(_given(stmt)))
                case _:
                    found = list(self._of(stmt, method))
            for wake in found:
                if inner is not None and not all_names(wake.stmt()) & inner:
                    outside[wake.text] = wake.later()
                else:  # two writes have each seen to something, if both have happened
                    here[wake.text] = wake.later() if wake.text in here else wake
            left.append(stmt)
        at_end = len(left) - bool(left and isinstance(left[-1], ast.Return | ast.Raise))
        again = _Again({ast.dump(wake.call) for wake in here.values() if wake.kin is None})
        left = [again.visit(stmt) for stmt in left]
        left[at_end:at_end] = [wake.stmt() for wake in here.values()]
        return left, list(outside.values())

    def _of(self, stmt: ast.stmt, method: Method) -> Iterator[_Wake]:
        for write in self.writes.of(stmt, self.writes.layout.root, method):
            for trigger in self.waited.get(write.path, ()):
                if write.change.serves(trigger.wanted):
                    yield self._wake(trigger, write, stmt, self._members(method))

    def _members(self, method: Method) -> frozenset[str]:
        """Return the members of families that a method asks for by itself."""
        if method.tree.name not in self._asked_for:
            found = frozenset(map(ast.dump, _members(method.tree)))
            self._asked_for[method.tree.name] = found
        return self._asked_for[method.tree.name]

    def _wake(
        self, trigger: Trigger, write: Write, stmt: ast.stmt, members: frozenset[str]
    ) -> _Wake:
        kin: tuple[str, str, ast.expr] | None = None
        handles: list[ast.expr] = []
        for source in trigger.handles:
            found = self._handle(source, write)
            if found is not None and source is not None and source.kin is not None:
                kin = (*source.kin, found)
                found = ast.Name("kin", ast.Load())
            handles.append(found or ast.Constant(None))
        wake = ast.Attribute(ast.Name("self", ast.Load()), "wake", ast.Load())
        call = ast.Call(ast.Attribute(wake, trigger.action, ast.Load()), handles, [])
        asked = tuple(
            cond
            for cond in self.guards[trigger.action].asked(handles)
            if members.issuperset(map(ast.dump, _members(cond)))
        )
        sure = (
            writes_once(stmt) and write.change == trigger.wanted and write.change != Change("any")
        )
        seen = write.path[-1] if sure else None
        unseen = tuple(cond for cond in asked if seen not in words_of(cond))
        return _Wake(call, asked, unseen, kin)

    def _handle(self, source: Source | None, write: Write) -> ast.expr | None:
        if source is None:
            return None
        if source.key is None:
            if source.owner is not None and write.owner is not None:
                return write.owner
            found = write.elem if write.elem is not None and is_plain(write.elem) else None
        else:
            found = write.keys[source.key] if source.key < len(write.keys) else None
        if found is None or source.owner is None:
            return found
        sort = ast.Name(source.owner, ast.Load())
        return ast.Call(ast.Attribute(sort, "owner", ast.Load()), [found], [])


@dataclass
class _Again(Transformer):
    """Does not tell what is told again by the end of the block around, if that is reached."""

    told: set[str]

    def visit_If(self, node: ast.If) -> ast.If:
        """Look into the branches."""
        node.body, node.orelse = self._within(node.body) or [ast.Pass()], self._within(node.orelse)
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        """Look into the loop."""
        node.body = self._within(node.body) or [ast.Pass()]
        return node

    def _within(self, body: list[ast.stmt]) -> list[ast.stmt]:
        if any(map(_leaves, body)):
            return body
        return [self.visit(stmt) for stmt in body if not self._tells(stmt)]

    def _tells(self, stmt: ast.stmt) -> bool:
        match stmt:
            case ast.If(body=[ast.Expr(value=call)], orelse=[]) | ast.Expr(value=call):
                return ast.dump(call) in self.told
        return False


def _leaves(stmt: ast.stmt) -> bool:
    """Tell whether a method may end in a statement."""
    return any(isinstance(node, ast.Return) for node in walk(stmt))


def _members(tree: ast.AST) -> Iterator[ast.Subscript]:
    """Yield what asks for members of the system's families."""
    for node in walk(tree):
        match node:
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id="self"))):
                yield node


def _given(loop: ast.For) -> Iterator[str]:
    """Yield the names that a loop gives values to."""
    for node in walk(loop):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
