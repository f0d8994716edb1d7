"""A record with the name of another, for `test_kept`."""

from __future__ import annotations

from ackproof.lang import Record


class Note(Record):
    loud: bool
