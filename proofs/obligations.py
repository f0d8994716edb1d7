"""Proof obligations: what has to be shown, one small formula each.

For an invariant there is one for the initial state (*initiation*) and one for each action that
writes something that it reads (*consecution*): if it and what it is proved with hold before the
step, it holds after it.  A property of steps has one for each action, or for each event that an
action may send (*safety*); one that follows from others has a single one, about any state.

A step that writes nothing that a property of steps reads is not always one that it is true of:
`before.clock < after.clock` is false where the clock stands still.  Where a property is true of
every state and itself, that is shown once, for all those steps (*stuttering*); elsewhere each of
them has an obligation of its own.

A property of runs has those of its ranking (`ackproof.proofs.ranking`).

An obligation is discharged by showing that its formulas have no model: the hypotheses, the step,
what is known of the symbols that occur, and the negation of the conclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache as once

import z3
from ackproof.lang import ir
from ackproof.lang.frontend import compile_model
from ackproof.lang.lemmas import Library
from ackproof.lang.model import Design, Model
from ackproof.lang.program import Action, Program, PropertyDecl
from ackproof.lang.properties import FAILURES
from ackproof.lang.types import Type
from ackproof.proofs.cases import cases_of
from ackproof.proofs.failures import declared, may_fail
from ackproof.proofs.library import with_lemmas
from ackproof.proofs.obligation import Obligation, Query
from ackproof.proofs.ranking import KINDS, RankingRule
from ackproof.proofs.relevance import paths_in, paths_written
from ackproof.proofs.smt.counting import Comparisons
from ackproof.proofs.smt.direct import address
from ackproof.proofs.smt.logic import Term, conjuncts, has_quantifier, implies, negation
from ackproof.proofs.smt.theory import Step, Theory
from ackproof.proofs.smt.unbounded import Unbounded, Untranslatable
from ackproof.proofs.smt.walking import symbols

__all__ = ["Obligations"]

#: How much work it may be to see that a property stutters, in Z3's own units.
_PLAIN = 100_000


class Obligations:
    """All that has to be shown of a model, as formulas over unbounded sorts.

    Args:
        model: the model, without its lemmas.
        library: the lemmas, and what is proved with which.
        design: a change to the model.
    """

    def __init__(self, model: Model, library: Library, design: Design | None = None) -> None:
        self.library = library
        self.model, self.design = with_lemmas(model, library), design
        self.program: Program = compile_model(self.model, design)
        self.domain = Unbounded()
        self.theory = Theory(self.program, self.domain)
        self.properties = {
            **{name: declared(name) for name in FAILURES},
            **{p.name: p for p in self.program.properties},
        }
        self.actions = {a.name: a for a in self.program.actions}
        self.rule = RankingRule(self.theory, library, self.step)
        self._steps: dict[tuple[str, int | None], Step] = {}
        self._reads: dict[str, frozenset[tuple[str, ...]]] = {}
        self._writes: dict[str, frozenset[tuple[str, ...]]] = {}
        self._events: dict[str, frozenset[Type]] = {}
        self._cases: dict[str, tuple[Action, ...]] = {}
        self._known: dict[str, Term] = {}
        self._mentioned: dict[str, tuple[int, tuple[str, ...]]] = {}
        self._stutters: dict[str, bool] = {}
        self._symbols: dict[int, tuple[Term, tuple[str, ...]]] = {}
        self._comparisons = Comparisons()
        self._simple: dict[int, list[Term] | None] = {}

    def step(self, name: str, case: int | None = None) -> Step:
        """Return an action as formulas, from the state `s`; or one of its cases."""
        if (name, case) not in self._steps:
            chosen = self.actions[name] if case is None else self._cases_of(name)[case]
            self._steps[name, case] = self.theory.step(chosen, self.theory.state("s"))
        return self._steps[name, case]

    def _cases_of(self, name: str) -> tuple[Action, ...]:
        """Return an action as those that it is one of."""
        if name not in self._cases:
            self._cases[name] = cases_of(self.actions[name])
        return self._cases[name]

    def known(self, name: str) -> Term:
        """Return what a lemma or property says of the state `s`."""
        if name not in self._known:
            self._known[name] = self.theory.formula(self.properties[name], self.theory.state("s"))
        return self._known[name]

    def reads(self, name: str) -> frozenset[tuple[str, ...]]:
        """Return the variables that a property reads."""
        if name not in self._reads:
            self._reads[name] = paths_in(self.properties[name].body, {})
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
        if name in self.library.rankings:
            yield from self.rule.obligations(name)
            return
        by = tuple(dict.fromkeys((*self.library.by(name), *([] if prop.of_steps else [name]))))
        if not prop.of_steps:
            assumed = tuple(h for h in by if h in self.library.assumptions)
            yield Obligation(name, "initiation", hypotheses=assumed)
        if self._untouched(prop) and self.stutters(name):
            yield Obligation(name, "stuttering")
        for action in self.program.actions:
            needed = self.library.needs(name, action.name)
            yield from self._of_action(prop, action, tuple(h for h in by if h in (*needed, name)))

    def _of_action(
        self, prop: PropertyDecl, action: Action, by: tuple[str, ...]
    ) -> Iterator[Obligation]:
        kind = "safety" if prop.of_steps else "consecution"
        if prop.name in FAILURES:
            if may_fail(prop.name, action):
                yield Obligation(prop.name, kind, action.name, by)
            return
        if not self._may_concern(action, prop):
            return
        if not self._translatable(action):
            yield Obligation(prop.name, kind, action.name, by)
        elif prop.event is not None:
            for i, event in enumerate(self.step(action.name).events):
                if event.type == prop.event.type:
                    yield Obligation(prop.name, kind, action.name, by, i)
        elif (
            prop.of
            or self._touches(prop, action)
            or (prop.of_steps and not self.stutters(prop.name))
        ):
            several = len(self._cases_of(action.name))
            for case in range(several):
                one = case if several > 1 else None
                yield Obligation(prop.name, kind, action.name, by, case=one)

    def _may_concern(self, action: Action, prop: PropertyDecl) -> bool:
        """Tell whether there may be something to show of an action, by what its text does.

        Most actions have nothing to do with a property, and no formulas are made of those.
        """
        if prop.of and action.name not in prop.of:
            return False
        if prop.event is not None:
            return prop.event.type in self._emitted(action)
        if prop.of:
            return True
        return self._may_touch(prop, action) or (prop.of_steps and not self.stutters(prop.name))

    def _emitted(self, action: Action) -> frozenset[Type]:
        """Return the types of the events that an action sends in some branch."""
        if action.name not in self._events:
            every = (node for stmt in action.body for node in ir.walk(stmt))
            self._events[action.name] = frozenset(
                node.event.type for node in every if isinstance(node, ir.Emit)
            )
        return self._events[action.name]

    def _may_touch(self, prop: PropertyDecl, action: Action) -> bool:
        """Tell whether an action writes in some branch what a property reads."""
        if action.name not in self._writes:
            self._writes[action.name] = paths_written(action.body)
        return bool(self.reads(prop.name) & self._writes[action.name])

    def _touches(self, prop: PropertyDecl, action: Action) -> bool:
        """Tell whether an action writes something that a property reads."""
        if not self._may_touch(prop, action):
            return False
        return bool(self.reads(prop.name) & self.step(action.name).written)

    def _untouched(self, prop: PropertyDecl) -> bool:
        """Tell whether there are steps of which a property says what it says of no step at all."""
        if not prop.of_steps or prop.of or prop.event is not None or prop.name in FAILURES:
            return False
        return any(
            not self._may_touch(prop, action)
            or (self._translatable(action) and not self._touches(prop, action))
            for action in self.program.actions
        )

    def stutters(self, name: str) -> bool:
        """Tell whether a property of steps is seen to be true of every state and itself."""
        if name not in self._stutters:
            try:
                query = self.query(Obligation(name, "stuttering"))
            except Untranslatable:
                query = None
            self._stutters[name] = query is not None and _plainly_empty(query.assertions)
        return self._stutters[name]

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
        if obligation.kind in KINDS:
            return self._of_ranking(obligation)
        before = self.theory.state("s")
        prop = self.properties[obligation.goal]
        known = [self.known(n) for n in obligation.hypotheses if not self._of_runs(n)]
        if obligation.kind == "initiation":
            goal = self.theory.formula(prop, self.theory.initial())
            said = [*known, self.theory.beginning(), negation(goal)]
        elif prop.kind == "eventually":
            said = [*known, *self.rule.consequence(obligation)]
        elif not obligation.action:
            assert obligation.kind == "stuttering" or not prop.of_steps
            states = (before,) * len(prop.roots)
            said = [*known, negation(self.theory.formula(prop, *states))]
        elif obligation.goal in FAILURES:
            step = self.step(obligation.action)
            said = [*known, step.exists, negation(step.claimed(obligation.goal))]
        else:
            step = self.step(obligation.action, obligation.case)
            return self._of_step(known, step, negation(self._after(obligation, step)))
        return self.about(said)

    def _of_runs(self, name: str) -> bool:
        return self.properties[name].kind == "eventually"

    def _of_ranking(self, obligation: Obligation) -> Query:
        known = [self.known(name) for name in obligation.hypotheses]
        said, broken = self.rule.formulas(obligation)
        if self.rule.of_a_step(obligation):
            return self._of_step([*known, *said], self.step(obligation.action), broken)
        return self.about([*known, *said, broken])

    def _of_step(self, known: Sequence[Term], step: Step, broken: Term) -> Query:
        """Return what is asked of a step, with the part that has no quantified conditions."""
        query = self.about([*known, step.enabled, broken])
        simple = self._without_quantifiers(step)
        if simple is None:
            return query
        return replace(query, short=once(lambda: self.about([*known, *simple, broken])))

    def _without_quantifiers(self, step: Step) -> list[Term] | None:
        """Return those conditions of a step that take no quantifier, None if none does."""
        key = address(step.enabled)
        if key not in self._simple:
            conditions = conjuncts(step.enabled)
            simple = [c for c in conditions if not has_quantifier(c)]
            self._simple[key] = simple if len(simple) < len(conditions) else None
        return self._simple[key]

    def _after(self, obligation: Obligation, step: Step) -> Term:
        prop, before = self.properties[obligation.goal], self.theory.state("s")
        if not prop.of_steps:
            return self.theory.formula(prop, step.after)
        given = {p.name: step.arguments[p.name] for p in prop.asked}
        if obligation.event is None:
            return self.theory.formula(prop, before, step.after, elements=given)
        event = step.events[obligation.event]
        said = self.theory.formula(prop, before, step.after, event=event.leaves, elements=given)
        return implies(event.guard, said)

    def about(self, said: Sequence[Term]) -> Query:
        """Return formulas with what is known of the symbols in them, and in what is known."""
        made: list[Term] = []
        typing: list[Term] = []
        # In order of occurrence, so that the same query has the same text whatever came before.
        waiting = list(dict.fromkeys(name for term in said for name in self._in(term)))
        known = set(waiting)
        for name in waiting:
            axioms, types = self.domain.axioms.get(name, []), self.theory.typing.get(name, [])
            made += axioms
            typing += types
            new = [n for n in self._in_background(name, [*axioms, *types]) if n not in known]
            waiting += new
            known |= set(new)
        if any(self._counts(name) for name in self._in(said[-1])):
            made += self._comparisons.of([self.domain.named[n] for n in waiting if self._counts(n)])
        return Query(list(said), made, typing)

    def _counts(self, name: str) -> bool:
        """Tell whether a symbol stands for how many members a set has."""
        named = self.domain.named.get(name)
        return named is not None and named.kind == "count"

    def _in(self, term: Term) -> tuple[str, ...]:
        """Return the symbols in a formula; a step or a lemma is in many queries."""
        key = address(term)
        if key not in self._symbols:
            self._symbols[key] = (term, symbols([term]))
        return self._symbols[key][1]

    def _in_background(self, name: str, axioms: Sequence[Term]) -> tuple[str, ...]:
        """Return the symbols in what is known of one; most are needed again and again."""
        count, found = self._mentioned.get(name, (-1, ()))
        if count != len(axioms):
            found = symbols(axioms)
            self._mentioned[name] = (len(axioms), found)
        return found


def _plainly_empty(formulas: Sequence[Term]) -> bool:
    """Tell whether formulas are soon seen to have no model, whatever was asked before."""
    alone = Query(list(formulas), [], []).alone()
    solver = z3.SimpleSolver(ctx=alone.context)
    solver.set("rlimit", _PLAIN)
    solver.add(*alone.assertions)
    return bool(solver.check() == z3.unsat)
