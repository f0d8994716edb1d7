"""`ackproof check` by the plain engine, and files of a user to give to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ackproof.cli.main import app
from typer.testing import CliRunner, Result

from tests.cli.checking import ROOT, Run


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")

    def invoke(*args: str) -> Result:
        result = CliRunner().invoke(app, ["check", "--engine", "plain", *args])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return invoke


CARELESS = """
from ackproof.lang import *
from tests.model import mailroom
from tests.model.mailroom import Box, Letter, Shelf

MODEL = mailroom.MODEL
instances = (Instance("dry", "nothing burns", {Letter: 1, Box: 1}),)


class Leaking(Shelf):
    @handler
    def store(self, letter: Letter) -> None:
        self.stored = set()


design = Design(
    claim="a shelf need not keep letters",
    replace=(Leaking,),
    expect=(Breaks("NothingIsLost", "dry", %d), Holds("dry", "StepsAreDefined"),
            Breaks("ToldIsKept", "dry", 3)),
)
"""


@pytest.fixture
def careless(tmp_path: Path) -> Callable[[int], str]:
    def write(steps: int) -> str:
        file = tmp_path / f"careless{steps}.py"
        file.write_text(CARELESS % steps)
        return str(file)

    return write


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path / "mine.py"
        path.write_text(text)
        return str(path)

    return write
