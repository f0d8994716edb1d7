"""`ackproof audit` judges recordings, says what became of messages, and exits by what it found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pyarrow.parquet
import pytest
from ackproof.cli.main import app
from ackproof.conform.document import schema
from ackproof.conform.events import Event, Kind
from ackproof.conform.recording import writer
from ackproof.impl.running import RunningBroker
from typer.testing import CliRunner, Result

from tests.conform.capture.tap import KEY, tapped
from tests.conform.capture.wires import sent, written
from tests.conform.streams import CONFIRMING, ack, deliver, publish
from tests.conform.through_a_proxy import proxied
from tests.conform.traffic import use
from tests.impl.sockets import blocking

OPEN = [Event(Kind.OPEN), Event(Kind.OPEN_OK)]
GOOD = [*OPEN, *CONFIRMING, publish(1), publish(2), ack(2, True)]
CONSUMED = [*OPEN, Event(Kind.CONSUME, consumer="c", queue="q"), deliver(1)]
BAD = [*GOOD, ack(1)]


def recorded(path: Path, *channels: list[Event]) -> Path:
    """A recording of some channels."""
    sink = writer(path)
    for channel, events in enumerate(channels, 1):
        for number, event in enumerate(events, 1):
            seen = {"connection": "c1", "channel": channel, "number": number, "time": number / 1000}
            digest = "1" if event.kind == Kind.DELIVER else event.digest
            sink.write(msgspec.structs.replace(event, digest=digest, **seen))
    sink.close()
    return path


def run(*words: object) -> Result:
    """Run the command."""
    return CliRunner().invoke(app, ["audit", *map(str, words)])


def document(result: Result) -> dict[str, Any]:
    """Its JSON, which must be as its schema says."""
    found: dict[str, Any] = json.loads(result.stdout)
    jsonschema.validate(found, schema())
    assert found["exit_code"] == result.exit_code
    return found


PAGE = """\
  recorded    11 events on 2 channels, 0 gaps
  published   2: 2 confirmed, 0 nacked, 0 unsettled, 0 returned
  delivered   1 in 1 deliveries, 0 marked as redelivered
  lost        0 to 1
  duplicated  0
  confirms    1 frames, p50 1.5 ms, p95 1.95 ms, p99 1.99 ms, p100 2.0 ms
  at most     2 settled by one, 2 in flight

