"""On a farm, many searches find what they find one after the other, whoever dies on the way."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from ackproof.cli.main import app
from ackproof.model.cache import COMPILED, FOUND, OFF, OUTCOMES, Cache, default_cache, named
from ackproof.model.pools import Piece
from ackproof.pipeline import farm
from ackproof.pipeline.errors import FarmFailed
from ackproof.pipeline.farm import Farm
from ackproof.pipeline.session import Session
from typer.testing import CliRunner, Result

from tests.pipeline.cluster import until

ROOT = Path(__file__).parents[2]
DIE_HARD = "tests/models/die_hard.py"
ORCHARD = "tests/model/sweep/orchard.py"

#: Seconds, many more than it takes to end what waits so long.
NAP = 500.0

#: An era of a small model, as a file of a user.
ERA = "from tests.model.harbour import MODEL, {design} as design\n"

#: A design that kills the process of the first worker that reads it.
DEADLY = """
import os, signal
from pathlib import Path
from pyspark import TaskContext
from ackproof.lang import Design, Holds

marker = Path(__file__).with_suffix(".dead")
if TaskContext.get() is not None and not marker.exists():
    marker.touch()
    os.kill(os.getpid(), signal.SIGKILL)

design = Design("dies", constants={"QueueProcess.durable": True}, expect=(Holds("tiny"),))
"""


@dataclass
class Inline:
    """A session that runs each task at once, one after the other, in this process."""

    names: list[str] = field(default_factory=list)
    master: str = "aside"
    parallelism: int = 0
    hosts: tuple[str, ...] = ("one",)
    log: Path = Path("spark.log")

    def __post_init__(self) -> None:
        self.spark = self.sparkContext = self

    def mark(self, tag: str, description: str) -> None:
        self.names.append(description)

    def watching(self) -> AbstractContextManager[None]:
        return nullcontext()

    def cancel(self, tag: str) -> None:
        """Cancel nothing: all of it has ended."""

    def parallelize(self, numbers: list[int], parts: int) -> Inline:
        assert (numbers, parts) == ([0], 1)
        return self

    def map(self, task: Callable[[int], Any]) -> Inline:
        self._task = task
        return self

    def collect(self) -> list[Any]:
        return [self._task(0)]


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Such a session, and one thread that gives it work."""
    monkeypatch.setattr(farm, "_AT_ONCE", 1)
    return Inline()


# -- without Spark ------------------------------------------------------------------------------


def test_the_largest_are_begun_first_and_come_back_in_order(inline: Any) -> None:
    pieces = [Piece(f"{n}", (f"{n}",), size) for n, size in ((1, 5), (2, 9), (3, 7))]
    assert list(Farm(inline).run(int, pieces, "numbers")) == [1, 2, 3]
    assert inline.names == ["2", "3", "1"]


def test_what_a_piece_raises_is_told_with_its_name(inline: Any) -> None:
    pieces = [Piece("b10 on tiny", ("ten",)), Piece("b11 on tiny", ("11",))]
    with pytest.raises(FarmFailed, match=r"^b10 on tiny: ValueError: invalid literal"):
        list(Farm(inline).run(int, pieces, "numbers"))


def _keep(kinds: list[str]) -> str | None:
    """Put something into the cache that the environment names."""
    store = default_cache()
    for kind in kinds:
        if store is not None:
            store.put(kind, "key", b"data")
    return os.environ.get("ACKPROOF_CACHE")


@pytest.mark.parametrize("anew", [False, True])
def test_what_is_found_on_another_machine_is_kept_on_this_one(tmp_path: Path, anew: bool) -> None:
    task = farm._Task(_keep, ([OUTCOMES, "keys", *COMPILED],), str(tmp_path), OFF)
    there, here = (Cache(tmp_path / name) for name in ("there", "here"))
    if anew:
        there, here = (store.without(*FOUND) for store in (there, here))
    returned = replace(task, store=named(there))(0)
    assert returned.found == named(there)
    assert [entry.kind for entry in returned.entries] == (["keys"] if anew else [OUTCOMES, "keys"])
    farm._taken("it", returned, here)
    assert here.get("keys", "key") == b"data"
    assert here.get(OUTCOMES, "key") == (None if anew else b"data")
    assert not any(here.has(kind, "key") for kind in COMPILED), "that is for another processor"


def test_a_piece_has_its_share_of_a_machine(inline: Any) -> None:
    inline.parallelism, inline.hosts = 12, ("one", "two", "three")
    assert Farm(inline).memory(4 << 30) == 1 << 30
    inline.master = "local[12]"
    assert Farm(inline).memory(12 << 30) == 1 << 30


