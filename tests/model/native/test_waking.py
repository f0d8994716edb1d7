"""What may have become possible by what an action writes, on a small model."""

from __future__ import annotations

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
    at_the_box = (Source(0),)
    assert waits(known, "confirm") == {
        ("boxes.held", Change("more"), at_the_box),
        ("boxes.shelf.stored", Change("more"), at_the_box),
    }
    assert waits(known, "burn") == {("boxes.held", Change("more"), at_the_box)}


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


def test_an_action_notes_what_it_has_made_possible_and_where(room: Translation) -> None:
    system = assemble(MailRoom, room.classes)
    vars(system)["woken"] = woken = {}
    for box in ("b1", "b2"):
        assert not system.may_burn(box)  # type: ignore[attr-defined]
    system.clerk.following = 1  # type: ignore[assignment]
    system.hand_in(1, {"b1"})  # type: ignore[arg-type]
    assert woken == {("confirm", "b1"): None, ("burn", "b1"): None, ("hand_in", None): None}
    assert system.may_burn("b1")  # type: ignore[attr-defined]
    assert not system.may_burn("b2")  # type: ignore[attr-defined]


def test_what_only_takes_away_wakes_nobody_who_waits_for_more(room: Translation) -> None:
    burn = room.text.split("def burn(")[1].split("\n    def ")[0]
    assert "woken" not in burn
