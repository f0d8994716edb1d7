"""`ackproof audit`: recordings and captures of a broker, judged by the specification."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from ackproof.cli.audit_engines import LOCAL, AuditEngine
from ackproof.cli.inputs import InputError, clean_exit, located
from ackproof.cli.keys import KeyFile, key_of
from ackproof.cli.options import AsJson

if TYPE_CHECKING:
    from ackproof.cli.page import Page
    from ackproof.conform.document import AuditDocument, Messages, Range

__all__ = ["audit"]

_HELP = """
Judge recordings of a broker, whoever's it is.

A PATH is a recording that `ackproof record` has made, a capture of packets in pcap or pcapng, or a
folder with such files. Captures in one folder whose names differ in numbers only are pieces of one,
as `tcpdump -C` and `dumpcap -b` write them. Each channel is judged by itself: the first event that
no behaviour of the specification explains is shown, with the property that it breaks. Then what
became of all messages is counted, across channels and files. A message is known by its message-id
and its body; where several have the same, numbers are given as bounds.

With `--engine spark` a cluster judges what is too much for one machine, and finds the same. It
needs Java and `pip install "ackproof[spark]"`; without `--master`, it runs on this machine. There,
and with `--tables`, what is no event is left out, counted, and listed in a table with its place and
the reason.

What was confirmed and never delivered may be in a queue still. If the queues were empty in the end,
and all consumers were recorded, say so with `--drained`: then it is lost.

Exit codes: 0 if everything is explained, 1 if something is not, or is lost, 2 if the input is
wrong, 3 if what is there is explained and events are missing, or were left out.

Examples:

    ackproof audit traffic.jsonl

    ackproof audit --drained --json monday/ tuesday.parquet

    ackproof audit --port 5673 traffic.pcap

    ackproof audit --tables found traffic_*.pcapng

    ackproof audit --engine spark --master spark://first:7077 --tables /shared/found /shared/monday
