"""A broker is made to fail by its control API, or by a program that knows how."""

from __future__ import annotations

from pathlib import Path

import pytest
from ackproof.conform.kit.control import CommandControl, ControlError, HttpControl, control_of
from ackproof.conform.kit.operations import FAULTS

from tests.cli.test_serve import served


def script(path: Path, text: str) -> Path:
    """A program."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_program_says_what_it_can_and_is_told_of_which_queue(tmp_path: Path) -> None:
    told = tmp_path / "told"
    text = f'[ "$1" = faults ] && echo crash_queue restart_node || echo "$@" >> {told}'
    control = control_of(str(script(tmp_path / "fail", text)))
    assert list(control.faults) == ["crash_queue", "restart_node"]
    control.strike("crash_queue", "orders")
    control.strike("restart_node", "")
    assert told.read_text() == "crash_queue orders\nrestart_node\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo fire", "faults: prints fire; let it print which of these"),
        ("true", "faults: prints nothing; let it print which of these"),
        ("echo no >&2; exit 4", "faults: ends with 4: no"),
        ("exec sleep 60", "faults: does not end within 0.2 s"),
    ],
)
def test_a_program_that_knows_of_no_fault_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ControlError) as refused:
        CommandControl(script(tmp_path / "fail", text), patience=0.2)
    assert said in str(refused.value)


def test_a_program_that_fails_is_said(tmp_path: Path) -> None:
    text = '[ "$1" = faults ] && echo crash_queue || { echo gone >&2; exit 1; }'
    control = CommandControl(script(tmp_path / "fail", text))
    with pytest.raises(ControlError, match="fail crash_queue q: ends with 1: gone"):
        control.strike("crash_queue", "q")


def test_the_control_api_does_all_and_says_what_it_does_not_do() -> None:
    with served("--control", "0", lines=2) as broker:
        control = control_of(broker.lines[1].rsplit(" ", 1)[1])
        assert isinstance(control, HttpControl)
        assert set(control.faults) < set(FAULTS)
        control.strike("hold_fsync", "")
        control.strike("release_fsync", "")
        with pytest.raises(ControlError, match=r"404.*there is no queue 'q' to crash"):
            control.strike("crash_queue", "q")
