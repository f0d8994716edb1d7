"""A constraint bounds a search: a state that is cut is looked at, and no step is taken there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from ackproof.lang import Model
from ackproof.lang.binding import Bound, bind
from ackproof.lang.properties import DEADLOCK, Property
from ackproof.model.check import asked, check, chosen
from ackproof.model.exploring import Exploration
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.observing import differ
from ackproof.model.outcome import Outcome
from ackproof.model.plain import PlainMachine
from ackproof.model.plain_search import explore as explore_plain
from ackproof.model.simulation import simulate
from ackproof.model.state_graph import state_graph
from ackproof.model.trace import ReplayError, replay
from ackproof.model.verdict import Verdict
from hypothesis import HealthCheck, given, settings

from tests.exploring import examples, seeds
from tests.model import random_specs
from tests.model.counting import MODEL
from tests.model.loading import module_of
from tests.model.random_graphs import Walk, random_cut_walk

MOST, AHEAD = 6, 2


def counting(*names: str) -> Bound:
    """Return the counters with some of their properties."""
    return chosen(MODEL, MODEL.instances[0], properties=names)


def outcomes(bound: Bound) -> Iterator[Outcome]:
    """Yield what each engine finds."""
    yield explore_plain(bound, survey=True)
    for workers in (1, 2):
        yield explore_compiled(bound, workers=workers, survey=True)


def by_hand() -> tuple[dict[tuple[int, int, bool], int], int, int]:
    """Search the counters in a few lines: how far each state is, how many are cut, and steps."""
    far, cut, steps = {(0, 0, False): 0}, 0, 0
    for a, b, lit in (todo := [(0, 0, False)]):
        if a + b > MOST or a > b + AHEAD:
            cut += 1
            continue
        after = [(a + 1, b, lit), (a, b + 1, lit)]
        after += [(a, b, not lit)] if a == b else []
        after += [(0, 0, lit)] if a == b > 0 else []
        steps += len(after)
        for state in after:
            if state not in far:
                far[state] = far[(a, b, lit)] + 1
                todo.append(state)
    return far, cut, steps


def test_engines_count_what_a_search_by_hand_counts() -> None:
    far, cut, steps = by_hand()
    levels = [list(far.values()).count(n) for n in range(max(far.values()) + 1)]
    for outcome in outcomes(counting()):
        assert (outcome.states, outcome.cut, outcome.generated) == (len(far), cut, steps + 1)
        assert outcome.level_sizes == tuple(levels)


def test_what_is_cut_is_looked_at_as_are_the_steps_to_it() -> None:
    for outcome in outcomes(counting("Within", "NeverBeyond", "WithinOneOfTheConstraints", "Cut")):
        assert {n: len(path) for n, path in outcome.violations.items()} == {
            "Within": AHEAD + 1,
            "NeverBeyond": MOST + 1,
        }
        assert outcome.witnessed == {"Cut"}


def test_a_run_that_goes_on_for_ever_keeps_within_them() -> None:
    for outcome in outcomes(counting("Lit", "Large", "Small")):
        # To stay where the counters are large would need a look behind the cut.
        assert outcome.violations.keys() == outcome.cycles.keys() == {"Lit", "Large"}


def test_the_verdict_says_within_what_it_holds() -> None:
    report = check(MODEL, MODEL.instances[0], properties=["WithinOneOfTheConstraints", "Cut"])
    assert report.verdict is Verdict.VERIFIED
    assert report.outcome.cut == by_hand()[1]


def test_what_is_cut_is_no_deadlock() -> None:
    for outcome in outcomes(counting(DEADLOCK)):
        assert outcome.violations == {}
    with PlainMachine(counting()) as machine:
        beyond = (AHEAD + 1, 0, *machine.initial()[2:])
        assert machine.cut(beyond)
        assert list(machine.steps(beyond)) == []
        assert not machine.stuck(beyond)


def test_without_constraints_it_goes_further() -> None:
    free = replace(MODEL, properties=MODEL.claims)
    for outcome in outcomes(chosen(free, free.instances[0], properties=["Within"])):
        assert outcome.states > 1_000
        assert outcome.cut == 0


def test_another_constraint_is_another_question() -> None:
    properties = [p for p in MODEL.properties if p.name != "SmallSum"]
    other = replace(MODEL, properties=tuple(properties))
    keys = {asked(chosen(m, m.instances[0]), "kernel").key for m in (MODEL, other)}
    assert len(keys) == 2


# -- by hand, at random, and two at once -------------------------------------------------------


def test_no_step_can_be_chosen_where_one_is_false() -> None:
    with PlainMachine(counting()) as machine:
        run = Exploration(machine)
        for _ in range(AHEAD + 1):
            assert run.cut() == []
            run.take(next(c.step for c in run.choices() if c.text == "raise_a()"))
        assert (run.cut(), run.choices()) == (["NotAhead"], [])


def test_a_graph_has_no_step_from_what_is_cut() -> None:
    graph = state_graph(counting(), limit=1_000)
    _, cut, steps = by_hand()
    assert sum(degree == 0 for _, degree in graph.out_degree()) == cut
    assert graph.number_of_edges() == steps
    said = {node: about["@cut"] for node, about in graph.nodes(data=True)}
    assert {node for node, names in said.items() if names} == {
        node for node, degree in graph.out_degree() if degree == 0
    }
    assert {"SmallSum", "NotAhead"} <= set(said.values())


@pytest.mark.parametrize("seed", range(4))
def test_random_walks_end_where_one_is_false(seed: int) -> None:
    found = simulate(
        MODEL,
        MODEL.instances[0],
        properties=["WithinOneOfTheConstraints", "Cut"],
        seed=seed,
        walks=200,
        length=60,
    )
    assert not found.traces
    assert found.walked.ended > 0
    assert found.walked.witnessed == {"Cut"}


def test_what_a_walk_finds_is_made_shorter_within_them() -> None:
    found = simulate(
        MODEL, MODEL.instances[0], properties=["NeverBeyond"], seed=1, walks=500, length=60
    )
    (trace,) = found.traces
    assert len(trace.path) >= MOST + 1
    assert all(a + b <= MOST and a <= b + AHEAD for a, b, *_ in trace.states[:-1])


def test_a_run_through_what_is_cut_is_no_counterexample() -> None:
    bound = counting("Within")
    raise_a = next(n for n, i in enumerate(bound.instances()) if i.action.name == "raise_a")
    assert len(replay(bound, "Within", (raise_a,) * (AHEAD + 1)).path) == AHEAD + 1
    with pytest.raises(ReplayError, match="is not enabled"):
        replay(bound, "Within", (raise_a,) * (AHEAD + 2))


def test_a_cycle_through_what_is_cut_is_no_counterexample() -> None:
    bound = counting("Small")
    raise_a = next(n for n, i in enumerate(bound.instances()) if i.action.name == "raise_a")
    raise_b = next(n for n, i in enumerate(bound.instances()) if i.action.name == "raise_b")
    path = tuple(itertools.islice(itertools.cycle((raise_a, raise_b)), MOST + 1))
    with pytest.raises(ReplayError, match="a constraint is false"):
        replay(bound, "Small", path)


def test_two_systems_are_compared_within_them() -> None:
    tighter = tuple(p for p in MODEL.properties if p.name != "NotAhead")
    loose = replace(MODEL, properties=tighter)
    bounds = [chosen(m, m.instances[0], properties=[]) for m in (MODEL, loose)]
    found = differ(*bounds, limit=10_000, also=frozenset({"raise_a", "raise_b"}))
    assert (found.decided, found.first) == (True, None)
    assert found.second is not None
    assert found.second.frames == ("raise_a()",) * (AHEAD + 2)


# -- what nobody chose --------------------------------------------------------------------------


def summary(outcome: Outcome) -> tuple[object, ...]:
    """Return what must be the same for every engine."""
    lengths = {name: len(path) for name, path in outcome.violations.items()}
    counts = (outcome.states, outcome.generated, outcome.cut, outcome.level_sizes)
    return *counts, dict(outcome.per_action), lengths, outcome.witnessed, outcome.limit


def bounded_by(model: Model, name: str) -> Model:
    """Return a model whose invariant of that name is a constraint instead."""
    changed = (
        Property("constraint", p.function) if p.name == name else p for p in model.properties
    )
    return replace(model, properties=tuple(changed))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the files of this module's tests."""
    return tmp_path_factory.mktemp("constraints")


