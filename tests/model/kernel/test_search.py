"""The compiled search finds what a plain search with a set finds, at any width and worker count."""

import _thread
import random
import time
from dataclasses import replace
from itertools import pairwise, product

import pytest
from ackproof.model.kernel import control
from ackproof.model.kernel.search import Better, Kind, Progress, Result, Status, path_to, search
from ackproof.model.kernel.worker import Model, Team

from tests.exploring import seeds
from tests.model.kernel.rules import (
    DEADLOCK_BIT,
    Pattern,
    Rule,
    System,
    compile_rules,
    explore,
)
from tests.model.kernel.two_phase import COUNTS, two_phase

WORKERS = (1, 2, 3)
#: How many workers there are, and whether they hold states as keys.
WAYS = tuple(product(WORKERS, (False, True)))


def run(system: System, collapsed: bool = False, **options: object) -> Result:
    """Search the states of a system."""
    model = replace(compile_rules(system), collapsed=collapsed)
    return search(model, system.rows(), **options)  # type: ignore[arg-type]


def flips(bits: int, stride: int = 1, words: int = 1) -> System:
    """Every bit may be set once: 2^bits states, in bits + 1 levels."""
    masks = [1 << stride * i for i in range(bits)]
    rules = tuple(Rule(i, Pattern(mask, 0), 0, mask) for i, mask in enumerate(masks))
    return System(words, 0, rules, actions=bits)


def counter(bits: int, **properties: object) -> System:
    """Counts up to 2^bits - 1, one state on each level."""
    rules = [
        Rule(0, Pattern((2 << i) - 1, (1 << i) - 1), (1 << i) - 1, 1 << i) for i in range(bits)
    ]
    return System(1, 0, tuple(rules), 1, **properties)  # type: ignore[arg-type]


def random_system(seed: int) -> System:
    """Some rules over a few bits in one to three words, with properties that may be violated."""
    chance = random.Random(seed)
    words = chance.choice((1, 2, 3))
    used = sorted(chance.sample(range(64 * words - 1), 10))

    def bits(least: int, most: int) -> int:
        return sum(1 << bit for bit in chance.sample(used, chance.randint(least, most)))

    def pattern(least: int, most: int) -> Pattern:
        mask = bits(least, most)
        return Pattern(mask, mask & bits(0, len(used)))

    rules = []
    for _ in range(chance.randint(2, 14)):
        violates = bits(1, 1) if chance.random() < 0.04 else 0
        witnesses = 1 << chance.randint(8, 63) if chance.random() < 0.3 else 0
        put, clear = bits(1, 3), bits(0, 3)
        rules.append(
            Rule(chance.randrange(4), pattern(1, 3), put | clear, put, violates % 2**62, witnesses)
        )
    return System(
        words,
        bits(0, 4),
        tuple(rules),
        actions=4,
        forbidden=tuple(pattern(8, 10) for _ in range(chance.randint(0, 2))),
        wanted=tuple(pattern(2, 6) for _ in range(8)),
        deadlock=chance.random() < 0.3,
    )


def replay(system: System, trace: tuple[int, ...]) -> int:
    """Take the steps of a trace; every one has to be enabled."""
    state = system.initial
    for instance in trace:
        assert system.rules[instance].guard.holds(state)
        state = system.rules[instance].apply(state)
    return state


@pytest.mark.parametrize("managers", COUNTS)
@pytest.mark.parametrize("workers", WORKERS)
def test_two_phase_commit_has_the_published_counts(managers: int, workers: int) -> None:
    result = run(two_phase(managers), workers=workers)
    assert (result.distinct, result.generated, result.levels) == COUNTS[managers]
    assert result.status is Status.EXHAUSTED
    assert result.complete_levels == result.levels


# Six words make three pairs, of which the first has no neighbour.
@pytest.mark.parametrize(
    ("words", "collapsed"), [(2, False), (3, False), (5, False), (9, False), (3, True), (6, True)]
)
@pytest.mark.parametrize("workers", WORKERS)
def test_the_width_of_a_state_changes_no_count(words: int, collapsed: bool, workers: int) -> None:
    result = run(two_phase(6, words), collapsed, workers=workers)
    assert (result.distinct, result.generated, result.levels) == COUNTS[6]
    assert result.counts == run(two_phase(6)).counts


@pytest.mark.parametrize("seed", seeds(60))
def test_random_systems_agree_with_plain_python(seed: int) -> None:
    system = random_system(seed)
    expected = explore(system)
    for workers, collapsed in WAYS:
        result = run(system, collapsed, workers=workers)
        assert result.distinct == expected.distinct
        assert result.generated == expected.generated
        assert result.levels == expected.levels
        assert list(result.counts) == expected.counts
        assert result.seen == expected.seen
        found = {(str(v.kind), v.property): len(v.trace) for v in result.violations}
        assert found == expected.shortest
        assert (result.status is Status.VIOLATED) == bool(expected.shortest)


