"""What tests of `ackproof check` run it on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

ROOT = Path(__file__).parents[2]
MAIL = str(ROOT / "tests/model/mailroom.py")
DEPOT = str(ROOT / "tests/model/lower/depot.py")
DIE_HARD = str(ROOT / "tests/models/die_hard.py")
DINING = str(ROOT / "tests/models/dining.py")
TWO_PHASE = str(ROOT / "tests/models/two_phase_commit.py")


Run = Callable[..., Result]


CORRIDOR = """
from typing import Annotated
from ackproof.lang import *

class Corridor(System):
    at: Annotated[int, Range(0, 2)]

    @action
    def walk(self) -> None:
        require(self.at < 2)
        self.at += 1

class Hall(Corridor):
    @action
    def walk(self) -> None:
        super().walk()

MODEL = Model("corridor", Corridor, (), (Instance("one", "it ends", {}),))
"""
