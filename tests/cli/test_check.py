"""`ackproof check` shows what it found, in the form and with the exit code that it promises."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from ackproof.cli.main import app
from ackproof.cli.progress import Watch, progress_line
from ackproof.model.document import schema
from ackproof.model.outcome import Progress
from typer.testing import CliRunner, Result

ROOT = Path(__file__).parents[2]
MAIL = str(ROOT / "tests/model/mailroom.py")
DEPOT = str(ROOT / "tests/model/lower/depot.py")
DIE_HARD = str(ROOT / "tests/models/die_hard.py")
DINING = str(ROOT / "tests/models/dining.py")
TWO_PHASE = str(ROOT / "tests/models/two_phase_commit.py")

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")

    def invoke(*args: str) -> Result:
        result = CliRunner().invoke(app, ["check", "--engine", "plain", *args])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return invoke


DIE_HARD_TRACE = """\
die hard on jugs
  three and five gallons

NeverFourGallons is false after 6 steps; no shorter run does it
  The puzzle has no solution; it is false.  [tests/models/die_hard.py:58]

     DieHard
        │
  1     ●    fill_big()
        │      big  0 → 5
  2     ●    big_to_small()
        │      small  0 → 3
        │      big  5 → 2
  3     ●    empty_small()
        │      small  3 → 0
  4     ●    big_to_small()
        │      small  0 → 2
        │      big  2 → 0
  5     ●    fill_big()
        │      big  0 → 5
  6     ●    big_to_small()
        │      small  2 → 3
        │      big  5 → 4

  (● the process that acts)

  s.big == 4   is True and must not be
    where  s.big = 4

  states       14 distinct
  transitions  72
  depth        7 levels, the widest of 3 states
