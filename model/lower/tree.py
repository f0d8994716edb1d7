"""The decision tree of an action: parameters are chosen one by one, and guards are tested early.

As soon as the parameters that a `require` needs are chosen, it is tested, and the rest of the
subtree is skipped where it fails.  At a leaf all arguments are known, and the rest of the body is
straight-line code.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ackproof.model.lower.evaluate import Evaluator
from ackproof.model.lower.execute import Run
from ackproof.model.lower.leaves import Leaf
from ackproof.model.lower.ops import Bit, Word
from ackproof.model.lower.state import SymbolicState
from ackproof.spec.lang import ir
from ackproof.spec.lang.data import domain
from ackproof.spec.lang.ir import Expr, Stmt
from ackproof.spec.lang.program import Action, Param

if TYPE_CHECKING:
    from ackproof.model.lower.generate import Generator

__all__ = ["Tree", "conjuncts"]

#: Instances that go into one piece, where a program is written in pieces.
PIECE_INSTANCES = 32


class Tree:
    """Writes the code of all instances of one action."""

    def __init__(
        self, generator: Generator, number: int, action: Action, words: tuple[Word, ...]
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
                self._piece(chosen, waiting)
            else:
                self._branch(chosen, waiting)

    def _instances(self, chosen: dict[str, int]) -> int:
        """The number of instances with these arguments."""
        names = [p.name for p in self.action.params]
        sizes = (len(d) for n, d in zip(names, self.domains, strict=True) if n not in chosen)
        return math.prod(sizes)

    def _piece(self, chosen: dict[str, int], tests: list[Expr]) -> None:
        outside = self.words

        def body(words: tuple[Word, ...]) -> None:
            self.words = words
            self._branch(chosen, tests)

        self._apart = True
        self.gen.piece(outside, body)
        self._apart, self.words = False, outside

    def _branch(self, chosen: dict[str, int], tests: list[Expr]) -> None:
        if len(chosen) == len(self.action.params):
            self._leaf(chosen)
            return
        param = self._next(chosen, tests)
        for i in range(len(self.domains[self.action.params.index(param)])):
            self._choose({**chosen, param.name: i}, tests)

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
        run = Run(self._evaluator(chosen))
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
