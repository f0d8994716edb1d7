"""What every test takes for granted."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Let interruptions reach the tests, and what they start.

    A shell without job control starts what is in the background with interruptions ignored, and
    whatever that starts inherits it; searches that a test interrupts would go on for minutes.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
