"""Inlining: from methods that call each other to actions of the whole system.

Every call of a handler is replaced by its body, with `self` standing for the process it was
called on and parameters for locals; every emitted event is followed by the system's observers.
A member of a family brings the element it belongs to as a parameter of its own actions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, assert_never

from ackproof.lang import ir
from ackproof.lang.errors import SpecError
from ackproof.lang.ir import Binder, Expr, Node, Stmt
from ackproof.lang.program import Action, Method, Param, ProcessDecl, Program, key_names
from ackproof.lang.types import FamilyT, ProcT, SortT

__all__ = ["inline_actions", "inline_method", "substitute"]

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


@dataclass
class _Inliner:
    """Inlines the methods of one program."""

    processes: dict[str, ProcessDecl]
    observers: tuple[Method, ...] = ()
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
        process = self.processes[call.obj.type.name]
        method = next(m for m in process.methods if (m.owner, m.name) == (call.owner, call.method))
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
        for observer in self.observers:
            if observer.event != emit.event.type:
                continue
            key = (observer.owner, observer.name)
            if key in self.stack:
                raise SpecError(
                    emit.span,
                    f"this event leads back to its observer `{observer.name}`",
                    "emit another event, or change the state where this one is emitted",
                )
            self.stack = (*self.stack, key)
            root = ir.Root("self", type=ProcT(self._root))
            yield from self.body(observer, root, (emit.event,))
            self.stack = self.stack[:-1]

    _root: str = ""


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


def inline_method(program: Program, process: ProcessDecl, method: Method) -> tuple[Stmt, ...]:
    """Return a method's body with calls inlined, seen from its own process (no observers)."""
    inliner = _Inliner({p.name: p for p in program.processes})
    inliner.stack = ((method.owner, method.name),)
    root = ir.Root("self", type=ProcT(process.name))
    return inliner.body(method, root, tuple(ir.Var(p.name, type=p.type) for p in method.params))


def inline_actions(program: Program) -> Program:
    """Give a program its actions: every action and fault of every process, inlined."""
    processes = {p.name: p for p in program.processes}
    root = ir.Root("self", type=ProcT(program.root))
    actions = tuple(_actions_of(program, processes, program.root, root, (), ()))
    return replace(program, actions=actions)


def _actions_of(
    program: Program,
    processes: dict[str, ProcessDecl],
    name: str,
    obj: Expr,
    path: tuple[str, ...],
    keys: tuple[Param, ...],
) -> Iterable[Action]:
    process = processes[name]
    for method in reversed(process.methods):
        latest = process.method(method.name)
        if method.kind in {"action", "fault"} and latest is method:
            yield _action(program, processes, method, obj, path, keys)
    for part, t in process.parts:
        inner = ir.Field(obj, part, type=t)
        if isinstance(t, FamilyT):
            sorts = [k.type for k in keys if isinstance(k.type, SortT)]
            key = Param(key_names((*sorts, t.key))[-1], t.key)
            member = ir.Index(inner, ir.Var(key.name, type=key.type), type=t.proc)
            yield from _actions_of(
                program, processes, t.proc.name, member, (*path, part), (*keys, key)
            )
        else:
            yield from _actions_of(program, processes, t.name, inner, (*path, part), keys)


def _action(
    program: Program,
    processes: dict[str, ProcessDecl],
    method: Method,
    obj: Expr,
    path: tuple[str, ...],
    keys: tuple[Param, ...],
) -> Action:
    observers = tuple(
        m
        for m in reversed(processes[program.root].methods)
        if m.kind == "observer" and processes[program.root].method(m.name) is m
    )
    inliner = _Inliner(processes, observers, ((method.owner, method.name),), _root=program.root)
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
