"""The typed IR in words: types, initial values, and what a method does."""

from __future__ import annotations

import pytest
from ackproof.lang.frontend import compile_model
from ackproof.lang.types import MapT, OptionT, SeqT, SetT, SortT, Type
from specdoc.describe import initial_text, type_text, uses_of

from tests.docs.lighthouse import MODEL

PROGRAM = compile_model(MODEL)
MSG = SortT("Msg", ordered=True)


@pytest.mark.parametrize(
    ("t", "text"),
    [
        (MapT(MSG, SetT(MSG)), "Map[Msg, Set[Msg]]"),
        (OptionT(MSG), "Option[Msg]"),
        (SeqT(MSG, 3), "Seq[Msg] of at most 3"),
    ],
    ids=repr,
)
def test_a_type_reads_as_it_is_declared(t: Type, text: str) -> None:
    assert type_text(t) == text


def variables(process: str) -> dict[str, tuple[str, str]]:
    """Return type and initial value of each variable, in words."""
    return {
        v.name: (type_text(v.type), initial_text(v)) for v in PROGRAM.process(process).variables
    }


def test_a_variable_starts_with_what_it_is_given_or_with_the_default_of_its_type() -> None:
    assert variables("Lighthouse") == {
        "lamp": ("Colour", "Colour.DARK"),
        "next_ship": ("Option[Ship]", "Ship.first()"),
        "near": ("Map[Ship, Set[Keeper]]", "all empty"),
        "told": ("Set[Ship]", "empty"),
    }
    assert variables("Watch") == {
        "strict": ("bool", "True"),
        "seen": ("Set[Ship]", "empty"),
        "woken": ("int from 0 to 2", "1"),
    }


def test_uses_are_calls_events_and_changes_in_order_and_once() -> None:
    sight = PROGRAM.process("Lighthouse").method("sight")
    assert sight is not None
    uses = uses_of(sight)
    assert uses.calls == (("Watch", "note"),)
    assert uses.emits == ()
    assert uses.writes == (
        ("Lighthouse", "next_ship"),
        ("Lighthouse", "near"),
        ("Lighthouse", "lamp"),
    )


def test_uses_are_a_methods_own_and_not_those_of_what_it_calls() -> None:
    note = PROGRAM.process("Watch").method("note")
    assert note is not None
    assert uses_of(note).emits == ("Flash",)
    assert uses_of(note).writes == (("Watch", "seen"),)