@pytest.mark.parametrize("seed", seeds(60))
def test_a_survey_of_random_systems_agrees_with_plain_python(seed: int) -> None:
    system = random_system(seed)
    expected = explore(system, survey=True)
    for workers, collapsed in WAYS:
        result = run(system, collapsed, workers=workers, survey=True)
        assert result.status is Status.EXHAUSTED
        assert (result.distinct, result.generated) == (expected.distinct, expected.generated)
        assert (result.levels, result.seen) == (expected.levels, expected.seen)
        found = {(str(v.kind), v.property): len(v.trace) for v in result.violations}
        assert found == expected.shortest
        for violation in result.violations:
            replay(system, violation.trace)


def test_the_random_systems_show_every_kind_of_violation() -> None:
    found = {kind for seed in range(60) for kind, _ in explore(random_system(seed)).shortest}
    assert found == {"state", "step", "deadlock"}


@pytest.mark.parametrize("seed", seeds(60))
def test_a_trace_replays_to_what_it_says(seed: int) -> None:
    system = random_system(seed)
    for violation in run(system, workers=2).violations:
        last = replay(system, violation.trace)
        if violation.kind is Kind.STATE:
            assert system.forbidden[violation.property].holds(last)
        elif violation.kind is Kind.STEP:
            assert system.rules[violation.trace[-1]].violates >> violation.property & 1
        else:
            assert violation.property == DEADLOCK_BIT
            assert not any(rule.guard.holds(last) for rule in system.rules)


@pytest.mark.parametrize(("stride", "words"), [(1, 1), (3, 1), (7, 2), (11, 3), (31, 8)])
@pytest.mark.parametrize("workers", WORKERS)
def test_states_that_differ_in_any_one_bit_are_different(
    stride: int, words: int, workers: int
) -> None:
    result = run(flips(16, stride, words), workers=workers)
    assert (result.distinct, result.generated) == (2**16, 1 + 16 * 2**15)
    assert result.levels == 17
    assert result.counts == (2**15,) * 16


@pytest.mark.parametrize("workers", WORKERS)
def test_a_search_may_be_thousands_of_levels_deep(workers: int) -> None:
    last = (1 << 12) - 1
    system = counter(12, forbidden=(Pattern(last, last),))
    result = run(system, workers=workers)
    (violation,) = result.violations
    assert len(violation.trace) == last
    assert replay(system, violation.trace) == last
    assert result.levels == last + 1


@pytest.mark.parametrize("workers", WORKERS)
def test_a_violated_initial_state_has_an_empty_trace(workers: int) -> None:
    result = run(counter(4, forbidden=(Pattern(15, 0),)), workers=workers)
    assert [v.trace for v in result.violations] == [()]
    assert (result.status, result.levels, result.distinct) == (Status.VIOLATED, 1, 1)


@pytest.mark.parametrize("workers", WORKERS)
def test_several_initial_states_are_told_apart(workers: int) -> None:
    system = counter(4, forbidden=(Pattern(15, 11),))
    (row,) = system.rows()
    rows = [[row[0] | value] for value in (2, 9, 14)]
    result = search(compile_rules(system), rows, workers=workers)
    (violation,) = result.violations
    assert (violation.initial, len(violation.trace)) == (1, 2)
    assert result.distinct == 3 + 3 + 2


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("depth", [1, 2, 7])
def test_a_wanted_depth_is_complete_and_bounded(depth: int, workers: int) -> None:
    result = run(flips(12), workers=workers, max_depth=depth)
    assert result.status is Status.BOUNDED
    assert result.levels == result.complete_levels == depth
    sizes = [1, 12, 66, 220, 495, 792, 924]
    assert result.distinct == sum(sizes[:depth])


@pytest.mark.parametrize("workers", WORKERS)
def test_a_depth_beyond_the_last_level_changes_nothing(workers: int) -> None:
    assert run(flips(6), workers=workers, max_depth=8).status is Status.EXHAUSTED
    assert run(flips(6), workers=workers, max_depth=7).status is Status.BOUNDED


@pytest.mark.parametrize(("workers", "collapsed"), WAYS)
@pytest.mark.parametrize("limit", [1 << 12, 1 << 16, 1 << 20, 3 << 20])
def test_a_memory_limit_truncates_and_is_kept(limit: int, workers: int, collapsed: bool) -> None:
    result = run(flips(40, words=3), collapsed, workers=workers, memory_limit=limit)
    assert (result.status, result.reason) == (Status.TRUNCATED, "memory limit")
    assert result.bytes <= limit
    assert result.complete_levels <= result.levels


@pytest.mark.parametrize("workers", WORKERS)
def test_a_limited_memory_is_used_before_it_is_full(workers: int) -> None:
    limit = 8 << 20
    result = run(flips(40, words=2), workers=workers, memory_limit=limit)
    # Two words in the table and one in the log, and both frontiers at their largest.
    assert result.distinct > limit // 64