"""


def test_a_violation_is_shown_with_its_trace_its_reason_and_the_counts(run: Run) -> None:
    result = run(DIE_HARD)
    assert result.exit_code == 1
    assert result.stdout.startswith(DIE_HARD_TRACE)
    assert result.stdout.endswith("\nviolated  NeverFourGallons after 6 steps\n")
    assert result.stderr == ""


def test_without_a_violation_the_verdict_and_the_counts_are_shown(run: Run) -> None:
    result = run(DINING)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "dining philosophers on seats3  (3 Seat)"
    assert "  states       35 distinct" in lines
    assert "  properties   4 hold, 1 reached as they should be" in lines
    assert "  actions      5 taken" in lines
    assert lines[-1] == "verified  every property holds in the whole state space"


SEVERAL = (MAIL, "-i", "pair", "--continue")


def broken_and_lengths(result: Result) -> dict[str, int]:
    found = json.loads(result.stdout)["results"][0]["violations"]
    return {v["property"]: v["steps"] for v in found}


def test_the_first_violation_ends_a_search_and_the_report_says_how_to_go_on(run: Run) -> None:
    result = run(MAIL, "-i", "pair")
    assert "  (--verbose names them; --continue decides what is undecided)\n" in result.stdout
    assert len(broken_and_lengths(run(MAIL, "-i", "pair", "--json"))) < len(
        broken_and_lengths(run(*SEVERAL, "--json"))
    )


@pytest.mark.parametrize("engine", ["plain", "kernel"])
def test_with_continue_all_that_breaks_is_said_and_the_shortest_run_is_shown(
    run: Run, engine: str
) -> None:
    lengths = broken_and_lengths(run(*SEVERAL, "-e", engine, "--json"))
    result = run(*SEVERAL, "-e", engine)
    assert result.exit_code == 1
    shown, _, listed = result.stdout.partition(
        "\nalso false, by other runs, which --verbose shows:\n"
    )
    rows = dict(re.findall(r"^  (\w+) +after (\d+) step", listed, re.MULTILINE))
    assert shown.count("; no shorter run does it\n") == 1
    assert {name for name in lengths if f"\n{name} is false" not in shown} == set(rows)
    assert all(lengths[name] == int(steps) for name, steps in rows.items())
    assert f"is false after {min(lengths.values())} step" in shown
    assert "undecided" not in result.stdout
    assert "--continue" not in result.stdout


def test_with_verbose_every_run_is_shown(run: Run) -> None:
    shown = run(*SEVERAL, "--verbose").stdout
    for name in broken_and_lengths(run(*SEVERAL, "--json")):
        assert re.search(rf"^{name} (is|stays) false", shown, re.MULTILINE)


def test_the_verdict_names_a_few_of_what_breaks_and_counts_the_rest(run: Run) -> None:
    broken = broken_and_lengths(run(*SEVERAL, "--json"))
    verdict = run(*SEVERAL).stdout.splitlines()[-1]
    assert verdict.count(" after ") == min(len(broken), 3)
    assert verdict.endswith(f", and {len(broken) - 3} more") == (len(broken) > 3)


def test_going_on_after_a_violation_still_tells_a_design_that_changes_nothing(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "first.py"
    file.write_text(FIRST_DECIDES)
    assert (
        run(str(file), "-i", "tiny", "--continue").stdout.splitlines()[-1].startswith("unchanged  ")
    )


def test_what_never_happened_is_named(run: Run) -> None:
    result = run(MAIL, "-i", "small", "-p", "Impossible")
    assert result.exit_code == 3
    assert "  never reached: Impossible\n" in result.stdout
    assert result.stdout.endswith("\nunwitnessed  Impossible is never reached\n")


def test_what_the_instance_leaves_out_is_named_on_its_own(run: Run) -> None:
    result = run(DEPOT)
    assert result.exit_code == 0
    assert result.stdout.startswith("depot on off  (2 Parcel)\n")
    assert "1 reached as they should be, 2 off, 3 vacuous\n" in result.stdout
    assert "  actions      2 taken, 9 off\n\n  (--verbose names them)\n" in result.stdout
    assert "ClaimedIsInsured" not in result.stdout


def test_verbose_names_what_is_counted_and_counts_the_steps_of_each_action(run: Run) -> None:
    result = run(DEPOT, "--verbose")
    assert "    actions, off: insure, claim, load, fire, fraud," in result.stdout
    assert "    properties, vacuous: ClaimedIsInsured, StoredCameIn," in result.stdout
    assert "insure  " not in result.stdout
    assert "(--verbose" not in result.stdout
    assert "    take_first              18\n" in run(DINING, "-v").stdout
    assert "properties, undecided: " in run(DIE_HARD, "-v", "--depth", "3").stdout


def test_a_search_to_a_depth_says_what_it_did_not_look_at(run: Run) -> None:
    result = run(DINING, "--depth", "3")
    assert result.exit_code == 3
    assert result.stdout.endswith(
        "\nbounded  complete to level 3; what lies deeper was not looked at\n"
    )


def test_several_checks_make_a_table(run: Run) -> None:
    result = run(TWO_PHASE, DINING, DIE_HARD)
    assert result.exit_code == 1
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["two_phase_commit", "rm2", "verified", "56"] in [r[:4] for r in rows]
    assert ["dining", "seats3", "verified", "35"] in [r[:4] for r in rows]
    assert ["die_hard", "jugs", "violated", "14"] in [r[:4] for r in rows]
    assert "NeverFourGallons is false after 6 steps" in result.stdout


def test_json_is_alone_on_standard_output_and_fits_its_schema(run: Run) -> None:
    result = run(TWO_PHASE, DIE_HARD, "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    jsonschema.validate(found, schema())
    assert [r["verdict"] for r in found["results"]] == ["verified", "violated"]
    assert [r["states"] for r in found["results"]] == [56, 14]


def test_itf_writes_a_file_for_each_counterexample(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "trace.itf.json"
    result = run(MAIL, "-p", "NothingIsLost", "-p", "AllStored", "--itf", str(file))
    other = tmp_path / "trace-2.itf.json"
    assert set(result.stderr.splitlines()) == {
        f"wrote {file}: the counterexample to AllStored",
        f"wrote {other}: the counterexample to NothingIsLost",
    }
    assert len(json.loads(file.read_text())["states"]) == 3
    assert len(json.loads((tmp_path / "trace-2.itf.json").read_text())["states"]) == 3


def test_itf_without_a_counterexample_writes_nothing_and_says_so(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "trace.itf.json"
    result = run(DINING, "--itf", str(file))
    assert result.stderr == f"there is no counterexample, so {file} was not written\n"
    assert not file.exists()


def suites(file: Path) -> list[ET.Element]:
    return ET.fromstring(file.read_bytes()).findall("testsuite")


def cases(suite: ET.Element) -> dict[str, str]:
    """Return the kind of what is said of each test case, by its name; "" if it passed."""
    return {
        case.attrib["name"]: next((said.tag for said in case), "")
        for case in suite.findall("testcase")
    }


def test_junit_has_a_suite_for_each_check_and_a_case_for_each_property(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "found.xml"
    assert run(DIE_HARD, DINING, DEPOT, "--junit", str(file)).exit_code == 1
    broken, fine, off = suites(file)
    assert cases(broken)["NeverFourGallons"] == "failure"
    assert [broken.attrib[name] for name in ("name", "failures", "errors")] == [
        "die_hard on jugs",
        "1",
        "0",
    ]
    failure = broken.find("testcase/failure")
    assert failure is not None
    assert failure.attrib["message"] == "false after 6 steps"
    assert "  6     ●    big_to_small()" in str(failure.text)
    assert set(cases(fine).values()) == {""}
    assert cases(off)["Burnt"] == cases(off)["PaidOnce"] == "skipped"


def test_junit_has_what_never_happened_as_a_failure_and_an_unfinished_search_as_an_error(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "found.xml"
    run(MAIL, "-i", "small", "-p", "Impossible", "--junit", str(file))
    assert cases(suites(file)[0])["Impossible"] == "failure"
    run(DINING, "--depth", "3", "--junit", str(file))
    (bounded,) = suites(file)
    assert cases(bounded)["search"] == "error"
    assert "failure" not in cases(bounded).values()
    assert "skipped" in cases(bounded).values()


def test_junit_has_a_case_for_each_expectation(
    run: Run, careless: Callable[[int], str], tmp_path: Path
) -> None:
    file = tmp_path / "found.xml"
    run(careless(2), "--junit", str(file))
    assert [kind for suite in suites(file) for kind in cases(suite).values()] == ["", "", ""]
    run(careless(7), "--junit", str(file))
    first = cases(suites(file)[0])
    assert first == {"NothingIsLost breaks on dry after 7 steps": "failure"}


def test_junit_that_has_no_place_is_refused_before_the_search(run: Run, tmp_path: Path) -> None:
    result = run(DINING, "--junit", str(tmp_path / "none" / "found.xml"))
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --junit ")
    assert ": there is no directory " in result.stderr


def test_list_can_be_narrowed_to_what_has_a_text(run: Run) -> None:
    result = run(MAIL, "--list", "--like", "FIRE")
    assert result.exit_code == 0
    assert "  pair  two boxes, two letters, one fire\n" in result.stdout
    assert "ToldIsKept" not in result.stdout
    assert "built in" not in result.stdout
    found = json.loads(run(MAIL, "--list", "--like", "toldiskept", "--json").stdout)
    assert [p["name"] for p in found["models"][0]["properties"]] == ["ToldIsKept"]
    assert found["models"][0]["instances"] == []
    whole = len(run("--list").stdout.splitlines())
    assert len(run("--list", "--like", "fsync").stdout.splitlines()) < whole / 10


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("--list", "--like", "xyzzy"), "nothing has 'xyzzy' in its name or its description"),
        (("--like", "fire"), "--like chooses from what --list shows"),
    ],
)
def test_a_text_that_narrows_nothing_is_refused(
    run: Run, args: tuple[str, ...], problem: str
) -> None:
    result = run(MAIL, *args)
    assert result.exit_code == 2
    assert problem in result.stderr


def test_list_shows_instances_properties_and_designs(run: Run) -> None:
    result = run(MAIL, "--list")
    assert result.exit_code == 0
    assert "  pair   two boxes, two letters, one fire\n" in result.stdout
    assert "2 Letter, 2 Box, burn ×1; states not counted yet" in result.stdout
    assert "ToldIsKept" in result.stdout
    base = run("--list")
    assert base.exit_code == 0
    assert "designs" in base.stdout
    assert "ack_on_channel" in base.stdout


def test_list_as_json_has_the_same(run: Run) -> None:
    found = json.loads(run("--list", "--json").stdout)
    assert found["schema"] == "ackproof/list/1"
    (model,) = found["models"]
    assert model["name"] == "confirms"
    assert {"name", "purpose", "states", "sizes", "faults"} == set(model["instances"][0])
    assert "ack_on_channel" in [d["name"] for d in found["designs"]]


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


FIRST_DECIDES = """
from ackproof.lang import Design, Set, handler
from ackproof.spec.channel import Channel
from ackproof.spec.sorts import Msg, Replica

