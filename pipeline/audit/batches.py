"""Batches: what was found in some recordings is kept, and more of them can be added later.

    batches/3f…e1.json      which recordings a batch has, written last
    batches/3f…e1/          what its channels have shown, as packed rows of tables
    channels/ violations/ messages/ quarantine/
                            the tables, of all batches together
    audit.json              the document, of all batches together

The channels of a recording are its own, so a batch is judged by itself, and never again.  Messages
go from one recording to another.  So the tables are made of all batches each time, from what
channels have shown, and it does not matter in which batch or in which order recordings came.

A batch has the name of what is in it, and exists once its manifest does.  One that was given up is
made again under the same name, and what was added already is left out.

A recording is known by its path.  It has a mark, too: its size, and a digest of its first and last
bytes, in which the times of its events are.  So it is noticed when another file has its path by
now, and when it comes again under another one: all that is in it would count twice.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec
from ackproof.conform.judging.texts import Numbering
from ackproof.pipeline.errors import AuditRefused
from ackproof.pipeline.places import LocalPlace
from ackproof.pipeline.sealed import FileChanged, read_document, seal_of, sealed_document

__all__ = ["DOCUMENT", "Batch", "Batches", "Recording"]

#: The document of an audit, in its directory.
DOCUMENT = "audit.json"
#: Bytes at either end of a recording that are in its mark.
_ENDS = 1 << 20
#: Bytes up to which recordings may well be alike: nothing has happened in them.
_NOTHING = 1 << 14


class Recording(msgspec.Struct, frozen=True, order=True):
    """A recording as it was audited.

    Args:
        name: what it is called in tables.
        path: where it was.
        size: how many bytes it had.
        mark: a digest of how it begins and ends; empty if it could not be read.
    """

    name: str
    path: str
    size: int
    mark: str = ""

    def marked(self) -> Recording:
        """Return the same with its mark."""
        try:
            with Path(self.path).open("rb") as file:
                said = file.read(_ENDS)
                file.seek(max(self.size - _ENDS, 0))
                said += file.read(_ENDS)
        except OSError:
            return self
        return msgspec.structs.replace(self, mark=seal_of(said))


class Batch(msgspec.Struct, frozen=True):
    """Recordings that were judged together.

    Args:
        recordings: the files.
        seed: of the numbers that stand for texts, which is one for all batches.
    """

    recordings: tuple[Recording, ...]
    seed: bytes

    @property
    def name(self) -> str:
        """The name of the batch, by what is in it."""
        return seal_of(msgspec.json.encode(sorted(self.recordings)))


def _require_new(recording: Recording, same: Recording) -> None:
    """Refuse a recording that is the same as another one.

    Raises:
        AuditRefused: it is, and something has happened in it.
    """
    if same.path != recording.path and recording.mark and recording.size > _NOTHING:
        raise AuditRefused(
            f"{recording.name} is the same recording as {same.name}, and would count twice\n"
            "  instead: leave it out"
        )


class Batches:
    """The batches in the directory of an audit."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def place(self, batch: Batch) -> Path:
        """Return where the rows of a batch are."""
        return self.root / "batches" / batch.name

    def known(self) -> list[Batch]:
        """Return the batches that are there.

        Raises:
            AuditRefused: the manifest of one was changed.
        """
        found = []
        for path in sorted((self.root / "batches").glob("*.json")):
            try:
                found.append(msgspec.json.decode(read_document(LocalPlace(path)), type=Batch))
            except (FileChanged, msgspec.DecodeError) as error:
                raise AuditRefused(
                    f"{path} is not the manifest of a batch: {error}\n"
                    f"  instead: remove it, and add its recordings again"
                ) from None
        return found

    def new(self, recordings: Sequence[Recording]) -> Batch:
        """Return a batch of those recordings that are in none, and clear its place.

        Raises:
            AuditRefused: one has become another since it was added, or is there twice.
        """
        batches = self.known()
        known = {r.path: r for batch in batches for r in batch.recordings}
        marks = {(r.size, r.mark): r for r in known.values()}
        for recording in recordings:
            before = known.get(recording.path)
            if before is None:
                _require_new(
                    recording, marks.setdefault((recording.size, recording.mark), recording)
                )
            elif before.size != recording.size:
                raise AuditRefused(
                    f"{recording.name} has {recording.size:,} bytes, and had {before.size:,} when "
                    "it was audited\n  instead: audit it anew, in another directory; and add "
                    "recordings when they are complete"
                )
            elif before.mark and recording.mark and before.mark != recording.mark:
                raise AuditRefused(
                    f"{recording.name} is another recording than when it was audited\n"
                    "  instead: give it a name of its own; or audit all anew, in another directory"
                )
        seed = batches[0].seed if batches else Numbering.drawn()
        batch = Batch(tuple(r for r in recordings if r.path not in known), seed)
        shutil.rmtree(self.place(batch), ignore_errors=True)
        return batch

    def finish(self, batch: Batch) -> None:
        """Make a batch exist, whose rows are there."""
        path = self.place(batch).with_suffix(".json")
        LocalPlace(path).write(sealed_document(msgspec.json.encode(batch)))

    def replace(self, table: str, made: Path) -> None:
        """Put a table that was made anew in the place of the one before."""
        shutil.rmtree(self.root / table, ignore_errors=True)
        made.rename(self.root / table)
