"""States that differ in the names of elements only are searched as one, where nothing can tell."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from ackproof.lang import Design, Holds
from ackproof.lang.binding import Bound, bind
from ackproof.lang.errors import BindError
from ackproof.model.cache import Cache
from ackproof.model.check import check, chosen
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.lower import compile as compiling
from ackproof.model.museum import judge
from ackproof.model.outcome import Limit, Outcome
from ackproof.model.plain import PlainMachine
from ackproof.model.plain_search import explore as explore_plain
from ackproof.model.renaming import OfStates, renamings
from ackproof.model.symmetry import folded, told_apart
from ackproof.model.trace import replay_found
from ackproof.model.verdict import Verdict

from tests.exploring import seeds
from tests.model.alike_specs import alike_spec
from tests.model.loading import module_of
from tests.models import simple_allocator, two_phase_commit
from tests.models.two_phase_commit import Manager

#: States up to the names of managers, as Murphi and TLC with a symmetry set count them.
PUBLISHED = {2: 34, 3: 80, 4: 166, 5: 314, 6: 553, 7: 920, 8: 1_461}

_PRELUDE = '''
"""A specification."""
from __future__ import annotations
import sys
from typing import Annotated
from ackproof.lang import (
    Const, Each, Event, Instance, Map, Model, Option, OrderedSort, OwnedSort, Process, Record, Seq,
    Set, Sort, System, action, anything, eventually, invariant, reachable, require,
)
from ackproof.lang.properties import properties_in

class B(Sort, prefix="b"):
    """A sort."""

class N(OrderedSort, prefix="n"):
    """An ordered sort, whose order is not asked for unless something does."""

class Chair(Process):
    """One of a family."""
    taken: bool = False
    soft: Const[bool] = False
'''


def model_of(body: str, folder: Path, sizes: str, constants: str = "{}") -> Bound:
    """Return what is written, at some sizes."""
    instance = f"(Instance('only', 'x', {sizes}, constants={constants}),)"
    end = f"\nMODEL = Model('x', Root, properties_in(sys.modules[__name__]), {instance})\n"
    model = module_of(_PRELUDE + body + end, folder)
    return bind(model, model.instances[0])


def root(*lines: str) -> str:
    """Return a system with these variables and steps."""
    return "\n".join(
        ["\nclass Root(System):", '    """The system."""', *(f"    {n}" for n in lines)]
    )


def step(*lines: str, of: str = "b: B") -> list[str]:
    """Return an action with these lines."""
    head = ["@action", f"def act(self, {of}) -> None:", '    """Act."""']
    return [*head, *(f"    {n}" for n in lines)]


def summary(outcome: Outcome) -> Mapping[str, object]:
    """Return what must be the same for every engine."""
    return {
        "states": outcome.states,
        "generated": outcome.generated,
        "levels": outcome.level_sizes,
        "per action": dict(outcome.per_action),
        "violations": {name: len(path) for name, path in outcome.violations.items()},
        "witnessed": outcome.witnessed,
        "limit": outcome.limit,
        "cut": outcome.cut,
    }


# -- what is counted ------------------------------------------------------------------------------


@pytest.mark.parametrize(("managers", "states"), PUBLISHED.items())
def test_two_phase_commit_has_the_published_number_of_states(managers: int, states: int) -> None:
    instance = two_phase_commit.MODEL.instance(f"rm{managers}")
    assert instance is not None
    assert explore_compiled(folded(bind(two_phase_commit.MODEL, instance))).states == states


def test_the_engines_agree_where_clients_and_resources_hold_each_other() -> None:
    bound = folded(bind(simple_allocator.MODEL, simple_allocator.MODEL.instances[0]))
    assert bound.folded == ("Client", "Resource")
    plain = summary(explore_plain(bound))
    assert plain["states"] == 50
    assert plain == summary(explore_compiled(bound)) == summary(explore_compiled(bound, workers=2))


def orbits(bound: Bound, states: set[tuple[object, ...]]) -> int:
    """Return how many states there are up to names, by giving each all of its names."""
    every = [OfStates(bound, names) for names in renamings(bound.elements, bound.folded)]
    return len({frozenset(rename(state) for rename in every) for state in states})


def test_each_state_is_counted_once_under_all_its_names() -> None:
    model = simple_allocator.MODEL
    bound = folded(bind(model, model.instances[0]))
    with PlainMachine(bound) as machine:
        known = {machine.initial()}
        waiting = list(known)
        while waiting:
            new = {after for _, after in machine.changes(waiting.pop())} - known
            known |= new
            waiting += new
    assert (len(known), orbits(bound, known)) == (400, 50)


@pytest.mark.parametrize("seed", seeds(40))
def test_random_programs_break_the_same_after_as_many_steps(seed: int, tmp_path: Path) -> None:
    model = module_of(alike_spec(seed), tmp_path)
    bound = bind(model, model.instances[0])
    try:
        alike = folded(bound)
    except BindError:
        assert all(told_apart(bound).values())
        return
    survey = seed % 2 == 0
    whole = explore_compiled(bound, max_depth=7, survey=survey)
    found = [explore_compiled(alike, workers=n, max_depth=7, survey=survey) for n in (1, 2)]
    assert summary(found[0]) == summary(found[1])
    if found[0].states < 300:
        assert summary(explore_plain(alike, max_depth=7, survey=survey)) == summary(found[0])
    assert found[0].states <= whole.states
    for outcome in found:
        for said in ("violations", "witnessed", "limit"):
            assert summary(outcome)[said] == summary(whole)[said]
        replay_found(alike, outcome)


def test_random_programs_are_folded_and_some_are_not(tmp_path: Path) -> None:
    found = []
    for seed in range(30):
        model = module_of(alike_spec(seed), tmp_path)
        reasons = told_apart(bind(model, model.instances[0]))
        found += [why is None for why in reasons.values()]
    assert found.count(True) > 20
    assert found.count(False) > 2


# -- what tells elements apart --------------------------------------------------------------------


def shown(*lines: str) -> str:
    """Return an invariant."""
    return "\n".join(["\n@invariant", "def Inv(s: Root) -> bool:", '    """."""', *lines])


TOLD_APART = {
    "compared": (
        root(
            "seen: Set[N]",
            *step("require(all(x < n for x in self.seen))", "self.seen.add(n)", of="n: N"),
        ),
        "they are compared",
    ),
    "the last": (
        root(
            "seen: Set[N]",
            *step("require(max(self.seen, default=None) != n)", "self.seen.add(n)", of="n: N"),
        ),
        "they are asked for the first or the last one",
    ),
    "the next": (
        root("seen: Set[N]", *step("require(N.succ(n) is None)", "self.seen.add(n)", of="n: N")),
        "they are asked for the next one",
    ),
    "the first": (
        root("seen: Set[N]", *step("self.seen.add(N.first())", of="n: N")),
        "they are asked for the first one",
    ),
    "in a property": (
        root("seen: Set[N]", *step("self.seen.add(n)", of="n: N"))
        + shown("    return all(x <= y for x in s.seen for y in s.seen)"),
        "they are compared",
    ),
    "never changed": (
        root(
            "least: N",
            "seen: Set[N]",
            *step("require(n == self.least)", "self.seen.add(n)", of="n: N"),
        ),
        "something that never changes is not the same for each",
    ),
}


@pytest.mark.parametrize(("body", "why"), TOLD_APART.values(), ids=TOLD_APART)
def test_an_order_tells_elements_apart(body: str, why: str, tmp_path: Path) -> None:
    bound = model_of(body, tmp_path, "{N: 3}")
    assert told_apart(bound)["N"].startswith(why)
    with pytest.raises(BindError, match=f"^instance only: there is nothing to fold; of N, {why}"):
        folded(bound)


def test_an_ordered_sort_whose_order_nothing_asks_for_is_folded(tmp_path: Path) -> None:
    body = root("seen: Set[N]", *step("self.seen.add(n)", of="n: N"))
    bound = model_of(body, tmp_path, "{N: 5}")
    assert explore_compiled(folded(bound)).states == 6
    assert explore_compiled(bound).states == 32


FAMILY = root(
    "chairs: Each[B, Chair]",
    *step("require(not self.chairs[b].taken)", "self.chairs[b].taken = True"),
)


@pytest.mark.parametrize(
    ("constants", "why"),
    [("True", None), ("{'b1': True}", "the constant Chair.soft tells them apart")],
)
def test_a_constant_tells_elements_apart(constants: str, why: str | None, tmp_path: Path) -> None:
    bound = model_of(FAMILY, tmp_path, "{B: 3}", f"{{'Chair.soft': {constants}}}")
    assert told_apart(bound) == {"B": why}


def test_what_is_switched_off_tells_nothing_apart(tmp_path: Path) -> None:
    lines = step("require(self.strict and n == N.first())", "self.seen.add(n)", of="n: N")
    other = [line.replace("def act", "def other") for line in step("self.seen.add(n)", of="n: N")]
    body = root("strict: Const[bool] = False", "seen: Set[N]", *lines, *other)
    assert told_apart(model_of(body, tmp_path, "{N: 3}")) == {"N": None}
    on = model_of(body, tmp_path, "{N: 3}", "{'Root.strict': True}")
    assert told_apart(on)["N"].startswith("they are asked for the first one")


def test_owners_and_what_they_own_are_in_order(tmp_path: Path) -> None:
    owned = '\nclass M(OwnedSort[B]):\n    """An owned sort."""\n'
    body = owned + root("seen: Set[M]", "by: Set[B]", *step("self.seen.add(m)", of="m: M"))
    assert told_apart(model_of(body, tmp_path, "{B: 2, M: 2}")) == {
        "B": "those of M belong to them, in order",
        "M": "they belong to elements of B, in order",
    }


@pytest.mark.parametrize(("size", "folds"), [(7, True), (8, False)])
def test_there_may_be_too_many_names_to_try(size: int, *, folds: bool, tmp_path: Path) -> None:
    body = root("likes: Map[B, Option[B]]", *step("self.likes[b] = d", of="b: B, d: B"))
    why = told_apart(model_of(body, tmp_path, f"{{B: {size}}}"))["B"]
    assert why == (None if folds else "a state may have more than 5,040 names to choose from")


# -- what is found --------------------------------------------------------------------------------


def test_a_run_begins_where_the_program_does_and_has_its_names(tmp_path: Path) -> None:
    body = root(
        "at: Option[B] = anything()",
        "been: Map[B, bool]",
        *step(
            "require(self.at is not None and self.at != b)", "self.been[b] = True", "self.at = b"
        ),
    ) + shown("    return not all(s.been[b] for b in B)")
    bound = folded(model_of(body, tmp_path, "{B: 3}"))
    for outcome in (explore_compiled(bound), explore_plain(bound)):
        assert outcome.initial == 2  # nobody is there, or somebody
        (trace,) = replay_found(bound, outcome)
        assert len(trace.steps) == 3
        assert trace.initial[0] == "b1"
        assert len({str(s.instance) for s in trace.steps}) == 3


EVENTUALLY = (
    root("seen: Set[B]", *step("self.seen.add(b)"))
    + """
