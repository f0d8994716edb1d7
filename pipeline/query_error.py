"""A query that cannot be answered, whoever was asked."""

__all__ = ["QueryError", "not_a_question", "placed"]


class QueryError(Exception):
    """A query that cannot be answered; the text says where and why."""


def placed(sql: str, place: tuple[int, int] | None, message: str) -> str:
    """Say what is wrong with a query, and show where.

    Args:
        sql: the query.
        place: the line and the column, both from 1, if they are known.
        message: what is wrong.
    """
    if place is None:
        return f"the query: {message}"
    line, column = place
    shown = [text for text in sql.split("\n")[line - 1 : line] if text.strip()]
    marked = [f"  {text}\n  {' ' * (column - 1)}^" for text in shown]
    return "\n".join([f"the query, line {line}, column {column}: {message}", *marked])


def not_a_question(statements: int) -> str:
    """Say that a text is not what can be asked, by the number of statements that it is."""
    if statements == 0:
        return "the query: it is empty, or asks for nothing"
    said = "it does not ask" if statements == 1 else f"it is {statements} statements"
    return f"the query: {said}; give one SELECT, for a search is read and never written"
