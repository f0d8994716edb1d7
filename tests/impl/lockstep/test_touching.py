"""After an action, what it cannot have made false is not asked, and all else is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from ackproof.impl.lockstep.ranked_arrivals import RankedArrivals
from ackproof.impl.lockstep.touching import touched, written
from ackproof.impl.lockstep.twin import Taken, Twin
from ackproof.impl.lockstep.walking import variables
from ackproof.lang.process import mark_of
from ackproof.spec.arrivals import Arrivals
from ackproof.spec.system import Confirms

from tests.impl.lockstep.test_mirrors_in_lockstep import calm
from tests.impl.mirror_traffic import Traffic

ACTIONS = [
    name
    for name in dir(Confirms)
    if (mark := mark_of(getattr(Confirms, name))) and mark.kind in ("action", "fault")
]


def owner(process: Any) -> str:
    """Return the class of a process in the specification."""
    cls = type(process)
    return Arrivals.__name__ if cls is RankedArrivals else cls.__name__


def held(process: Any, name: str) -> Any:
    """Return what a variable holds, which no step changes any more."""
    value = getattr(process, name)
    if isinstance(value, Mapping):
        return {key: set(v) if isinstance(v, set) else v for key, v in value.items()}
    return set(value) if isinstance(value, set) else value


def test_an_action_changes_nothing_that_it_is_not_said_to_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: Counter[str] = Counter()
    take = Twin.take

    def watched(twin: Twin, step: Taken) -> None:
        known = [(p, n, held(p, n)) for p, n, _ in variables(twin.system, ghosts=True)]
        take(twin, step)
        taken[step.action] += 1
        for process, name, before in known:
            same = held(process, name) == before
            assert same or (owner(process), name) in written(step.action), (step, name)

    monkeypatch.setattr(Twin, "take", watched)
    traffic = Traffic(1, lockstep=True)
    assert traffic.lockstep is not None
    for _ in range(8):
        traffic.publish()
        calm(traffic)
    traffic.settle()
    traffic.lockstep.check()
    assert len(taken) > 12


def test_of_every_action_it_is_known_what_it_writes() -> None:
    assert len(ACTIONS) > 50
    assert [name for name in ACTIONS if not written(name)] == []


def test_what_reads_what_is_written_is_asked_and_nothing_else() -> None:
    assert ("Channel", "confirmed") in written("flush")
    assert "EachMessageHasOnePlace" in touched("flush")
    assert "EachMessageHasOnePlace" not in touched("partition")