explained  the specification explains every channel
"""


def test_what_is_explained_is_said_on_one_page(tmp_path: Path) -> None:
    result = run(recorded(tmp_path / "r.jsonl", GOOD, CONSUMED))
    assert (result.exit_code, result.stdout) == (0, PAGE)


def test_a_violation_is_shown_with_its_property_and_its_place(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r.jsonl", BAD)
    result = run(path)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:3] == [
        "SettledOnce  INV-A4, INV-A7",
        f"  {path}, c1, channel 1, event 8, 1970-01-01 00:00:00.008000 UTC",
        "  Ack: 1 is settled, and was settled before",
    ]
    assert result.stdout.splitlines()[-1].startswith("violated")


def test_deliveries_of_what_was_not_seen_published_are_told(tmp_path: Path) -> None:
    found = run(recorded(tmp_path / "r.jsonl", CONSUMED)).stdout
    assert "1 deliveries, 0 marked as redelivered, 1 of what was not seen published" in found


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_the_document_is_as_its_schema_says(tmp_path: Path, name: str) -> None:
    found = document(run("--json", recorded(tmp_path / name, BAD, CONSUMED)))
    (violation,) = found["violations"]
    assert (violation["property"], violation["number"]) == ("SettledOnce", 8)
    assert found["messages"]["delivered"] == {"least": 1, "most": 1}
    assert found["confirms"]["window"] == 2


def test_what_is_not_in_the_empty_queues_is_lost(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r.jsonl", GOOD, CONSUMED)
    assert document(run("--json", path))["messages"]["lost"] == {"least": 0, "most": 1}
    found = document(run("--json", "--drained", path))
    assert found["messages"]["lost"] == {"least": 1, "most": 1}
    assert (found["verdict"], found["exit_code"]) == ("violated", 1)


@pytest.mark.parametrize("left", [0, 3])
def test_what_a_client_left_in_a_queue_would_be_lost_if_it_were_empty(
    tmp_path: Path, left: int
) -> None:
    file = tmp_path / "r.jsonl"
    with (
        RunningBroker() as broker,
        proxied(broker.port, file) as recording,
        blocking(recording.port) as channel,
    ):
        channel.queue_declare("q")
        channel.confirm_delivery()
        for number in range(10):
            channel.basic_publish("", "q", b"%d" % number)
        for _ in range(10 - left):
            channel.basic_get("q", auto_ack=True)
    found = document(run("--json", "--drained", file))
    assert found["messages"]["lost"] == {"least": left, "most": left}
    assert found["exit_code"] == (1 if left else 0)
    assert found["violations"] == []


def test_a_capture_is_audited_like_the_recording_of_the_same_traffic(tmp_path: Path) -> None:
    file, key = tmp_path / "r.jsonl", tmp_path / "key"
    key.write_bytes(KEY)
    with (
        RunningBroker() as broker,
        proxied(broker.port, file) as recording,
        tapped(recording.port) as tap,
    ):
        use(tap.port)
    for number, dialogue in enumerate(tap.dialogues):
        ports = (40_000 + number, 5672)
        written(tmp_path / f"{number}.pcap", sent(dialogue, ports=ports))
    captures = sorted(tmp_path.glob("*.pcap"))
    found, wanted = document(run("--json", "--key", key, *captures)), document(run("--json", file))
    for name in ("verdict", "events", "channels", "gaps", "violations", "messages"):
        assert found[name] == wanted[name]
    # Those of both have the same digests: each message is seen twice.
    both = document(run("--json", "--key", key, file, *captures))["messages"]
    assert both["published"] == 2 * wanted["messages"]["published"]
    assert both["delivered"]["most"] == 2 * wanted["messages"]["delivered"]["most"]


def test_a_capture_that_was_begun_late_claims_nothing(tmp_path: Path) -> None:
    with RunningBroker() as broker, tapped(broker.port) as tap:
        use(tap.port)
    segments = sent(tap.dialogues[0], ports=(40_000, 7000))[30:]
    path = written(tmp_path / "late.pcap", segments)
    assert document(run("--json", path))["events"] == 0
    hint = "  no broker was heard at port 5672; if it is at another, give --port"
    assert run(path).stdout.splitlines()[-1] == hint
    assert hint not in run("--port", 7000, path).stdout
    found = document(run("--json", "--port", 7000, path))
    assert (found["verdict"], found["exit_code"]) == ("incomplete", 3)
    assert found["events"] > 0
    assert found["violations"] == []


def test_a_damaged_capture_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.pcapng"
    path.write_bytes(b"\x0a\x0d\x0d\x0a" + bytes(100))
    result = run(path)
    assert result.exit_code == 2
    assert f"{path}: at byte 0: a section of no order of bytes" in result.output.replace("\n", "")


def test_recordings_have_one_account_and_connections_of_their_own(tmp_path: Path) -> None:
    recorded(tmp_path / "a.jsonl", GOOD)
    recorded(tmp_path / "b.parquet", CONSUMED)
    found = document(run("--json", tmp_path))
    assert len(found["recordings"]) == 2
    assert found["messages"]["lost"]["most"] == 1
    assert found["channels"] == 2


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
@pytest.mark.parametrize("events", [GOOD[3:], []])
def test_what_is_missing_makes_the_answer_incomplete(
    tmp_path: Path, name: str, events: list[Event]
) -> None:
    found = document(run("--json", recorded(tmp_path / name, events)))
    assert (found["verdict"], found["exit_code"]) == ("incomplete", 3)


def test_a_table_without_rows_makes_it_incomplete_too(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r.parquet", GOOD)
    pyarrow.parquet.write_table(pyarrow.parquet.read_table(path).slice(0, 0), path)
    assert document(run("--json", path))["verdict"] == "incomplete"


def test_a_file_that_is_named_twice_is_one_recording(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r.jsonl", GOOD)
    found = document(run("--json", tmp_path, path, tmp_path / ".." / tmp_path.name / path.name))
    assert (found["recordings"], found["messages"]["published"]) == ([str(path)], 2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--engine", "sparc"], "there is no engine 'sparc'; did you mean spark?"),
        (["--master", "local[2]"], "--master goes with --engine spark only"),
        (["--partitions", "2"], "--partitions goes with --engine spark only"),
        (["--tables", "{file}"], "is a file; name a directory"),
        (["--tables", "{folder}"], "is not empty"),
        (["--add"], "--add goes with --engine spark only"),
        (["--engine", "spark", "--add"], "add --tables DIR"),
        (["--engine", "spark", "--tables", "{file}"], "is a file; name a directory"),
        (["--engine", "spark", "--tables", "{folder}"], "is not empty"),
        (["--engine", "spark", "--master", "nowhere"], "nowhere is no address of a Spark master"),
    ],
)
def test_an_engine_that_cannot_do_it_is_refused(
    tmp_path: Path, options: list[str], said: str
) -> None:
    path = recorded(tmp_path / "r.jsonl", GOOD)
    places = {"file": path, "folder": tmp_path}
    result = run(path, *(word.format(**places) for word in options))
    assert result.exit_code == 2
    assert said in result.output


def test_what_is_no_event_is_left_out_where_there_are_tables(tmp_path: Path) -> None:
    path = recorded(tmp_path / "r.jsonl", GOOD)
    path.write_text(path.read_text() + "no event\n")
    assert run(path).exit_code == 2
    found = document(run("--json", "--tables", tmp_path / "found", path))
    assert (found["verdict"], found["quarantined"]) == ("incomplete", 1)
    (row,) = pyarrow.parquet.read_table(tmp_path / "found" / "quarantine").to_pylist()
    assert row["recording"] == str(path)
    assert json.loads((tmp_path / "found" / "audit.json").read_text())["quarantined"] == 1


@pytest.mark.parametrize(("tables", "loaded"), [(False, []), (True, ["pyarrow"])])
def test_nothing_of_spark_is_loaded_unless_it_is_asked_for(
    tables: bool, loaded: list[str], tmp_path: Path
) -> None:
    path = recorded(tmp_path / "r.jsonl", GOOD)
    words = ["audit", str(path), *(["--tables", str(tmp_path / "found")] if tables else [])]
    code = (
        "import sys; from ackproof.cli.main import app\n"
        f"try: app({words!r})\n"
        "except SystemExit: pass\n"
        "print(sorted({n.split('.')[0] for n in sys.modules} & {'pyspark', 'py4j', 'pyarrow'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(loaded)


def test_paths_without_recordings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("no recording\n")
    (tmp_path / "empty").mkdir()
    for path, said in [
        (tmp_path / "none", "there is no "),
        (tmp_path / "empty", "ends in .jsonl, .parquet, .pcap, .pcapng or .cap"),
        (tmp_path / "r.jsonl", "this is no recording"),
    ]:
        result = run(path)
        assert result.exit_code == 2
        assert said in result.output


def test_an_address_is_for_spark_to_read() -> None:
    result = run("s3://bucket/monday")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: s3://bucket/monday is an address, which only --engine spark reads\n"
        "  instead: add --engine spark, or give files of this machine\n"
    )


def test_an_address_with_a_secret_in_it_is_refused() -> None:
    for words in (
        ("--engine", "spark", "s3://me:SESAME@bucket/monday"),
        ("--engine", "spark", "--tables", "s3://me:SESAME@bucket/found", __file__),
    ):
        result = run(*words)
        assert result.exit_code == 2
        assert "has credentials in it" in result.stderr
        assert "SESAME" not in result.stderr