@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(source=random_specs.specs(depth=2))
def test_random_programs_have_the_same_counts(folder: Path, source: str) -> None:
    model = bounded_by(module_of(source, folder), "Inv")
    bound = bind(model, model.instances[0])
    plain = explore_plain(bound, max_depth=3)
    assert summary(explore_compiled(bound, workers=2, max_depth=3)) == summary(plain)


def bound_walk(walk: Walk, folder: Path) -> Bound:
    """Return a random walk as a bound program."""
    model = module_of(walk.source(), folder)
    return bind(model, model.instances[0])


@pytest.mark.parametrize("seed", seeds(60))
def test_engines_agree_with_every_set_of_places(seed: int, folder: Path) -> None:
    walk = random_cut_walk(seed)
    for outcome in outcomes(bound_walk(walk, folder)):
        assert outcome.states == len(walk.depths())
        assert outcome.cut == len(walk.depths().keys() & walk.cut)
        found = {name: len(path) for name, path in outcome.violations.items()}
        assert found == walk.violated()


def test_random_walks_are_decided_by_their_cuts() -> None:
    def decided(walk: Walk) -> bool:
        return walk.stays_false() != replace(walk, cut=frozenset()).stays_false()

    found = [decided(random_cut_walk(seed)) for seed in range(60)]
    assert found.count(True) >= 5
