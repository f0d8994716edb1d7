"""A long run draws from a new seed, says which one, and fails again with it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import exploring
from tests.exploring import FACTOR

ROOT = Path(__file__).resolve().parents[1]

PLANTED = """
import pytest
from hypothesis import Phase, given, settings, strategies as st
from tests.exploring import chance, examples, seeds

@settings(phases=[Phase.reuse, Phase.generate], max_examples=examples(3))
@given(st.integers(0, 10**9))
def test_drawn_by_hypothesis(number):
    assert number < 10, f"drew {number}"

def test_drawn_by_chance():
    assert False, f"drew {chance('planted').randrange(10**9)}"

@pytest.mark.parametrize("seed", seeds(1))
def test_drawn_by_seeds(seed):
    assert False, f"drew {seed}"
"""


def run(folder: Path, *options: str, tests: Sequence[str] = ("planted.py",)) -> str:
    """Run the planted failures as tests of ours, and return what is printed."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", *options, *tests],
        cwd=folder,
        env={"PYTHONPATH": f"{ROOT}:{':'.join(sys.path)}", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def drawn(printed: str) -> list[str]:
    """Return what the planted failures drew, in their order."""
    return re.findall(r"^E +AssertionError: (drew \d+)$", printed, re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "planted.py").write_text(PLANTED)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def test_otherwise_the_same_is_drawn_every_time(folder: Path) -> None:
    one, other = run(folder), run(folder, "-n", "2")
    assert sorted(drawn(one)) == sorted(drawn(other))
    assert "drew 0" in drawn(one)
    assert "repeat:" not in one


def test_a_long_run_draws_from_a_new_seed_and_what_fails_fails_again(folder: Path) -> None:
    first = run(folder, "--long", "-n", "2")
    commands = re.findall(r"^repeat: pytest (--long --seed=\d+) '(.*)'$", first, re.MULTILINE)
    assert len(commands) == len(drawn(first)) == 2 + FACTOR

    shutil.rmtree(folder / ".hypothesis")
    repeated = run(folder, *commands[0][0].split(), tests=[test for _, test in commands])
    assert sorted(drawn(repeated)) == sorted(drawn(first))


def test_another_long_run_tries_first_what_has_failed_before(folder: Path) -> None:
    one, other = (set(drawn(run(folder, "--long"))) for _ in range(2))
    assert len(one & other) == 1
    assert len(one) == len(other) == 2 + FACTOR


def test_a_long_run_takes_all_cases_and_any_other_the_same_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exploring, "_factor", 1)
    few = exploring.sample(range(40), 5)
    assert len(set(few)) == 5
    assert few == exploring.sample(range(40), 5)
    assert exploring.sample(range(3), 5) == [0, 1, 2]
    monkeypatch.setattr(exploring, "_factor", FACTOR)
    assert exploring.sample(range(40), 5) == list(range(40))
