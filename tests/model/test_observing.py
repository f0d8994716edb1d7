"""What can be seen of one system and not of another, compared with listing all that can be seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ackproof.cli.targets import base_target, load
from ackproof.lang import Design, Instance
from ackproof.lang.binding import Bound, bind
from ackproof.lang.errors import BindError
from ackproof.model.observing import Difference, Witness, differ
from ackproof.model.plain import PlainMachine, State, Step

from tests.exploring import sample
from tests.model.bells import (
    BELLS,
    FORGETFUL,
    IN_ONE_STEP,
    LEFT_HANDED,
    NEVER_TWICE,
    THOUGHTFUL,
    Hand,
    Porch,
)

PLENTY = 200_000

#: How long the sequences are that are listed of what has very many.
_LISTED = 4

Word = tuple[str, ...]


def door(design: Design | None = None) -> Bound:
    return bind(BELLS, BELLS.instances[0], design)


def compared(first: Design | None, second: Design | None = None) -> Difference:
    return differ(door(first), door(second), limit=PLENTY)


def acts(step: Step, bound: Bound) -> Word:
    """Return what a client knows of a step by itself."""
    action = step.instance.action
    known = bound.model.clients.get(action.name)
    if known is None:
        return ()
    named = zip((p.name for p in action.params), step.instance.args, strict=True)
    return (f"{action.name} {[value for name, value in named if name in known]}",)


def words(bound: Bound, length: int) -> set[Word]:
    """Return every sequence of at most so many frames, and steps of clients, that can be shown.

    This is the definition: no sets of states, and nothing left out of them.
    """
    found: set[Word] = set()
    with PlainMachine(bound) as machine:
        todo: list[tuple[State, Word]] = [(machine.initial(), ())]
        seen = set(todo)
        while todo:
            state, word = todo.pop()
            found.add(word)
            for step in machine.steps(state):
                frames = tuple(type(e).__name__ + repr(vars(e)) for e in step.events)
                longer = (*word, *acts(step, bound), *frames)
                found |= {longer[:n] for n in range(len(word), min(len(longer), length) + 1)}
                if step.after is None or len(longer) > length:
                    continue
                if (step.after, longer) not in seen:
                    seen.add((step.after, longer))
                    todo.append((step.after, longer))
    return found


def shortest(only: set[Word]) -> int | None:
    return min(map(len, only), default=None)


def listed(witness: Witness | None) -> int | None:
    """Return how long a sequence is, if it is short enough to be listed."""
    length = 0 if witness is None else len(witness.frames)
    return length if 0 < length <= _LISTED else None


def shown(witness: Witness | None) -> Word | None:
    return None if witness is None else witness.frames


@pytest.mark.parametrize("design", [None, IN_ONE_STEP, THOUGHTFUL], ids=["same", "one", "thinks"])
def test_designs_that_show_the_same_frames_are_alike(design: Design | None) -> None:
    found = compared(design)
    assert (found.first, found.second, found.decided) == (None, None, True)


def test_what_only_one_can_show_is_a_shortest_sequence_with_a_run_of_it() -> None:
    found = compared(FORGETFUL)
    once = "Rung(again=False)"
    assert shown(found.first) == (once,) * 4
    assert found.second is None
    assert found.decided
    assert found.first is not None
    assert [step.instance.action.name for step in found.first.run.steps[:2]] == ["once", "once"]
    events = [str(event) for step in found.first.run.steps for event in step.events]
    assert tuple(events) == found.first.frames


def test_the_other_way_round_it_is_the_other_that_can() -> None:
    one, other = compared(NEVER_TWICE), compared(None, NEVER_TWICE)
    assert shown(one.first) is None
    assert shown(one.second) == ("Rung(again=False)", "Rung(again=True)")
    assert shown(one.second) == shown(other.first)
    assert shown(other.second) is None


def test_steps_that_are_seen_as_well_tell_more_apart() -> None:
    found = differ(door(THOUGHTFUL), door(), limit=PLENTY, also=frozenset(["think"]))
    assert shown(found.first) == ("think()",)


def test_beyond_its_bound_it_is_not_decided() -> None:
    found = differ(door(IN_ONE_STEP), door(), limit=5)
    assert (found.first, found.second, found.decided) == (None, None, False)
    assert found.kept > 0


def test_what_counts_is_what_all_sets_have_together_and_not_the_states_of_the_two() -> None:
    kept = compared(THOUGHTFUL).kept
    assert differ(door(THOUGHTFUL), door(), limit=kept).decided
    assert not differ(door(THOUGHTFUL), door(), limit=kept - 1).decided


@pytest.mark.parametrize("first", [None, IN_ONE_STEP, THOUGHTFUL, FORGETFUL, NEVER_TWICE])
@pytest.mark.parametrize("second", [None, IN_ONE_STEP, THOUGHTFUL, FORGETFUL, NEVER_TWICE])
def test_it_says_what_listing_all_sequences_says(
    first: Design | None, second: Design | None
) -> None:
    found = compared(first, second)
    one, two = words(door(first), 7), words(door(second), 7)
    assert (found.first and len(found.first.frames)) == shortest(one - two)
    assert (found.second and len(found.second.frames)) == shortest(two - one)


@pytest.mark.parametrize("clients", [("once",), ("twice", "again")], ids=["once", "twice"])
@pytest.mark.parametrize("first", [None, IN_ONE_STEP, THOUGHTFUL, FORGETFUL, NEVER_TWICE])
def test_so_it_does_where_clients_see_what_they_do(
    first: Design | None, clients: tuple[str, ...]
) -> None:
    model = replace(BELLS, clients=dict.fromkeys(clients, ()))
    one, two = (bind(model, model.instances[0], design) for design in (first, None))
    found = differ(one, two, limit=PLENTY)
    listed = words(one, 8), words(two, 8)
    assert (found.first and len(found.first.frames)) == shortest(listed[0] - listed[1])
    assert (found.second and len(found.second.frames)) == shortest(listed[1] - listed[0])
    assert any(word[:1] == (f"{clients[0]} []",) for word in listed[1])


def test_a_client_sees_the_arguments_that_it_knows_and_no_others() -> None:
    def said(known: tuple[str, ...], **options: Any) -> Word | None:
        model = replace(BELLS, system=Porch, clients={"push": known})
        bounds = [bind(model, Instance("one", "", {Hand: 2}), d) for d in (LEFT_HANDED, None)]
        return shown(differ(*bounds, limit=PLENTY, **options).second)

    assert said(("hard",)) is None
    assert said(("hand",)) == ("push(hand=2)",)
    assert said(("hand", "hard"), frames_only=True) is None
    assert said((), also=frozenset(["push"])) == ("push(hand=2, hard=False)",)


@pytest.mark.parametrize("clients", [{"pull": ()}, {"push": ("foot",)}])
def test_a_model_names_what_its_clients_have(clients: dict[str, tuple[str, ...]]) -> None:
    model = replace(BELLS, system=Porch, clients=clients)
    bound = bind(model, Instance("one", "", {Hand: 2}))
    with pytest.raises(BindError, match="names what is not there; there is: push"):
        differ(bound, bound, limit=PLENTY)


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(["always_multiple", "b10", "b12", "b21", "d02"], 2))
def test_so_it_does_of_designs_of_the_museum(name: str) -> None:
    model, design = base_target().model, load(name).design
    tiny = model.instance("tiny")
    assert tiny is not None
    first, second = bind(model, tiny, design, []), bind(model, tiny, None, [])
    found = differ(first, second, limit=PLENTY)
    one, two = words(first, _LISTED), words(second, _LISTED)
    assert found.decided
    assert listed(found.first) == shortest(one - two)
    assert listed(found.second) == shortest(two - one)
