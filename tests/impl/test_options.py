"""The options of a broker: one list for everybody who starts one."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from ackproof.impl.options import Options
from ackproof.impl.running import RunningBroker


def test_replicas_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="replicas is 0; it must be from 1 to 9"):
        Options(replicas=0)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"replicas": "x"}, "replicas is 'x'; it must be from 1"),
        ({"seed": "x"}, "seed is 'x'; it must be a whole number, or None"),
        ({"directory": "/x"}, r"directory is '/x'; it must be a pathlib\.Path, or None"),
        ({"record_scenario": "/x"}, r"record_scenario is '/x'; it must be a pathlib\.Path"),
    ],
)
def test_a_value_that_an_option_cannot_have_is_refused(option: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Options(**option)


def test_a_broker_in_a_thread_takes_them_as_arguments(tmp_path: Path) -> None:
    broker = RunningBroker(tmp_path, port=5, seed=7)
    assert broker._options == Options(tmp_path, port=5, seed=7)
    ours, theirs = inspect.signature(RunningBroker), inspect.signature(Options)
    assert ours.parameters == theirs.parameters


def test_what_is_no_option_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'sede'"):
        RunningBroker(sede=7)  # type: ignore[call-arg]
