"""Rankings: how it is proved that something happens in the end, whatever the sizes.

A property of runs (`@eventually`) says that a predicate p comes true again and again in each fair
run.  So a run that violates it is fair, and from some point on p is false in all its states.  That
is shown to be impossible by what Manna and Pnueli call the well-founded rule for justice
("Completing the temporal picture", Theoretical Computer Science 83, 1991).  A ranking
has a *measure*, sets C1, C2, … of tuples of elements, which are compared lexicographically: the
measure gets smaller if the first set that changes loses something and gains nothing.  And it has
*helpful* predicates h(x), each with an action of which a step with the arguments x is waited for.
Let p be false before and after the steps that are spoken of, and let the invariants hold:

=============  ====================================================================================
progress       in each state some h(x) is true
enabling       where h(x) is true its step can be taken
fairness       its action is fair, so this instance of it is not put off for ever
descent        after its step the measure is smaller
measure        after no step is it larger: what Ci gains, some Cj before it pays for with a loss
persistence    after no other step is h(x) false, unless the measure is smaller
=============  ====================================================================================

Why that is enough: in an instance each sort has finitely many elements, so the sets are finite, and
the measure cannot get smaller for ever.  On a run on which p stays false it never gets larger, so
from some point on it stays the same.  There some h(x) is true, by progress, and stays true, by
persistence; so its step can be taken from there on without a break.  As it is fair, that step is
taken, and the measure gets smaller, which contradicts that it stays the same.

This is what the checker looks for (`ackproof.model.plain_liveness`), and no more:

* It counts an instance of an action as enabled where its step changes the state.  Where h(x) is
  true the step does: it makes the measure smaller, or p true.
* A run that ends is one that stays in its last state.  There some helpful step can be taken, unless
  p is true; so a run that ends there is no fair one.
* An instance says how often each fault may happen, so a run has finitely many.  From some point on
  there is none, and nothing has to be shown of faults.  Whatever they have left behind by then is a
  state like any other.
* Other steps that make new work, such as a publish, have to be paid for: there are finitely many
  messages, and one that is published now was not before.

Where one property of runs is true another one may be, too, in each state; then that *follows*: it
comes true whenever the first does.  Two that come true again and again need never do so together.

A property with parameters is proved for one choice of them, about which nothing is known.  All
obligations are about the elements that there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ackproof.lang.lemmas import Library
from ackproof.lang.program import Param, PropertyDecl
from ackproof.lang.rankings import Helpful
from ackproof.proofs.obligation import Obligation
from ackproof.proofs.relevance import paths_in, paths_written
from ackproof.proofs.smt.expressions import State
from ackproof.proofs.smt.logic import (
    FALSE,
    TRUE,
    Term,
    conjunction,
    disjunction,
    equal,
    implies,
    negation,
)
from ackproof.proofs.smt.theory import Step, Theory
from ackproof.proofs.smt.unbounded import Untranslatable
from ackproof.proofs.smt.values import Scalar, Value

__all__ = ["BY_STEP", "KINDS", "RankingRule", "meaning"]

#: What has to be shown of a ranking.
KINDS = ("progress", "fairness", "enabling", "descent", "measure", "persistence")

#: Those of which nothing has to be shown for steps that write nothing that the predicate reads.
BY_STEP = ("measure", "persistence")


_MEANING = {
    "progress": "somewhere it is false, and nothing is said to help",
    "fairness": "{action} is not fair, so nothing makes it happen",
    "enabling": "somewhere {action} is waited for, and cannot be taken",
    "descent": "{action} is waited for, and may leave the measure as it is",
    "measure": "{action} may put something into {part}, and takes nothing from what counts more",
    "persistence": "{action} may end that something is waited for, and the measure is as before",
}


def meaning(obligation: Obligation) -> str:
    """Return in a sentence what is wrong where an obligation of a ranking is not met."""
    return _MEANING[obligation.kind].format(action=obligation.action, part=obligation.part)


class RankingRule:
    """What has to be shown of rankings, and the formulas that say it.

    Args:
        theory: the states and steps of the program.
        library: has the rankings.
        step: returns an action as formulas, from the state `s`.
    """

    def __init__(self, theory: Theory, library: Library, step: Callable[[str], Step]) -> None:
        self.theory = theory
        self.library = library
        self._step = step
        program = theory.program
        self._decls = {p.name: p for p in (*program.properties, *program.ranked)}
        self._actions = {a.name: a for a in program.actions}
        self._reads: dict[str, frozenset[tuple[str, ...]]] = {}
        self._writes: dict[str, frozenset[tuple[str, ...]]] = {}

    # -- which ----------------------------------------------------------------------------------

    def obligations(self, goal: str) -> Iterator[Obligation]:
        """Yield what has to be shown for a property of runs."""
        ranking = self.library.rankings[goal]
        yield Obligation(goal, "progress", hypotheses=ranking.by)
        for part in ranking.helpful:
            action = self.awaited(part)
            needed = self.library.ranked[part].needs(action)
            yield Obligation(goal, "fairness", action, part=part)
            yield Obligation(goal, "enabling", action, needed, part=part)
            yield Obligation(goal, "descent", action, needed, part=part)
            yield from self._of_steps(goal, "persistence", part)
        for part in ranking.measure:
            yield from self._of_steps(goal, "measure", part)

    def _of_steps(self, goal: str, kind: str, part: str) -> Iterator[Obligation]:
        for name, action in self._actions.items():
            if action.kind != "fault" and self._touches(part, name):
                needed = self.library.ranked[part].needs(name)
                yield Obligation(goal, kind, name, needed, part=part)

    def awaited(self, part: str) -> str:
        """Return the name of the action that a helpful predicate speaks of."""
        one = self.library.ranked[part]
        assert isinstance(one, Helpful)
        action: str = one.action
        return action

    def made_of(self, goal: str) -> list[tuple[str, PropertyDecl, str]]:
        """Return what the ranking of a property says, in order; nothing where there is none.

        That is what each predicate is for, the predicate, and the action of which a step helps.
        """
        ranking = self.library.rankings.get(goal)
        if ranking is None:
            return []
        return [
            *(("measure", self._decls[part], "") for part in ranking.measure),
            *(("helpful", self._decls[part], self.awaited(part)) for part in ranking.helpful),
        ]

    def _touches(self, part: str, action: str) -> bool:
        """Tell whether an action may write something that a predicate reads."""
        if part not in self._reads:
            self._reads[part] = paths_in(self._decls[part].body, {})
        if action not in self._writes:
            self._writes[action] = paths_written(self._actions[action].body)
        if not self._reads[part] & self._writes[action]:
            return False
        try:
            return bool(self._reads[part] & self._step(action).written)
        except Untranslatable:  # the obligation says so
            return True

    # -- as formulas ----------------------------------------------------------------------------

    @staticmethod
    def of_a_step(obligation: Obligation) -> bool:
        """Tell whether it is about what is true after a step, rather than of one state."""
        return obligation.kind in ("descent", *BY_STEP)

    def formulas(self, obligation: Obligation) -> tuple[list[Term], Term]:
        """Return what is supposed besides hypotheses and the step, and what is then impossible.

        Raises:
            Untranslatable: something in them has no meaning for unbounded sorts.
        """
        if obligation.kind == "fairness":
            return [], FALSE if self._actions[obligation.action].fair is not None else TRUE
        said = _Said(self, obligation)
        if obligation.kind == "progress":
            return said.false_before(), negation(disjunction(said.some_help()))
        step = self._step(obligation.action)
        if obligation.kind == "enabling":
            return [*said.false_before(), said.here()], negation(step.enabled)
        measure = self.library.rankings[obligation.goal].measure
        around = [*said.false_before(), said.false_after(step)]
        if obligation.kind == "measure":
            before = measure[: measure.index(obligation.part)]
            gained = conjunction((said.there(step), negation(said.here())))
            return [*around, *said.no_loss(before, step)], gained
        around += [said.here(), *said.no_loss(measure, step)]
        if obligation.kind == "descent":
            return around, TRUE
        if obligation.action == self.awaited(obligation.part):
            around.append(negation(said.is_awaited(step)))
        return around, negation(said.there(step))

    def consequence(self, obligation: Obligation) -> list[Term]:
        """Return that a property of runs is false where the one is true that it follows from."""
        said = _Said(self, obligation)
        runs = [n for n in obligation.hypotheses if self._decls[n].kind == "eventually"]
        return [*(self.holds(n, said.before, said.about) for n in runs), *said.false_before()]

    def lost_nothing(self, part: str, elements: Mapping[str, Value], step: Step) -> Term:
        """Return the formula that says that each element of a set is in it after a step, too."""
        decl, domain = self._decls[part], self.theory.domain
        own = [p for p in decl.params if p.name not in elements]
        shapes = [domain.shapes(p.type)[0] for p in own]
        inside = {**elements, **{p.name: x for p, (x, _) in zip(own, shapes, strict=True)}}
        before = self.holds(part, self.theory.state("s"), inside)
        there = (domain.there(p.type, x) for p, (x, _) in zip(own, shapes, strict=True))
        said = implies(conjunction((*there, before)), self.holds(part, step.after, inside))
        bound = tuple(y for _, names in shapes for y in names)
        return domain.quantify(True, bound, said) if bound else said

    def holds(self, name: str, state: State, elements: Mapping[str, Value]) -> Term:
        """Return what a property of runs, or a predicate of a ranking, says of elements."""
        decl = self._decls[name]
        given = {p.name: elements[p.name] for p in decl.params}
        return self.theory.formula(decl, state, elements=given)

    def parameters(self, name: str) -> tuple[Param, ...]:
        """Return the elements that a property of runs, or a predicate, is about."""
        decl: PropertyDecl = self._decls[name]
        return decl.params

    def touched(self, parts: Iterable[str], step: Step) -> list[str]:
        """Return those of some predicates that a step may make true or false."""
        return [part for part in parts if self._touches(part, step.action.name)]


class _Said:
    """The formulas of one obligation, about elements that nothing is known of.

    Where it is about the step that is waited for, these are the arguments of that.
    """

    def __init__(self, rule: RankingRule, obligation: Obligation) -> None:
        self.rule, self.goal, self.part = rule, obligation.goal, obligation.part
        self.before = rule.theory.state("s")
        awaited = obligation.kind in ("enabling", "descent")
        given = rule._step(obligation.action).arguments if awaited else {}
        types = {p.name: p.type for p in rule.parameters(self.goal)}
        own = {p.name: p.type for p in rule.parameters(self.part)} if self.part else {}
        self.elements: dict[str, Value] = {}
        for name, t in {**types, **own}.items():
            prefix = f"with.{self.goal}" if name in types else f"with.{self.goal}.{self.part}"
            if name in given:
                self.elements[name] = given[name]
            else:
                self.elements[name] = rule.theory.symbol(f"{prefix}.{name}", t, (), ())
        self.about = {name: self.elements[name] for name in types}
        self._there = [self._exists(t, self.elements[n]) for n, t in {**types, **own}.items()]

    def _exists(self, t: object, value: Value) -> Term:
        assert isinstance(value, tuple)
        there: Term = self.rule.theory.domain.there(t, value)  # type: ignore[arg-type]
        return there

    def false_before(self) -> list[Term]:
        """Return that the elements are there, and that the property is false of them."""
        return [*self._there, negation(self.rule.holds(self.goal, self.before, self.about))]

    def false_after(self, step: Step) -> Term:
        """Return that the property is false after a step, too."""
        return negation(self.rule.holds(self.goal, step.after, self.about))

    def here(self) -> Term:
        """Return that the predicate is true."""
        return self.rule.holds(self.part, self.before, self.elements)

    def there(self, step: Step) -> Term:
        """Return that the predicate is true after a step."""
        return self.rule.holds(self.part, step.after, self.elements)

    def is_awaited(self, step: Step) -> Term:
        """Return that a step is the one that is waited for."""
        pairs = ((given, self.elements[name]) for name, given in step.arguments.items())
        return conjunction(
            equal(a, b)
            for given, own in pairs
            if isinstance(given, tuple) and isinstance(own, tuple)
            for a, b in zip(given, own, strict=True)
        )

    def no_loss(self, measure: Iterable[str], step: Step) -> list[Term]:
        """Return that none of some sets loses an element in a step."""
        touched = self.rule.touched(measure, step)
        return [self.rule.lost_nothing(part, self.about, step) for part in touched]

    def some_help(self) -> Iterator[Term]:
        """Yield for each helpful predicate that it is true of some elements."""
        domain = self.rule.theory.domain
        for part in self.rule.library.rankings[self.goal].helpful:
            own = [p for p in self.rule.parameters(part) if p.name not in self.about]
            shapes = [domain.shapes(p.type)[0] for p in own]
            chosen: dict[str, Scalar] = {p.name: x for p, (x, _) in zip(own, shapes, strict=True)}
            there = (domain.there(p.type, chosen[p.name]) for p in own)
            said = self.rule.holds(part, self.before, {**self.about, **chosen})
            bound = tuple(y for _, names in shapes for y in names)
            yield domain.quantify(False, bound, conjunction((*there, said)))
