"""`ackproof check --engine spark` says what it needs, what it found, and where it keeps it.

The cluster here is a stand-in, which searches in this process and needs no Java.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest
from ackproof.cli.main import app
from ackproof.cli.progress import Watch, level_line
from ackproof.lang.binding import Bound
from ackproof.model.document import schema
from ackproof.model.outcome import Kept, Limit, Outcome, Progress
from ackproof.model.plain_search import explore
from ackproof.pipeline.errors import SearchRefused, SparkUnavailable
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parents[2]
DIE_HARD = str(ROOT / "tests/models/die_hard.py")
DINING = str(ROOT / "tests/models/dining.py")

#: What a cluster adds to what the plain engine finds.
KEPT = Kept("local[2]", 7, "found/die-hard-jugs", 3 << 20)


@dataclass
class StandIn:
    """Searches in this process, as a cluster would."""

    asked: dict[str, Any] = field(default_factory=dict)
    kept: Kept = KEPT
    closed: int = 0
    opened: int = 0
    changes: dict[str, Any] = field(default_factory=dict)
    fault: Exception | None = None

    def explorer(self, *, say: Callable[[str], None], **asked: Any) -> StandIn:
        self.opened += 1
        self.asked = asked
        say("Spark's page: http://127.0.0.1:4040")
        return self

    def __call__(self, bound: Bound, **options: Any) -> Outcome:
        if self.fault is not None:
            raise self.fault
        tell = options["progress"]
        tell(Progress(states=1, generated=1, queue=1, levels=1, memory=0, seconds=0.5))
        tell(Progress(states=9, generated=12, queue=8, levels=2, memory=0, seconds=2.5))
        found = explore(bound, **{**options, "progress": None})
        spread = replace(found, engine="spark", memory=0, workers=2, kept=self.kept)
        return replace(spread, **self.changes)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Stand in for the engine; return what stands in."""
    made = StandIn()
    module = ModuleType("ackproof.pipeline.search")
    vars(module).update(explorer=made.explorer)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr("ackproof.pipeline.java.require_packages", lambda: None)
    return made


Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")

    def invoke(*args: str) -> Result:
        result = CliRunner().invoke(app, ["check", *args])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return invoke


def spark(*args: str) -> list[str]:
    return [*args, "--engine", "spark", "--work", "found"]


@pytest.mark.usefixtures("stand_in")
def test_the_report_says_where_the_states_are_and_on_what_they_were_found(run: Run) -> None:
    result = run(*spark(DIE_HARD))
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert "  stored       3 MiB in found/die-hard-jugs" in lines
    assert "  engine       spark, 7 partitions, local[2]" in lines
    assert [line for line in lines if line.startswith("  time ") and ": starting " in line]
    assert not [line for line in lines if line.startswith("  memory ")]
    assert lines[-1] == "violated  NeverFourGallons after 6 steps"


def test_a_search_that_was_resumed_says_after_which_level(run: Run, stand_in: StandIn) -> None:
    stand_in.kept = replace(KEPT, partitions=1, resumed=4)
    stand_in.changes = {"seconds": 2.0}
    said = run(*spark(DIE_HARD, "--resume")).stdout
    assert "  engine       spark, 1 partition, local[2], resumed after level 4\n" in said
    assert "searching 2.00 s (3 states/s)\n" in said
    assert stand_in.asked["resume"] is True


def test_what_is_stored_of_each_state_is_told_where_there_are_many(
    run: Run, stand_in: StandIn
) -> None:
    stand_in.changes = {"states": 3 << 15}
    assert "  stored       3 MiB (32 bytes per state) in found/" in run(*spark(DIE_HARD)).stdout


def test_memory_is_shown_where_the_properties_of_runs_took_some(
    run: Run, stand_in: StandIn
) -> None:
    stand_in.changes = {"memory": 5 << 20}
    said = run(*spark(DIE_HARD, "--memory", "1G")).stdout
    assert "  memory       5 MiB of 1.0 GiB allowed, for the properties of runs\n" in said


@pytest.mark.usefixtures("stand_in")
def test_each_level_and_the_address_of_the_page_go_to_standard_error(run: Run) -> None:
    assert run(*spark(DIE_HARD)).stderr == (
        "Spark's page: http://127.0.0.1:4040\n"
        "die_hard on jugs  level 1  1 new  1 states  2/s  0.5 s  6 %\n"
        "die_hard on jugs  level 2  8 new  9 states  4/s  2.0 s  56 %\n"
    )


