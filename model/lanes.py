"""Lanes: the processes of a system as columns of a message-sequence listing.

The parts of the root process, and each member of a family of parts, have a lane of their own; what
lies inside a part (the store of a queue) belongs to the part's lane.  The root has one too, for
variables and steps that belong to no part.

An action belongs to the process that declares it.  If that is the root, as in most systems, it is
given to the first process that it calls, by itself or by way of the root's own handlers: the one
that something is taken from, or done to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ackproof.lang import ir
from ackproof.lang.binding import ActionInstance, Bound, Location
from ackproof.lang.data import owner_of
from ackproof.lang.program import Method, ProcessDecl, Program
from ackproof.lang.types import FamilyT, ProcT, SortT

__all__ = ["Lane", "Lanes", "short_titles"]


@dataclass(frozen=True)
class Lane:
    """A process: the root (no part), a part, or a member of a family of parts."""

    part: str
    member: Any = None

    def title(self, root: str) -> str:
        """Return its name as paths write it: `channel`, `queues[q1]`."""
        if not self.part:
            return root
        return self.part if self.member is None else f"{self.part}[{self.member}]"


def short_titles(lanes: Sequence[Lane], root: str) -> list[str]:
    """Return short names that tell some lanes apart: of members, of parts, or else both."""
    members = Counter(lane.member for lane in lanes)
    parts = Counter(lane.part for lane in lanes)

    def short(lane: Lane) -> str:
        if lane.member is not None and members[lane.member] == 1:
            return str(lane.member)
        return lane.part if lane.part and parts[lane.part] == 1 else lane.title(root)

    return [short(lane) for lane in lanes]


class Lanes:
    """The lanes of a bound program."""

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.root = bound.program.root
        self._parts = {p.name: dict(p.parts) for p in bound.program.processes}
        self.all = tuple(self._all())

    def _all(self) -> Iterator[Lane]:
        yield Lane("")
        for part, t in self._parts[self.root].items():
            if isinstance(t, FamilyT):
                yield from (Lane(part, e) for e in self.bound.elements[t.key.name])
            else:
                yield Lane(part)

    def name(self, location: Location) -> str:
        """Return how a place of the state is written: `queues[q1].store.level`."""
        keys, process, shown = iter(location.elements), self.root, []
        for part in location.variable.path[:-1]:
            t = self._parts[process][part]
            family = isinstance(t, FamilyT)
            shown.append(f"{part}[{next(keys)}]" if family else part)
            process = t.proc.name if isinstance(t, FamilyT) else t.name
        return ".".join([*shown, location.variable.path[-1]])

    def of(self, location: Location) -> Lane:
        """Return the lane that a place of the state belongs to."""
        return self._lane(location.variable.path[:-1], iter(location.elements))

    def _lane(self, path: tuple[str, ...], keys: Iterator[Any]) -> Lane:
        if not path:
            return Lane("")
        family = isinstance(self._parts[self.root][path[0]], FamilyT)
        return Lane(path[0], next(keys) if family else None)

    def home(self, instance: ActionInstance) -> Lane:
        """Return the lane that an action belongs to."""
        action = instance.action
        if action.path:
            return self._lane(action.path, iter(instance.args))
        root = self.bound.program.process(self.root)
        method = root.method(action.method)
        names = dict(zip((p.name for p in action.params), instance.args, strict=True))
        calls = () if method is None else self._calls(root, method, names)
        lanes = (self._called(obj, known) for obj, known in calls)
        return next((lane for lane in lanes if lane.part), Lane(""))

    def _called(self, obj: ir.Expr, names: dict[str, Any]) -> Lane:
        member = None
        while isinstance(obj, ir.Field | ir.Index):
            if isinstance(obj.type, ProcT | FamilyT) and isinstance(obj, ir.Index):
                member = self._known(obj.key, names)
            inner = obj.obj
            if isinstance(inner, ir.Root) and isinstance(obj, ir.Field):
                part = self._parts[self.root][obj.name]
                if isinstance(part, FamilyT) and member is None:
                    members = self.bound.elements[part.key.name]
                    return Lane(obj.name, members[0]) if len(members) == 1 else Lane("")
                return Lane(obj.name, member)
            obj = inner
        return Lane("")

    def _known(self, expr: ir.Expr, names: dict[str, Any]) -> Any:
        """Return the element that an expression stands for, or None if that cannot be seen."""
        if isinstance(expr, ir.Owner):
            element = self._known(expr.arg, names)
            assert isinstance(expr.arg.type, SortT)
            return element and owner_of(expr.arg.type, element, self.bound.elements)
        return names.get(expr.name) if isinstance(expr, ir.Var) else None

    def _calls(
        self, root: ProcessDecl, method: Method, names: dict[str, Any]
    ) -> Iterator[tuple[ir.Expr, dict[str, Any]]]:
        """Yield the processes whose handlers a method of the root calls, by way of its own too.

        With each of them comes what is known of the names that its path may mention.
        """
        known = dict(names)
        for statement in method.body:
            if isinstance(statement, ir.Local):
                known[statement.name] = self._known(statement.value, known)
            for node in ir.walk(statement):
                if not isinstance(node, ir.Call):
                    continue
                if not isinstance(node.obj, ir.Root):
                    if not _idle(self.bound.program, node):
                        yield node.obj, known
                    continue
                own = (m for m in root.methods if (m.owner, m.name) == (node.owner, node.method))
                for inner in own:
                    values = (self._known(a, known) for a in node.args)
                    given = dict(zip((p.name for p in inner.params), values, strict=True))
                    yield from self._calls(root, inner, given)


def _idle(program: Program, call: ir.Call) -> bool:
    """Whether a call is of a handler that does nothing, and is there to be overridden."""
    return any(
        not m.body
        for p in program.processes
        for m in p.methods
        if (m.owner, m.name) == (call.owner, call.method)
    )
