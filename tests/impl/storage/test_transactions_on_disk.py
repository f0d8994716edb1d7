"""A disk that refuses in the middle of something: nothing of it is done, and it can try again."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.storage.disk import Disk, DiskError

from tests.impl.storage.test_disk import filled, rows


class Stubborn:
    """A database that refuses to commit, and for a while to roll back what it did not commit."""

    def __init__(self, db: sqlite3.Connection, refused: list[str]) -> None:
        self._db = db
        self._refused = refused

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    def execute(self, statement: str, *values: Any) -> Any:
        """Refuse a statement if it is the next to be refused."""
        if self._refused and statement == self._refused[0]:
            del self._refused[0]
            raise sqlite3.OperationalError(f"disk I/O error in {statement}")
        return self._db.execute(statement, *values)


def test_a_commit_that_could_not_even_be_rolled_back_is_tried_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    wire = filled(disk)
    wire.publish(1, "a")
    batch = wire.broker.journal.take()
    disk._db = Stubborn(disk._db, ["COMMIT", "ROLLBACK"])  # type: ignore[assignment]
    with pytest.raises(sqlite3.OperationalError, match="in COMMIT"):
        disk.commit(batch)
    disk.commit(batch)
    assert rows(disk, "message") == 2


def test_a_full_disk_from_which_nothing_can_be_erased_is_an_error_that_says_so(
    tmp_path: Path,
) -> None:
    disk = Disk(tmp_path)
    filled(disk)
    disk._db = Stubborn(disk._db, ["COMMIT"])  # type: ignore[assignment]
    disk.erase_all_but([1, 2])
    with pytest.raises(DiskError, match=r"node.sqlite cannot be used: disk I/O error in COMMIT"):
        disk.erase_all_but([1])
    disk.erase_all_but([1])
    assert rows(disk, "entry") == 1
