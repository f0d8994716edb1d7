"""What keeps a search on Spark from starting or from going on, said to whoever asked for it."""

from __future__ import annotations

__all__ = [
    "AuditFailed",
    "AuditRefused",
    "FarmFailed",
    "SearchFailed",
    "SearchRefused",
    "SparkUnavailable",
    "StoreFailed",
]


class SparkUnavailable(Exception):
    """Java, PySpark or the cluster is missing; the text says where, and what to do instead."""


class SearchRefused(Exception):
    """A folder holds another search, or none that can be gone on with; the text says which."""


class SearchFailed(Exception):
    """A job failed for good; what was finished before stays, and the text says how to go on."""


class AuditRefused(Exception):
    """An audit cannot be put where it was asked for; the text says why."""


class AuditFailed(Exception):
    """A job of an audit failed for good; the text says what to do."""


class FarmFailed(Exception):
    """A piece of work failed for good; the text names it, and says what went wrong."""


class StoreFailed(Exception):
    """An object store refuses or does not answer; one line says where, what, and what to do."""
