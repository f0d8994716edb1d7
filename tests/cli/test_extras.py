"""What is not installed with the broker is asked for by the name of its extra."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from ackproof.cli.extras import EXTRAS, missing_extra

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]

#: Distributions that are called otherwise than their modules.
_MODULES = {"z3-solver": "z3"}

#: Runs a command where a module is not installed, as far as it can tell.
_WITHOUT = """
import sys
sys.modules[{module!r}] = None
sys.argv = ["ackproof", *{words!r}]
from ackproof.cli.__main__ import main
main()
"""


def modules(requirements: list[str]) -> set[str]:
    """Return the modules that requirements bring, but for those of extras of ours."""
    names = {re.split(r"[>=\[]", one, maxsplit=1)[0] for one in requirements}
    return {_MODULES.get(name, name) for name in names - {PROJECT["name"]}}


def run_without(module: str, *words: str) -> subprocess.CompletedProcess[str]:
    code = _WITHOUT.format(module=module, words=words)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_brings_what_it_is_named_for(extra: str) -> None:
    assert modules(PROJECT["optional-dependencies"][extra]) == EXTRAS[extra]


def test_all_extras_are_one() -> None:
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert everything == f"ackproof[{','.join(EXTRAS)}]"


def test_what_the_broker_brings_is_in_no_extra() -> None:
    assert not modules(PROJECT["dependencies"]) & frozenset().union(*EXTRAS.values())


@pytest.mark.parametrize(
    ("module", "extra", "words"),
    [
        ("llvmlite", "check", ["check", "--instance", "tiny"]),
        ("networkx", "check", ["check", "--instance", "tiny", "--engine", "plain"]),
        ("numpy", "check", ["simulate", "--instance", "tiny", "--walks", "1"]),
        ("z3", "prove", ["prove", "SettledOnce"]),
    ],
)
def test_a_command_says_which_extra_it_needs(module: str, extra: str, words: list[str]) -> None:
    found = run_without(module, *words)
    assert found.returncode == 2
    assert found.stderr.endswith(
        f"error: {module} is needed for this, and is not installed\n"
        f"  instead: pip install 'ackproof[{extra}]'\n"
    )


@pytest.mark.parametrize(("command", "extra"), [("audit", "audit"), ("check", "check")])
def test_what_two_extras_bring_is_installed_with_that_of_the_command(
    command: str, extra: str
) -> None:
    found = missing_extra(ModuleNotFoundError(name="numpy.linalg"), command)
    assert found is not None
    assert f"ackproof[{extra}]" in found


def test_what_no_extra_brings_is_a_defect() -> None:
    assert missing_extra(ModuleNotFoundError(name="ackproof.nothing"), "check") is None
    assert run_without("ackproof.model.check", "check", "--instance", "tiny").returncode == 70


@pytest.mark.parametrize("module", sorted(frozenset().union(*EXTRAS.values())))
def test_a_broker_starts_without_any_extra(module: str) -> None:
    found = run_without(module, "serve", "--help")
    assert found.returncode == 0, found.stderr
