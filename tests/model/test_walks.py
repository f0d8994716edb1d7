"""Random walks are runs of the system, come from a seed, and what they find false is false."""

from __future__ import annotations

from typing import Annotated

import pytest
from ackproof.lang import (
    Instance,
    Model,
    Range,
    System,
    action,
    fault,
    invariant,
    properties_in,
    require,
    step_property,
)
from ackproof.lang.binding import Bound
from ackproof.model import walks
from ackproof.model.check import check, chosen
from ackproof.model.lower.compile import Kernel, compile_kernel
from ackproof.model.plain import PlainMachine
from ackproof.model.shorten import shorten
from ackproof.model.trace import ReplayError, replay
from ackproof.model.walks import Walked, walk

from tests.model import mailroom
from tests.models import die_hard, dining, two_phase_commit


class Climb(System):
    """Climbs to the top unless it falls, which it may at any time; resting changes nothing."""

    height: Annotated[int, Range(0, 15)]
    down: bool

    @action
    def up(self) -> None:
        require(not self.down and self.height < 15)
        self.height += 1

    @action
    def rest(self) -> None:
        require(self.height == 3)
        self.height = 3

    @fault
    def fall(self) -> None:
        require(not self.down)
        self.down = True


@invariant
def NeverOnTop(s: Climb) -> bool:
    """Nobody climbs that high; it is false."""
    return s.height < 15


@step_property
def NeverRests(before: Climb, after: Climb) -> bool:
    """Each step changes something; it is false."""
    return before.height != after.height or before.down != after.down


CLIMB = Model(
    "climb",
    Climb,
    properties_in(NeverOnTop, NeverRests),
    (Instance("hill", "one climber", {}, {"fall": 1}),),
)

MODELS = ((die_hard.MODEL, "jugs"), (mailroom.MODEL, "pair"))


def kernel_of(model: Model, instance: str, *properties: str) -> Kernel:
    return compile_kernel(chosen(model, model.instance(instance), None, properties or None))


def walked(kernel: Kernel, seed: int = 1, count: int = 500, length: int = 40) -> Walked:
    return walk(kernel, seed=seed, walks=count, length=length)


def counts(found: Walked) -> tuple[object, ...]:
    return found.walks, found.steps, found.looked_at, found.taken, found.violations


def test_the_same_seed_walks_the_same_walks_and_another_one_others() -> None:
    kernel = kernel_of(dining.MODEL, "seats3")
    first = counts(walked(kernel, 7))
    assert counts(walked(kernel, 7)) == first
    assert counts(walked(kernel, 8)) != first


@pytest.mark.parametrize(
    ("model", "instance"), [(dining.MODEL, "seats3"), (two_phase_commit.MODEL, "rm3")]
)
def test_walks_meet_what_a_search_meets_and_nothing_else(model: Model, instance: str) -> None:
    whole = check(model, model.instance(instance)).outcome
    found = walked(kernel_of(model, instance))
    assert found.violations == {}
    assert found.witnessed == whole.witnessed
    assert {n for n, c in found.taken.items() if c} == {n for n, c in whole.per_action.items() if c}
    assert sum(found.taken.values()) == found.steps <= found.looked_at


@pytest.mark.parametrize(("model", "instance"), MODELS)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_false_is_shown_by_a_run_of_plain_python(
    model: Model, instance: str, seed: int
) -> None:
    kernel = kernel_of(model, instance)
    bound = kernel.bound
    whole = check(model, model.instance(instance), survey=True).outcome.violations
    found = walked(kernel, seed, count=4, length=1000)
    assert found.violations
    for name, path in found.violations.items():
        replay(bound, name, path)
        short = shorten(bound, name, path, bound.initial())
        replay(bound, name, short)
        assert len(whole[name]) <= len(short) <= len(path)
        assert not any(shows(bound, name, short[:at] + short[at + 1 :]) for at in range(len(short)))


def shows(bound: Bound, name: str, path: tuple[int, ...]) -> bool:
    try:
        replay(bound, name, path)
    except ReplayError:
        return False
    return True


def test_a_step_that_changes_nothing_is_looked_at_and_not_taken() -> None:
    assert walked(kernel_of(CLIMB, "hill", "NeverRests")).violations
    found = walked(kernel_of(CLIMB, "hill", "NoAssertionFails"))
    assert found.taken["rest"] == 0 < found.taken["up"]


def test_some_walks_come_far_before_a_fault_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = kernel_of(CLIMB, "hill", "NeverOnTop")
    assert walked(kernel, count=64).violations
    monkeypatch.setattr(walks, "_MOODS", 0.0)
    assert not walked(kernel, count=64).violations


def test_a_walk_ends_where_nothing_changes_any_more_or_when_it_is_long_enough() -> None:
    kernel = kernel_of(CLIMB, "hill", "NoAssertionFails")
    whole = walked(kernel, count=100)
    assert (whole.walks, whole.ended) == (100, 100)
    short = walked(kernel, count=100, length=1)
    assert (short.ended, short.steps) == (0, 100)


def test_a_walk_may_fall_in_the_state_at_its_end() -> None:
    kernel = kernel_of(CLIMB, "hill", "NeverOnTop")
    assert not walked(kernel, length=14).violations
    assert walked(kernel, length=15).violations


def test_no_deadlock_is_looked_at_where_it_is_asked_for() -> None:
    kernel = kernel_of(CLIMB, "hill", "NoDeadlock")
    found = walked(kernel)
    replay(kernel.bound, "NoDeadlock", found.violations["NoDeadlock"])
    path = found.violations["NoDeadlock"]
    short = shorten(kernel.bound, "NoDeadlock", path, kernel.bound.initial())
    with PlainMachine(kernel.bound) as machine:
        assert [machine.instances[number].action.name for number in short] == ["fall"]


def test_what_is_known_is_kept_when_walks_are_interrupted() -> None:
    seen = []

    def interrupt(so_far: Walked) -> None:
        seen.append(so_far.steps)
        if len(seen) == 3:
            raise KeyboardInterrupt

    kernel = kernel_of(dining.MODEL, "seats3")
    found = walk(kernel, seed=1, walks=10, length=50, progress=interrupt)
    assert found.interrupted
    assert found.steps == sum(found.taken.values()) == seen[-1]


def test_a_system_that_does_nothing_is_walked_in_no_time() -> None:
    class Idle(System):
        done: bool

    model = Model("idle", Idle, (), (Instance("one", "nothing", {}),))
    assert walked(compile_kernel(chosen(model, model.instances[0]))).steps == 0
