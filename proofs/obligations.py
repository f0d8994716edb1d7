"""Obligations: what has to be shown, one small formula each.

For an invariant there is one for the initial state (*initiation*) and one for each action that
writes something that it reads (*consecution*): if it and what it is proved with hold before the
step, it holds after it.  A property of steps has one for each action, or for each frame that an
action may send (*safety*); one that follows from others has a single one, about any state.

An obligation is discharged by finding that its formulas have no model: the hypotheses, the step,
what is known of the symbols that occur, and the negation of the conclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import z3
from ackproof.proofs.lemma import Library
from ackproof.proofs.smt.domain import Untranslatable
from ackproof.proofs.smt.logic import Term, implies, negation
from ackproof.proofs.smt.theory import Step, Theory
from ackproof.proofs.smt.unbounded import Unbounded
from ackproof.spec.lang import ir
from ackproof.spec.lang.frontend import compile_model
from ackproof.spec.lang.model import Design, Model
from ackproof.spec.lang.program import Action, Program, PropertyDecl

__all__ = ["Obligation", "Obligations", "Query", "reads"]


@dataclass(frozen=True)
class Obligation:
    """One thing to show.

    Attributes:
        goal: the name of the lemma or property that it belongs to.
        kind: "initiation", "consecution" or "safety".
        action: the name of the step, if it is about one.
        hypotheses: the names of what is assumed of the state before.
        event: for a property of steps with a frame, which of those that the action sends, from 0.
    """

    goal: str
    kind: str
    action: str = ""
    hypotheses: tuple[str, ...] = ()
    event: int | None = None

    @property
    def name(self) -> str:
        """How reports call it: `WaitingWasSent/flush`."""
        if self.kind == "initiation":
            return f"{self.goal}/initially"
        frame = f"#{self.event + 1}" if self.event is not None else ""
        return f"{self.goal}/{self.action or 'always'}{frame}"


@dataclass(frozen=True)
class Query:
    """The formulas of an obligation.

    Attributes:
        said: the hypotheses, the step, and last the negation of the conclusion.
        axioms: what defines the names that were made for them.
        typing: that states have nothing of what does not exist; many proofs do without.
    """

    said: list[Term]
    axioms: list[Term]
    typing: list[Term]

    @property
    def all(self) -> list[Term]:
        """All of them."""
        return [*self.typing, *self.axioms, *self.said]


class Obligations:
    """All that has to be shown of a model, as formulas over unbounded sorts.

    Args:
        model: the model, without its lemmas.
        library: the lemmas, and what is proved with which.
        design: a change to the model.
    """

    def __init__(self, model: Model, library: Library, design: Design | None = None) -> None:
        claims = {p.name: p for p in (*model.properties, *library.claims())}
        self.library = library
        self.program: Program = compile_model(
            replace(model, properties=tuple(claims.values())), design
        )
        self.domain = Unbounded()
        self.theory = Theory(self.program, self.domain)
        self.properties = {p.name: p for p in self.program.properties}
        self.actions = {a.name: a for a in self.program.actions}
        self._steps: dict[str, Step] = {}
        self._reads: dict[str, frozenset[tuple[str, ...]]] = {}
        self._known: dict[str, Term] = {}
        self._mentioned: dict[str, tuple[int, frozenset[str]]] = {}

    def step(self, name: str) -> Step:
        """Return an action as formulas, from the state `s`."""
        if name not in self._steps:
            self._steps[name] = self.theory.step(self.actions[name], self.theory.state("s"))
        return self._steps[name]

    def known(self, name: str) -> Term:
        """Return what a lemma or property says of the state `s`."""
        if name not in self._known:
            self._known[name] = self.theory.claim(self.properties[name], self.theory.state("s"))
        return self._known[name]

    def reads(self, name: str) -> frozenset[tuple[str, ...]]:
        """Return the variables that a property reads."""
        if name not in self._reads:
            self._reads[name] = reads(self.properties[name])
        return self._reads[name]

    # -- which ----------------------------------------------------------------------------------

    def of(self, names: Iterable[str]) -> Iterator[Obligation]:
        """Yield what has to be shown for some properties, and for all they are proved with."""
        for name in self.library.closure(names):
            if name not in self.library.assumptions:
                yield from self.of_one(name)

    def of_one(self, name: str) -> Iterator[Obligation]:
        """Yield what has to be shown for one property or lemma, given what it is proved with."""
        prop = self.properties[name]
        if name in self.library.follows:
            yield Obligation(name, "safety", hypotheses=self.library.follows[name])
            return
        by = tuple(dict.fromkeys((*self.library.by(name), *([] if prop.of_steps else [name]))))
        if not prop.of_steps:
            supposed = tuple(h for h in by if h in self.library.assumptions)
            yield Obligation(name, "initiation", hypotheses=supposed)
        for action in self.program.actions:
            needed = self.library.needs(name, action.name)
            yield from self._of_action(prop, action, tuple(h for h in by if h in (*needed, name)))

    def _of_action(
        self, prop: PropertyDecl, action: Action, by: tuple[str, ...]
    ) -> Iterator[Obligation]:
        kind = "safety" if prop.of_steps else "consecution"
        if not self._translatable(action):
            yield Obligation(prop.name, kind, action.name, by)
        elif prop.event is not None:
            for i, event in enumerate(self.step(action.name).events):
                if event.type == prop.event.type:
                    yield Obligation(prop.name, kind, action.name, by, i)
        elif self.reads(prop.name) & self.step(action.name).written:
            yield Obligation(prop.name, kind, action.name, by)

    def _translatable(self, action: Action) -> bool:
        """Tell whether there are formulas for an action: of sequences, say, there are none."""
        try:
            self.step(action.name)
        except Untranslatable:
            return False
        return True

    # -- as formulas ----------------------------------------------------------------------------

    def formulas(self, obligation: Obligation) -> list[Term]:
        """Return formulas that have no model if, and only if, the obligation is met.

        Raises:
            Untranslatable: something in them has no meaning for unbounded sorts.
        """
        return self.query(obligation).all

    def query(self, obligation: Obligation) -> Query:
        """Return an obligation as formulas, by what they are for.

        Raises:
            Untranslatable: something in them has no meaning for unbounded sorts.
        """
        before = self.theory.state("s")
        prop = self.properties[obligation.goal]
        known = [self.known(name) for name in obligation.hypotheses]
        if obligation.kind == "initiation":
            goal = self.theory.claim(prop, self.theory.initial())
            said = [*known, self.theory.beginning(), negation(goal)]
        elif not obligation.action:
            said = [*known, negation(self.theory.claim(prop, before))]
        else:
            step = self.step(obligation.action)
            said = [*known, step.enabled, negation(self._after(obligation, step))]
        return self.about(said)

    def with_background(self, said: Sequence[Term]) -> list[Term]:
        """Return formulas, and what is known of the symbols that occur in them."""
        return self.about(said).all

    def _after(self, obligation: Obligation, step: Step) -> Term:
        prop, before = self.properties[obligation.goal], self.theory.state("s")
        if not prop.of_steps:
            return self.theory.claim(prop, step.after)
        if obligation.event is None:
            return self.theory.claim(prop, before, step.after)
        event = step.events[obligation.event]
        said = self.theory.claim(prop, before, step.after, event=event.leaves)
        return implies(event.guard, said)

    def about(self, said: Sequence[Term]) -> Query:
        """Return formulas with what is known of the symbols in them, and in what is known."""
        made: list[Term] = []
        typing: list[Term] = []
        known: set[str] = set()
        waiting = symbols(said)
        while waiting:
            # In order, so that the same is asked in the same words each time.
            name = min(waiting, key=lambda n: (len(n), n))
            waiting.remove(name)
            known.add(name)
            axioms, types = self.domain.axioms.get(name, []), self.theory.typing.get(name, [])
            made += axioms
            typing += types
            waiting |= self._in_background(name, [*axioms, *types]) - known
        return Query(list(said), made, typing)

    def _in_background(self, name: str, axioms: Sequence[Term]) -> frozenset[str]:
        """Return the symbols in what is known of one; most are asked for again and again."""
        count, found = self._mentioned.get(name, (-1, frozenset()))
        if count != len(axioms):
            found = frozenset(symbols(axioms))
            self._mentioned[name] = (len(axioms), found)
        return found


def symbols(terms: Iterable[Term]) -> set[str]:
    """Return the names of all symbols in formulas that are not of logic."""
    names: set[str] = set()
    seen: set[int] = set()
    waiting = list(terms)
    while waiting:
        term = waiting.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        if z3.is_quantifier(term):
            waiting.append(term.body())
        elif z3.is_app(term):
            if term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                names.add(term.decl().name())
            waiting.extend(term.children())
    return names


def reads(prop: PropertyDecl) -> frozenset[tuple[str, ...]]:
    """Return the paths of the variables that a property reads."""
    found: set[tuple[str, ...]] = set()
    for node in ir.walk(prop.body):
        if isinstance(node, ir.Field):
            path: list[str] = []
            at: ir.Expr = node
            while isinstance(at, ir.Field | ir.Index):
                if isinstance(at, ir.Field):
                    path.append(at.name)
                at = at.obj
            if isinstance(at, ir.Root):
                found.add(tuple(reversed(path)))
    return frozenset(found)