def test_a_level_is_told_with_its_states_rate_and_time() -> None:
    at = Progress(states=3_000, generated=9_000, queue=400, levels=7, memory=0, seconds=9.0)
    line = "core  level 7  400 new  3,000 states  200/s  2.0 s"
    assert level_line("core", at, None, 2.0) == line
    assert level_line("core", at, 12_000, 2.0) == f"{line}  25 %"
    assert level_line("core", at, None, 0.0) == line.replace("200/s  2.0", "0/s  0.0")


def test_a_level_without_new_states_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    with Watch("core", None, in_levels=True) as watch:
        watch(Progress(states=3, generated=5, queue=0, levels=2, memory=0, seconds=1.0))
    assert capsys.readouterr().err == ""


def test_a_level_has_a_line_that_stays_on_a_terminal_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Watch("core", None, in_levels=True) as watch:
        for level in (1, 2):
            watch(Progress(level, level, 1, level, 0, 0.1 * level))
    assert capsys.readouterr().err == (
        "core  level 1  1 new  1 states  10/s  0.1 s\ncore  level 2  1 new  2 states  10/s  0.1 s\n"
    )


def test_an_interrupted_search_says_that_it_can_be_resumed(run: Run, stand_in: StandIn) -> None:
    stand_in.changes = {"limit": Limit.INTERRUPTED, "exhausted": False}
    result = run(*spark(DINING))
    assert result.exit_code == 3
    assert result.stdout.endswith(
        "\ntruncated  it was interrupted, and --resume goes on after level 10; "
        "no property is false in what was seen\n"
    )


@pytest.mark.usefixtures("stand_in")
def test_json_says_where_it_ran_and_fits_its_schema(run: Run) -> None:
    result = run(*spark(DIE_HARD, "--json"))
    found = json.loads(result.stdout)
    jsonschema.validate(found, schema())
    (entry,) = found["results"]
    assert (entry["engine"], entry["workers"], entry["memory"]["bytes"]) == ("spark", 2, 0)
    assert entry["kept"] == {
        "master": "local[2]",
        "partitions": 7,
        "folder": "found/die-hard-jugs",
        "stored_bytes": 3 << 20,
        "resumed_levels": 0,
    }


def test_the_engine_is_opened_once_for_all_checks_and_closed(run: Run, stand_in: StandIn) -> None:
    result = run(*spark(DIE_HARD, DINING, "--master", "local[3]", "--partitions", "5"))
    assert result.exit_code == 1
    assert (stand_in.opened, stand_in.closed) == (1, 1)
    assert stand_in.asked == {
        "work": Path("found"),
        "master": "local[3]",
        "partitions": 5,
        "resume": False,
    }


@pytest.mark.parametrize(
    "fault",
    [
        SearchRefused("found/die-hard-jugs has a search of another instance\n  instead: remove it"),
        SparkUnavailable("there is no Java\n  instead: install Java 17"),
    ],
)
def test_what_the_engine_refuses_is_one_message(
    run: Run, stand_in: StandIn, fault: Exception
) -> None:
    stand_in.fault = fault
    result = run(*spark(DIE_HARD))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[1:] == f"error: {fault}".splitlines()
    assert stand_in.closed == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            ["--engine", "spark"],
            "--engine spark needs a directory for what it finds\n"
            "  instead: add --work DIR; on a cluster, one that all machines share",
        ),
        (
            spark("--workers", "2"),
            "--workers has no effect with --engine spark, which runs where its master says\n"
            "  instead: --master 'local[2]'",
        ),
        (
            ["--engine", "spark", "--work", "README.md"],
            "--work README.md is a file; name a directory",
        ),
        (
            ["--master", "local[2]"],
            "--master goes with --engine spark only; leave it out, or add --engine spark",
        ),
        (
            ["--master", "local[2]", "--work", "found"],
            "--master goes with --engine spark only; leave it out, or add --engine spark",
        ),
        *(
            (
                args,
                f"{args[0]} is for a search that is kept in files\n"
                "  instead: add --work DIR, or leave it out",
            )
            for args in (["--partitions", "2"], ["--resume"])
        ),
        (
            ["--engine", "plain", "--work", "found"],
            "--work has no effect with --engine plain, which keeps nothing in files\n"
            "  instead: leave out one of the two",
        ),
        (
            ["--symmetry", "--work", "found"],
            "--symmetry has no effect with --work; leave out one of the two",
        ),
    ],
)
def test_options_that_do_not_fit_the_engine_are_refused(
    run: Run, stand_in: StandIn, args: list[str], said: str
) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {said}\n"
    assert stand_in.opened == 0


