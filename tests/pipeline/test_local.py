"""A search of this process that is kept in files: as it is without, and for whoever goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ackproof.lang.binding import Bound
from ackproof.model.kernel.engine import explore as explore_compiled
from ackproof.model.outcome import Limit, Outcome
from ackproof.pipeline import resident
from ackproof.pipeline.errors import SearchRefused
from ackproof.spec.model import MODEL as CONFIRMS
from hypothesis import HealthCheck, given, settings

from tests.exploring import examples
from tests.model import coins, counting, harbour, mailroom
from tests.model import liveness_models as live
from tests.model.random_specs import specs
from tests.models import dining, two_phase_commit
from tests.pipeline.searches import (
    ALONE,
    StandIn,
    assert_same,
    bound_of,
    explorer_of,
    folder_of,
    local_of,
    model_of,
    stored_on,
    summary,
    written,
)
from tests.pipeline.test_search import weaken
from tests.pipeline.wrong import WRONG, wrong

ROOT = Path(__file__).parents[2]

#: The engines that keep a search, by name: in this process, and as Spark would.
ENGINES: dict[str, Callable[..., Any]] = {"local": local_of, "spark": explorer_of}


def by_name(outcome: Outcome) -> dict[str, Any]:
    """Return all that an outcome says of a program, runs and cycles with all their steps."""
    return {
        **summary(outcome),
        "runs": outcome.violations,
        "cycles": outcome.cycles,
        "starts": outcome.starts,
    }


MODELS = (
    bound_of(two_phase_commit.MODEL, "rm4"),
    bound_of(dining.MODEL, "seats3"),
    bound_of(mailroom.MODEL, "pair"),
    bound_of(harbour.MODEL, "pair"),
    bound_of(counting.MODEL, "small"),
    bound_of(coins.MODEL, "three"),
    bound_of(CONFIRMS, "tiny"),
    bound_of(live.LINE, "values2", live.UNLUCKY),
)


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("bound", MODELS, ids=lambda bound: bound.program.name)
def test_it_finds_what_a_search_finds_that_keeps_nothing(
    bound: Bound, workers: int, tmp_path: Path
) -> None:
    outcome = local_of(tmp_path)(bound, workers=workers)
    assert (outcome.engine, outcome.workers) == ("kernel", workers)
    assert_same(bound, outcome)


@pytest.mark.parametrize("survey", [False, True], ids=["stops", "survey"])
@pytest.mark.parametrize("name", WRONG)
def test_whatever_goes_wrong_is_found_by_the_same_run(
    name: str, survey: bool, tmp_path: Path
) -> None:
    bound = wrong(name, tmp_path)
    outcome = local_of(tmp_path / "work")(bound, workers=2, survey=survey)
    assert set(outcome.violations) == WRONG[name][1]
    assert_same(bound, outcome, survey=survey)


@settings(max_examples=examples(12), suppress_health_check=list(HealthCheck))
@given(source=specs(depth=2))
def test_random_programs_give_the_same(
    tmp_path_factory: pytest.TempPathFactory, source: str
) -> None:
    folder = tmp_path_factory.mktemp("random")
    bound = bound_of(model_of(source, folder))
    for parts, survey in ((1, False), (3, True)):
        outcome = local_of(folder / str(parts), parts)(
            bound, workers=parts, survey=survey, max_depth=3
        )
        assert_same(bound, outcome, survey=survey, max_depth=3)


@pytest.mark.parametrize("bits", [0, 3], ids=lambda bits: f"{bits} bits of each print")
def test_equal_fingerprints_of_different_states_change_nothing(
    bits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = bound_of(CONFIRMS, "tiny")
    weaken(monkeypatch, bits)
    local_of(tmp_path)(bound, workers=2, max_depth=9)
    assert_same(bound, explorer_of(tmp_path, resume=True)(bound))


# -- who goes on -------------------------------------------------------------------------------


@pytest.mark.parametrize("after", [1, 5, 12, 100])
@pytest.mark.parametrize("second", ENGINES)
@pytest.mark.parametrize("first", ENGINES)
def test_whoever_begins_and_whoever_goes_on_the_search_is_the_same(
    first: str, second: str, after: int, tmp_path: Path
) -> None:
    bound = bound_of(CONFIRMS, "tiny")
    whole = ENGINES[second](tmp_path / "whole")(bound)
    ENGINES[first](tmp_path / "work")(bound, max_depth=after)
    outcome = ENGINES[second](tmp_path / "work", resume=True)(bound)
    assert by_name(outcome) == by_name(whole)
    assert outcome.kept is not None
    assert outcome.kept.resumed == min(after, len(whole.level_sizes))


@pytest.mark.parametrize("name", ["two at once", "a deadlock", "a step", "a run"])
def test_it_may_change_hands_at_every_level_and_gives_the_same_runs(
    name: str, tmp_path: Path
) -> None:
    bound = bound_of(live.LINE, "values2", live.UNLUCKY) if name == "a run" else None
    bound = bound or wrong(name, tmp_path)
    whole = local_of(tmp_path / "whole")(bound, survey=True)
    assert whole.violations
    for depth in range(1, len(whole.level_sizes) + 2):
        engine = (explorer_of, local_of)[depth % 2]
        engine(tmp_path / "work", resume=True)(
            bound, survey=True, max_depth=depth, workers=1 + depth % 3
        )
    again = local_of(tmp_path / "work", resume=True)(bound, survey=True, workers=2)
    assert by_name(again) == by_name(whole)


@pytest.mark.parametrize(("piece", "at_once"), [(1 << 22, 1 << 20), (50, 1 << 20), (64, 7)])
def test_levels_of_both_have_the_same_states_in_the_same_order(
    piece: int, at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resident, "_PIECE", piece)
    monkeypatch.setattr(resident, "_RANGE", at_once)
    bound = bound_of(CONFIRMS, "tiny")
    local_of(tmp_path / "local")(bound, workers=2)
    explorer_of(tmp_path / "spark")(bound)
    one, other = folder_of(tmp_path / "local"), folder_of(tmp_path / "spark")
    assert one.search.read_bytes() == other.search.read_bytes()
    for mine, theirs in zip(one.levels(), other.levels(), strict=True):
        for name in ("level", "rows", "generated", "actions", "broken", "cut"):
            assert getattr(mine, name) == getattr(theirs, name), name
        if mine.states:
            tables = [stored_on(one, mine), stored_on(other, theirs)]
            words = [t.drop_columns(["predecessor", "instance"]) for t in tables]
            assert words[0].equals(words[1], check_metadata=True)


def test_links_lead_from_a_state_of_the_level_before(tmp_path: Path) -> None:
    bound = bound_of(CONFIRMS, "tiny")
    local_of(tmp_path / "work")(bound, workers=2)
    folder, words = folder_of(tmp_path / "work"), ("w0", "w1")
    known = written(bound, tmp_path / "plain").steps()
    steps = {(state, *step) for state, found in known.items() for step in found}
    before: list[tuple[int, ...]] = []
    for level in folder.levels():
        rows = stored_on(folder, level).to_pylist() if level.states else []
        states = [tuple(row[w] % 2**64 for w in words if w in row) for row in rows]
        for row, state in zip(rows, states, strict=True):
            if level.level > 1:
                assert (before[row["predecessor"]], row["instance"], state) in steps
        before = states


def test_a_finished_search_is_read_and_not_made_again(tmp_path: Path) -> None:
    bound, session = wrong("a step", tmp_path), StandIn()
    first = local_of(tmp_path / "work")(bound)
    manifests = {path.name for path in (folder_of(tmp_path / "work").root / "levels").iterdir()}
    again = local_of(tmp_path / "work", resume=True)(bound)
    on_spark = explorer_of(tmp_path / "work", small=ALONE, resume=True, session=session)(bound)
    assert by_name(first) == by_name(again) == by_name(on_spark)
    assert session.jobs == []
    folder = folder_of(tmp_path / "work").root
    assert {path.name for path in (folder / "levels").iterdir()} == manifests
    assert not [path for path in (folder / "index").rglob("*") if path.is_file()]


# -- what stands in the way --------------------------------------------------------------------


def test_memory_that_does_not_suffice_ends_it_where_another_goes_on(tmp_path: Path) -> None:
    bound = bound_of(two_phase_commit.MODEL, "rm7")
    outcome = local_of(tmp_path)(bound, workers=2, memory=1 << 21)
    assert (outcome.limit, outcome.exhausted) == (Limit.MEMORY, False)
    assert 1_000 < outcome.states < 100_000
    again = local_of(tmp_path, resume=True)(bound, memory=1 << 21)
    assert (again.limit, again.states) == (Limit.MEMORY, outcome.states)
    whole = local_of(tmp_path, resume=True)(bound, workers=2)
    assert summary(whole) == summary(explore_compiled(bound))


def test_a_flipped_bit_is_reported_and_never_taken_for_a_state(tmp_path: Path) -> None:
    bound = bound_of(CONFIRMS, "tiny")
    local_of(tmp_path)(bound, max_depth=8)
    folder = folder_of(tmp_path)
    level = folder.levels()[5]
    path = Path(str(folder.states(6, level.files[0].first, level.token)))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)
    for engine in ENGINES.values():
        with pytest.raises(SearchRefused) as refused:
            engine(tmp_path, resume=True)(bound)
        assert str(refused.value) == (
            f"{path} is not as it was written: its seal is broken\n"
            f"  instead: remove {folder.root}/levels/00006-*.json, and add --resume: the search "
            "goes on after level 5"
        )


def test_another_specification_is_refused(tmp_path: Path) -> None:
    local_of(tmp_path / "work")(wrong("nothing", tmp_path), max_depth=3)
    with pytest.raises(SearchRefused, match="cannot be resumed: the specification has changed"):
        local_of(tmp_path / "work", resume=True)(wrong("an assertion", tmp_path))


# -- the command -------------------------------------------------------------------------------

SEARCH = ("tests/models/two_phase_commit.py", "--instance", "rm8")


def command(work: Path, *options: str) -> subprocess.Popen[str]:
    """Start a check that is kept."""
    arguments = ["check", *SEARCH, "--json", "--work", str(work), "--workers", "2", *options]
    return subprocess.Popen(
        [sys.executable, "-m", "ackproof.cli", *arguments],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def decided(text: str) -> dict[str, Any]:
    """Return what a document says that is the same however a search was made."""
    (found,) = json.loads(text)["results"]
    return {k: v for k, v in found.items() if k not in {"timing", "memory", "kept"}}


@pytest.mark.parametrize("level", [6, 15])
def test_a_process_that_is_killed_loses_no_more_than_the_level_that_it_was_at(
    level: int, tmp_path: Path
) -> None:
    levels = tmp_path / "killed" / "two-phase-commit-rm8" / "levels"
    first = command(tmp_path / "killed")
    while not levels.is_dir() or len(list(levels.glob("*.json"))) < level:
        assert first.poll() is None, first.communicate()
        time.sleep(0.002)
    os.kill(first.pid, signal.SIGKILL)
    assert first.communicate()[0] == ""
    finished = len(list(levels.glob("*.json")))
    second = command(tmp_path / "killed", "--resume")
    out, err = second.communicate()
    assert second.returncode == 0, err
    assert json.loads(out)["results"][0]["kept"]["resumed_levels"] >= min(finished, level)
    whole = command(tmp_path / "whole").communicate()[0]
    assert decided(out) == decided(whole)


def test_it_needs_no_spark(tmp_path: Path) -> None:
    code = (
        "import sys\nsys.modules['pyspark'] = None\n"
        "from ackproof.cli.main import app\n"
        f"app(['check', 'tests/models/die_hard.py', '--work', {str(tmp_path)!r}])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, check=False
    )
    assert ended.returncode == 1, ended.stderr
    assert f" in {tmp_path}/die-hard-jugs\n" in ended.stdout
    assert "violated  NeverFourGallons after 6 steps" in ended.stdout
