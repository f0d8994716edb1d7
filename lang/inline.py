"""Inlining: from methods that call each other to actions of the whole system.

Every call of a handler is replaced by its body, with `self` standing for the process it was
called on and parameters for locals; every emitted event is followed by the system's observers.
A member of a family brings the element it belongs to as a parameter of its own actions.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar, assert_never

from ackproof.lang import ir
from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Binder, Expr, Node, Stmt
from ackproof.lang.kept import Answering, ById, kept
from ackproof.lang.program import (
    Action,
    Method,
    Param,
    ProcessDecl,
    Program,
    base_first,
    key_names,
)
from ackproof.lang.types import FamilyT, ProcT, SortT, Type

__all__ = ["Methods", "inline_actions", "inline_method", "substitute"]

N = TypeVar("N", bound=Node)


def substitute(node: N, roots: dict[str, Expr], names: dict[str, Expr]) -> N:
    """Return `node` with roots and variables replaced; what has neither is shared."""

    def visit(value: Any) -> Any:
        if isinstance(value, ir.Root):
            return roots.get(value.name, value)
        if isinstance(value, ir.Var):
            return names.get(value.name, value)
        if isinstance(value, Binder):
            renamed = names.get(value.name)
            name = renamed.name if isinstance(renamed, ir.Var) else value.name
            domain = visit(value.domain)
            same = name == value.name and domain is value.domain
            return value if same else Binder(name, domain)
        if isinstance(value, ir.Key):
            process = visit(value.process)
            return ir.key_of(process, value.type) or replace(value, process=process)
        if isinstance(value, ir.Local | ir.Let):
            value = _renamed(value, names)
        if isinstance(value, Node):
            changed = {}
            kind: Any = type(value)
            for name in ir.parts(kind):
                before = getattr(value, name)
                after = visit(before)
                if after is not before:
                    changed[name] = after
            return replace(value, **changed) if changed else value
        if isinstance(value, tuple):
            items = tuple(visit(v) for v in value)
            return value if all(a is b for a, b in zip(items, value, strict=True)) else items
        return value

    result: N = visit(node)
    return result


def _renamed(value: ir.Local | ir.Let, names: dict[str, Expr]) -> ir.Local | ir.Let:
    new = names.get(value.name)
    return replace(value, name=new.name) if isinstance(new, ir.Var) else value


class Methods(Answering):
    """The methods of a program, as those that call them ask for them."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.processes = {p.name: p for p in program.processes}
        self.root = program.root
        self._called = {
            (p.name, m.owner, m.name): m for p in program.processes for m in reversed(p.methods)
        }

    def called(self, process: str, owner: str, name: str) -> Method:
        """Return a method of a process, as one of its classes defines it."""
        return self.ask(_called, process, owner, name)

    def observers(self, event: Type) -> tuple[Method, ...]:
        """Return what observes an event, in order."""
        return self.ask(_observers, event)

    def same(self, one: object, other: object) -> bool:
        """Tell whether methods are the same: read once, for what stands elsewhere may be equal."""
        ones = one if isinstance(one, tuple) else (one,)
        others = other if isinstance(other, tuple) else (other,)
        return len(ones) == len(others) and all(map(operator.is_, ones, others))


def _called(methods: Methods, process: str, owner: str, name: str) -> Method:
    return methods._called[process, owner, name]


def _observers(methods: Methods, event: Type) -> tuple[Method, ...]:
    root = methods.processes[methods.root]
    return tuple(
        m
        for m in reversed(root.methods)
        if m.kind == "observer" and m.event == event and root.method(m.name) is m
    )


