"""The decision tree of an action: parameters are chosen one by one, and guards are tested early.

As soon as the parameters that a `require` needs are chosen, it is tested, and the rest of the
subtree is skipped where it fails.  At a leaf all arguments are known, and the rest of the body is
straight-line code.

Where a program is written in pieces, a subtree with few leaves is a function of its own, and so are
some values of a parameter that has many: no function has more than some calls, or some leaves.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.data import domain
from ackproof.lang.ir import Expr, Stmt
from ackproof.lang.program import Action, Param
from ackproof.model.lower.access import Access
from ackproof.model.lower.codec import Codec
from ackproof.model.lower.evaluate import Evaluator
from ackproof.model.lower.execute import Run
from ackproof.model.lower.layout import Layout
from ackproof.model.lower.leaves import Leaf
from ackproof.model.lower.ops import Bit, Emitter, Word
from ackproof.model.lower.state import PackedState, SymbolicState

__all__ = ["Tree", "TreeGenerator", "conjuncts"]

#: Instances that go into one piece, where a program is written in pieces, or calls of others: two
#: or more, or there would be no end of pieces.
PIECE_INSTANCES = 32


class TreeGenerator(Protocol):
    """What writes the functions that trees are in: `ackproof.model.lower.generate.Generator`.

    Attributes:
        access: how expressions read the state.
        bound: the program.
        codec: how values are packed.
        in_pieces: some instances at a time are a function of their own.
        layout: where the state components are in the words.
        ops: what instructions are written with.
    """

    access: Access
    bound: Bound
    codec: Codec
    in_pieces: bool
    layout: Layout
    ops: Emitter

    @property
    def instance_base(self) -> int:
        """Return the number of the first instance of the action that is being generated."""

    def state(self, words: tuple[Word, ...]) -> PackedState:
        """Return the state that some packed words hold."""

    def piece(self, words: tuple[Word, ...], body: Callable[[tuple[Word, ...]], None]) -> None:
        """Write some code as a function of its own, and call it here."""

    def emit_successor(self, run: Run, before: SymbolicState, number: int, instance: int) -> None:
        """Write the successor of an executed step, or the record of what it breaks."""


class Tree:
    """Writes the code of all instances of one action."""

    def __init__(
        self, generator: TreeGenerator, number: int, action: Action, words: tuple[Word, ...]
    ) -> None:
        self.gen = generator
        self.ops = generator.ops
        self.number = number
        self.action = action
        self.words = words
        # Whether this code is part of a piece, or need not be.
        self._apart = not generator.in_pieces
        self.domains = [domain(p.type, generator.bound.elements) for p in action.params]
        self.guards, self.rest = _split(action.body)
        self.locals = {s.name: s.value for s in self.guards if isinstance(s, ir.Local)}
        self.tests = [
            c for s in self.guards if isinstance(s, ir.Require) for c in conjuncts(s.cond)
        ]

    def generate(self) -> None:
        """Write the code of all instances of the action."""
        budget = self._budget()
        if budget is not None:
            left = self.gen.state(self.words).get(budget)
            with self.ops.when(self.ops.no(self.ops.equal(left, 0))):
                self._choose({}, list(self.tests))
        else:
            self._choose({}, list(self.tests))

    def _budget(self) -> Leaf | None:
        if self.action.name not in self.gen.bound.budgets:
            return None
        return self.gen.layout.leaves.budget(self.action.name)

    def _choose(self, chosen: dict[str, int], tests: list[Expr]) -> None:
        """Test what can be tested, then choose one more parameter in every way."""
        ready = [t for t in tests if self._needs(t) <= chosen.keys()]
        waiting = [t for t in tests if t not in ready]
        evaluator = self._evaluator(chosen)
        holds: Bit = True
        for test in ready:
            holds = self.ops.all(holds, evaluator.bit(test))
        if holds is False:
            return
        with self.ops.when(holds):
            if not self._apart and self._instances(chosen) <= PIECE_INSTANCES:
                self._piece(lambda: self._branch(chosen, waiting), whole=True)
            else:
                self._branch(chosen, waiting)

    def _instances(self, chosen: dict[str, int]) -> int:
        """The number of instances with these arguments."""
        names = [p.name for p in self.action.params]
        sizes = (len(d) for n, d in zip(names, self.domains, strict=True) if n not in chosen)
        return math.prod(sizes)

    def _piece(self, write: Callable[[], None], *, whole: bool) -> None:
        """Write some code as a function of its own, in which there are no more if it is whole."""
        outside = self.words

        def body(words: tuple[Word, ...]) -> None:
            self.words = words
            write()

        self._apart = whole
        self.gen.piece(outside, body)
        self._apart, self.words = False, outside

    def _branch(self, chosen: dict[str, int], tests: list[Expr]) -> None:
        if len(chosen) == len(self.action.params):
            self._leaf(chosen)
            return
        param = self._next(chosen, tests)
        values = range(len(self.domains[self.action.params.index(param)]))
        self._among(param, values, chosen, tests)

    def _among(
        self, param: Param, values: range, chosen: dict[str, int], tests: list[Expr]
    ) -> None:
        """Choose one of some values of a parameter in every way."""
        if self._apart or len(values) <= PIECE_INSTANCES:
            for i in values:
                self._choose({**chosen, param.name: i}, tests)
            return
        size = PIECE_INSTANCES
        while size * PIECE_INSTANCES < len(values):
            size *= PIECE_INSTANCES
        below = self._instances({**chosen, param.name: 0})
        for start in range(0, len(values), size):
            part = values[start : start + size]
            write = partial(self._among, param, part, chosen, tests)
            self._piece(write, whole=len(part) * below <= PIECE_INSTANCES)

    def _next(self, chosen: dict[str, int], tests: list[Expr]) -> Param:
        """Return the parameter whose choice lets most guards be tested."""
        left = [p for p in self.action.params if p.name not in chosen]
        known = set(chosen)
        return max(left, key=lambda p: sum(self._needs(t) <= known | {p.name} for t in tests))

    def _needs(self, expr: Expr) -> set[str]:
        """Return the parameters an expression depends on, through locals too."""
        params = {p.name for p in self.action.params}
        found: set[str] = set()
        for node in ir.walk(expr):
            if isinstance(node, ir.Var):
                if node.name in params:
                    found.add(node.name)
                elif node.name in self.locals:
                    found |= self._needs(self.locals[node.name])
        return found

    def _evaluator(self, chosen: dict[str, int]) -> Evaluator:
        names: dict[str, Any] = {}
        for param, values in zip(self.action.params, self.domains, strict=True):
            if param.name in chosen:
                data = values[chosen[param.name]]
                names[param.name] = self.gen.codec.from_data(param.type, data)
        evaluator = Evaluator(self.gen.access, {"self": self.gen.state(self.words)}, names)
        for name, value in self.locals.items():
            if self._needs(value) <= chosen.keys():
                names[name] = evaluator.value(value)
        return evaluator

    def _leaf(self, chosen: dict[str, int]) -> None:
        index = 0
        for param, values in zip(self.action.params, self.domains, strict=True):
            index = index * len(values) + chosen[param.name]
        before = self.gen.state(self.words)
        run = Run(self._evaluator(chosen), self.action)
        budget = self._budget()
        if budget is not None:
            run.state.put(budget, self.ops.sub(run.state.get(budget), 1))
        self._straight(run, list(self.rest), before, self.gen.instance_base + index)

    def _straight(self, run: Run, rest: list[Stmt], before: SymbolicState, instance: int) -> None:
        """Execute the rest of the body; a `require` on the way guards what follows it."""
        while rest:
            stmt = rest.pop(0)
            run.statement(stmt)
            if isinstance(stmt, ir.Require):
                if run.enabled is False:
                    return
                if isinstance(run.enabled, str):
                    cond, run.enabled = run.enabled, True
                    with self.ops.when(cond):
                        self._straight(run, rest, before, instance)
                    return
        self.gen.emit_successor(run, before, self.number, instance)


def _split(body: tuple[Stmt, ...]) -> tuple[list[Stmt], list[Stmt]]:
    """Separate the leading guards that are sure to be defined from the rest of a body."""
    guards = list(
        itertools.takewhile(lambda s: isinstance(s, ir.Local | ir.Require) and not s.can_fail, body)
    )
    return guards, list(body[len(guards) :])


def conjuncts(cond: Expr) -> Iterator[Expr]:
    """Yield the parts of a condition that all have to hold, in order."""
    if isinstance(cond, ir.And):
        for arg in cond.args:
            yield from conjuncts(arg)
    else:
        yield cond
