"""Triggers: which writes may make an action possible, and of which elements that is then.

A program that takes an action whenever it is possible has to learn when that is.  What an action
requires says it.  It reads variables, and each of them in a direction: a set that must have
something is waited for to grow, a status that must be `RUNNING` to become that.  So each read of a
requirement is a *trigger*: a variable, by the way to it, and what has to happen to it.

A program does not know an action by all of its arguments.  It knows the process that delivers, and
the action says which message is next.  What it knows an action by are its *handles*: arguments, and
owners of arguments (`Msg.owner(msg)`).  The other arguments are chosen: to such an action "the
first of a set is this one" means that there is one, and when that has left the set, there may be
another one to choose.  A trigger says where each handle comes from:
it is a key on the way to what was written, or what was added, or the owner of one of these, or what
has a constant in common with one (`{r for r in Replica if self.replicas[r].of == ...}`).  Where it
is none of these it may be any.

This is an over-approximation: whatever enables an action is a trigger of it, and a trigger need not
enable it.  Only what is required before anything is written counts: a step that is not enabled must
not have done anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from ackproof.lang import ir
from ackproof.lang.program import Action, Program
from ackproof.lang.types import BoolT, ProcT, SortT

__all__ = ["Change", "Handle", "Source", "Trigger", "Waking", "handle", "waking"]


class Handle(NamedTuple):
    """What a program knows an action by: an argument, or the owner of one."""

    param: str
    owner: bool


class Change(NamedTuple):
    """What is waited for to happen to a variable, or what a write does to it.

    Attributes:
        kind: `more` or `less` for a set, `is` or `not` for a value, or `any`.
        value: what it is or is not: a truth value, None, or the name of an enum's member.
    """

    kind: str
    value: str | bool | None = None

    def serves(self, wanted: Change) -> bool:
        """Tell whether a write may be what is waited for."""
        match wanted.kind, self.kind:
            case ("any", _) | (_, "any"):
                return True
            case "is", "is":
                return self.value == wanted.value
            case "not", "is":
                return self.value != wanted.value
            case "is" | "not", "less":  # a map without entries holds what it held at first
                return True
        return self.kind == wanted.kind


class Source(NamedTuple):
    """Where a handle comes from.

    Attributes:
        key: the number of a key on the way to what was written; None for the element.
        owner: the name of the sort of that, if it is the owner of it.
        kin: it is all that have a constant in common with that: the family and the constant.
    """

    key: int | None
    owner: str | None = None
    kin: tuple[str, str] | None = None


class Trigger(NamedTuple):
    """A change that may make an action possible.

    Attributes:
        action: its name.
        path: leads to the variable, by names.
        wanted: what has to happen to it.
        handles: where each handle of the action comes from; None for anywhere.
    """

    action: str
    path: tuple[str, ...]
    wanted: Change
    handles: tuple[Source | None, ...]


class Waking(NamedTuple):
    """What a program has to learn of the actions that it takes by itself.

    Attributes:
        handles: what it knows each of them by.
        triggers: what may make them possible.
    """

    handles: Mapping[str, tuple[Handle, ...]]
    triggers: tuple[Trigger, ...]


_OWNER = re.compile(r"\w+\.owner\((\w+)\)")
_ANY = Change("any")


def handle(text: str) -> Handle:
    """Return a handle that is written as in the language: `replica`, or `Msg.owner(msg)`."""
    found = _OWNER.fullmatch(text)
    return Handle(found[1], True) if found else Handle(text, False)


def waking(program: Program, handles: Mapping[str, Sequence[str]]) -> Waking:
    """Return what may make actions of a program possible.

    Args:
        program: the system.
        handles: of the actions that are asked for, by their names.

    Raises:
        LookupError: there is no such action, or it has no such argument.
    """
    constants = frozenset(v.path for v in program.variables if v.const)
    known: dict[str, tuple[Handle, ...]] = {}
    found: dict[Trigger, None] = {}
    for name, written in handles.items():
        action = next((a for a in program.actions if a.name == name), None)
        if action is None:
            raise LookupError(f"there is no action {name!r}")
        known[name] = wanted = tuple(map(handle, written))
        for one in wanted:
            if one.param not in (p.name for p in action.params):
                raise LookupError(f"the action {name} has no argument {one.param!r}")
        reads = _Reads(action, wanted, constants)
        found |= dict.fromkeys(reads.of_requirements())
    return Waking(known, tuple(found))


@dataclass(frozen=True)
class _Facts:
    """What is known of a bound variable: whose it is, and what it has in common with a handle."""

    owner: int | None = None
    kin: tuple[int, tuple[str, str]] | None = None


@dataclass
class _Reads:
    """The reads of what one action requires."""

    action: Action
    handles: tuple[Handle, ...]
    constants: frozenset[tuple[str, ...]]
    _values: dict[str, ir.Expr] = field(default_factory=dict)
    _bound: dict[str, _Facts] = field(default_factory=dict)

    def of_requirements(self) -> Iterator[Trigger]:
        """Yield the triggers of what is required before anything is written."""
        for stmt in self._before_writing():
            match stmt:
                case ir.Local(name=name, value=value):
                    self._values[name] = value
                case ir.Require(cond=cond):
                    self._note_chosen(cond)
        for stmt in self._before_writing():
            if isinstance(stmt, ir.Require):
                yield from self._truth(stmt.cond, True)

    def _before_writing(self) -> Iterator[ir.Stmt]:
        of_reading = (ir.Local, ir.Require, ir.Assert)
        return takewhile(lambda stmt: isinstance(stmt, of_reading), self.action.body)

    def _note_chosen(self, cond: ir.Expr) -> None:
        """Note what a requirement says of the arguments that are chosen."""
        for part in _conjuncts(cond):
            for p in self.action.params:
                if p.name not in {h.param for h in self.handles} and p.name not in self._bound:
                    facts = self._said((p.name, part))
                    if facts is not None:
                        self._bound[p.name] = facts

    # -- conditions -----------------------------------------------------------------------------

    def _truth(self, e: ir.Expr, holds: bool) -> Iterator[Trigger]:
        """Yield the triggers of a condition that is to hold, or is not to."""
        match e:
            case ir.Var(name=name) if name in self._values:
                yield from self._truth(self._values[name], holds)
            case ir.Let(name=name, value=value, body=body):
                self._values[name] = value
                yield from self._truth(body, holds)
            case ir.Not(arg=arg):
                yield from self._truth(arg, not holds)
            case ir.And(args=args) | ir.Or(args=args):
                for arg in args:
                    yield from self._truth(arg, holds)
            case ir.Ite(cond=cond, then=then, orelse=orelse):
                yield from self._anything(cond)
                yield from self._truth(then, holds)
                yield from self._truth(orelse, holds)
            case ir.Eq(left=left, right=right):
                yield from self._equal(left, right, holds)
            case ir.IsNone(arg=arg):
                yield from self._none(arg, holds)
            case ir.In(elem=elem, set=among):
                yield from self._anything(elem)
                yield from self._members(among, holds, elem)
                if holds and self._is_chosen(elem):
                    yield from self._members(among, False, elem)
            case ir.Subset(left=left, right=right):
                yield from self._members(left, not holds)
                yield from self._members(right, holds)
            case ir.Exists(binders=binders, body=body) | ir.Forall(binders=binders, body=body):
                for binder in binders:
                    self._bind(binder, body if isinstance(e, ir.Exists) else None)
                    grows = holds if isinstance(e, ir.Exists) else not holds
                    of = ir.Var(binder.name, type=binder.type)
                    yield from self._members(binder.domain, grows, of)
                yield from self._truth(body, holds)
            case ir.Field() | ir.Index() if isinstance(e.type, BoolT):
                yield from self._place(e, Change("is", holds))
            case _:
                yield from self._anything(e)

    def _equal(self, left: ir.Expr, right: ir.Expr, holds: bool) -> Iterator[Trigger]:
        left, right = self._meant(left), self._meant(right)
        if right == ir.SetLit((), type=right.type):
            yield from self._members(left, not holds)
        elif holds and self._is_chosen(right):
            yield from self._none(left, False)
            yield from self._none(left, True)
        elif self._is_place(left) and isinstance(right, ir.Lit):
            yield from self._place(left, Change("is" if holds else "not", _plain(right.value)))
        else:
            yield from self._anything(left)
            yield from self._anything(right)

    def _none(self, e: ir.Expr, holds: bool) -> Iterator[Trigger]:
        """Yield the triggers of an option that is to be None, or not to be."""
        match self._meant(e):
            case ir.Extreme(set=among, optional=True):
                yield from self._members(among, not holds)
            case ir.Field() | ir.Index() as place if self._is_place(place):
                yield from self._place(place, Change("is" if holds else "not", None))
            case ir.Ite(cond=cond, then=then, orelse=orelse):
                yield from self._anything(cond)
                yield from self._none(then, holds)
                yield from self._none(orelse, holds)
            case ir.Let(name=name, value=value, body=body):
                self._values[name] = value
                yield from self._none(body, holds)
            case other:
                yield from self._anything(other)

    def _members(self, e: ir.Expr, grows: bool, elem: ir.Expr | None = None) -> Iterator[Trigger]:
        """Yield the triggers of a set that is to have more elements, or fewer.

        Args:
            e: the set.
            grows: it is to have more.
            elem: the element that it is asked for.
        """
        match self._meant(e):
            case ir.Field() | ir.Index() as place:
                yield from self._place(place, Change("more" if grows else "less"), elem)
            case ir.Support(map=place):
                yield from self._place(place, Change("more" if grows else "less"), elem)
            case ir.SetOp(op="^", left=left, right=right):
                yield from self._anything(left)
                yield from self._anything(right)
            case ir.SetOp(op=op, left=left, right=right):
                yield from self._members(left, grows, elem)
                yield from self._members(right, grows != (op == "-"), elem)
            case ir.Comprehension(elem=made, binders=binders, cond=cond):
                yield from self._anything(made)
                for binder in binders:
                    self._bind(binder, cond)
                    if elem is not None and isinstance(elem, ir.Var) and elem.name in self._bound:
                        self._bound.setdefault(binder.name, self._bound[elem.name])
                    yield from self._members(
                        binder.domain, grows, ir.Var(binder.name, type=binder.type)
                    )
                yield from self._truth(cond, grows)
            case ir.Let(name=name, value=value, body=body):
                self._values[name] = value
                yield from self._members(body, grows, elem)
            case ir.Universe():
                pass
            case other:
                yield from self._anything(other)

    def _anything(self, e: ir.Expr) -> Iterator[Trigger]:
        """Yield the triggers of an expression of which any change may be the one."""
        e = self._meant(e)
        if self._is_place(e):
            yield from self._place(e, _ANY)
            return
        for child in ir.children(e):
            if isinstance(child, ir.Expr):
                yield from self._anything(child)
        if isinstance(e, ir.Let):
            self._values[e.name] = e.value
            yield from self._anything(e.body)

    # -- places ---------------------------------------------------------------------------------

    def _meant(self, e: ir.Expr) -> ir.Expr:
        """Return what a local name stands for; an option's value counts as the option."""
        while isinstance(e, ir.Var) and e.name in self._values:
            e = self._values[e.name]
        return self._meant(e.arg) if isinstance(e, ir.Some | ir.Unwrap) else e

    def _is_place(self, e: ir.Expr) -> bool:
        while isinstance(e, ir.Field | ir.Index):
            e = e.obj
        return isinstance(e, ir.Root)

    def _is_chosen(self, e: ir.Expr) -> bool:
        """Tell whether an expression is an argument that a program need not know."""
        known = {h.param for h in self.handles if not h.owner}
        params = {p.name for p in self.action.params} - known
        return isinstance(e, ir.Var) and e.name in params

    def _place(
        self, place: ir.Expr, wanted: Change, elem: ir.Expr | None = None
    ) -> Iterator[Trigger]:
        """Yield the trigger of one variable, and those of the keys on the way to it."""
        names: list[str] = []
        keys: list[ir.Expr] = []
        node = place
        while not isinstance(node, ir.Root):
            match node:
                case ir.Field(obj=obj, name=name):
                    if isinstance(obj.type, ProcT):
                        names.append(name)
                    else:
                        wanted = _ANY  # of a record any part may be the one
                    node = obj
                case ir.Index(obj=obj, key=key):
                    keys.append(key)
                    node = obj
                case _:
                    raise AssertionError(f"{place!r} is no place")
        path = tuple(reversed(names))
        keys.reverse()
        if path not in self.constants:
            yield Trigger(self.action.name, path, wanted, self._sources(keys, elem))
        for key in keys:
            yield from self._anything(key)

    def _sources(self, keys: Sequence[ir.Expr], elem: ir.Expr | None) -> tuple[Source | None, ...]:
        known: dict[int, Source] = {}
        for number, key in (*enumerate(keys), *([(None, elem)] if elem is not None else [])):
            found = self._comes_from(key)
            if found is not None:
                sort = key.type.name if found[1] and isinstance(key.type, SortT) else None
                known.setdefault(found[0], Source(number, sort, found[2]))
        return tuple(known.get(i) for i in range(len(self.handles)))

    def _comes_from(self, e: ir.Expr) -> tuple[int, bool, tuple[str, str] | None] | None:
        """Return which handle an expression is or tells, whether by its owner, and by what else."""
        match self._meant(e):
            case ir.Var(name=name) if name in self._bound:
                facts = self._bound[name]
                if facts.owner is not None:
                    return facts.owner, True, None
                return None if facts.kin is None else (facts.kin[0], False, facts.kin[1])
            case ir.Var(name=name):
                for i, one in enumerate(self.handles):
                    if one.param == name:
                        return i, one.owner, None
            case ir.Owner(arg=arg):
                found = self._comes_from(arg)
                return (found[0], False, None) if found is not None and found[1] else None
        return None

    def _handle(self, e: ir.Expr) -> int | None:
        """Return which handle an expression is."""
        found = self._comes_from(e)
        return None if found is None or found[1] or found[2] else found[0]

    # -- bound variables ------------------------------------------------------------------------

    def _bind(self, binder: ir.Binder, cond: ir.Expr | None) -> None:
        """Note what is known of a bound variable."""
        facts = self._bound.get(binder.name)
        known = [cond] if cond is not None else []
        for one in self._conditions(binder.domain, binder.name, known):
            facts = facts or self._said(one)
        if facts is not None:
            self._bound[binder.name] = facts

    def _conditions(
        self, domain: ir.Expr, name: str, known: Sequence[ir.Expr]
    ) -> Iterator[tuple[str, ir.Expr]]:
        """Yield conditions that hold for all of a set, and what the element is called there."""
        for cond in known:
            for part in _conjuncts(cond):
                yield name, part
        match self._meant(domain):
            case ir.Let(name=local, value=value, body=body):
                self._values[local] = value
                yield from self._conditions(body, name, ())
            case ir.SetOp(op="-", left=left):
                yield from self._conditions(left, name, ())
            case ir.SetOp(op="&", left=left, right=right):
                yield from self._conditions(left, name, ())
                yield from self._conditions(right, name, ())
            case ir.Comprehension(elem=ir.Var(name=inner), binders=(binder,), cond=cond):
                if binder.name == inner:
                    yield from self._conditions(binder.domain, inner, [cond])

    def _said(self, condition: tuple[str, ir.Expr]) -> _Facts | None:
        """Return what a condition says of an element: whose it is, or what it has in common."""
        name, cond = condition
        if not isinstance(cond, ir.Eq):
            return None
        for one, other in ((cond.left, cond.right), (cond.right, cond.left)):
            match self._meant(one), self._meant(other):
                case ir.Owner(arg=ir.Var(name=found)), theirs if found == name:
                    owner = self._handle(theirs)
                    if owner is not None:
                        return _Facts(owner=owner)
                case (
                    ir.Field(ir.Index(ir.Field(ir.Root(), family), ir.Var(name=found)), constant),
                    ir.Field(ir.Index(ir.Field(ir.Root(), theirs), key), same),
                ) if found == name and (family, constant) == (theirs, same):
                    handle = self._handle(key)
                    if handle is not None and (family, constant) in self.constants:
                        return _Facts(kin=(handle, (family, constant)))
        return None


def _conjuncts(cond: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(cond, ir.And):
        for arg in cond.args:
            yield from _conjuncts(arg)
    else:
        yield cond


def _plain(value: object) -> str | bool | None:
    return value if isinstance(value, str | bool) or value is None else str(value)