@eventually
def Full(s: Root) -> bool:
    \"\"\".\"\"\"
    return s.seen == set(B)
"""
    + shown("    return len(s.seen) < 9")
)


@pytest.mark.parametrize("engine", ["kernel", "plain"])
def test_properties_of_runs_are_not_judged(engine: str, tmp_path: Path) -> None:
    bound = model_of(EVENTUALLY, tmp_path, "{B: 3}")
    report = check(bound.model, bound.instance, symmetry=True, engine=engine)  # type: ignore[arg-type]
    assert (report.verdict, report.verdict.exit_code) == (Verdict.UNDECIDED, 3)
    assert report.outcome.limit is Limit.SYMMETRY
    assert {n: r for n, r in report.results().items() if n in ("Full", "Inv")} == {
        "Full": "open",
        "Inv": "holds",
    }
    asked = check(bound.model, bound.instance, properties=["Inv"], symmetry=True)
    assert (asked.verdict, asked.outcome.states) == (Verdict.VERIFIED, 4)


def test_an_expectation_of_runs_that_are_not_judged_does_not_come_true(tmp_path: Path) -> None:
    body = EVENTUALLY.partition("class Root(System):")[2].partition("\n@")[0]
    mine = f"\nclass Mine(Root):{body}"
    model = model_of(EVENTUALLY + mine, tmp_path, "{B: 3}").model
    same = Design("the same", replace=(sys.modules[model.system.__module__].Mine,))
    found = judge(model, same, Holds("only", "Full"), symmetry=True)
    assert not found.came_true
    assert found.found == "every state was seen, and runs were not judged (symmetry)"


DESIGN = """
class Mine(Root):
    \"\"\"A design.\"\"\"

    @action
    def act(self, n: N) -> None:
        \"\"\"Act.\"\"\"
        require(n not in self.seen)
        {done}