@pytest.mark.parametrize("percent", range(60, 131, 5))
@pytest.mark.parametrize("collapsed", [False, True])
def test_a_table_cut_short_by_the_limit_loses_nothing(percent: int, collapsed: bool) -> None:
    free = run(two_phase(6, 3), collapsed)
    result = run(two_phase(6, 3), collapsed, memory_limit=free.bytes * percent // 100)
    if result.status is Status.EXHAUSTED:
        assert (result.distinct, result.generated, result.levels) == COUNTS[6]
    else:
        assert result.status is Status.TRUNCATED
        assert result.distinct < COUNTS[6][0]


@pytest.mark.parametrize("workers", WORKERS)
def test_an_interruption_ends_with_what_is_known(workers: int) -> None:
    def interrupt(progress: Progress) -> None:
        _thread.interrupt_main()

    result = run(flips(60, words=2), workers=workers, memory_limit=4 << 30, progress=interrupt)
    assert (result.status, result.reason) == (Status.TRUNCATED, "interrupted")
    assert result.distinct > 60
    assert result.generated >= result.distinct


@pytest.mark.parametrize("workers", WORKERS)
def test_progress_tells_how_far_the_search_is(workers: int) -> None:
    told: list[Progress] = []

    def stop_after_three(progress: Progress) -> None:
        told.append(progress)
        if len(told) == 3:
            raise KeyboardInterrupt

    result = run(flips(60, words=2), workers=workers, progress=stop_after_three)
    assert len(told) == 3
    for before, after in pairwise(told):
        assert before.states <= after.states <= result.distinct
        assert before.generated <= after.generated <= result.generated
        assert before.seconds < after.seconds
        assert before.depth <= after.depth
    assert told[-1].waiting > 0
    assert 16 * told[-1].states < told[-1].bytes


def test_an_error_in_the_progress_report_is_not_hidden() -> None:
    def fail(progress: Progress) -> None:
        raise RuntimeError(f"at {progress.depth}")

    with pytest.raises(RuntimeError, match="at "):
        run(flips(60, words=2), workers=2, progress=fail, memory_limit=1 << 30)


@pytest.mark.parametrize("workers", WORKERS)
def test_a_long_search_goes_on_with_better_code(workers: int) -> None:
    # The first would go on for ever; the other differs so that it can be told apart.
    wrong = replace(flips(60, words=2), forbidden=(Pattern(1 << 59, 1 << 59),))
    better = Better(lambda: compile_rules(wrong), patience=0.05)
    result = run(flips(60, words=2), workers=workers, memory_limit=4 << 30, better=better)
    assert (result.status, result.violations[0].property) == (Status.VIOLATED, 0)


@pytest.mark.parametrize("workers", WORKERS)
def test_what_comes_after_a_search_has_the_better_code(workers: int) -> None:
    system, seen = flips(20), list[Model]()
    better = compile_rules(system)

    def made() -> Model:
        time.sleep(1)
        return better

    run(system, workers=workers, better=Better(made, 0), then=lambda team: seen.append(team.model))
    assert seen == [better]


def test_an_error_in_making_better_code_is_not_hidden() -> None:
    def fail() -> Model:
        raise RuntimeError("no code")

    with pytest.raises(RuntimeError, match="no code"):
        run(flips(60, words=2), memory_limit=4 << 30, better=Better(fail, 0))


def test_witnesses_do_not_depend_on_who_saw_them() -> None:
    wanted = tuple(Pattern(3 << 2 * i, value << 2 * i) for i, value in product(range(3), range(4)))
    system = flips(6)
    system = System(1, 0, system.rules, system.actions, wanted=wanted)
    assert {run(system, workers=workers).seen for workers in WORKERS} == {(1 << 12) - 1}


@pytest.mark.parametrize(("workers", "collapsed"), WAYS)
@pytest.mark.parametrize("words", [1, 2])
def test_every_number_has_a_path_to_a_state_of_its_own(
    workers: int, collapsed: bool, words: int
) -> None:
    system = flips(12, words=words)
    found: list[int] = []

    def look(team: Team) -> None:
        for index, worker in enumerate(team.workers):
            for local in range(worker.block[control.COUNT]):
                _, path = path_to(team, local * workers + index)
                found.append(replay(system, path))

    assert run(system, collapsed, workers=workers, then=look).distinct == 2**12
    assert sorted(found) == list(range(2**12))


@pytest.mark.parametrize("workers", WORKERS)
def test_what_comes_after_a_whole_search_does_not_come_after_part_of_one(workers: int) -> None:
    def fail(team: Team) -> None:
        raise AssertionError("this search was not complete")

    assert run(flips(12), workers=workers, then=fail, max_depth=3).status is Status.BOUNDED
    limited = run(flips(40, words=2), workers=workers, then=fail, memory_limit=8 << 20)
    assert limited.status is Status.TRUNCATED
    assert limited.bytes <= 8 << 20


@pytest.mark.parametrize("rows", [[], [[5]], [[1 << 63], [7]]])
def test_initial_states_have_to_be_there_and_be_marked(rows: list[list[int]]) -> None:
    with pytest.raises(AssertionError, match=r"initial state|top bit"):
        search(compile_rules(flips(3)), rows)