@pytest.mark.parametrize("number", ["0", "65536", "many"])
def test_a_number_of_partitions_that_is_none_is_refused(run: Run, number: str) -> None:
    result = run(*spark("--partitions", number))
    assert result.exit_code == 2
    assert "'--partitions'" in result.stderr


FARMS = (
    ["check", "--museum"],
    ["check", DIE_HARD, "--sweep", "10"],
    ["museum"],
    ["eras"],
    ["mutate", DIE_HARD],
)


@pytest.mark.parametrize("command", FARMS[:2])
@pytest.mark.parametrize("engine", ["kernel", "spark"])
def test_what_is_for_one_large_search_is_refused_where_there_are_many(
    command: list[str], engine: str
) -> None:
    for option, *value in (["--work", "found"], ["--partitions", "3"], ["--resume"]):
        result = CliRunner().invoke(app, [*command, "--engine", engine, option, *value])
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            f"error: {option} is for one large search, and here there are many\n"
            "  instead: leave it out; what is found is kept in the cache, and the same command "
            "goes on\n"
        )


@pytest.mark.parametrize("command", FARMS)
def test_who_divides_the_work_is_said_by_one_of_two_options(command: list[str]) -> None:
    result = CliRunner().invoke(app, [*command, "--engine", "spark", "--workers", "2"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "instead: --master 'local[2]'" in result.stderr
    result = CliRunner().invoke(app, [*command, "--master", "local[2]"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: --master goes with --engine spark only;")


def test_help_says_what_goes_with_spark() -> None:
    said = " ".join(CliRunner().invoke(app, ["check", "--help"]).stdout.split())
    assert "ackproof check -i deep --work /data/found" in said
    for option in ("--master", "--partitions", "--work", "--resume"):
        assert option in said


# -- a search of this process that is kept -----------------------------------------------------


def test_the_report_of_a_kept_search_says_what_it_held_and_where_it_is(
    run: Run, tmp_path: Path
) -> None:
    result = run(DINING, "--work", str(tmp_path), "--workers", "2", "--depth", "4")
    assert result.exit_code == 3
    where = f"{tmp_path}/dining-philosophers-seats3"
    assert result.stderr.startswith(f"the search is kept in {where}\ndining on seats3  level 1  ")
    assert f" in {where}\n  memory       " in result.stdout
    assert "  engine       kernel, 4 partitions, 2 workers\n" in result.stdout
    result = run(DINING, "--work", str(tmp_path), "--workers", "2", "--resume")
    assert result.exit_code == 0
    assert (
        "  engine       kernel, 4 partitions, 2 workers, resumed after level 4\n" in result.stdout
    )
    entry = json.loads(run(DINING, "--work", str(tmp_path), "--resume", "--json").stdout)
    jsonschema.validate(entry, schema())
    (kept,) = (found["kept"] for found in entry["results"])
    assert (kept["master"], kept["partitions"], kept["folder"]) == (None, 4, where)


def test_a_kept_search_without_memory_says_how_it_goes_on(run: Run, tmp_path: Path) -> None:
    two_phase = str(ROOT / "tests" / "models" / "two_phase_commit.py")
    result = run(two_phase, "-i", "rm7", "--work", str(tmp_path), "--memory", "2M")
    assert result.exit_code == 3
    (level,) = re.findall(
        r"\ntruncated  the memory limit was reached; --resume goes on after level (\d+), with more "
        r"--memory or with --engine spark; no property is false in what was seen\n$",
        result.stdout,
    )
    assert int(level) > 5


def test_watching_keeps_nothing(run: Run, tmp_path: Path) -> None:
    result = run(DINING, "--watch", "--work", str(tmp_path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--work is for others" in result.stderr


def test_the_engine_that_holds_keys_is_named_and_goes_on_with_what_another_began(
    run: Run, tmp_path: Path
) -> None:
    where = ("-i", "trio", "--work", str(tmp_path))
    begun = run(*where, "--depth", "9")
    assert begun.exit_code == 3
    result = run(*where, "--engine", "collapsed", "--resume", "--json")
    (found,) = json.loads(result.stdout)["results"]
    assert found["engine"] == "collapsed"
    whole = run("-i", "trio", "--json", "--no-cache")
    (expected,) = json.loads(whole.stdout)["results"]
    assert expected["engine"] == "kernel"
    same = ("states", "transitions", "levels", "verdict")
    assert [found[what] for what in same] == [expected[what] for what in same]
