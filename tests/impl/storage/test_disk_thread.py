"""The thread of the disk does one thing after another, and says how each has ended."""

from __future__ import annotations

import asyncio
import threading
import time
import weakref
from functools import partial

import pytest
from ackproof.impl.storage.disk_thread import DiskThread


def fail() -> None:
    raise OSError("no space left")


def test_work_is_done_in_its_order_and_in_another_thread() -> None:
    async def scene() -> list[tuple[int, object]]:
        thread = DiskThread()
        heard: list[tuple[int, object]] = []
        ours = threading.get_ident()

        def work(number: int) -> None:
            heard.append((number, threading.get_ident() == ours))

        def end(number: int, error: Exception | None) -> None:
            heard.append((number, error))

        for number in range(3):
            thread.do(
                partial(work, number),
                partial(end, number),
            )
        await thread.wait()
        thread.stop()
        return heard

    heard = asyncio.run(scene())
    assert [one for one in heard if one[1] is False] == [(0, False), (1, False), (2, False)]
    assert [one for one in heard if one[1] is None] == [(0, None), (1, None), (2, None)]


def test_what_fails_is_told_and_ends_nothing_else() -> None:
    async def scene() -> list[str]:
        thread = DiskThread()
        told: list[str] = []
        thread.do(fail, lambda error: told.append(str(error)))
        with pytest.raises(OSError, match="no space left"):
            await thread.wait(fail)
        await thread.wait()
        thread.stop()
        return told

    assert asyncio.run(scene()) == ["no space left"]


def test_what_was_done_is_forgotten_though_nothing_else_comes() -> None:
    class Work:
        """Something that a caller gives away."""

        def __call__(self) -> None:
            """Do nothing."""

    async def scene() -> bool:
        thread, work = DiskThread(), Work()
        known = weakref.ref(work)
        ended: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        thread.do(work, ended.set_result)
        del work
        await ended
        give_up = time.monotonic() + 30
        while known() is not None and time.monotonic() < give_up:
            await asyncio.sleep(0.001)
        forgotten = known() is None
        thread.stop()
        return forgotten

    assert asyncio.run(scene())


def test_stopping_waits_for_what_was_given() -> None:
    async def scene() -> list[str]:
        thread, go = DiskThread(), threading.Event()
        done: list[str] = []

        def wait() -> None:
            assert go.wait(30)

        thread.do(wait, lambda _: None)
        thread.do(lambda: done.append("second"), lambda _: None)
        go.set()
        thread.stop()
        return done

    assert asyncio.run(scene()) == ["second"]
