"""Waiting for the broker, which may come to its end meanwhile: nobody answers for it then."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from ackproof.impl.management.answers import Refusal

__all__ = ["until"]

#: Seconds that an answer may take.
_PATIENCE = 30.0


async def until(happened: asyncio.Event, over: asyncio.Event, late: str) -> None:
    """Wait until something has happened.

    Args:
        happened: set when it has.
        over: set when the broker runs no more.
        late: what to say where it takes too long.

    Raises:
        Refusal: the broker is over, or it takes too long.
    """
    waits = [asyncio.ensure_future(one.wait()) for one in (happened, over)]
    try:
        await asyncio.wait(waits, timeout=_PATIENCE, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waits:
            one.cancel()
    if happened.is_set():
        return
    why = "the broker was stopped or started again meanwhile; ask again" if over.is_set() else late
    raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "cut" if over.is_set() else "timeout", why)
