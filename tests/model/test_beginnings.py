"""A system may begin in several states: in every choice of what is open that is not excluded."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ackproof.export.mermaid import mermaid
from ackproof.export.pytest_file import pytest_file
from ackproof.export.regression import UnknownStep, take_again
from ackproof.export.sequence import diagram
from ackproof.export.svg import svg
from ackproof.lang import Instance
from ackproof.lang.binding import Bound, bind
from ackproof.lang.data import domain
from ackproof.lang.errors import BindError
from ackproof.model import limits
from ackproof.model.beginnings import begins, initial_states, left_open
from ackproof.model.check import asked, check, chosen
from ackproof.model.document import document
from ackproof.model.exploring import Exploration
from ackproof.model.itf import itf_trace
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.lower.fixed import fixed
from ackproof.model.observing import differ
from ackproof.model.outcome import Outcome
from ackproof.model.plain import PlainMachine, State
from ackproof.model.plain_search import explore as explore_plain
from ackproof.model.simulation import simulate
from ackproof.model.state_graph import state_graph
from ackproof.model.trace import ReplayError, Trace, replay, replay_found
from hypothesis import HealthCheck, assume, given, settings

from tests.exploring import examples
from tests.model import random_specs
from tests.model.coins import MODEL
from tests.model.loading import module_of

THREE, TWO = MODEL.instances
FALSE = {"SomeShowTails": 0, "SomeShowHeads": 1, "TheEyeStaysOnHeads": 1, "SomethingIsSeen": 0}


def coins(*names: str, instance: Instance = THREE) -> Bound:
    """Return the coins with some of their properties, or all."""
    return chosen(MODEL, instance, properties=names or None)


def outcomes(bound: Bound, **options: Any) -> Iterator[Outcome]:
    """Yield what each engine finds."""
    yield explore_plain(bound, **options)
    for workers in (1, 2):
        yield explore_compiled(bound, workers=workers, **options)


def every_choice(bound: Bound) -> list[State]:
    """Return the initial states, by trying all choices at once."""
    places, first = left_open(bound), list(bound.first())
    values = (domain(bound.locations[n].variable.type, bound.elements) for n in places)
    found = []
    with PlainMachine(bound) as machine:
        for choice in itertools.product(*values):
            for place, value in zip(places, choice, strict=True):
                first[place] = value
            if all(machine.holds(prop, tuple(first)) for prop in bound.initially):
                found.append(tuple(first))
    return found


def by_hand() -> tuple[int, int, list[int]]:
    """Search the coins in a few lines: initial states, steps, and states by level."""
    faces = itertools.product([False, True], repeat=3)
    level = {
        (heads, dear, eye, False, 0)
        for heads in faces
        for dear in range(3)
        for eye in range(3)
        if heads[eye]
    }
    initial, known, steps, sizes = len(level), set(level), 0, []
    while level:
        sizes.append(len(level))
        after = []
        for heads, dear, eye, seen, turns in level:
            if eye == dear:
                after.append((heads, dear, eye, True, turns))
            for pair in itertools.permutations(range(3), 2) if turns < 3 else ():
                turned = tuple(up != (n in pair) for n, up in enumerate(heads))
                after.append((turned, dear, eye, seen, turns + 1))
        steps += len(after)
        level = set(after) - known
        known |= level
    return initial, steps, sizes


# -- which they are --------------------------------------------------------------------------


def test_they_are_the_choices_in_which_everything_that_is_demanded_is_true() -> None:
    for instance in MODEL.instances:
        bound = coins(instance=instance)
        assert list(initial_states(bound)) == every_choice(bound)


def test_a_system_that_leaves_nothing_open_has_one() -> None:
    from tests.models.die_hard import MODEL as JUGS

    bound = chosen(JUGS, JUGS.instances[0])
    assert initial_states(bound) == (bound.initial(),)


def test_a_state_is_known_for_one_without_a_list_of_them() -> None:
    bound = coins()
    known = set(initial_states(bound))
    values = (domain(loc.variable.type, bound.elements) for loc in bound.locations)
    every = list(itertools.product(*values))
    assert {state for state in every if begins(bound, state)} == known
    assert len(known) < len(every)


def test_what_is_demanded_of_something_that_is_not_open_must_be_true_of_it(tmp_path: Path) -> None:
    for wanted, count in (("not s.on", 1), ("s.on", 0)):
        source = _LAMP.replace("OPEN", "").replace("WANTED", wanted)
        bound = bind(model := module_of(source, tmp_path), model.instances[0])
        if count:
            assert len(initial_states(bound)) == count
        else:
            with pytest.raises(BindError, match="no initial state, as Wanted is true of none"):
                initial_states(bound)


def test_too_many_choices_are_refused_before_they_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = _LAMP.replace("OPEN", " = anything()").replace("WANTED", "True")
    many = source.replace("on: bool", "more: Set[Many] = anything()\n    on: bool")
    model = module_of(many, tmp_path)
    with pytest.raises(BindError, match="more alone may start with more values than can be tried"):
        initial_states(bind(model, replace(model.instances[0], sizes={_sort(model): 500})))
    monkeypatch.setattr("ackproof.model.beginnings.MOST_BEGINNINGS", 4)
    with pytest.raises(BindError, match="there are more ways to begin than can be tried"):
        initial_states(bind(model, replace(model.instances[0], sizes={_sort(model): 2})))
    assert limits.MOST_BEGINNINGS > 4


def _sort(model: Any) -> Any:
    return next(iter(model.instances[0].sizes))


_LAMP = '''
"""A lamp."""
import sys
from ackproof.lang import *


class Many(Sort):
    """Many things."""


class Lamp(System):
    """A lamp."""

    on: boolOPEN
    some: Set[Many]

    @action
    def switch(self) -> None:
        """It goes on, or off."""
        self.on = not self.on


@initially
def Wanted(s: Lamp) -> bool:
    """."""
    return WANTED


MODEL = Model("lamp", Lamp, properties_in(sys.modules[__name__]), (Instance("i", "x", {Many: 1}),))
'''


# -- searches --------------------------------------------------------------------------------


def test_engines_count_what_a_search_by_hand_counts() -> None:
    initial, steps, sizes = by_hand()
    for outcome in outcomes(coins("AllShowTails")):
        assert outcome.level_sizes == tuple(sizes)
        assert (outcome.initial, outcome.generated) == (initial, initial + steps)
        assert outcome.witnessed == {"AllShowTails"}
    assert check(MODEL, THREE, properties=["AllShowTails"]).transitions == steps


def test_what_is_false_is_found_and_begins_in_an_initial_state() -> None:
    bound = coins()
    for outcome in outcomes(bound, survey=True):
        assert {name: len(path) for name, path in outcome.violations.items()} == FALSE
        for trace in replay_found(bound, outcome):
            assert trace.initial in initial_states(bound)
            assert trace.property in FALSE


def test_a_path_is_not_taken_from_another_initial_state() -> None:
    bound = coins("SomeShowHeads")
    outcome = explore_plain(bound)
    path, start = outcome.violations["SomeShowHeads"], outcome.starts["SomeShowHeads"]
    states = initial_states(bound)
    assert replay(bound, "SomeShowHeads", path, start=states[start])
    with pytest.raises(ReplayError):
        replay(bound, "SomeShowHeads", path, start=states[start - 1])


def test_nothing_that_is_open_is_taken_for_fixed() -> None:
    bound = coins()
    kept = {bound.locations[leaf.location].variable.name for leaf in fixed(bound).leaves}
    assert kept.isdisjoint({"below", "eye", "coins.heads"})


def test_another_demand_is_another_question() -> None:
    properties = tuple(p for p in MODEL.properties if p.name != "OneIsDear")
    other = replace(MODEL, properties=properties)
    bounds = [chosen(model, THREE) for model in (MODEL, other)]
    assert len({asked(bound, "kernel").key for bound in bounds}) == 2
    assert len({bound.digest() for bound in bounds}) == 2


def _random(source: str, folder: Path) -> Bound:
    """Return a random program that begins in a few states."""
    model = module_of(source, folder)
    bound = bind(model, model.instances[0])
    try:
        assume(len(initial_states(bound)) <= 300)
    except BindError:
        assume(False)
    return bound


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(source=random_specs.specs(depth=2, beginnings=True))
def test_random_programs_begin_and_go_on_alike_in_every_engine(
    tmp_path_factory: pytest.TempPathFactory, source: str
) -> None:
    bound = _random(source, tmp_path_factory.mktemp("beginnings"))
    assert list(initial_states(bound)) == every_choice(bound)
    plain, *compiled = outcomes(bound, max_depth=3, survey=True)
    for outcome in compiled:
        assert outcome.level_sizes == plain.level_sizes
        assert outcome.generated == plain.generated
        assert outcome.per_action == plain.per_action
        assert outcome.witnessed == plain.witnessed
        assert {n: len(p) for n, p in outcome.violations.items()} == {
            n: len(p) for n, p in plain.violations.items()
        }
        replay_found(bound, outcome)


# -- by hand, at random, two at once ---------------------------------------------------------


def test_a_run_can_be_begun_in_any_of_them() -> None:
    bound = coins()
    with PlainMachine(bound) as machine:
        run = Exploration(machine)
        assert len(run.beginnings()) == len(initial_states(bound))
        run.take(run.choices()[0].step)
        run.begin(7)
        assert (run.state, run.at, run.path()) == (initial_states(bound)[7], 0, ())
        assert run.beginnings()[7] == ", ".join(map(str, run.run().beginning))


@pytest.mark.parametrize("seed", range(3))
def test_random_walks_begin_in_any_of_them(seed: int) -> None:
    found = simulate(
        MODEL, THREE, properties=["SomeShowHeads", "AllShowTails"], seed=seed, walks=100, length=3
    )
    (trace,) = found.traces
    assert len(trace.steps) == 1
    assert trace.initial in initial_states(found.bound)
    assert found.walked.violations


def test_a_graph_has_all_of_them_on_its_first_level() -> None:
    initial, steps, sizes = by_hand()
    graph = state_graph(coins(), limit=1_000)
    levels = [about["@level"] for _, about in graph.nodes(data=True)]
    assert [levels.count(n) for n in range(len(sizes))] == sizes
    assert graph.number_of_edges() == steps
    assert levels[:initial] == [0] * initial


def test_who_begins_in_fewer_states_shows_nothing_that_who_begins_in_more_does_not() -> None:
    free = replace(MODEL, properties=tuple(p for p in MODEL.properties if p.name != "OneIsDear"))
    one, other = chosen(MODEL, TWO), chosen(free, TWO)
    found = differ(one, other, limit=100_000, also=frozenset({"turn", "look"}))
    assert (found.decided, found.first, found.second) == (True, None, None)


def test_who_begins_in_more_states_shows_what_who_begins_in_fewer_does_not(tmp_path: Path) -> None:
    source = _LAMP.replace("self.on = not", "require(self.on)\n        self.on = not")
    models = [
        module_of(source.replace("OPEN", how).replace("WANTED", "True"), tmp_path)
        for how in (" = anything()", "")
    ]
    more, fewer = (chosen(model, model.instances[0]) for model in models)
    found = differ(more, fewer, limit=100, also=frozenset({"switch"}))
    assert found.first is not None
    assert [step.text for step in found.first.run.steps] == ["switch()"]
    assert [str(began) for began in found.first.run.beginning] == ["on = True"]
    assert found.second is None


# -- in other forms ----------------------------------------------------------------------------


def trace_of(name: str) -> Trace:
    """Return the counterexample to a property."""
    bound = coins(name)
    (trace,) = replay_found(bound, explore_plain(bound))
    return trace


def test_a_document_says_where_a_run_begins() -> None:
    report = check(MODEL, THREE, properties=["SomeShowHeads"], engine="plain")
    (result,) = document([report])["results"]
    (violation,) = result["violations"]
    told = {x["place"]: x["value"] for x in violation["beginning"]}
    assert told["below"] == [["c3", 2]]
    assert sum(told[f"coins[c{n}].heads"] for n in (1, 2, 3)) == 2


def test_a_trace_in_itf_begins_there() -> None:
    trace = trace_of("SomeShowHeads")
    first = itf_trace(trace)["states"][0]
    heads = dict(first["coins.heads"]["#map"])
    assert sum(heads.values()) == 2


def test_drawings_say_where_a_run_begins() -> None:
    drawn = diagram(trace_of("SomeShowHeads"), "coins")
    for text in (mermaid(drawn), svg(drawn)):
        assert "at first below = {c3: 2}" in text


def test_a_test_takes_the_run_again_from_where_it_began() -> None:
    trace = trace_of("SomeShowHeads")
    steps, start = [s.text for s in trace.steps], [str(b) for b in trace.beginning]
    told = take_again(MODEL, None, "three", "SomeShowHeads", steps, (), start)
    assert "SomeShowHeads is false after this run" in told
    written = pytest_file(trace, "coins", "coins.py", file=True)
    assert "STEPS, beginning=BEGINNING" in written
    assert all(f'"{text}"' in written for text in start)
    compile(written, "test_run.py", "exec")


def test_a_run_that_cannot_begin_so_any_more_breaks_nothing() -> None:
    trace = trace_of("SomeShowHeads")
    steps, start = [s.text for s in trace.steps], [str(b) for b in trace.beginning]
    gone = ["below = {c1: 2, c2: 2}", *start[1:]]
    assert take_again(MODEL, None, "three", "SomeShowHeads", steps, (), gone) == ""
    with pytest.raises(UnknownStep, match=r"a choice of .*eye now, and not of nothing"):
        take_again(MODEL, None, "three", "SomeShowHeads", steps)
