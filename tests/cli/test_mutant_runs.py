"""What a kept verdict of a mutant depends on."""

from __future__ import annotations

from dataclasses import replace

from ackproof.cli.mutant_runs import verdict_key
from ackproof.spec.model import MODEL

from tests.mutants import MUTANTS


def test_a_verdict_is_not_that_of_a_model_with_other_instances_or_of_other_states() -> None:
    mutant, fewer = MUTANTS[0], replace(MODEL, instances=MODEL.instances[:3])
    keys = [
        verdict_key(MODEL, mutant, 1_000),
        verdict_key(MODEL, mutant, 2_000),
        verdict_key(MODEL, MUTANTS[1], 1_000),
        verdict_key(fewer, mutant, 1_000),
    ]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert verdict_key(MODEL, mutant, 1_000) == keys[0]
