"""The README is true: its design is the example, and its commands print what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from specdoc.commands import anywhere, run_command

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text()
SHOWN = re.findall(r"```console\n\$ (ackproof .+)\n((?:.*\n)+?)```", TEXT)

#: Lines that tell of the machine, or of this run of the command.
_VARIES = re.compile(r"  (time|memory|engine|cached) |\d+ of \d+ obligations are proved, in")


DESIGN, TEST = re.findall(r"```python\n(.+?)```", TEXT, flags=re.DOTALL)


def test_the_design_is_the_example_file() -> None:
    assert (ROOT / "docs" / "examples" / "hasty.py").read_text() == DESIGN
    assert 10 <= len(DESIGN.splitlines()) <= 15


def test_the_test_passes_with_the_code_that_the_documentation_shows(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "oracle.rst").read_text()
    block = re.search(r"code-block:: python\n\n((?:   .*\n|\n)+)", page)
    assert block is not None
    (tmp_path / "test_it.py").write_text(f"{textwrap.dedent(block[1])}\n\n{TEST}")
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "ackproof.impl.pytest_plugin"],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in result.stdout, result.stdout


def test_there_is_output_to_compare() -> None:
    assert len(SHOWN) == 3


@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command for command, _ in SHOWN])
def test_a_command_prints_what_is_shown(command: str, shown: str) -> None:
    _, printed = run_command(command, columns=80)
    lines = iter(printed.splitlines())
    for line in shown.splitlines():
        if line.strip() != "…" and not _VARIES.match(line):
            assert line in lines, f"{line!r} is not printed, or not there"


@pytest.mark.parametrize("target", re.findall(r"\]\(([^):]+)\)", TEXT))
def test_a_link_leads_to_a_file(target: str) -> None:
    assert (ROOT / target).is_file()


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", TEXT, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)


def test_a_page_shows_nothing_of_the_machine_that_it_was_built_on() -> None:
    printed = (
        "  states       490 distinct\n"
        "  time         1.66 s: compiling 0.22 s, searching 0.01 s (296,885 states/s)\n"
        "  memory       52 KiB of 16.0 GiB allowed\n"
        "  engine       kernel, 2 workers\n"
        "  cached       from the cache, searched on 2026-11-22 10:21:20 UTC; time and memory …\n"
        "126 of 126 obligations are proved, in 3.4 s with 2 workers\n"
        "1 of 2 are from the cache, searched on 2026-11-22\n"
    )
    assert anywhere(printed) == (
        "  states       490 distinct\n126 of 126 obligations are proved, in … s with 2 workers"
    )