# -- on Spark -----------------------------------------------------------------------------------


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Run a command with a cache of its own; an open session is used."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("ACKPROOF_CACHE", str(tmp_path / "cache"))

    def invoke(*args: str) -> Result:
        result = CliRunner().invoke(app, [*args])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return invoke


def besides_progress(err: str) -> list[str]:
    """Return what is said on standard error, but for how far the work is: a slow one says that."""
    return [line for line in err.splitlines() if not re.fullmatch(r"\d+ of \d+ designs", line)]


def same(text: str) -> str:
    """Return what a page or a document says, but for times, memory and who has searched."""
    if not text.startswith("{"):
        own = r" +[\d.]+ s *$|^  (time|memory|engine) .*$"
        return re.sub(own, "", text, flags=re.MULTILINE)
    left_out = {"engine", "workers", "timing", "memory", "seconds"}

    def kept(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: kept(v) for k, v in value.items() if k not in left_out}
        return [kept(v) for v in value] if isinstance(value, list) else value

    return json.dumps(kept(json.loads(text)))


@pytest.fixture
def eras(tmp_path: Path) -> list[str]:
    """Files with two eras of a small model, which share searches."""
    files = []
    for design in ("shallow", "open_air"):
        (file := tmp_path / f"{design}.py").write_text(ERA.format(design=design))
        files.append(str(file))
    return files


@pytest.mark.spark
@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["page", "document"])
@pytest.mark.parametrize("command", ["museum", "eras", "mutate", "sweep"])
def test_the_farm_says_what_the_local_command_says(
    run: Callable[..., Result], eras: list[str], command: str, form: tuple[str, ...]
) -> None:
    asked = {
        "museum": ("museum", "ack_on_channel", "docs/examples/patient.py"),
        "eras": ("eras", *eras),
        "mutate": ("mutate", DIE_HARD, "--sample", "6"),
        "sweep": ("check", ORCHARD, "--sweep", "2000", "--continue"),
    }[command]
    # Of several shortest runs that break a property, one thread always finds the same.
    local = run(*asked, *form, "--no-cache", "--workers", "1")
    found = run(*asked, *form, "--no-cache", "--engine", "spark")
    assert (found.exit_code, same(found.stdout)) == (local.exit_code, same(local.stdout))
    assert local.stdout
    if (command, form) == ("eras", ("--json",)):
        assert '"same_as": "shallow"' in local.stdout, "no search is shared"


@pytest.mark.spark
@pytest.mark.usefixtures("session")
def test_what_the_farm_finds_is_found_in_the_cache_by_the_local_command(
    run: Callable[..., Result], eras: list[str]
) -> None:
    assert "from the cache" not in run("eras", *eras, "--engine", "spark").stdout
    assert "from the cache" in run("eras", *eras).stdout


@pytest.mark.spark
@pytest.mark.usefixtures("session")
def test_a_worker_that_is_killed_has_its_piece_run_again(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    (file := tmp_path / "deadly.py").write_text(DEADLY)
    asked = ("museum", str(file), "ack_on_channel", "--no-cache")
    found = run(*asked, "--engine", "spark")
    assert file.with_suffix(".dead").exists(), "nobody was killed"
    assert (found.exit_code, besides_progress(found.stderr)) == (0, [])
    assert same(found.stdout) == same(run(*asked).stdout)


@pytest.mark.spark
def test_a_piece_that_kills_each_worker_is_told_with_its_name(session: Session) -> None:
    pieces = [Piece("b10", (0, 9)), Piece("b11", (1,))]
    with pytest.raises(FarmFailed, match=r"^b10: .* was ended, 4 times: .*\n  instead: "):
        list(Farm(session).run(_die, pieces, "designs"))


def _die(number: int, signal: int = 0) -> int:
    """End this process by a signal, unless there is none."""
    if signal:
        os.kill(os.getpid(), signal)
    return number


@pytest.mark.spark
def test_whoever_stops_listening_finds_spark_idle(session: Session, tmp_path: Path) -> None:
    pieces = [Piece("short", (0, tmp_path / "short")), Piece("long", (NAP, tmp_path / "long"))]
    found = Farm(session).run(_nap, pieces, "naps")
    assert next(found) is None
    found.close()  # type: ignore[attr-defined]
    assert [path.name for path in tmp_path.iterdir()] == ["short"], "the long one was waited for"
    running = session.spark.sparkContext.statusTracker().getActiveJobsIds
    # What has ended is told to who asks for it a while later.
    until(lambda: None if running() else "idle", "end of all jobs")
    assert list(Farm(session).run(int, [Piece("after", ("7",))], "numbers")) == [7]


def _nap(seconds: float, end: Path) -> None:
    """Wait, and leave a file in the end."""
    time.sleep(seconds)
    end.touch()