class FirstDecides(Channel):
    @handler
    def settle(self, seq: Msg, replica: Replica, siblings: Set[Replica]) -> None:
        if replica in self.unconfirmed[seq]:
            self.release(seq, siblings)

design = Design(claim="One process is enough.", replace=(FirstDecides,))
"""


@pytest.fixture
def careless(tmp_path: Path) -> Callable[[int], str]:
    def write(steps: int) -> str:
        file = tmp_path / f"careless{steps}.py"
        file.write_text(CARELESS % steps)
        return str(file)

    return write


def test_a_design_is_checked_where_it_expects_something(
    run: Run, careless: Callable[[int], str]
) -> None:
    result = run(careless(2), "--json")
    found = [
        (r["design"]["name"], r["instance"]["name"], r["expectation"])
        for r in json.loads(result.stdout)["results"]
    ]
    assert found == [
        (
            "careless2",
            "dry",
            {
                "text": "NothingIsLost breaks on dry after 2 steps",
                "came_true": True,
                "found": "it breaks after 2 steps",
            },
        ),
        (
            "careless2",
            "dry",
            {"text": "StepsAreDefined holds on dry", "came_true": True, "found": "it holds"},
        ),
        (
            "careless2",
            "dry",
            {
                "text": "ToldIsKept breaks on dry after 3 steps",
                "came_true": True,
                "found": "it breaks after 3 steps",
            },
        ),
    ]


def test_a_design_that_says_nothing_is_checked_on_the_smallest_instance_first(run: Run) -> None:
    result = run("docs/examples/hasty.py")
    assert result.exit_code == 1
    assert "confirms, hasty on tiny" in result.stdout
    assert result.stdout.endswith("\nviolated  ConfirmedByStoreIsSafe after 4 steps\n")


def test_a_design_that_is_met_nowhere_is_not_verified_and_says_what_was_not_looked_at(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "first.py"
    file.write_text(FIRST_DECIDES)
    result = run(str(file))
    assert result.exit_code == 3
    assert "\nunchanged  every property holds, but there are as many states" in result.stdout
    assert "not looked at: core," in " ".join(result.stdout.split())


NEVER_WRITTEN = """
from ackproof.lang import Breaks, Design, Holds, action, require
from ackproof.spec.sorts import Msg, Replica
from ackproof.spec.system import Confirms