@dataclass
class _Inliner:
    """Inlines the methods of one program."""

    methods: Methods
    observing: bool = False
    stack: tuple[tuple[str, str], ...] = ()
    counter: list[int] = field(default_factory=lambda: [0])

    def fresh(self, name: str) -> str:
        self.counter[0] += 1
        return f"{name.split('.')[0]}.{self.counter[0]}"

    def body(self, method: Method, obj: Expr, args: tuple[Expr, ...]) -> tuple[Stmt, ...]:
        """Return the body of a method called on `obj`, its own names made fresh."""
        names: dict[str, Expr] = {}
        out: list[Stmt] = []
        for param, arg in zip(method.params, args, strict=True):
            if isinstance(arg, ir.Var | ir.Lit):
                names[param.name] = arg
            else:
                fresh = self.fresh(param.name)
                out.append(ir.Local(fresh, arg, span=arg.span))
                names[param.name] = ir.Var(fresh, type=arg.type, span=arg.span)
        for name, t in _bound_names(method.body):
            names[name] = ir.Var(self.fresh(name), type=t)
        obj = self._stable(obj, out)
        for stmt in method.body:
            out.extend(self.statement(substitute(stmt, {"self": obj}, names)))
        return tuple(out)

    def _stable(self, obj: Expr, out: list[Stmt]) -> Expr:
        """Evaluate the keys on the way to a process once, before its handler runs."""
        if isinstance(obj, ir.Field):
            return replace(obj, obj=self._stable(obj.obj, out))
        if isinstance(obj, ir.Index):
            inner, key = self._stable(obj.obj, out), obj.key
            if not isinstance(key, ir.Var | ir.Lit):
                name = self.fresh("key")
                out.append(ir.Local(name, key, span=key.span))
                key = ir.Var(name, type=key.type, span=key.span)
            return replace(obj, obj=inner, key=key)
        return obj

    def statement(self, stmt: Stmt) -> list[Stmt]:
        """Return a statement with every call in it replaced by what it does."""
        assert isinstance(stmt, ir.AnyStmt)
        match stmt:
            case ir.Call():
                return list(self.call(stmt))
            case ir.If():
                return [replace(stmt, then=self.block(stmt.then), orelse=self.block(stmt.orelse))]
            case ir.For():
                return [replace(stmt, body=self.block(stmt.body))]
            case ir.Emit():
                return [stmt, *self.observed(stmt)]
            case ir.Assign() | ir.SetAdd() | ir.SetDiscard() | ir.Push() | ir.Pop():
                return [stmt]
            case ir.Local() | ir.Require() | ir.Assert():
                return [stmt]
            case _:
                assert_never(stmt)

    def block(self, stmts: Iterable[Stmt]) -> tuple[Stmt, ...]:
        """Inline the statements of a block."""
        return tuple(s for stmt in stmts for s in self.statement(stmt))

    def call(self, call: ir.Call) -> tuple[Stmt, ...]:
        """Return what a call does.

        Raises:
            SpecError: the call leads back to a method that is being inlined.
        """
        assert isinstance(call.obj.type, ProcT)
        method = self.methods.called(call.obj.type.name, call.owner, call.method)
        key = (method.owner, method.name)
        if key in self.stack:
            raise SpecError(
                call.span,
                f"`{method.name}` calls itself",
                "state it without recursion: loop over a set",
            )
        self.stack = (*self.stack, key)
        result = self.body(method, call.obj, call.args)
        self.stack = self.stack[:-1]
        return result

    def observed(self, emit: ir.Emit) -> Iterable[Stmt]:
        """Yield what the observer of an event does.

        Raises:
            SpecError: the event was emitted by what that observer does.
        """
        observers = self.methods.observers(emit.event.type) if self.observing else ()
        for observer in observers:
            key = (observer.owner, observer.name)
            if key in self.stack:
                raise SpecError(
                    emit.span,
                    f"this event leads back to its observer `{observer.name}`",
                    "emit another event, or change the state where this one is emitted",
                )
            self.stack = (*self.stack, key)
            root = ir.Root("self", type=ProcT(self.methods.root))
            yield from self.body(observer, root, (emit.event,))
            self.stack = self.stack[:-1]


