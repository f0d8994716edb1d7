"""Counterexamples that the tests of exports are about, found by the plain engine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ackproof.cli.targets import load
from ackproof.lang import Design, Model
from ackproof.model.check import check
from ackproof.model.trace import Trace

from tests.model.liveness_models import DINING, MOVING, PETERSON

__all__ = ["MAIL", "ROOT", "breaking", "counterexamples", "for_ever", "museum", "staying"]

ROOT = Path(__file__).parents[2]
MAIL = str(ROOT / "tests/model/mailroom.py")


def _found(model: Model, design: Design | None, instance: str) -> tuple[Trace, ...]:
    size = model.instance(instance)
    assert size is not None
    return tuple(check(model, size, design, engine="plain", survey=True).traces)


@cache
def counterexamples() -> tuple[Trace, ...]:
    """Return every counterexample of the mail room."""
    target = load(MAIL)
    return _found(target.model, target.design, target.model.instances[0].name)


def breaking(name: str) -> Trace:
    """Return the mail room's counterexample to a property."""
    return next(trace for trace in counterexamples() if trace.property == name)


@cache
def museum(design: str, name: str, instance: str = "tiny") -> Trace:
    """Return what a design of the museum breaks."""
    target = load(design)
    found = _found(target.model, target.design, instance)
    return next(trace for trace in found if trace.property == name)


@cache
def for_ever() -> Trace:
    """Return a counterexample whose last steps go on for ever."""
    return _found(DINING, MOVING, DINING.instances[0].name)[0]


@cache
def staying() -> Trace:
    """Return a counterexample that stays for ever where it is."""
    return _found(PETERSON, None, PETERSON.instances[0].name)[0]