"""

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH",
        help="Recordings, captures, or folders of them; with spark, addresses in an object store, "
        "too.",
        show_default=False,
    ),
]
Drained = Annotated[
    bool,
    typer.Option(
        "--drained", help="All queues were empty in the end, and all consumers were recorded."
    ),
]

Engine = Annotated[
    str,
    typer.Option(
        "--engine",
        "-e",
        metavar="local|spark",
        help="local: in this process. spark: for recordings that one machine cannot hold.",
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="With spark: the cluster, such as `spark://HOST:7077`, which sees each PATH at the "
        "same place. `local[2]` is two tasks at a time on this machine; `local[*]`, as many as can "
        "run at once, if not given.",
        show_default=False,
    ),
]
Partitions = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=65_535,
        metavar="N",
        help="With spark: parts that channels and messages are divided into, each one a task; two "
        "for each task that can run at once if not given.",
        show_default=False,
    ),
]
Tables = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="A new directory for what was found, as tables in Parquet: channels, violations, "
        "messages, quarantine; all machines of a cluster must share it. It may be in an object "
        "store, such as `s3://BUCKET/found`.",
        show_default=False,
    ),
]

Add = Annotated[
    bool,
    typer.Option(
        "--add",
        help="With spark: add to the audit that the directory for tables holds; recordings that it "
        "has are not read again, but for captures of which more pieces come.",
    ),
]

Port = Annotated[
    int,
    typer.Option(
        min=1,
        max=65_535,
        metavar="PORT",
        help="Where the broker listens in captures: of a connection whose beginning is missing, "
        "nothing else says who is the client.",
    ),
]

_ENDINGS = ".jsonl, .parquet, .pcap, .pcapng or .cap"
_STYLES = {"explained": "bold green", "violated": "bold red", "incomplete": "bold yellow"}
_SENTENCES = {
    "explained": "the specification explains every channel",
    "violated": "the specification does not explain what the broker did",
    "incomplete": "what is there is explained, and events are missing or were left out",
}


@clean_exit
def audit(
    paths: Paths,
    drained: Drained = False,
    engine: Engine = LOCAL,
    master: Master = None,
    partitions: Partitions = None,
    tables: Tables = None,
    add: Add = False,
    key: KeyFile = None,
    port: Port = 5672,
    as_json: AsJson = False,
) -> int:
    """Audit; the text of the help is in `_HELP`."""
    import msgspec
    from ackproof.cli.page import Page, console
    from ackproof.conform.capture.listening import Listening
    from ackproof.conform.capture.rotation import called_capture

    where = None if tables is None else located(tables)
    chosen = AuditEngine(engine, master, partitions, where, add)
    chosen.check_options()
    # A file that is named twice, by itself and by its folder, say, is one recording.
    known: dict[Path | str, Path | str] = {}
    for place in map(located, paths):
        found = (
            _files(place)
            if isinstance(place, Path)
            else chosen.files(place, _is_recording, _ENDINGS)
        )
        for file in found:
            known.setdefault(file.resolve() if isinstance(file, Path) else file, file)
    files = sorted(known.values(), key=str)
    document = chosen.audit(files, drained, Listening(None if key is None else key_of(key), port))
    if as_json:
        typer.echo(json.dumps(msgspec.to_builtins(document), indent=2))
    else:
        page = Page(console())
        _show(page, document)
        if not document.events and any(called_capture(str(file)) for file in files):
            page.line(f"  no broker was heard at port {port}; if it is at another, give --port")
    return document.exit_code


audit.__doc__ = _HELP


def _files(path: Path) -> list[Path]:
    """Return the recordings that a path stands for.

    Raises:
        InputError: there is none.
    """
    if not path.exists():
        raise InputError(f"there is no {path}; give recordings, or folders of them")
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if _is_recording(file.name))
    if not files:
        raise InputError(f"no file in {path} ends in {_ENDINGS}; give recordings")
    return files


def _is_recording(name: str) -> bool:
    """Tell whether a file in a folder is called a recording, or a capture or a piece of one."""
    from ackproof.conform.capture.rotation import called_capture

    return name.endswith((".jsonl", ".parquet")) or called_capture(name)


def _show(page: Page, document: AuditDocument) -> None:
    for found in document.violations:
        page.line((found.property, "bold red"), f"  {', '.join(found.rules)}")
        place = f"{found.recording}, {found.connection}, channel {found.channel}"
        page.line(f"  {place}, event {found.number}, {_moment(found.time)}")
        page.line(f"  {found.event}: {found.why}")
        page.line()
    counts = f"{document.events:,} events on {document.channels:,} channels"
    _row(page, "recorded", f"{counts}, {document.gaps:,} gaps")
    if document.quarantined:
        told = "records that are no event; `--tables` lists them, in the table quarantine"
        _row(page, "left out", f"{document.quarantined:,} {told}")
    _show_messages(page, document.messages)
    confirms = document.confirms
    if confirms.latency:
        times = ", ".join(f"p{p} {ms:,} ms" for p, ms in confirms.latency.items())
        _row(page, "confirms", f"{confirms.frames:,} frames, {times}")
        most = f"{confirms.largest:,} settled by one, {confirms.window:,} in flight"
        _row(page, "at most", most)
    page.line()
    page.line((document.verdict, _STYLES[document.verdict]), f"  {_SENTENCES[document.verdict]}")


def _moment(seconds: float) -> str:
    """Return a time of a recording as one reads it; clocks may say anything."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
    except (OverflowError, ValueError, OSError):
        return f"at {seconds} s"


def _row(page: Page, name: str, text: str) -> None:
    page.line((f"  {name:<12}", "dim"), text)


def _show_messages(page: Page, messages: Messages) -> None:
    told = f"{messages.confirmed:,} confirmed, {messages.nacked:,} nacked"
    rest = f"{messages.unsettled:,} unsettled, {messages.returned:,} returned"
    _row(page, "published", f"{messages.published:,}: {told}, {rest}")
    times = f"{messages.deliveries:,} deliveries, {messages.redelivered:,} marked as redelivered"
    if messages.strangers:
        times += f", {messages.strangers:,} of what was not seen published"
    _row(page, "delivered", f"{_bounds(messages.delivered)} in {times}")
    _row(page, "lost", _bounds(messages.lost))
    _row(page, "duplicated", _bounds(messages.duplicated))


def _bounds(bounds: Range) -> str:
    if bounds.least == bounds.most:
        return f"{bounds.most:,}"
    return f"{bounds.least:,} to {bounds.most:,}"
