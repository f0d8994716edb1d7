"""What an instance switches off: leaves that keep one value, steps that are never enabled.

A specification has many parts, and an instance uses some: it leaves a sort empty, sets a constant
to False, or gives a fault no budget.  Here it is found out what then cannot change, by abstract
execution.  A leaf is *known* while nothing is found to write it, and has its initial value; every
other leaf, and every argument, is unknown.  At first all leaves are known, but for those that may
start with anything: which values they have together is not looked at.  Each action is executed
with the partial evaluation that also generates code, so a guard that speaks of known leaves folds.
Where a step is possible and writes something else than the known value, that leaf becomes unknown,
and the actions that had read it are executed again, until nothing changes.

Whatever is still known then is the same in every reachable state: every initial state has these
values, and every step from a state that has them leads to one that has them.  Two parts that only
enable each other are off, too.

The result is sound and not complete: what it calls fixed never changes, and what it does not may be
just as dead.  Engines need not know it, and count the same with it and without.

What an execution finds hangs on the action, on the sizes, and on the leaves that it asks for; so it
is kept for other designs, which have most actions in common (see `ackproof.lang.kept`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import Any, TypeVar

from ackproof.lang import ir
from ackproof.lang.binding import Bound
from ackproof.lang.data import domain
from ackproof.lang.ir import Stmt
from ackproof.lang.kept import Asked, ById, Latest, Store, kept, made_before
from ackproof.lang.likeness import likeness, stated
from ackproof.lang.program import Action, PropertyDecl
from ackproof.lang.types import SetT, Type
from ackproof.model.cache import digest
from ackproof.model.lower.access import Access
from ackproof.model.lower.codec import Codec, Value
from ackproof.model.lower.evaluate import Evaluator
from ackproof.model.lower.execute import Run, judge
from ackproof.model.lower.folding import Folding
from ackproof.model.lower.leaves import Leaf, Leaves
from ackproof.model.lower.ops import Bit
from ackproof.model.lower.sizes import Sizes
from ackproof.model.lower.state import SymbolicState
from ackproof.model.lower.tree import conjuncts

__all__ = ["EXECUTED", "Analysis", "Case", "Fixed", "Found", "fixed", "is_idle"]

T = TypeVar("T")


@dataclass(frozen=True)
class Fixed:
    """What is off in an instance.

    Args:
        leaves: those that have their initial value in every reachable state.
        dead: names of actions that no reachable state enables.
        off: names of `@reachable` situations that no state or step can be.
        vacuous: names of other properties that nothing in this instance could make false.
        steady: by name of a property of steps what it reads, where a step that changes none of that
            does not make it false, or true if it is a `@reachable` situation.
    """

    leaves: frozenset[Leaf]
    dead: frozenset[str]
    off: frozenset[str]
    vacuous: frozenset[str]
    steady: Mapping[str, frozenset[Leaf]]


def is_idle(reads: frozenset[Leaf] | None, run: Run, before: SymbolicState) -> bool:
    """Tell whether a step changes nothing that could matter to a property of steps.

    Args:
        reads: what the property reads, if it is steady; see `Fixed`.
        run: the execution of the step.
        before: the state before it.
    """
    written = run.state.written.items()
    return reads is not None and not any(
        leaf in reads and value != before.get(leaf) for leaf, value in written
    )


#: What was found of the latest programs.
_LATEST: Latest[ById, Fixed] = Latest(4)

#: What executions found: some hundreds for each instance, and mutants are looked at on dozens.
EXECUTED: Store = Latest(60_000)


class _Unknown(Enum):
    """What is answered of a leaf of which nothing is known."""

    UNKNOWN = 0


_UNKNOWN = _Unknown.UNKNOWN


def fixed(bound: Bound) -> Fixed:
    """Return what never changes in a bound program; that of the latest ones is kept."""
    known = _LATEST.get(ById(bound))
    if known is None:
        analysis = Analysis(bound)
        analysis.settle()
        known = analysis.result()
        _LATEST.put(ById(bound), known)
    return known


class _State(SymbolicState):
    """A state of which some leaves are known."""

    def __init__(self, analysis: Analysis, written: dict[Leaf, Value] | None = None) -> None:
        super().__init__(analysis.leaves.types, analysis.codec, written)
        self.analysis = analysis

    def load(self, leaf: Leaf) -> Value:
        """Return the known value, or an unknown one, always the same for this leaf."""
        return self.analysis.load(leaf)

    def copy(self) -> _State:
        """Return a state that can be written independently."""
        return _State(self.analysis, dict(self.written))


@dataclass(frozen=True)
class Found:
    """What the execution of an action has found.

    Args:
        possible: whether a step of it may exist.
        reads: the leaves that it has looked at.
        changes: the known leaves that it may change.
    """

    possible: bool
    reads: frozenset[Leaf]
    changes: tuple[Leaf, ...]


@dataclass(eq=False)
class Case:
    """An action with those of its arguments that are tried one by one, and what was found.

    `run` is its latest execution, unless what that finds was known, and `asked` what that asked.
    """

    action: Action
    args: Mapping[str, Any]
    found: Found | None = None
    run: Run | None = None
    asked: Asked = field(default_factory=dict)


def _known(analysis: Analysis, leaf: Leaf) -> Value:
    return analysis.known.get(leaf, _UNKNOWN)


def _looked_at(asked: Asked) -> Iterator[tuple[Leaf, Value]]:
    """Yield the leaves that were looked at, with what was known of them."""
    return ((about[0], known) for (question, about), known in asked.items() if question is _known)


def _is_situation(prop: PropertyDecl) -> bool:
    return prop.kind == "reachable"


def _parts(stmt: Stmt) -> Iterable[Stmt]:
    """Return a statement, or the single demands that a `require` is made of."""
    if isinstance(stmt, ir.Require):
        return [replace(stmt, cond=c) for c in conjuncts(stmt.cond)]
    return [stmt]


class Analysis(Sizes):
    """The state of the analysis: what is known so far, and how each action was last executed."""

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound)
        self.ops = Folding()
        self.codec = Codec(bound.elements, self.ops)
        self.leaves = Leaves(bound, self.codec)
        self.access = Access(self, self.codec)
        self.known = self.leaves.values(bound.first())
        self.unknown: dict[Leaf, Value] = {}
        for leaf in self._left_open():
            del self.known[leaf]
            self.unknown[leaf] = self._unknown(self.leaves.types[leaf])
        self.cases = list(self._cases())

    def _left_open(self) -> list[Leaf]:
        """Return the leaves that need not have one value in all initial states."""
        places = {n for n, loc in enumerate(self.bound.locations) if loc.variable.anything}
        return [
            leaf
            for leaf, t in self.leaves.types.items()
            if leaf.location in places and self.codec.bits(t) > 0
        ]

    def load(self, leaf: Leaf) -> Value:
        """Return the value of a leaf before any step."""
        known = self.ask(_known, leaf)
        return self.unknown[leaf] if known is _UNKNOWN else known

    def _anything(self, t: Type) -> Value:
        """Return an unknown value of a type; a known one where there is only one."""
        none = t.elem if isinstance(t, SetT) else None
        single = self.codec.cardinality(none) == 0 if none else self.codec.cardinality(t) == 1
        return self.codec.load(t, 0) if single else self._unknown(t)

    # -- which executions are tried -----------------------------------------------------------

    def _cases(self) -> Iterator[Case]:
        telling = self._telling_families() | self._owned_sorts()
        for action in self.bound.actions:
            domains = {p.name: p.type for p in action.params}
            if not all(self._inhabited(t) for t in domains.values()):
                continue
            apart = [p for p in action.params if repr(p.type) in telling]
            for args in itertools.product(*(domain(p.type, self.bound.elements) for p in apart)):
                chosen = dict(zip((p.name for p in apart), args, strict=True))
                yield Case(action, chosen)

    def _inhabited(self, t: Type) -> bool:
        return isinstance(t, SetT) or self.codec.cardinality(t) > 0

    def _telling_families(self) -> set[str]:
        """Return the sorts of families whose members differ in a constant."""
        found = set()
        for v in self.bound.program.variables:
            if v.const and v.families:
                values = [x for (name, _), x in self.bound.constants.items() if name == v.name]
                if any(x != values[0] for x in values):
                    found |= {repr(sort) for sort in v.families}
        return found

    def _owned_sorts(self) -> set[str]:
        """Return the sorts with several owners, and those of the owners.

        A step of one owner leaves what belongs to the others as it is, and only a known element
        tells that it does.
        """
        found = set()
        for sort in self.bound.program.sorts:
            if sort.owner is not None and self.codec.cardinality(sort.owner) > 1:
                found |= {repr(sort), repr(sort.owner)}
        return found

    # -- the fixpoint ---------------------------------------------------------------------------

    def settle(self) -> None:
        """Execute actions until what is known does not become less."""
        waiting = dict.fromkeys(self.cases)
        while waiting:
            case = next(iter(waiting))
            del waiting[case]
            case.run = None
            case.found = self.find(case)
            changed = set(case.found.changes)
            for leaf in changed:
                del self.known[leaf]
                self.unknown[leaf] = self._unknown(self.leaves.types[leaf])
            if changed:
                reading = (c for c in self.cases if c.found and c.found.reads & changed)
                waiting.update((c, None) for c in reading)

    def find(self, case: Case) -> Found:
        """Return what the execution of an action finds, which may have been found before."""
        return kept(self, self._key(case), partial(self.look, case), EXECUTED)

    def _key(self, case: Case) -> tuple[Hashable, ...]:
        """Return what all that is found out about an action hangs on, besides what is asked."""
        action, args = case.action, tuple(case.args.items())
        budget = action.name if action.name in self.bound.budgets else None
        return (likeness(action.body), action.name, action.params, args, budget, self.given)

    def _unknown(self, t: Type) -> Value:
        return self.codec.load(t, self.ops.unknown(self.codec.width(t)))

    def look(self, case: Case) -> Found:
        """Execute an action, and find out what it may change."""
        with self.listening() as asked:
            run = case.run = self._execute(case)
        case.asked = asked
        reads = frozenset(leaf for leaf, value in _looked_at(asked) if value is not _UNKNOWN)
        if run.enabled is False or run.failed is True:
            return Found(run.enabled is not False, reads, ())
        changes = tuple(leaf for leaf, value in run.state.written.items() if self._new(leaf, value))
        return Found(True, reads, changes)

    def _new(self, leaf: Leaf, value: Value) -> bool:
        """Whether a value is another one than a leaf is known to have."""
        known = self.ask(_known, leaf)
        return (
            known is not _UNKNOWN
            and value != known
            and self.codec.bits(self.leaves.types[leaf]) > 0
        )

    def beginning(self, action: Action, state: SymbolicState, names: dict[str, Value]) -> Run:
        """Return an execution of an action that has not begun."""
        return Run(Evaluator(self.access, {"self": state}, names), action)

    def _execute(self, case: Case) -> Run:
        """Execute an action on what is known."""
        names = {
            p.name: self.codec.from_data(p.type, case.args[p.name])
            if p.name in case.args
            else self._anything(p.type)
            for p in case.action.params
        }
        state = _State(self)
        run = self.beginning(case.action, state, names)
        if case.action.name in self.bound.budgets:
            budget = self.leaves.budget(case.action.name)
            state.put(budget, self.ops.sub(state.get(budget), 1))
        self._body(run, case.action.body)
        self.ops.forget()
        return run

    def _body(self, run: Run, body: Iterable[Stmt]) -> None:
        """Execute a body; what it requires may be assumed in what follows."""
        for stmt in body:
            for part in _parts(stmt):
                run.statement(part)
                if run.enabled is False:
                    return
                self.ops.assume(run.enabled)
                run.enabled = True
        run.finish()

    # -- the result -----------------------------------------------------------------------------

    def result(self) -> Fixed:
        """Return what was found, after `settle`."""
        possible = {case.action.name for case in self.cases if case.found and case.found.possible}
        steady = dict(self._steady())
        wrong, found = self._outcomes(steady)
        every = {p.name for p in self.bound.properties}
        situations = {p.name for p in self.bound.properties if _is_situation(p)}
        return Fixed(
            leaves=frozenset(self.known),
            dead=frozenset(a.name for a in self.bound.actions if a.name not in possible),
            off=frozenset(situations - found),
            vacuous=frozenset(every - situations - wrong),
            steady=steady,
        )

    def _outcomes(self, steady: Mapping[str, frozenset[Leaf]]) -> tuple[set[str], set[str]]:
        """Return the names of the properties that may be false somewhere, and that may be true."""
        wrong: set[str] = set()
        found: set[str] = set()

        def note(props: Iterable[PropertyDecl], judged: Iterable[tuple[bool, bool]]) -> None:
            for prop, (may_be_false, may_be_true) in zip(props, judged, strict=True):
                wrong.update([prop.name] if may_be_false else [])
                found.update([prop.name] if may_be_true else [])

        others = [p for p in self.bound.properties if not p.of_steps]
        note(others, [self._of_property(p, partial(self._holds, p)) for p in others])
        steps = tuple(p for p in self.bound.properties if p.of_steps)
        # What is steady hangs on leaves that the execution of an action need not ask for.
        told = {name: sorted(reads) for name, reads in steady.items()}
        asked = digest(*(repr((*stated(p), told.get(p.name))) for p in steps))
        changed: list[Case] = []
        for case in self.cases:
            if case.found and case.found.possible:
                judged = self._kept_verdicts(case, steps, steady, asked)
                if judged is None:
                    changed.append(case)
                else:
                    note(steps, judged)
        for case in changed:
            known = {p.name for p in steps if p.name in (found if _is_situation(p) else wrong)}
            left = tuple(p for p in steps if p.name not in known)
            if left:
                note(left, self._judged(case, left, steady))
        return wrong, found

    def _kept_verdicts(
        self,
        case: Case,
        steps: tuple[PropertyDecl, ...],
        steady: Mapping[str, frozenset[Leaf]],
        asked: str,
    ) -> tuple[tuple[bool, bool], ...] | None:
        """Return how an action is judged; None if that is not known, and it is one of a design.

        What it may make false, some action of the base may make false most often.  So it is judged
        as the last, and by what is left, which is of use for no other design.
        """
        key = (*self._key(case), asked)
        if self.bound.design is None:
            return kept(self, key, partial(self._judged, case, steps, steady), EXECUTED)
        before: tuple[tuple[bool, bool], ...] | None = made_before(self, key, EXECUTED)
        return before

    def _of_property(self, prop: PropertyDecl, make: Callable[[], T]) -> T:
        """Return what `make` finds out about a property, which may have been found out before."""
        key = (*stated(prop), self.given)
        return kept(self, key, make, EXECUTED)

    def _holds(self, prop: PropertyDecl) -> tuple[bool, bool]:
        """Return whether a property of states may be false, and whether it may be true."""
        holds = self._of_a_state(prop)
        return holds is not True, holds is not False

    def _of_a_state(self, prop: PropertyDecl) -> Bit:
        """Return what a property is of a state, and of a step that stays there.

        What leads to something is true of a state where nothing is asked for, for all that it says
        of it.
        """
        evaluator = Evaluator(self.access, dict.fromkeys(prop.roots, _State(self)), {})
        holds = evaluator.bit(prop.body)
        if prop.trigger is None:
            return holds
        return self.ops.any(self.ops.no(evaluator.bit(prop.trigger)), holds)

    def _steady(self) -> Iterator[tuple[str, frozenset[Leaf]]]:
        """Yield the properties of steps that a step does no harm to which changes nothing."""
        for prop in self.bound.properties:
            if prop.of_steps and prop.event is None and not prop.of:
                reads = self._of_property(prop, partial(self._reads_if_steady, prop))
                if reads is not None:
                    yield prop.name, reads

    def _reads_if_steady(self, prop: PropertyDecl) -> frozenset[Leaf] | None:
        with self.listening() as asked:
            holds = self._of_a_state(prop)
        if holds is not (not _is_situation(prop)):
            return None
        return frozenset(leaf for leaf, _ in _looked_at(asked))

    def _judged(
        self, case: Case, steps: tuple[PropertyDecl, ...], steady: Mapping[str, frozenset[Leaf]]
    ) -> tuple[tuple[bool, bool], ...]:
        """Return, of each property of steps, whether a step may make it false, and true."""
        if case.run is None:
            run = self._execute(case)
        else:
            run = case.run
            self.asked_before(case.asked)
        if run.failed is True:
            return tuple((False, False) for _ in steps)
        before = _State(self)
        return tuple(self._may(prop, run, before, steady.get(prop.name)) for prop in steps)

    def _may(
        self, prop: PropertyDecl, run: Run, before: _State, reads: frozenset[Leaf] | None
    ) -> tuple[bool, bool]:
        if is_idle(reads, run, before):
            return False, False
        bad, good = judge(prop, self.access, before, run)
        return bad is not False, good is not False
