"""A guard says in terms of the state before what a step asks on its way."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.export.promela.model import promela_model
from ackproof.lang.binding import bind

from tests.model.loading import module_of

SOURCE = '''
"""Guards."""
from __future__ import annotations
from typing import Annotated
from ackproof.lang import *

class Key(OrderedSort):
    """A key."""

class Lamp(Process):
    """A lamp."""
    lit: bool

    @handler
    def turn_off(self) -> None:
        """Turn it off."""
        require(self.lit)
        self.lit = False

class Room(System):
    """A room with lamps."""
    lamps: Each[Key, Lamp]
    kept: Set[Key]
    line: Annotated[Seq[Key], 2]

    @action
    def act(self, key: Key, other: Key) -> None:
        """Act."""
        {body}

MODEL = Model("room", Room, (), (Instance("two", "two lamps", {{Key: 2}}),))
'''


def written(body: str, folder: Path) -> str:
    """Return the model of a room."""
    model = module_of(SOURCE.format(body=body), folder)
    return promela_model(bind(model, model.instances[0])).text


@pytest.mark.parametrize(
    ("body", "guard"),
    [
        ("self.lamps[key].turn_off()", "lamps_lit[key]"),
        (
            "self.lamps[other].turn_off(); self.lamps[key].turn_off()",
            "lamps_lit[other] && ((other != key) && lamps_lit[key])",
        ),
        (
            "self.kept.add(other)\n        if key in self.kept: self.lamps[key].turn_off()",
            "!HAS(kept | BIT(other), key) || lamps_lit[key]",
        ),
        (
            "for k in self.kept: self.lamps[k].turn_off()",
            "(!HAS(kept, 0) || lamps_lit[0]) && (!HAS(kept, 1) || lamps_lit[1])",
        ),
        (
            "least = min(self.kept); self.lamps[least].turn_off()",
            "(kept == 0) || lamps_lit[LEAST_2(kept)]",
        ),
        (
            "self.line.append(key)\n        if self.line[0] == key: self.lamps[key].turn_off()",
            "!(((line_len == 0) -> key : line[0]) == key) || !(line_len < 2) || lamps_lit[key]",
        ),
    ],
)
def test_what_is_required_after_a_write_is_asked_before(
    body: str, guard: str, tmp_path: Path
) -> None:
    (line,) = (
        text
        for text in written(body, tmp_path).splitlines()
        if text.endswith(" ->") and "d_step" in text
    )
    assert line == f"  d_step {{ {guard} ->"


@pytest.mark.parametrize(
    ("body", "fails"),
    [
        ("assert key in self.kept", "!HAS(kept, key) -> NoAssertionFails = false"),
        ("self.line.append(min(self.kept))", "!(line_len < 2) || (kept == 0) -> StepsAreDefined"),
        ("if key in self.kept: self.line.pop(0)", "HAS(kept, key) && (line_len == 0) ->"),
    ],
)
def test_when_a_step_fails_is_known_before_it_is_taken(
    body: str, fails: str, tmp_path: Path
) -> None:
    assert f"    :: {fails}" in written(body, tmp_path)


def test_what_is_required_is_not_asked_again(tmp_path: Path) -> None:
    text = written("require(len(self.line) < 2); self.line.append(key)", tmp_path)
    assert "StepsAreDefined" not in text