class NeverWritten(Confirms):
    @action
    def write(self, msg: Msg, replica: Replica) -> None:
        require(%s)
        super().write(msg, replica)

design = Design(claim="An fsync writes, too.", replace=(NeverWritten,))
"""


def test_a_design_under_which_a_step_is_never_taken_is_narrowed_and_the_step_is_named(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "never.py"
    file.write_text(NEVER_WRITTEN % "False")
    result = run(str(file), "-i", "tiny")
    assert result.exit_code == 3
    assert "\n  only without the design: write\n" in result.stdout
    assert result.stdout.endswith(
        "\nnarrowed  every property holds, but what happens without the design never does with it: "
        "write\n"
    )
    found = json.loads(run(str(file), "-i", "tiny", "--json").stdout)
    assert (found["exit_code"], found["results"][0]["lost"]) == (3, ["write"])


def test_a_step_that_is_taken_on_another_instance_is_not_missed(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "never.py"
    queue = "self.replicas[replica]"
    file.write_text(NEVER_WRITTEN % f"{queue}.limited and not {queue}.pending")
    assert run(str(file), "-i", "tiny").exit_code == 3
    assert run(str(file), "-i", "tiny", "-i", "drops").exit_code == 0


def test_an_expectation_that_does_not_come_true_is_told(
    run: Run, careless: Callable[[int], str]
) -> None:
    found = json.loads(run(careless(7), "--json").stdout)["results"][0]["expectation"]
    assert found == {
        "text": "NothingIsLost breaks on dry after 7 steps",
        "came_true": False,
        "found": "it breaks after 2 steps",
    }


def test_progress_tells_states_rate_queue_level_memory_and_what_is_left() -> None:
    at = Progress(states=3_000, generated=9_000, queue=400, levels=7, memory=2 << 20, seconds=2.0)
    line = "core  3,000 states  1,500/s  queue 400  level 7  2 MiB"
    assert progress_line("core", at, 12_000) == f"{line}  25 %, 6 s left"
    assert progress_line("core", at, None) == line
    assert progress_line("core", at, None, narrowing=True) == f"{line}  narrowing"


def test_progress_says_when_fewer_states_wait_than_did(capsys: pytest.CaptureFixture[str]) -> None:
    with Watch("core", None) as watch:
        for second, queue in enumerate([100, 900, 3, 800, 300, 200, 100, 50, 20], start=1):
            watch(Progress(1_000, 1, queue, 3, 1024, 10.0 * second))
    said = [line.endswith("narrowing") for line in capsys.readouterr().err.splitlines()]
    assert said == [False] * 8 + [True]


def test_progress_without_a_terminal_is_silent_for_two_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Watch("core", None) as watch:
        for seconds in (0.5, 1.9, 2.1, 4.0, 7.5):
            watch(Progress(1_000, 1, 10, 3, 1024, seconds))
    assert [line.split()[1:3] for line in capsys.readouterr().err.splitlines()] == [
        ["1,000", "states"],
        ["1,000", "states"],
    ]


def command(*args: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ackproof.cli", *args],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **env},
    )


@pytest.mark.parametrize("engine", ["plain", "kernel"])
def test_an_interrupted_search_ends_with_what_is_known(tmp_path: Path, engine: str) -> None:
    file = tmp_path / "endless.py"
    file.write_text(
        textwrap.dedent("""
        from typing import Annotated
        from ackproof.lang import *

        class Endless(System):
            a: Annotated[int, Range(0, 100000)]
            b: Annotated[int, Range(0, 100000)]

            @action
            def up(self) -> None:
                require(self.a < 100000)
                self.a += 1

            @action
            def across(self) -> None:
                require(self.b < 100000)
                self.b += 1

        MODEL = Model("endless", Endless, (), (Instance("one", "counts", {}),))
    """)
    )
    process = command("check", str(file), "--engine", engine)
    assert process.stderr is not None
    assert " states " in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert out.endswith("truncated  it was interrupted; no property is false in what was seen\n")
    assert "Traceback" not in err
    assert "  states" in out


def test_results_are_plain_text_when_they_do_not_go_to_a_terminal() -> None:
    out, err = command("check", DIE_HARD, "--engine", "plain").communicate(timeout=60)
    assert "\x1b" not in out + err
    assert not [line for line in out.splitlines() if line != line.rstrip()]


def test_an_output_without_box_characters_gets_ascii() -> None:
    process = command("check", DIE_HARD, "--engine", "plain", PYTHONIOENCODING="ascii")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, "")
    assert "  1     @    fill_big()" in out


def test_help_loads_no_compiler_and_has_an_example() -> None:
    for args in (["--help"], ["check", "--help"], ["museum", "--help"]):
        code = (
            "import sys; from ackproof.cli.main import app\n"
            f"try: app({args!r})\n"
            "except SystemExit: pass\n"
            "print(sorted({'numba', 'llvmlite', 'numpy'} & set(sys.modules)))"
        )
        found = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        assert found.splitlines()[-1] == "[]"
        assert args == ["--help"] or f"ackproof {args[0]} " in found


def test_a_defect_of_the_program_is_reported_in_a_line(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("ackproof.model.check.check_bound", broken)
    result = run(DINING)
    assert result.exit_code == 70
    assert result.stderr == (
        "internal error: ZeroDivisionError: by zero\n"
        "this is a defect of ackproof; with ACKPROOF_TRACEBACK=1 it shows where\n"
    )


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

EXPECTING = (
    CORRIDOR
    + """