def _bound_names(body: tuple[Stmt, ...]) -> Iterable[tuple[str, Any]]:
    """Yield the names that statements bind; each remembers its own, as it is called again."""
    for stmt in body:
        known: tuple[tuple[str, Any], ...] | None = stmt.__dict__.get("_binds")
        if known is None:
            known = stmt.__dict__["_binds"] = tuple(_binds(stmt))
        yield from known


def _binds(stmt: Stmt) -> Iterable[tuple[str, Any]]:
    for node in ir.walk(stmt):
        match node:
            case ir.Local() | ir.Let():
                yield node.name, node.value.type
            case ir.For():
                yield node.binder.name, node.binder.type
            case ir.Forall() | ir.Exists() | ir.Comprehension():
                yield from ((b.name, b.type) for b in node.binders)


def inline_method(methods: Methods, process: ProcessDecl, method: Method) -> tuple[Stmt, ...]:
    """Return a method's body with calls inlined, seen from its own process (no observers)."""

    def inlined() -> tuple[Stmt, ...]:
        inliner = _Inliner(methods, stack=((method.owner, method.name),))
        root = ir.Root("self", type=ProcT(process.name))
        return inliner.body(method, root, tuple(ir.Var(p.name, type=p.type) for p in method.params))

    return kept(methods, (inline_method, ById(method), process.name), inlined)


def inline_actions(program: Program) -> Program:
    """Give a program its actions: every action and fault of every process, inlined."""
    root = ir.Root("self", type=ProcT(program.root))
    actions = base_first(_actions_of(Methods(program), program.root, root, (), ()))
    return replace(program, actions=actions)


def _actions_of(
    methods: Methods,
    name: str,
    obj: Expr,
    path: tuple[str, ...],
    keys: tuple[Param, ...],
    added: bool = False,
) -> Iterable[Action]:
    process = methods.processes[name]
    # What is overridden keeps its place, so that the code of all others stays what it was.
    for step in dict.fromkeys(m.name for m in reversed(process.methods)):
        method = process.method(step)
        if method is not None and method.kind in {"action", "fault"}:
            own = added or step in process.added
            yield kept(
                methods,
                (inline_actions, ById(method), obj, path, keys, own),
                partial(_action, methods, method, obj, path, keys, own),
            )
    for part, t in process.parts:
        inner, own = ir.Field(obj, part, type=t), added or part in process.added
        if isinstance(t, FamilyT):
            sorts = [k.type for k in keys if isinstance(k.type, SortT)]
            key = Param(key_names((*sorts, t.key))[-1], t.key)
            member = ir.Index(inner, ir.Var(key.name, type=key.type), type=t.proc)
            yield from _actions_of(methods, t.proc.name, member, (*path, part), (*keys, key), own)
        else:
            yield from _actions_of(methods, t.name, inner, (*path, part), keys, own)


def _action(
    methods: Methods,
    method: Method,
    obj: Expr,
    path: tuple[str, ...],
    keys: tuple[Param, ...],
    added: bool,
) -> Action:
    inliner = _Inliner(methods, observing=True, stack=((method.owner, method.name),))
    params = _apart(method.params, keys)
    body = inliner.body(method, obj, tuple(ir.Var(p.name, type=p.type) for p in params))
    return Action(
        name=".".join((*path, method.name)),
        kind=method.kind,
        fair=method.fair,
        params=(*keys, *params),
        body=body,
        path=path,
        method=method.name,
        owner=method.owner,
        doc=method.doc,
        span=method.span,
        added=added,
    )


def _apart(params: tuple[Param, ...], keys: tuple[Param, ...]) -> tuple[Param, ...]:
    """Return parameters under names that are not those of the keys, nor of one another."""
    taken = {k.name for k in keys}
    out: list[Param] = []
    for p in params:
        name = p.name
        while name in taken:
            name += "_"
        taken.add(name)
        out.append(replace(p, name=name))
    return tuple(out)
