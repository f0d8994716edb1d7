"""Nothing in the specification is there for nothing.

What an instance switches off is not missed there.  So somewhere each action must be enabled, each
situation must come up, and each claim must have something to say.
"""

from __future__ import annotations

from functools import cache

from ackproof.lang.binding import bind
from ackproof.lang.frontend import compile_model
from ackproof.lang.model import Breaks
from ackproof.model.lower.fixed import Fixed, fixed
from ackproof.model.museum import museum
from ackproof.spec.instances import INSTANCES
from ackproof.spec.model import MODEL

from tests.spec.mutants import MUTANTS
from tests.spec.mutants_channels import CHANNELS_MUTANTS
from tests.spec.mutants_limiting import LIMITING_MUTANTS

PROGRAM = compile_model(MODEL)


@cache
def folded(name: str) -> Fixed:
    instance = next(i for i in INSTANCES if i.name == name)
    return fixed(bind(MODEL, instance, program=PROGRAM))


def allowed(name: str) -> set[str]:
    instance = next(i for i in INSTANCES if i.name == name)
    return {a.name for a in PROGRAM.actions if a.kind != "fault" or a.name in instance.faults}


def test_each_action_is_enabled_in_some_instance() -> None:
    missing = {a.name for a in PROGRAM.actions}
    for instance in INSTANCES:
        missing -= allowed(instance.name) - folded(instance.name).dead - set(instance.lacks)
    assert not missing


def test_each_situation_comes_up_in_some_instance() -> None:
    missing = {p.name for p in PROGRAM.properties if p.kind == "reachable"}
    for instance in INSTANCES:
        missing -= {
            name
            for name in missing
            if name not in folded(instance.name).off and name not in instance.lacks
        }
    assert not missing


def test_each_claim_has_something_to_say_in_some_instance_or_against_some_design() -> None:
    missing = {p.name for p in PROGRAM.properties if p.kind != "reachable"}
    for instance in INSTANCES:
        missing &= set(folded(instance.name).vacuous)
    for design in museum(MODEL).values():
        missing -= {e.property for e in design.expect if isinstance(e, Breaks)}
    in_steps = (*CHANNELS_MUTANTS.values(), *LIMITING_MUTANTS.values())
    missing -= {*MUTANTS, *(prop for _, prop, _ in in_steps)}
    assert not missing
