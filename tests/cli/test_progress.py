"""While a search is at work, a line says how far it is."""

from __future__ import annotations

import pytest
from ackproof.cli.progress import Watch, progress_line
from ackproof.model.outcome import Progress


def test_progress_tells_states_rate_queue_level_memory_and_what_is_left() -> None:
    at = Progress(states=3_000, generated=9_000, queue=400, levels=7, memory=2 << 20, seconds=2.0)
    line = "core  3,000 states  1,500/s  queue 400  level 7  2 MiB"
    assert progress_line("core", at, 12_000) == f"{line}  25 %, 6 s left"
    assert progress_line("core", at, None) == line
    assert progress_line("core", at, None, narrowing=True) == f"{line}  narrowing"


def test_progress_says_when_fewer_states_wait_than_did(capsys: pytest.CaptureFixture[str]) -> None:
    with Watch("core", None) as watch:
        for second, queue in enumerate([100, 900, 3, 800, 300, 200, 100, 50, 20], start=1):
            watch(Progress(1_000, 1, queue, 3, 1024, 10.0 * second))
    said = [line.endswith("narrowing") for line in capsys.readouterr().err.splitlines()]
    assert said == [False] * 8 + [True]


def test_progress_without_a_terminal_is_silent_for_two_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Watch("core", None) as watch:
        for seconds in (0.5, 1.9, 2.1, 4.0, 7.5):
            watch(Progress(1_000, 1, 10, 3, 1024, seconds))
    assert [line.split()[1:3] for line in capsys.readouterr().err.splitlines()] == [
        ["1,000", "states"],
        ["1,000", "states"],
    ]
