"""A query that cannot be answered, whoever was asked."""

__all__ = ["QueryError"]


class QueryError(Exception):
    """A query that cannot be answered; the text says where and why."""
