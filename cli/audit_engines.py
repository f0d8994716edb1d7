"""Where an audit runs: in this process, or on Spark.

Both return the same document.  Nothing of Spark is loaded unless it was asked for, and an option
that has no effect with the engine that was chosen is refused.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ackproof.cli.engines import SPARK, say
from ackproof.cli.inputs import InputError, choose

if TYPE_CHECKING:
    from ackproof.conform.capture.listening import Listening
    from ackproof.conform.document import AuditDocument

__all__ = ["LOCAL", "AuditEngine"]

LOCAL = "local"


@dataclass(frozen=True)
class AuditEngine:
    """The engine that was asked for, and its options; but for `tables` they are Spark's only.

    Args:
        name: its name.
        master: the address of a cluster.
        partitions: into how many parts channels are divided.
        tables: the directory for tables, or its address.
        add: it may hold an audit, to which recordings are added.
    """

    name: str
    master: str | None = None
    partitions: int | None = None
    tables: Path | str | None = None
    add: bool = False

    def check_options(self) -> None:
        """Refuse an engine that is unknown, and options that have no effect with it.

        Raises:
            InputError: there is no such engine, or an option does not go with it.
        """
        choose("engine", self.name, [LOCAL, SPARK])
        given = {
            "--master": self.master,
            "--partitions": self.partitions,
            "--add": self.add or None,
        }
        for option, value in given.items():
            if self.name != SPARK and value is not None:
                raise InputError(
                    f"{option} goes with --engine spark only; leave it out, or add --engine spark"
                )

        if self.add and self.tables is None:
            raise InputError(
                "--add adds to the audit of a directory, and none is named\n"
                "  instead: add --tables DIR"
            )

    def files(self, address: str, is_recording: Callable[[str], bool], endings: str) -> list[str]:
        """Return the addresses of the recordings that an address stands for.

        Args:
            address: of a recording, or of a folder of them.
            is_recording: tells of the name of a file in a folder whether it is one.
            endings: how such names end, in words.

        Raises:
            InputError: there is none, or it is for Spark to look there.
        """
        if self.name != SPARK:
            raise InputError(
                f"{address} is an address, which only --engine spark reads\n"
                "  instead: add --engine spark, or give files of this machine"
            )
        from ackproof.pipeline.errors import SparkUnavailable, StoreFailed
        from ackproof.pipeline.java import require_packages

        try:
            require_packages()
            from ackproof.pipeline.storage import placed

            place = placed(address)
            place.ready()
            if place.exists():
                return [address]
            within = place.files(deep=True)
        except (SparkUnavailable, StoreFailed) as error:
            raise InputError(str(error)) from error
        files = [file.address for file in within if is_recording(file.name)]
        if not files:
            raise InputError(
                f"no file in {place} ends in {endings}; give the address of recordings"
            )
        return files

    def audit(self, files: Sequence[Path | str], drained: bool, how: Listening) -> AuditDocument:
        """Audit recordings, and captures as it is said how.

        Raises:
            InputError: a file is no recording, or there is no Spark here.
        """
        run = self._on_spark if self.name == SPARK else self._here
        return run(files, drained, how)

    def _on_spark(
        self, files: Sequence[Path | str], drained: bool, how: Listening
    ) -> AuditDocument:
        from ackproof.pipeline.errors import (
            AuditFailed,
            AuditRefused,
            SearchFailed,
            SearchRefused,
            SparkUnavailable,
            StoreFailed,
        )
        from ackproof.pipeline.java import require_packages

        log = Path(tempfile.mkdtemp(prefix="ackproof-audit-")) / "spark.log"
        kept = False
        try:
            require_packages()
            from ackproof.pipeline.audit.batches import require_place
            from ackproof.pipeline.audit.run import SparkAudit
            from ackproof.pipeline.session import open_session

            if self.tables is not None:
                require_place(self.tables, self.add)
            parts = self.partitions or 1
            with open_session(self.master, parts, log, "ackproof audit", say) as session:
                run = SparkAudit(session, self.partitions, self.tables, self.add, how=how)
                return run(files, drained)
        except (AuditRefused, SearchFailed, SearchRefused, StoreFailed) as error:
            raise InputError(str(error)) from error
        except (AuditFailed, SparkUnavailable) as error:
            # The message may name the log, for what Spark itself has said.
            kept = log.exists()
            raise InputError(str(error)) from error
        finally:
            if not kept:
                log.unlink(missing_ok=True)
                log.parent.rmdir()

    def _here(self, files: Sequence[Path | str], drained: bool, how: Listening) -> AuditDocument:
        from ackproof.conform.schema import RecordingError

        paths = [Path(file) for file in files]
        if self.tables is not None:
            return _with_tables(self.tables, paths, drained, how)
        from ackproof.conform.audit import audit

        try:
            return audit(paths, drained, how)
        except RecordingError as error:
            raise InputError(str(error)) from None


def _with_tables(
    tables: Path | str, paths: Sequence[Path], drained: bool, how: Listening
) -> AuditDocument:
    from ackproof.pipeline.errors import AuditRefused, StoreFailed

    try:
        from ackproof.pipeline.audit.batches import require_place
        from ackproof.pipeline.audit.here import AuditHere

        require_place(tables)
        return AuditHere(tables, how)(paths, drained)
    except (AuditRefused, StoreFailed) as error:
        raise InputError(str(error)) from error
