"""What becomes of a mutant: killed, survived, unchanged, unreached, or rejected."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from ackproof.model.cache import OUTCOMES, Cache, noted
from ackproof.model.mutation.judging import Fate, Judge, Verdict
from ackproof.spec.model import MODEL

from tests.mutants import MUTANTS

BY_NAME = {m.name: m for m in MUTANTS}
TINY, SMALL = (i for i in MODEL.instances if i.name in ("tiny", "small"))

Fated = Callable[[str], Verdict]


@pytest.fixture
def fate(tmp_path: Path) -> Fated:
    judge = Judge(MODEL, (TINY, SMALL), tmp_path)
    return lambda name: judge.judge(BY_NAME[name])


def test_what_breaks_a_property_is_killed_on_the_smallest_instance(fate: Fated) -> None:
    verdict = fate("Channel.register: drops `self.confirmed.add(seq)`")
    assert (verdict.fate, verdict.instance) == (Fate.KILLED, "tiny")
    assert verdict.first == ("EachMessageHasOnePlace", 2)
    assert ("UnroutableIsConfirmed", 2) in verdict.killers


def test_what_it_took_is_kept_with_what_was_found(tmp_path: Path) -> None:
    judge, began = Judge(MODEL, (TINY,), tmp_path, Cache(tmp_path / "cache")), time.perf_counter()
    with noted() as entries:
        judge.judge(BY_NAME["Channel.register: drops `self.confirmed.add(seq)`"])
    took = [json.loads(entry.data)["seconds"] for entry in entries if entry.kind == OUTCOMES]
    assert len(took) == 2, "of the base, and of the mutant"
    assert all(0 < seconds <= time.perf_counter() - began for seconds in took)


def test_what_makes_an_action_impossible_is_killed_though_no_property_breaks(fate: Fated) -> None:
    verdict = fate(
        "Storing.write: requires `msg in self.mailboxes[replica].writes` "
        "for `msg not in self.mailboxes[replica].writes`"
    )
    assert verdict.fate is Fate.KILLED
    assert ("write", 0) in verdict.killers


def test_what_comes_to_other_states_and_breaks_nothing_survives(fate: Fated) -> None:
    verdict = fate("Store.write: drops `self.level[msg] = Level.WRITTEN`")
    assert verdict.fate is Fate.SURVIVED
    assert verdict.other == verdict.searched == ("tiny", "small")


def test_what_comes_to_the_same_states_is_unchanged(fate: Fated) -> None:
    verdict = fate("Channel.coverable: has `seq <= limit` for `seq < limit`")
    assert (verdict.fate, verdict.other) == (Fate.UNCHANGED, ())


def test_what_is_in_no_code_is_unreached(fate: Fated) -> None:
    assert fate("Multicast.removed: drops `self.removals[replica].discard(msg)`") == Verdict(
        Fate.UNREACHED
    )


def test_a_step_that_is_off_is_in_no_code_though_it_is_overridden(fate: Fated) -> None:
    assert fate("Partitioning.halt: drops `self.leave(replica)`") == Verdict(Fate.UNREACHED)


def test_what_is_outside_the_language_is_rejected_with_the_reason(fate: Fated) -> None:
    verdict = fate("Channel.skip: takes `seq is not None` for true")
    assert verdict.fate is Fate.REJECTED
    assert "this may be None" in verdict.problem
