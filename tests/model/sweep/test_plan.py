"""A sweep looks at all combinations in order of growth, and says what it did not look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from ackproof.lang.frontend import compile_model
from ackproof.lang.sorts import bound as sorts_bound
from ackproof.model.live import Live
from ackproof.model.sweep.growth import Growth
from ackproof.model.sweep.looking import Broken, Candidate, Fate, Found
from ackproof.model.sweep.plan import LEAST, SHARE, Sweep, share_of, swept
from ackproof.spec import assumptions
from ackproof.spec.model import MODEL as CONFIRMS

from tests.model.sweep.orchard import MODEL


@pytest.fixture(scope="module")
def growth() -> Growth:
    return Growth(MODEL, compile_model(MODEL))


class Told:
    """Finds what it is told to, and notes what it is asked."""

    def __init__(self, *fates: Fate, states: int = 100) -> None:
        self.fates = list(fates)
        self.states = states
        self.asked: list[Candidate] = []

    def __call__(self, candidates: Sequence[Candidate]) -> Iterator[Found]:
        for candidate in candidates:
            self.asked.append(candidate)
            fate = self.fates.pop(0) if self.fates else Fate.FINISHED
            broken = (Broken("Some", 1, ()),) if fate is Fate.BROKEN else ()
            yield Found(fate, states=self.states, broken=broken)


def rows(sweep: Sweep) -> list[tuple[int, int, int, int]]:
    return [(r.growth, r.faults, r.finished, r.not_begun) for r in sweep.rows]


def test_all_faults_together_decide_all_of_their_combinations(growth: Growth) -> None:
    told = Told()
    sweep = swept(growth, 100, told)
    assert [c.faults for c in told.asked] == [("storm", "hail")]
    assert rows(sweep)[0] == (0, 2, 1, 0)


def test_where_all_faults_are_too_much_each_is_looked_at_alone_and_none(growth: Growth) -> None:
    told = Told(Fate.CUT, Fate.FINISHED, Fate.CUT)
    swept(growth, 300, told)
    assert [c.faults for c in told.asked] == [("storm", "hail"), ("storm",), ("hail",)]
    told = Told(Fate.CUT, Fate.CUT, Fate.CUT)
    swept(growth, 400, told)
    assert [c.faults for c in told.asked][3] == ()


def test_what_grows_from_a_cut_one_is_not_begun_and_counted(growth: Growth) -> None:
    told = Told(Fate.CUT, Fate.FINISHED, Fate.FINISHED)
    sweep = swept(growth, 400, told)
    larger = [c for c in told.asked if c.growth == 1]
    assert larger
    assert all(len(c.faults) == 1 for c in larger)
    assert next(r for r in sweep.rows if (r.growth, r.faults) == (1, 2)).skipped > 1


def test_states_that_are_spent_end_it_and_what_is_left_is_counted(growth: Growth) -> None:
    sweep = swept(growth, 300, Told())
    assert (sweep.spent, sweep.whole) == (300, 1)
    last = sweep.rows[-1]
    assert (last.growth, last.finished) == (1, 2)
    assert last.not_begun > 0


def test_a_violation_ends_it_unless_it_is_to_go_on(growth: Growth) -> None:
    told = Told(Fate.BROKEN)
    assert swept(growth, 1000, told).ended
    assert len(told.asked) == 1
    told = Told(Fate.BROKEN)
    assert not swept(growth, 1000, told, go_on=True).ended
    assert len(told.asked) == 10


def test_who_is_interrupted_says_so(growth: Growth) -> None:
    sweep = swept(growth, 1000, lambda _: iter(()))
    assert sweep.interrupted
    assert sweep.rows[0].not_begun == 1


def test_who_is_interrupted_between_two_keeps_what_was_found(growth: Growth) -> None:
    def look(candidates: Sequence[Candidate]) -> Iterator[Found]:
        yield Found(Fate.FINISHED, states=7)
        raise KeyboardInterrupt

    sweep = swept(growth, 1000, look)
    assert (sweep.interrupted, [r.finished for r in sweep.rows]) == (True, [1, 1])


def test_what_comes_to_the_same_code_is_not_counted_twice(growth: Growth) -> None:
    def look(candidates: Sequence[Candidate]) -> Iterator[Found]:
        for candidate in candidates:
            code = "of the smallest" if len(candidate.shape.values) < 2 else candidate.name
            yield Found(Fate.FINISHED, code, 100)

    sweep = swept(growth, 1000, look)
    assert sweep.spent == 1000
    assert sweep.states == 100 * sum(row.finished for row in sweep.rows) < sweep.spent
    assert [(r.finished, r.same > 0) for r in sweep.rows[:2]] == [(1, False), (1, True)]


def test_a_sweep_that_finds_nothing_new_ends_as_well(growth: Growth) -> None:
    told = Told(*[Fate.AS_BASE] * 9, states=0)
    sweep = swept(growth, 3 * LEAST, told)
    assert [len(told.asked), sweep.states] == [3, 0]


def test_shapes_that_mean_nothing_are_gone_through_and_not_looked_at(growth: Growth) -> None:
    told = Told()
    sweep = swept(growth, 1200, told)
    assert sweep.senseless > 0
    two = [c.shape for c in told.asked if dict(c.shape.sizes)["Basket"] == 2]
    beside = {(("Tree.beside", ("b1",)), "b2"), (("Tree.beside", ("b2",)), "b1")}
    assert two
    assert all(beside <= set(shape.values) for shape in two)
    assert {c.growth for c in told.asked if c.shape in two} == {1}


def test_one_instance_has_a_share_of_the_states_and_always_some() -> None:
    assert share_of(SHARE * LEAST * 2) == LEAST * 2
    assert share_of(LEAST * 3) == LEAST
    assert share_of(10) == 10


@pytest.mark.parametrize("instance", CONFIRMS.instances, ids=lambda i: i.name)
def test_what_somebody_wrote_down_keeps_to_the_assumptions(instance) -> None:
    from ackproof.lang.binding import bind

    bound = bind(CONFIRMS, instance, properties=(), program=compile_model(CONFIRMS))
    with sorts_bound(bound.sizes):
        system = Live(bound).root
        assert all(getattr(assumptions, name)(system) for name in assumptions.__all__)
