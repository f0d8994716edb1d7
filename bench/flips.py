"""Bits that flip in the files of searches and audits: how many are told, and that none is silent.

A search of confirms is stopped in the middle, and recordings are audited.  Then, again and again,
bits of one file flip, one or forty, and whoever uses the file is asked: `--resume` of the search,
or what an audit reads of its batches, of its tables, of its document, of its lease and of its
recordings.  What happens is one of

- *told*: it is refused, and the message names the file or its folder;
- *harmless*: what is found is what is found without it, or the file was made again;
- *silent*: something else is found.

The run ends with an error if a flip was silent.

    python bench/flips.py
    python bench/flips.py --flips 300 --kind audit recording
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# A script finds modules beside itself; these are found from the project's root, as in the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyarrow as pa
from ackproof.conform.audit import audit
from ackproof.conform.document import AuditDocument
from ackproof.conform.schema import RecordingError
from ackproof.pipeline.audit.batches import Batches
from ackproof.pipeline.audit.kept import _Read
from ackproof.pipeline.audit.run import SparkAudit
from ackproof.pipeline.audit.tables import TABLES, WRITTEN
from ackproof.pipeline.errors import AuditRefused, SearchFailed, SearchRefused
from ackproof.pipeline.folder import Folder
from ackproof.pipeline.lease import Lease
from ackproof.pipeline.sealed import FileChanged
from ackproof.pipeline.session import open_session
from ackproof.pipeline.storage import placed
from ackproof.spec.model import MODEL

from tests.pipeline.recorded import drawn
from tests.pipeline.searches import ALONE, bound_of, explorer_of, folder_of, summary
from tests.pipeline.test_flipped_bits import LOST, MADE_AGAIN, files_in, flip

_TOLD = (SearchRefused, SearchFailed, AuditRefused, RecordingError, FileChanged)

#: Levels with fewer states before them are settled by the driver.
_SMALL = 20

#: A kind of file, where such files are below a folder, and what is found with them.
Kind = tuple[str, Callable[[Path], list[Path]], Callable[[Path], Any]]


def searched(folder: Path, instance: str) -> tuple[Path, list[Kind]]:
    """Begin a search, and return the kinds of its files."""
    bound = bound_of(MODEL, instance)
    # Some levels are settled by the driver, and the others make an index.
    explorer_of(folder, small=_SMALL)(bound, max_depth=8)

    def resumed(work: Path) -> Any:
        return summary(explorer_of(work, small=ALONE, resume=True)(bound))

    def files(kind: str) -> Callable[[Path], list[Path]]:
        return lambda work: files_in(folder_of(work).root, kind)

    return folder, [(f"search, {kind}", files(kind), resumed) for kind in (*LOST, *MADE_AGAIN)]


def audited(folder: Path, rng: random.Random) -> tuple[Path, list[Kind]]:
    """Audit recordings, and return the kinds of files that are left, and those of recordings."""
    recordings = drawn(folder / "in", rng, files=4).paths
    tables = folder / "out"
    with open_session("local[2]", 2, folder / "spark.log", "flips") as session:
        SparkAudit(session, 2, tables)(recordings)

    def found(pattern: str) -> Callable[[Path], list[Path]]:
        return lambda work: sorted(work.glob(pattern))

    left = [(f"audit, {name}", found(f"out/{name}/*.parquet"), _tables) for name in WRITTEN]
    return folder, [
        ("audit, rows of a batch", found("out/batches/*/*.parquet"), _batches),
        ("audit, manifest of a batch", found("out/batches/*.json"), _batches),
        *left,
        ("audit, seals of tables", found("out/tables.json"), _tables),
        ("audit, document", found("out/audit.json"), _tables),
        ("audit, lease", found("out/lease/*"), _leased),
        ("recording, Parquet", found("in/*.parquet"), _heard("*.parquet")),
        ("recording, JSON Lines", found("in/*.jsonl"), _heard("*.jsonl")),
    ]


def _batches(work: Path) -> Any:
    """Return all rows that an addition reads of the batches that are there."""
    batches = Batches(work / "out")
    files = [(batches.place(b) / f.name, f.seal) for b in batches.known() for f in b.files]
    numbers = pa.record_batch([list(range(len(files)))], ["id"])
    reads = (_Read(tuple(files), table)(iter([numbers])) for table in TABLES)
    return [row for read in reads for batch in read for row in batch.to_pylist()]


def _tables(work: Path) -> None:
    Batches(work / "out").require_tables()


def _leased(work: Path) -> int:
    """Return the token of a driver that begins."""
    with Lease(Folder(placed(work / "out"))) as lease:
        return lease.token


def _heard(pattern: str) -> Callable[[Path], Any]:
    def document(work: Path) -> AuditDocument:
        return audit(sorted((work / "in").glob(pattern)))

    return document


def outcome(work: Path, path: Path, expected: Any, use: Callable[[Path], Any]) -> str:
    """Return what becomes of a flip in a file."""
    try:
        found = use(work)
    except _TOLD as error:
        said = str(error)
        named = str(path) in said or str(work) in said
        return "told" if named else f"told, and no file is named: {said}"
    return "harmless" if _same(found, expected) else "silent"


def _same(found: Any, expected: Any) -> bool:
    return bool(repr(found) == repr(expected))


def tried(
    root: Path, kind: Kind, flips: int, rng: random.Random, folder: Path
) -> Iterator[tuple[str, str]]:
    """Yield what becomes of flips in files of a kind, and which file it was."""
    _, files, use = kind
    work = folder / "work"
    expected = None
    for number in range(flips + 1):
        shutil.copytree(root, work)
        if number == 0:
            expected = use(work)
        else:
            path = rng.choice(files(work))
            flip(path, rng, rng.choice([1, 1, 40]))
            yield outcome(work, path, expected, use), str(path.relative_to(work))
        shutil.rmtree(work)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="bits that flip in files")
    parser.add_argument("--flips", type=int, default=30, help="in each kind of file")
    parser.add_argument("--kind", nargs="+", default=[""], help="how the kinds of file begin")
    parser.add_argument("--instance", default="tiny", help="which instance is searched")
    parser.add_argument("--seed", type=int, default=1, help="of all that is random")
    asked = parser.parse_args()
    rng, silent = random.Random(asked.seed), list[str]()
    with tempfile.TemporaryDirectory(prefix="ackproof-bench-") as name:
        folder = Path(name)
        both = searched(folder / "search", asked.instance), audited(folder / "audit", rng)
        for root, kinds in both:
            for kind in (kind for kind in kinds if kind[0].startswith(tuple(asked.kind))):
                began, counts = time.perf_counter(), Counter[str]()
                for what, path in tried(root, kind, asked.flips, rng, folder):
                    counts[what] += 1
                    if what not in ("told", "harmless"):
                        silent.append(f"{kind[0]}: {path}: {what}")
                said = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
                print(f"{kind[0]:<28} {said}  {time.perf_counter() - began:.0f} s", flush=True)
    sys.exit("\n".join(silent) or None)


if __name__ == "__main__":
    main()
