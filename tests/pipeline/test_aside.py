"""A call that is made aside goes on when the thread that waits for it is interrupted."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from ackproof.pipeline.aside import Aside


def test_what_a_call_returns_and_raises_comes_to_whoever_waits() -> None:
    assert Aside(lambda: 7).result() == 7
    with pytest.raises(ZeroDivisionError):
        Aside(lambda: 1 // 0).result()


def test_an_interruption_reaches_who_waits_and_not_the_call() -> None:
    go_on = threading.Event()
    aside = Aside(lambda: go_on.wait(60))
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        aside.result()
    assert aside.running
    go_on.set()
    assert aside.result()
    assert not aside.running
