"""Which part of an answer is shown: columns, pages, and what has a text in its name."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from ackproof.impl.management.answers import Answer, bad

__all__ = ["chosen"]

_PAGE_MAX = 500


def chosen(answer: Answer, query: Mapping[str, list[str]]) -> Answer:
    """Return the part of an answer that the query asks for.

    Raises:
        Refusal: 400, there is no such part.
    """
    document = answer.document
    if isinstance(document, list) and "page" in query:
        document = _page(document, query)
    columns = [name for said in query.get("columns", []) for name in said.split(",")]
    if columns and answer.status < HTTPStatus.BAD_REQUEST:
        if isinstance(document, dict) and "items" in document:
            document = {**document, "items": [_columns(one, columns) for one in document["items"]]}
        elif isinstance(document, list):
            document = [_columns(one, columns) for one in document]
        else:
            document = _columns(document, columns)
    return answer._replace(document=document)


def _columns(shown: Any, columns: list[str]) -> Any:
    """Return what is left of an object; `a.b` is field b of field a."""
    if not isinstance(shown, dict):
        return shown
    left: dict[str, Any] = {}
    for column in columns:
        first, _, rest = column.partition(".")
        if first not in shown:
            continue
        value = _columns(shown[first], [rest]) if rest else shown[first]
        both = isinstance(value, dict) and isinstance(left.get(first), dict)
        left[first] = {**left[first], **value} if both else value
    return left


def _page(shown: list[Any], query: Mapping[str, list[str]]) -> dict[str, Any]:
    number, size = _number(query, "page", 1), _number(query, "page_size", 100)
    if not (number and 0 < size <= _PAGE_MAX):
        raise bad(f"page is from 1, and page_size from 1 to {_PAGE_MAX}")
    text = query.get("name", [""])[-1]
    fit = [one for one in shown if text in one.get("name", "")]
    items = fit[(number - 1) * size : number * size]
    return {
        "total_count": len(shown),
        "filtered_count": len(fit),
        "item_count": len(items),
        "items": items,
        "page": number,
        "page_count": max(1, -(-len(fit) // size)),
        "page_size": size,
    }


def _number(query: Mapping[str, list[str]], name: str, default: int) -> int:
    said = query.get(name, [str(default)])[-1]
    if not (said.isascii() and said.isdigit() and len(said) < 10):
        raise bad(f"{name} is {said!r}; send a number")
    return int(said)
