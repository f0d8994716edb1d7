"""Designs that break what a channel shows are caught in the step in which the property breaks."""

from __future__ import annotations

import pytest
from ackproof.conform.violations import RULES
from ackproof.lang import Breaks, Design
from ackproof.lang.binding import bind
from ackproof.model.cache import Cache
from ackproof.model.check import check
from ackproof.model.museum import museum
from ackproof.model.plain import PlainMachine, State, Step
from ackproof.model.programs import program_of
from ackproof.spec.model import MODEL

from tests.conform.runs import Judges
from tests.spec.mutants import MUTANTS

MUSEUM = museum(MODEL)

#: Designs, with a property of what one channel shows that each breaks, and where.
DESIGNS: dict[str, tuple[Design, str, str]] = {
    **{
        f"{name}-{e.property}": (design, e.property, e.instance)
        for name, design in MUSEUM.items()
        for e in design.expect
        if isinstance(e, Breaks) and e.property in RULES
    },
    **{prop: (design, prop, where) for prop, (design, where) in MUTANTS.items() if prop in RULES},
}

#: The wire does not show whether a message had a queue.
HIDDEN = {"ReturnedIsUnroutable", "UnroutableIsConfirmed"}

#: What the judge says, where it sees more than the property: frames of one step, which the property
#: looks at together, and what a publisher takes an inexact `multiple` for.
FINER = {
    "NoNeedlessAck": "SettledOnce",
    "NoNeedlessNack": "RefusedOnce",
    "MultipleIsExact": "UnroutableIsConfirmed",
}


@pytest.mark.parametrize("name", sorted(DESIGNS.keys() - HIDDEN))
def test_a_design_is_caught_at_the_step_at_which_a_property_breaks(
    name: str, shared_cache: Cache | None
) -> None:
    design, prop, where = DESIGNS[name]
    instance = MODEL.instance(where)
    assert instance is not None
    report = check(MODEL, instance, design, properties=[prop], cache=shared_cache)
    (path,) = report.outcome.violations.values()
    bound = bind(MODEL, instance, design, program=program_of(MODEL, design, shared_cache))
    judges = Judges(bound)
    with PlainMachine(bound) as machine:
        state = machine.initial()
        for number in path:
            step = machine.step(state, number)
            assert step is not None
            assert step.after is not None
            judges.take(step)
            broken = _broken(machine, state, step)
            if judges.first is not None:
                break
            state = step.after
    assert judges.first is not None
    assert judges.first.name in broken | {FINER.get(b, b) for b in broken}


def _broken(machine: PlainMachine, before: State, step: Step) -> set[str]:
    """Return which properties a step breaks."""
    after = step.after
    assert after is not None
    return {
        prop.name
        for prop in machine.bound.properties
        if (prop.kind == "invariant" and not machine.holds(prop, after))
        or (prop.kind == "step" and not all(machine.holds_on_step(prop, before, step)))
    }
