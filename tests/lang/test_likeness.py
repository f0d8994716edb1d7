"""Two bodies are alike if they say the same of the same types, wherever they stand."""

from __future__ import annotations

import enum
from pathlib import Path

import pytest
from ackproof.lang import Model, System, action
from ackproof.lang.frontend import compile_anew
from ackproof.lang.kept import anew
from ackproof.lang.likeness import likeness, spelled, stated
from ackproof.lang.program import Program
from ackproof.lang.types import BOOL, EnumT, IntT, RecordT, SetT, SortT
from ackproof.spec.model import MODEL

from tests.model.loading import module_of


class Mood(enum.Enum):
    """Two moods."""

    GOOD = 0
    BAD = 1


class Cat(System):
    """A cat."""

    mood: Mood = Mood.GOOD

    @action
    def wait(self) -> None:
        """It is as it was."""
        self.mood = Mood.GOOD


CAT = """
import enum
from ackproof.lang import Model, System, action

class Mood(enum.Enum):
    {members}

class Cat(System):
    '''A cat.'''

    mood: Mood = Mood.GOOD

    @action
    def wait(self) -> None:
        '''It is as it was.'''
        self.mood = Mood.GOOD

MODEL = Model("cats", Cat, (), ())
"""


def compiled(system: type[System]) -> Program:
    """Return a system as a program."""
    return compile_anew(Model("cats", system, (), ()))


def test_what_is_read_twice_is_alike_and_no_two_actions_are() -> None:
    one = [likeness(a.body) for a in compile_anew(MODEL).actions]
    with anew():
        assert [likeness(a.body) for a in compile_anew(MODEL).actions] == one
    assert len(set(one)) == len(one)


def test_bodies_with_one_text_are_not_alike_if_their_types_are_not(tmp_path: Path) -> None:
    here, there = (
        compile_anew(module_of(CAT.format(members=members), tmp_path)).actions[0]
        for members in ("GOOD, BAD = range(2)", "GOOD, BAD, WORST = range(3)")
    )
    assert repr(here.body) == repr(there.body)
    assert likeness(here.body) != likeness(there.body)


@pytest.mark.parametrize(
    ("one", "another"),
    [
        (EnumT("E", ("A", "B")), EnumT("E", ("B", "A"))),
        (IntT(0, 1), IntT(0, 2)),
        (SortT("S", ordered=True), SortT("S", ordered=False)),
        (SortT("S", ordered=True), SortT("S", ordered=True, owner=SortT("O", ordered=True))),
        (RecordT("R", (("a", BOOL),)), RecordT("R", (("a", IntT(0, 1)),))),
        (SetT(EnumT("E", ("A",))), SetT(EnumT("E", ("B",)))),
    ],
)
def test_types_are_spelled_with_all_that_they_are_made_of(one: object, another: object) -> None:
    assert spelled(one) != spelled(another)  # type: ignore[arg-type]


def test_a_property_is_told_from_all_others_by_what_is_stated() -> None:
    properties = compile_anew(MODEL).properties
    assert len(set(map(stated, properties))) == len(properties)


def test_where_a_body_stands_is_no_part_of_it() -> None:
    class Cat(System):
        """A cat that stands further down."""

        mood: Mood = Mood.GOOD

        @action
        def wait(self) -> None:
            """It is as it was."""
            self.mood = Mood.GOOD

    with anew():
        there = compiled(Cat).actions[0]
    here = compiled(globals()["Cat"]).actions[0]
    assert here.span != there.span
    assert likeness(here.body) == likeness(there.body)


NAMES = """
import enum
from ackproof.lang import Model, System, action

class Mood(enum.Enum):
    GOOD, BAD = range(2)

class Cat(System):
    '''A cat.'''

    mood: Mood = Mood.GOOD
    up: bool = False

    @action
    def wait(self, GOOD: Mood, true: bool) -> None:
        '''It is as somebody says.'''
        self.mood = {mood}
        self.up = {up}

MODEL = Model("cats", Cat, (), ())
"""


def test_a_constant_is_not_like_a_variable_of_that_name(tmp_path: Path) -> None:
    said = [("GOOD", "true"), ("Mood.GOOD", "true"), ("GOOD", "True")]
    bodies = [
        compile_anew(module_of(NAMES.format(mood=mood, up=up), tmp_path)).actions[0].body
        for mood, up in said
    ]
    assert len(set(map(repr, bodies))) == 1
    assert len(set(map(likeness, bodies))) == 3