"""

IN_ORDER = "self.seen.add(n if self.seen else N.first())"


@pytest.mark.parametrize(
    ("base", "design", "verdict", "sorts"),
    [
        # Two states of the design's three are two of the base's four: it never begins with n2.
        ("self.seen.add(n)", IN_ORDER, Verdict.VERIFIED, {"B"}),
        (IN_ORDER, "self.seen.add(n)", Verdict.VERIFIED, {"B", "N"}),
        ("self.seen.add(n)", "self.seen.add(n)", Verdict.UNCHANGED, {"B", "N"}),
    ],
)
def test_a_design_is_compared_by_counts_only_where_the_same_sorts_are_folded(
    base: str, design: str, verdict: Verdict, sorts: set[str], tmp_path: Path
) -> None:
    other = [line.replace("def act", "def other") for line in step("self.bs.add(b)")]
    lines = step("require(n not in self.seen)", base, of="n: N")
    body = root("seen: Set[N]", "bs: Set[B]", *lines, *other) + DESIGN.format(done=design)
    model = model_of(body + shown("    return len(s.seen) < 9"), tmp_path, "{N: 2, B: 2}").model
    mine = Design("x", replace=(sys.modules[model.system.__module__].Mine,))
    report = check(model, model.instances[0], mine, symmetry=True)
    assert (report.verdict, set(report.bound.folded)) == (verdict, sorts)


def test_a_design_may_be_folded_where_the_base_is_not(tmp_path: Path) -> None:
    lines = step("require(n not in self.seen)", IN_ORDER, of="n: N")
    body = root("seen: Set[N]", *lines) + DESIGN.format(done="self.seen.add(n)")
    model = model_of(body + shown("    return len(s.seen) < 9"), tmp_path, "{N: 2}").model
    mine = Design("x", replace=(sys.modules[model.system.__module__].Mine,))
    report = check(model, model.instances[0], mine, symmetry=True)
    assert (report.verdict, report.outcome.states) == (Verdict.VERIFIED, 3)


def test_plain_python_refuses_more_names_than_it_can_try(tmp_path: Path) -> None:
    body = root("seen: Set[B]", *step("self.seen.add(b)"))
    bound = folded(model_of(body, tmp_path, "{B: 8}"))
    assert explore_compiled(bound).states == 9
    with pytest.raises(BindError, match="plain Python tries each state under all its names"):
        explore_plain(bound)


def test_a_search_up_to_names_answers_no_other(tmp_path: Path) -> None:
    model, cache = two_phase_commit.MODEL, Cache(tmp_path / "cache")
    instance = model.instance("rm3")
    assert instance is not None
    for _ in range(2):
        for symmetry, states in ((True, 80), (False, 288)):
            report = check(model, instance, symmetry=symmetry, cache=cache)
            assert report.outcome.states == states
    assert report.searched is not None
    one, other = (chosen(model, instance, symmetry=s).digest() for s in (True, False))
    assert one != other


def test_a_state_is_the_same_under_the_names_that_it_has() -> None:
    instance = replace(two_phase_commit.MODEL.instances[0], sizes={Manager: 3})
    bound = bind(two_phase_commit.MODEL, instance)
    first, *others = renamings(bound.elements, ("Manager",))
    initial = bound.initial()
    assert len(others) == 5
    assert OfStates(bound, first)(initial) == initial


def test_a_long_text_is_compiled_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = folded(bind(simple_allocator.MODEL, simple_allocator.MODEL.instances[0]))
    monkeypatch.setattr(compiling.modules, "__defaults__", (5_000,))
    assert explore_compiled(bound).states == 50


def test_of_sorts_with_too_many_names_the_first_of_the_largest_is_left_out(tmp_path: Path) -> None:
    lines = step("self.likes[b] = d", "self.near[n] = m", of="b: B, d: B, n: N, m: N")
    body = root("likes: Map[B, Option[B]]", "near: Map[N, Option[N]]", *lines)
    found = told_apart(model_of(body, tmp_path, "{B: 5, N: 5}"))
    assert [name for name, why in found.items() if why is not None] == [next(iter(found))]
