"""What stands behind a guard is not undefined where the guard fails, whoever looks at it first."""

from __future__ import annotations

from ackproof.model.check import Engine, check
from ackproof.model.report import Report

from tests.model.lower import guarded


def search(engine: Engine) -> Report:
    [shelf] = guarded.MODEL.instances
    return check(guarded.MODEL, shelf, engine=engine, workers=1)


def test_a_number_that_is_not_there_is_looked_for_in_no_set() -> None:
    plain, compiled = search("plain").outcome, search("kernel").outcome
    assert not plain.violations
    assert not compiled.violations
    assert (compiled.states, compiled.generated) == (plain.states, plain.generated)