design = Design("it is the same", replace=(Hall,), expect=(%s,))
"""
)


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path / "mine.py"
        path.write_text(text)
        return str(path)

    return write


@pytest.mark.parametrize("engine", ["plain", "kernel"])
def test_no_deadlock_is_checked_where_it_is_asked_for(
    run: Run, file: Callable[[str], str], engine: str
) -> None:
    mine = file(CORRIDOR)
    assert run(mine, "--engine", engine).exit_code == 0
    asked = run(mine, "--engine", engine, "-p", "NoDeadlock")
    assert asked.exit_code == 1
    assert asked.stdout.endswith("\nviolated  NoDeadlock after 2 steps\n")


def test_what_is_expected_of_no_deadlock_is_checked(run: Run, file: Callable[[str], str]) -> None:
    mine = file(EXPECTING % 'Holds("one"), Breaks("NoDeadlock", "one", 2), Holds("one")')
    result = run(mine, "--json")
    assert [r["verdict"] for r in json.loads(result.stdout)["results"]] == [
        "unchanged",
        "violated",
        "unchanged",
    ]
    assert run(file(EXPECTING % 'Holds("one", "NoDeadlock")')).stdout.endswith(
        "\nnot as expected  NoDeadlock breaks after 2 steps\n"
    )


def test_the_list_says_when_no_deadlock_is_checked(run: Run, file: Callable[[str], str]) -> None:
    assert "NoDeadlock        Some action is enabled in every state. Checked only with" in (
        run(file(CORRIDOR), "--list").stdout
    )
    assert "Checked only with" not in run(DIE_HARD, "--list").stdout


def test_a_hope_that_is_disappointed_fails_and_is_said_last(
    run: Run, file: Callable[[str], str]
) -> None:
    broken = 'Breaks("NoAssertionFails", "one", 1)'
    mine = file(EXPECTING % broken)
    result = run(mine)
    assert result.exit_code == 1
    assert result.stdout.endswith("\nnot as expected  it holds\n")
    found = run(mine, "--json")
    assert (found.exit_code, json.loads(found.stdout)["exit_code"]) == (1, 1)
    several = run(file(EXPECTING % f'Holds("one"), {broken}'))
    assert several.exit_code == 1
    assert several.stdout.endswith("\n1 of 2 expectations came true\n")
    assert run(file(EXPECTING % 'Holds("one")')).exit_code == 0


def test_what_was_not_looked_at_is_said(run: Run, file: Callable[[str], str]) -> None:
    said = "the first instance that the file brings; one was not looked at\n"
    own = CORRIDOR + 'instances = (Instance("dry", "it is mine", {}),)\n'
    assert f"  checked on dry, {said}" in run(file(own)).stdout
    assert "not looked at" not in run(file(own), "-i", "dry").stdout
    hoping = own + 'design = Design("x", replace=(Hall,), expect=(Holds("dry"),))\n'
    assert "checked on dry, which its expectations name; one was not looked at\n" in (
        run(file(hoping)).stdout
    )
    both = own + 'design = Design("x", (Hall,), expect=(Holds("dry"), Holds("one")))\n'
    assert "not looked at" not in run(file(both)).stdout


def test_a_design_that_is_named_twice_is_checked_once(run: Run) -> None:
    found = json.loads(run(DIE_HARD, "tests/models/die_hard.py", "--json").stdout)
    assert len(found["results"]) == 1


def test_an_instance_that_is_named_twice_is_checked_once(run: Run) -> None:
    found = json.loads(run(DINING, "-i", "seats3", "-i", "seats3", "--json").stdout)
    assert len(found["results"]) == 1


def test_a_memory_that_is_too_small_for_a_state_truncates(run: Run) -> None:
    result = run(DINING, "--memory", "1B", "--engine", "kernel")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].startswith("truncated  the memory limit was reached")


def test_what_a_file_prints_is_no_result(run: Run, file: Callable[[str], str]) -> None:
    result = run(file("print('hello')\n" + CORRIDOR), "--json")
    assert json.loads(result.stdout)["exit_code"] == 0
    assert result.stderr == "hello\n"


@pytest.mark.parametrize("args", [["check", "--list"], ["check", DIE_HARD, "-e", "plain"], ["-h"]])
def test_an_output_that_is_full_is_told_in_a_line(args: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ackproof.cli", *args],
            cwd=ROOT,
            text=True,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == (
        "error: the output cannot be written: No space left on device\n"
        "  instead: make room for it, or ask for less of it, and try again\n"
    )


def test_an_interruption_while_the_program_is_loaded_is_told_in_a_line() -> None:
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "from ackproof.cli.__main__ import main\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert done.stderr == "interrupted before there was anything to report\n"


def test_the_marks_of_a_listing_are_explained_once(
    run: Run, careless: Callable[[int], str]
) -> None:
    result = run(careless(2))
    assert result.stdout.count("● the process that acts") == 1
    assert "○ another that changes" in result.stdout
    assert "a set gets the element" in result.stdout


def test_the_version_is_shown() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout.startswith("ackproof")


# -- what is left of a specification --------------------------------------------------------------


def test_the_specification_is_shown_as_it_is_at_an_instance(run: Run) -> None:
    result = run("--instance", "tiny", "--print-python")
    assert result.exit_code == 0
    compile(result.stdout, "<printed>", "exec")
    assert "class Confirms(_Confirms):" in result.stdout
    # `tiny` has no mirrors, and programs have no ghosts.
    promote = result.stdout.split("def promote(self, replica):")[1]
    assert promote.split("def ")[0].strip() == "raise NotEnabled"
    assert "seniors" not in result.stdout
