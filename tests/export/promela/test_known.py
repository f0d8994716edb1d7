"""What is known to hold is not required again, and is not known for longer than it holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.export.promela.known import without_known
from ackproof.lang import ir
from ackproof.lang.binding import bind

from tests.model.loading import module_of

SOURCE = '''
"""Requirements."""
from __future__ import annotations
from ackproof.lang import *

class Key(Sort):
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
    dark: bool
    count: bool

    @action
    def act(self, key: Key, other: Key) -> None:
        """Act."""
        {body}

MODEL = Model("room", Room, (), (Instance("two", "two lamps", {{Key: 2}}),))
'''

LIT, OFF = "require(self.lamps[key].lit)", "self.lamps[key].turn_off()"
IF_DARK = "\n        if self.dark:"


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("self.lamps[key].turn_off()", 1),
        ("require(self.lamps[key].lit); self.lamps[key].turn_off()", 1),
        ("require(self.lamps[key].lit); self.dark = True; self.lamps[key].turn_off()", 1),
        ("require(self.lamps[other].lit); self.lamps[key].turn_off()", 2),
        ("self.lamps[other].turn_off(); self.lamps[key].turn_off()", 2),
        ("if self.lamps[key].lit and self.dark: self.lamps[key].turn_off()", 0),
        ("lit = self.lamps[key].lit\n        if lit: self.lamps[key].turn_off()", 0),
        (
            "if not self.lamps[key].lit: pass\n        else: self.lamps[key].turn_off()",
            0,
        ),
        ("if self.lamps[key].lit: self.dark = True\n        self.lamps[key].turn_off()", 1),
        (f"{LIT}{IF_DARK} {OFF}\n        {OFF}", 2),
        (f"{LIT}\n        for k in Key: self.lamps[k].turn_off()\n        {OFF}", 3),
        ("for k in Key:\n            if self.lamps[k].lit: self.lamps[k].turn_off()", 0),
    ],
)
def test_a_fact_is_known_until_what_it_speaks_of_is_written(
    body: str, left: int, tmp_path: Path
) -> None:
    model = module_of(SOURCE.format(body=body), tmp_path)
    (action,) = bind(model, model.instances[0]).actions
    found = [n for s in without_known(action.body) for n in ir.walk(s) if isinstance(n, ir.Require)]
    assert len(found) == left
