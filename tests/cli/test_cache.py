"""What was searched before is told from the cache, says so, and ends with the same exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from ackproof.cli.main import app
from ackproof.model.cache import OUTCOMES, VARIABLE
from ackproof.model.document import schema
from ackproof.model.era_document import schema as era_schema
from typer.testing import CliRunner, Result

Run = Callable[..., Result]

SAYS = "from the cache, searched on 20"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run commands with a cache of their own."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))

    def invoke(*args: str) -> Result:
        result = CliRunner().invoke(app, list(args))
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return invoke


HASTY = ("check", "docs/examples/hasty.py", "-p", "ConfirmedSurvives", "-i", "power")


def without_cached(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("  cached ")]


def test_a_report_from_the_cache_says_so_and_is_otherwise_the_same(run: Run) -> None:
    first, second = run(*HASTY), run(*HASTY)
    assert first.exit_code == second.exit_code == 1
    assert SAYS not in first.stdout
    assert SAYS in second.stdout
    assert without_cached(second.stdout) == first.stdout.splitlines()


def test_json_has_the_time_of_the_search(run: Run) -> None:
    first, second = (json.loads(run(*HASTY, "--json").stdout) for _ in range(2))
    for document in (first, second):
        jsonschema.validate(document, schema())
    assert first["results"][0]["cached"] is None
    assert second["results"][0]["cached"].startswith("20")
    second["results"][0]["cached"] = None
    assert first == second


def test_no_cache_searches_anew_and_keeps_nothing_of_what_it_finds(
    run: Run, tmp_path: Path
) -> None:
    assert SAYS not in run(*HASTY, "--no-cache").stdout
    assert not (tmp_path / "cache" / OUTCOMES).exists()
    run(*HASTY)
    assert SAYS not in run(*HASTY, "--no-cache").stdout


def test_the_museum_says_how_much_is_from_the_cache(run: Run) -> None:
    words = ("museum", "ack_on_channel", "--engine", "plain")
    first, second, anew = run(*words), run(*words), run(*words, "--no-cache")
    assert [r.exit_code for r in (first, second, anew)] == [0, 0, 0]
    count = first.stdout.count("✓")
    said = f"{count} of {count} are from the cache, searched on 20"
    assert [said in r.stdout for r in (first, second, anew)] == [False, True, False]
    found = json.loads(run(*words, "--json").stdout)
    assert all(r["cached"] for r in found["results"])


def test_several_checks_are_told_apart_in_their_table(run: Run) -> None:
    run("check", "-i", "tiny")
    lines = run("check", "-i", "tiny", "-i", "power").stdout.splitlines()
    (tiny,) = (line for line in lines if " tiny " in line)
    (power,) = (line for line in lines if " power " in line)
    assert " s)" in tiny
    assert " s)" not in power
    assert any(line.startswith("1 of 2 are from the cache") for line in lines)


def test_eras_say_how_many_runs_are_from_the_cache(run: Run) -> None:
    words = ("eras", "tests/model/harbour.py", "--engine", "plain")
    first, second = run(*words), run(*words)
    assert first.exit_code == second.exit_code == 0
    said = "3 runs are from the cache; --no-cache searches anew"
    assert [said in r.stdout for r in (first, second)] == [False, True]
    assert said not in run(*words, "--no-cache").stdout
    document = json.loads(run(*words, "--json").stdout)
    jsonschema.validate(document, era_schema())
    assert all(r["cached"] for r in document["runs"])


def test_a_search_that_is_to_be_stopped_early_is_stopped_early(run: Run) -> None:
    words = ("check", "-i", "tiny")
    assert run(*words).exit_code == 0
    assert run(*words, "--depth", "2").exit_code == 3
    assert SAYS in run(*words, "--depth", "2").stdout


def test_a_cache_that_cannot_be_written_is_said_and_changes_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "below"))
    for _ in range(2):
        result = run("check", "-i", "tiny")
        assert result.exit_code == 0
        assert result.stderr.count("cannot be written: Not a directory") == 1
        assert SAYS not in result.stdout


def test_a_changed_design_is_searched_again(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = Path("docs/examples/hasty.py").read_text()
    environment = {**os.environ, VARIABLE: str(tmp_path / "cache")}

    def printed(source: str) -> str:
        file.write_text(source)
        words = ("check", str(file), "-i", "tiny", "-p", "NoAckBeforeDurable")
        return subprocess.run(
            [sys.executable, "-m", "ackproof.cli", *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        ).stdout

    assert SAYS not in printed(text)
    assert SAYS in printed(f"# A comment changes nothing.\n{text}")
    assert SAYS not in printed(text.replace("self.confirm(msg)", "pass"))


_IMPORTED = """
import sys
from ackproof.cli.__main__ import main
try:
    main()
except SystemExit as ended:
    heavy = ("numba", "scipy", "z3", "networkx", "pydantic", "ackproof.lang.frontend")
    print([name for name in heavy if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize("anew", [(), ("--no-cache",)])
def test_a_second_check_imports_neither_compilers_nor_solvers(
    tmp_path: Path, anew: tuple[str, ...]
) -> None:
    words = [sys.executable, "-c", _IMPORTED, "check", "--instance", "tiny", *anew]
    env = {**os.environ, VARIABLE: str(tmp_path)}
    for _ in range(2):
        ended = subprocess.run(words, env=env, capture_output=True, text=True)
    assert "verified" in ended.stdout
    assert ended.stderr.splitlines()[-1] == "[]"


LAMP = '''
from ackproof.lang import *
class Lamp(System):
    on: bool = False
    @action
    def switch(self) -> None:
        self.on = {}
@invariant
def IsOff(s: Lamp) -> bool:
    """It is dark."""
    return not s.on
MODEL = Model("lamp", Lamp, properties_in(IsOff), (Instance("one", "", {{}}),))
'''


def test_files_of_one_name_are_told_apart(run: Run, tmp_path: Path) -> None:
    files = []
    for folder, becomes in (("dark", "False"), ("light", "True")):
        files.append(str(tmp_path / folder / "lamp.py"))
        Path(files[-1]).parent.mkdir()
        Path(files[-1]).write_text(LAMP.format(becomes))
        os.utime(files[-1], (0, 0))  # what is newer than the process is not kept
    for _ in range(2):
        found = json.loads(run("check", *files, "--json").stdout)["results"]
        assert [one["verdict"] for one in found] == ["verified", "violated"]
