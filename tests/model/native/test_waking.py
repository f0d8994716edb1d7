"""What may have become possible by what an action writes, on a small model."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ackproof.lang.frontend import compile_model
from ackproof.model.native.families import assemble
from ackproof.model.native.translate import Translation, translate
from ackproof.model.native.triggers import Change, Source, Waking, waking

from tests.model.mailroom import MODEL, MailRoom

HANDLES = {"confirm": ("box",), "burn": ("box",), "hand_in": ("letter",)}


@pytest.fixture(scope="module")
def known() -> Waking:
    """What waits for what."""
    return waking(compile_model(MODEL), HANDLES)


@pytest.fixture(scope="module")
def room(known: Waking) -> Translation:
    """The mail room, which notes what it makes possible."""
    return translate(MailRoom, waking=known, bounded=True)


def waits(known: Waking, action: str) -> set[tuple[str, Change, tuple[Source | None, ...]]]:
    """Return the changes that an action waits for, by the variables."""
    return {(".".join(t.path), t.wanted, t.handles) for t in known.triggers if t.action == action}


def test_an_action_waits_for_what_it_requires_to_be_there(known: Waking) -> None:
    assert waits(known, "burn") == {("boxes.held", Change("more"), (Source(0),))}


def test_what_is_chosen_may_have_left_another_one_to_choose(known: Waking) -> None:
    assert waits(known, "confirm") == {
        (place, Change(kind), (Source(0),))
        for place in ("boxes.held", "boxes.shelf.stored")
        for kind in ("more", "less")
    }


def test_a_value_that_is_to_be_another_may_become_it_by_any_change(known: Waking) -> None:
    assert waits(known, "hand_in") == {("clerk.following", Change("any"), (None,))}


def test_what_is_asked_for_must_be_there() -> None:
    program = compile_model(MODEL)
    with pytest.raises(LookupError, match="there is no action 'fly'"):
        waking(program, {"fly": ()})
    with pytest.raises(LookupError, match="the action burn has no argument 'letter'"):
        waking(program, {"burn": ("letter",)})


def test_a_value_serves_who_waits_for_it_or_for_another_than_it_was() -> None:
    down = Change("is", "DOWN")
    assert down.serves(Change("is", "DOWN"))
    assert down.serves(Change("not", "RUNNING"))
    assert not down.serves(Change("is", "RUNNING"))
    assert not down.serves(Change("not", "DOWN"))
    assert not Change("less").serves(Change("more"))


class Told:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.heard: list[tuple[object, ...]] = []

    def __getattr__(self, action: str) -> Callable[..., None]:
        return lambda *handles: self.heard.append((action, *handles))


def test_an_action_tells_what_it_has_made_possible_and_where(room: Translation) -> None:
    system = assemble(MailRoom, room.classes)
    vars(system)["wake"] = told = Told()
    for box in ("b1", "b2"):
        assert not system.may_burn(box)  # type: ignore[attr-defined]
    system.clerk.following = 1  # type: ignore[assignment]
    system.hand_in(1, {"b1"})  # type: ignore[arg-type]
    assert set(told.heard) == {("confirm", "b1"), ("burn", "b1"), ("hand_in", None)}
    assert system.may_burn("b1")  # type: ignore[attr-defined]
    assert not system.may_burn("b2")  # type: ignore[attr-defined]


def test_what_only_takes_away_wakes_nobody_who_waits_for_more(room: Translation) -> None:
    burn = room.text.split("def burn(")[1].split("\n    def ")[0]
    assert "wake.confirm" in burn
    assert "wake.burn" not in burn
