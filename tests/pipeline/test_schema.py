"""What is written down of a layout is all that is needed to read its states."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from ackproof.lang.binding import bind
from ackproof.lang.types import BOOL, EnumT, IntT, MapT, OptionT, RecordT, SeqT, SetT, SortT
from ackproof.model.lower.layout import Layout
from ackproof.pipeline.schema import Schema, SchemaError, StateVariable, describe
from ackproof.pipeline.types import type_from_json, type_to_json

from tests.pipeline.cupboard import MODEL, TWO
from tests.pipeline.written import layout_of

CUP, SHELF, GUEST = SortT("Cup", True), SortT("Shelf", True), SortT("Guest", False)
GLAZE = EnumT("Glaze", ("BLUE", "RED", "NONE"))
LABEL = RecordT("Label", (("cup", OptionT(CUP)), ("glaze", GLAZE)))


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    written: dict[str, Any] = json.loads(json.dumps(describe(layout_of(bind(MODEL, TWO)))))
    return written


@pytest.fixture(scope="module")
def variables(document: dict[str, Any]) -> dict[str, StateVariable]:
    return {v.name: v for v in Schema.of(document).variables}


def test_types_are_read_as_they_were_written(variables: dict[str, StateVariable]) -> None:
    assert {name: v.type for name, v in variables.items()} == {
        "locked": BOOL,
        "level": IntT(-2, 1),
        "last": OptionT(CUP),
        "glazes": MapT(CUP, GLAZE),
        "wishes": MapT(OptionT(GUEST), SetT(CUP)),
        "notes": MapT(LABEL, BOOL),
        "queue": SeqT(GUEST, 2),
        "absent": SetT(SortT("Nobody", False)),
        "served": SetT(GUEST),
        "boards.deep": MapT(SHELF, BOOL),
        "boards.width": MapT(SHELF, variables["boards.width"].leaf),
        "boards.cups": MapT(SHELF, SetT(CUP)),
        "boards.label": MapT(SHELF, LABEL),
        "budget.lock": IntT(0, 1),
    }


def test_an_owned_sort_is_read_with_its_owner() -> None:
    owned = MapT(SortT("Pot", True, SHELF), BOOL)
    assert type_from_json(json.loads(json.dumps(type_to_json(owned)))) == owned


def test_ghosts_are_told_apart(variables: dict[str, StateVariable]) -> None:
    assert [v.name for v in variables.values() if v.ghost] == ["served"]


def test_what_never_changes_lies_nowhere(variables: dict[str, StateVariable]) -> None:
    fixed = {n for n, v in variables.items() if all(isinstance(x, int) for x in v.leaves)}
    assert fixed == {"absent", "boards.deep", "boards.width"}


def test_elements_of_empty_sorts_are_none(document: dict[str, Any]) -> None:
    assert Schema.of(document).elements == {
        "Cup": (1, 2),
        "Shelf": ("s1", "s2"),
        "Guest": ("g1", "g2"),
        "Nobody": (),
    }


def test_no_two_leaves_share_a_bit() -> None:
    schema = Schema.of(describe(Layout(bind(MODEL, TWO))))
    used: set[tuple[int, int]] = set()
    leaves = [x for v in schema.variables for x in v.leaves if not isinstance(x, int)]
    for place in (piece for pieces in leaves for piece in pieces):
        bits = {(place.word, place.shift + i) for i in range(place.width)}
        assert not used & bits
        used |= bits
    assert (schema.words - 1, 63) not in used


def drop_variables(document: dict[str, Any]) -> None:
    del document["variables"]


def drop_leaf(document: dict[str, Any]) -> None:
    document["variables"][0]["leaves"].pop()


def first_piece(document: dict[str, Any]) -> dict[str, int]:
    places = (x for v in document["variables"] for x in v["leaves"])
    piece: dict[str, int] = next(x["pieces"][0] for x in places if "pieces" in x)
    return piece


def move_outside(document: dict[str, Any]) -> None:
    first_piece(document)["word"] = document["words"]


def name_unknown_type(document: dict[str, Any]) -> None:
    document["variables"][0]["type"] = {"is": "tree"}


def forget_sort(document: dict[str, Any]) -> None:
    del document["elements"]["Cup"]


def fix_at_text(document: dict[str, Any]) -> None:
    document["variables"][0]["leaves"][0] = {"fixed": "all"}


def widen(document: dict[str, Any]) -> None:
    first_piece(document)["width"] += 1


def take_twice(document: dict[str, Any]) -> None:
    leaf = next(x for v in document["variables"] for x in v["leaves"] if "pieces" in x)
    leaf["pieces"] *= 2


@pytest.mark.parametrize(
    "spoil",
    [
        widen,
        take_twice,
        drop_variables,
        drop_leaf,
        move_outside,
        name_unknown_type,
        forget_sort,
        fix_at_text,
    ],
)
def test_a_spoiled_description_is_refused(
    document: dict[str, Any], spoil: Callable[[dict[str, Any]], None]
) -> None:
    spoiled = copy.deepcopy(document)
    spoil(spoiled)
    with pytest.raises(SchemaError, match="description of the states"):
        Schema.of(spoiled)
