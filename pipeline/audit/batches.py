"""Batches: what was found in some recordings is kept, and more of them can be added later.

    batches/3f…e1.json      which recordings a batch has, written last
    batches/3f…e1/          what its channels have shown, as packed rows of tables
    channels/ violations/ messages/ quarantine/
                            the tables, of all batches together
    tables.json             the seals of the tables' files, and of the document
    audit.json              the document, of all batches together

The channels of a recording are its own, so a batch is judged by itself, and never again.  It is
otherwise where pieces come of a capture that has some in a batch: connections go on from piece to
piece.  All recordings of that batch are judged anew together with what comes, if they are still
there, and the new batch replaces it.

Messages go from one recording to another.  So the tables are made of all batches each time, from
what channels have shown, and it does not matter in which batch or in which order recordings came.

A batch has the name of what is in it, and exists once its manifest does.  One that was given up is
made again under the same name, and what was added already is left out.

A recording is known by its path.  It has a mark, too: its size, and a digest of its first and last
bytes, in which the times of its events are.  So it is noticed when another file has its path by
now, and when it comes again under another one: all that is in it would count twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from ackproof.conform.capture.listening import Listening
from ackproof.conform.capture.rotation import called_capture, pieces_of_captures
from ackproof.conform.judging.texts import Numbering
from ackproof.conform.keys import differing
from ackproof.pipeline.audit.kept import RowsFile
from ackproof.pipeline.errors import AuditRefused, StoreFailed
from ackproof.pipeline.places import LocalPlace, Place
from ackproof.pipeline.sealed import (
    FileChanged,
    read_document,
    require_seal,
    seal_of,
    sealed_document,
)
from ackproof.pipeline.storage import placed

__all__ = [
    "DOCUMENT",
    "Batch",
    "Batches",
    "Recording",
    "in_captures",
    "mark_of",
    "require_one_key",
    "require_place",
]

#: The document of an audit, in its directory.
DOCUMENT = "audit.json"
#: Bytes at either end of a recording that are in its mark.
_ENDS = 1 << 20
#: Bytes up to which recordings may well be alike: nothing has happened in them.
_NOTHING = 1 << 14


def require_place(tables: Place | Path | str, add: bool = False) -> None:
    """Refuse a directory for tables that has something already, or what cannot be added to.

    Raises:
        AuditRefused: it has, or it is a file.
    """
    place = placed(tables)
    if place.exists() and not (isinstance(place, LocalPlace) and place.is_dir()):
        raise AuditRefused(f"--tables {tables} is a file; name a directory")
    if not isinstance(place, LocalPlace):
        place.ready()
    if not place.files(deep=True):
        return
    if not (place / "batches").files(deep=True):
        what = (
            "holds an audit that was made without Spark, to which nothing can be added"
            if (place / DOCUMENT).exists()
            else "is not empty"
        )
        raise AuditRefused(f"--tables {tables} {what}\n  instead: name a directory that is new")
    if not add:
        raise AuditRefused(
            f"--tables {tables} holds an audit already\n"
            "  instead: name a directory that is new, or add --add to add recordings to it"
        )


class Recording(msgspec.Struct, frozen=True, order=True):
    """A recording as it was audited.

    Args:
        name: what it is called in tables.
        path: where it was: its path or its address.
        size: how many bytes it had.
        mark: a digest of how it begins and ends; empty if it could not be read.
        key_mark: of the key of its digests; empty if that was not asked, or is not known.
    """

    name: str
    path: str
    size: int
    mark: str = ""
    key_mark: str = ""

    def is_there(self) -> bool:
        """Tell whether it is still what it was; what could not be read has nothing to lose."""
        try:
            size = placed(self.path).size()
            return not self.mark or msgspec.structs.replace(self, size=size).marked() == self
        except (OSError, StoreFailed):
            return not self.mark

    def marked(self) -> Recording:
        """Return the same with its mark."""
        try:
            with placed(self.path).open("rb") as file:
                said = file.read(_ENDS)
                file.seek(max(self.size - _ENDS, 0))
                said += file.read(_ENDS)
        except OSError:
            return self
        return msgspec.structs.replace(self, mark=seal_of(said))


def require_one_key(recordings: Iterable[Recording]) -> None:
    """Refuse to call messages lost that cannot be followed from one recording to another.

    Raises:
        AuditRefused: recordings have keys that differ.
    """
    wrong = differing((recording.name, recording.key_mark) for recording in recordings)
    if wrong:
        raise AuditRefused(wrong)


def in_captures(files: Sequence[Recording]) -> list[list[int]]:
    """Return the numbers of files, those together that are pieces of one capture."""
    return pieces_of_captures(range(len(files)), lambda number: files[number].path)


class Batch(msgspec.Struct, frozen=True, tag_field="format", tag="ackproof/batch/6"):
    """Recordings that were judged together.

    Args:
        recordings: the files.
        seed: of the numbers that stand for texts, which is one for all batches.
        files: what its rows are in, see `ackproof.pipeline.audit.kept`; one at least, once it is
            there.
        replaces: the names of batches that are none any more once this one is there.
        how: a mark of how captures were read, see `mark_of`.
    """

    recordings: tuple[Recording, ...]
    seed: bytes
    files: tuple[RowsFile, ...] = ()
    replaces: tuple[str, ...] = ()
    how: str = ""

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


def _require_unchanged(recording: Recording, before: Recording) -> None:
    """Refuse a recording that is another one than when it was audited; unless it was not read then.

    Raises:
        AuditRefused: it is.
    """
    if before.mark and before.size != recording.size:
        raise AuditRefused(
            f"{recording.name} has {recording.size:,} bytes, and had {before.size:,} when it was "
            "audited\n  instead: audit it anew, in another directory; and add recordings when they "
            "are complete"
        )
    if before.mark and recording.mark and before.mark != recording.mark:
        raise AuditRefused(
            f"{recording.name} is another recording than when it was audited\n"
            "  instead: if it was mended, audit all anew, in another directory; if it is of "
            "something else, give it a name of its own"
        )


class _Seals(msgspec.Struct):
    """The files of each table, and the seal of the document."""

    tables: dict[str, list[RowsFile]]
    document: str


#: What a mark ends in if no key was given.
_NO_KEY = "no key"


def mark_of(how: Listening) -> str:
    """Return what tells ways apart in which captures are read, as far as that was asked for."""
    return f"{how.port}, {_NO_KEY if how.given is None else seal_of(how.given)[:8]}"


def _of_captures(recordings: Iterable[Recording]) -> list[Recording]:
    return [r for r in recordings if called_capture(r.path)]


def _require_same_way(
    batches: Sequence[Batch], fresh: Sequence[Recording], replaced: Sequence[Batch], how: str
) -> None:
    """Refuse captures that would be read otherwise than those that are there, or than before.

    With another key the same message would have another digest, and be another message.

    Raises:
        AuditRefused: they would be, or nobody has given a key.
    """
    captures = _of_captures(fresh)
    for batch in batches:
        there = _of_captures(batch.recordings)
        another = batch.how != how and bool(captures or batch in replaced)
        if there and (another or (captures and how.endswith(_NO_KEY))):
            raise AuditRefused(
                f"{fresh[0].name} cannot be added to {there[0].name}: captures that are audited at "
                "different times need the same --port and the same --key, which has to be given\n"
                "  instead: give both as before; or audit all anew, in another directory"
            )


def _going_on(batches: Sequence[Batch], fresh: Sequence[Recording]) -> list[Batch]:
    """Return the batches with pieces of captures that go on, if all in them is still there."""
    of = {recording.path: batch for batch in batches for recording in batch.recordings}
    new = {recording.path for recording in fresh}
    found: dict[str, Batch] = {}
    for pieces in pieces_of_captures([*of, *(new - of.keys())]):
        if new.intersection(pieces):
            found |= {of[path].name: of[path] for path in pieces if path in of}
    return [batch for batch in found.values() if all(r.is_there() for r in batch.recordings)]


def _require_once(batches: Sequence[Batch], root: Place) -> None:
    """Refuse batches of which two have the same recording.

    Raises:
        AuditRefused: there are.
    """
    of: dict[str, Batch] = {}
    for batch in batches:
        for recording in batch.recordings:
            other = of.setdefault(recording.path, batch)
            if other is not batch:
                raise AuditRefused(
                    f"{recording.name} is in two batches, and would count twice: two drivers were "
                    "at work there\n"
                    f"  instead: remove {root / 'batches' / batch.name}.json, and add all again"
                )


class Batches:
    """The batches in the directory of an audit."""

    def __init__(self, root: Place | Path) -> None:
        self.root = placed(root)

    def place(self, batch: Batch) -> Place:
        """Return where the rows of a batch are."""
        return self.root / "batches" / batch.name

    def known(self) -> list[Batch]:
        """Return the batches that are there.

        Raises:
            AuditRefused: the manifest of one was changed, or two have the same recording.
        """
        batches = self._manifests()
        replaced = {name for batch in batches for name in batch.replaces}
        found = [batch for batch in batches if batch.name not in replaced]
        _require_once(found, self.root)
        return found

    def _manifests(self) -> list[Batch]:
        found = []
        for path in (self.root / "batches").files():
            try:
                found.append(msgspec.json.decode(read_document(path), type=Batch))
            except (FileChanged, msgspec.DecodeError) as error:
                raise AuditRefused(
                    f"{path} is not the manifest of a batch, or of another version: {error}\n"
                    f"  instead: remove it, and add its recordings again"
                ) from None
        return found

    def new(self, recordings: Sequence[Recording], how: str) -> Batch:
        """Return a batch of those recordings that are in none, and clear its place.

        With them are the recordings of batches with other pieces of their captures, and of those in
        which one could not be read that can be now, if all of them are still there.

        Args:
            recordings: what is to be in the audit.
            how: a mark of how captures are read, see `mark_of`.

        Raises:
            AuditRefused: one has become another since it was added, or is there twice, or is to be
                read in another way.
        """
        batches = self.known()
        known = {r.path: r for batch in batches for r in batch.recordings}
        marks = {(r.size, r.mark): r for r in known.values()}
        for recording in recordings:
            if recording.path in known:
                _require_unchanged(recording, known[recording.path])
            else:
                same = marks.setdefault((recording.size, recording.mark), recording)
                _require_new(recording, same)
        seed = batches[0].seed if batches else Numbering.drawn()
        fresh = [
            r for r in recordings if r.path not in known or (r.mark and not known[r.path].mark)
        ]
        replaced = _going_on(batches, fresh)
        _require_same_way(batches, fresh, replaced, how)
        again = {r.path: r for batch in replaced for r in batch.recordings}
        there = known.keys() - again.keys()
        every = again | {r.path: r for r in fresh if r.path not in there}
        names = (name for batch in replaced for name in (batch.name, *batch.replaces))
        batch = Batch(tuple(sorted(every.values())), seed, replaces=tuple(names), how=how)
        self.place(batch).clear()
        return batch

    def finish(self, batch: Batch) -> None:
        """Make a batch exist, whose rows are there, and those that it replaces no more.

        Raises:
            AuditRefused: what those have was taken away since the batch was begun.
        """
        gone = [r.name for r in batch.recordings if batch.replaces and not r.is_there()]
        if gone:
            raise AuditRefused(
                f"{gone[0]} was changed or taken away while it was audited again together with the "
                "pieces of a capture beside it\n  instead: add those again; nothing is lost"
            )
        self._manifest(batch.name).write(sealed_document(msgspec.json.encode(batch)))
        for name in batch.replaces:
            self._manifest(name).unlink(missing_ok=True)
            (self.root / "batches" / name).clear()

    def _manifest(self, name: str) -> Place:
        return self.root / "batches" / f"{name}.json"

    @property
    def document(self) -> Place:
        """The document of the audit."""
        return self.root / DOCUMENT

    def anew(self, table: str, token: int) -> Place:
        """Return the empty folder where a table is made anew: beside that before, if it can be.

        What lies in an object store cannot be renamed, so there the table before goes at once; and
        with it the document, for without that there is no audit.
        """
        place = self.root / table
        if isinstance(place, LocalPlace):
            place = place.with_name(f".{table}.{token}")
        else:
            self.document.unlink(missing_ok=True)
        place.clear()
        return place

    def replace(
        self,
        tables: Mapping[str, Place],
        files: Mapping[str, tuple[RowsFile, ...]],
        document: str,
    ) -> None:
        """Put tables that were made anew in the places of those before, and then the document.

        Args:
            tables: where they are.
            files: the files of each, as they were told.
            document: what is in the document, as a line.
        """
        self.document.unlink(missing_ok=True)
        for table, made in tables.items():
            if isinstance(made, LocalPlace):
                place = made.with_name(table)
                place.clear()
                made.rename(place)
        seals = {"tables": files, "document": seal_of(document.encode())}
        self.seals.write(sealed_document(msgspec.json.encode(seals)))
        self.document.write(document)

    @property
    def seals(self) -> Place:
        """The seals of the tables' files, and of the document."""
        return self.root / "tables.json"

    def require_rows(self, batches: Sequence[Batch]) -> None:
        """Compare the rows of batches with their seals.

        Raises:
            AuditRefused: a file of theirs is not what was written, or is gone.
        """
        for batch in batches:
            place = self.place(batch)
            for file in batch.files:
                try:
                    require_seal(place / file.name, file.seal)
                except FileChanged as error:
                    raise AuditRefused(
                        f"{error}\n  instead: remove {place}.json, and add its recordings again"
                    ) from None

    def require_tables(self) -> None:
        """Compare the tables and the document with their seals.

        Raises:
            AuditRefused: a file of the tables or the document is not what was written, or is gone.
        """
        try:
            known = msgspec.json.decode(read_document(self.seals), type=_Seals)
            for table, files in known.tables.items():
                for file in files:
                    require_seal(self.root / table / file.name, file.seal)
            require_seal(self.document, known.document)
        except (FileChanged, OSError, msgspec.DecodeError) as error:
            again = (
                f"have the tables made again: ackproof audit --engine spark --tables {self.root} "
                "--add, with any recording that is in the audit"
            )
            anew = "audit the recordings anew, with another directory for tables"
            kept = (self.root / "batches").files(deep=True)
            raise AuditRefused(f"{error}\n  instead: {again if kept else anew}") from None
