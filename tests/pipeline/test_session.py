"""A session is opened without a sound, listens to this machine alone, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline import opening
from tests.pipeline.cluster import Cluster
from tests.pipeline.test_java import installed

ROOT = Path(__file__).parents[2]

#: Opens a session, and prints what it is refused with.
REFUSED = """
import sys
from pathlib import Path
from ackproof.pipeline import SparkUnavailable, masters
from ackproof.pipeline.session import open_session
masters.EXECUTOR = 1.0
try:
    open_session(sys.argv[1], 2, Path("spark.log"), "trial")
except SparkUnavailable as refusal:
    print(refusal)
"""

#: Opens a session, interrupts itself when the log says something, and prints what is left.
INTERRUPTED = """
import os, signal, sys, threading, time
from pathlib import Path
from ackproof.pipeline.session import open_session
from pyspark import SparkContext
from tests.pipeline.opening import children

log = Path("spark.log")

def interrupt():
    while not log.exists() or sys.argv[1] not in log.read_text():
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    open_session("local[1]", 2, log, "trial")
except KeyboardInterrupt:
    print("interrupted;", len(children()), "processes are left")
print(SparkContext._gateway, SparkContext._active_spark_context)
"""


@dataclass(frozen=True)
class Run:
    """What a program has left when it has ended."""

    done: subprocess.CompletedProcess[str]
    folder: Path

    @property
    def seen(self) -> dict[str, Any]:
        """What it has written down."""
        return dict(json.loads((self.folder / "seen.json").read_text()))


def program(folder: Path, *arguments: str, **variables: str) -> Run:
    """Run Python in an empty folder, without any configuration of Spark."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))}
    (folder / "here").mkdir()
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder / "here",
        env=kept | variables,
        capture_output=True,
        text=True,
        timeout=600,
    )
    return Run(done, folder)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A program that has opened a session and tried much of what can be done with it."""
    folder = tmp_path_factory.mktemp("opening")
    run = program(folder, opening.__file__, str(folder))
    assert run.done.returncode == 0, run.done.stderr
    return run


@pytest.mark.spark
def test_nothing_is_printed_by_spark_or_its_workers_and_all_of_it_is_in_the_log(
    opened: Run,
) -> None:
    assert (opened.done.stdout, opened.done.stderr) == ("", "")
    log = (opened.folder / "logs" / "spark.log").read_text()
    assert "Setting default log level" in log
    assert "ValueError: a task fails" in log
    assert "a worker prints this" in log


@pytest.mark.spark
def test_a_job_has_exactly_one_task_for_each_part(opened: Run) -> None:
    assert [rows for rows, _ in opened.seen["counted"]] == [opening.PARTS] * opening.PARTS


@pytest.mark.spark
def test_workers_run_the_python_that_the_driver_runs(opened: Run) -> None:
    assert {python for _, python in opened.seen["counted"]} == {sys.executable}


@pytest.mark.spark
def test_what_can_run_at_once_and_where_spark_shows_it_is_known(opened: Run) -> None:
    assert (opened.seen["master"], opened.seen["parallelism"]) == ("local[2]", 2)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", opened.seen["ui"])
    assert opened.seen["remarks"] == []


@pytest.mark.spark
def test_a_session_of_this_machine_listens_on_loopback_alone(opened: Run) -> None:
    assert opened.seen["abroad"] == []


@pytest.mark.spark
def test_what_fails_is_raised_and_the_session_goes_on(opened: Run) -> None:
    assert opened.seen["failed"] == ["PythonException", "AnalysisException"]


@pytest.mark.spark
def test_an_interruption_cancels_the_job_and_the_session_goes_on(opened: Run) -> None:
    assert opened.seen["group"], "Ctrl-C reaches the JVM too"
    assert opened.seen["interrupted"] == "interrupted"
    assert opened.seen["counted after"] == opened.seen["counted"]


@pytest.mark.spark
def test_a_session_that_is_open_is_used_with_settings_of_its_own_and_stays_open(
    opened: Run,
) -> None:
    remarks, own, theirs = opened.seen["second"]
    assert remarks == [
        "a Spark session is open in this process, on local[2]; it is used, and local[1] is not"
    ]
    assert (own, theirs) == ("5", str(opening.PARTS))
    assert opened.seen["open still"] == 2


@pytest.mark.spark
def test_a_session_leaves_nothing_behind_and_there_can_be_another(opened: Run) -> None:
    assert opened.seen["environment"] == []
    assert opened.seen["handler"], "Ctrl-C does something else than before"
    assert opened.seen["children"] == []
    assert list((opened.folder / "here").iterdir()) == []
    assert opened.seen["again"] == 2


@pytest.mark.spark
@pytest.mark.parametrize("said", ["", "Setting default log level"], ids=["launched", "opened"])
def test_a_start_that_is_interrupted_leaves_no_process_behind(tmp_path: Path, said: str) -> None:
    run = program(tmp_path, "-c", INTERRUPTED, said, PYTHONPATH=str(ROOT))
    assert (run.done.stdout, run.done.stderr) == (
        "interrupted; 0 processes are left\nNone None\n",
        "",
    )


def test_a_java_that_ends_at_once_is_one_message(tmp_path: Path) -> None:
    java = installed(tmp_path / "java", "17.0.1")
    text = "#!/bin/sh\necho 'Error: could not reserve enough space for the heap' >&2\nexit 1\n"
    (java / "bin" / "java").write_text(text)
    run = program(tmp_path, "-c", REFUSED, "local[2]", JAVA_HOME=str(java))
    assert run.done.stdout == (
        "Spark: it did not start on local[2]: Error: could not reserve enough space for the heap\n"
        "  instead: what it said is in spark.log\n"
    )
    assert run.done.stderr == ""


def test_a_wrong_java_home_is_one_message(tmp_path: Path) -> None:
    run = program(tmp_path, "-c", REFUSED, "local[2]", JAVA_HOME=str(tmp_path))
    assert run.done.stdout.startswith(f"JAVA_HOME: it is {tmp_path}, and there is no bin/java")
    assert run.done.stderr == ""


@pytest.mark.spark
def test_what_spark_refuses_is_one_message(tmp_path: Path) -> None:
    run = program(tmp_path, "-c", REFUSED, "local[0]")
    assert run.done.stdout == (
        "Spark: it did not start on local[0]: Asked to run locally with 0 threads\n"
        "  instead: what it said is in spark.log\n"
    )
    assert run.done.stderr == ""


@pytest.mark.spark
def test_a_cluster_without_workers_is_one_message(tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster", workers=0) as cluster:
        run = program(tmp_path, "-c", REFUSED, cluster.url)
    assert run.done.stdout == (
        f"--master: {cluster.url} gave no executor within 1 s\n"
        "  instead: start a worker with a free core and 1g of memory, or ask for less\n"
    )
    assert run.done.stderr == ""
