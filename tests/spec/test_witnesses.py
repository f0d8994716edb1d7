"""Nothing in the specification is there for nothing.

What an instance switches off is not missed there.  So somewhere each action must be enabled, each
situation must come up, and each claim must have something to say.
"""

from __future__ import annotations

from functools import cache

from ackproof.lang.frontend import compile_model
from ackproof.lang.model import Breaks
from ackproof.model.cache import Cache
from ackproof.model.check import asked, chosen
from ackproof.model.museum import museum
from ackproof.model.results import Idle
from ackproof.spec.instances import INSTANCES
from ackproof.spec.model import MODEL

from tests.spec.mistakes import MISTAKES
from tests.spec.mutants import MUTANTS
from tests.spec.mutants_crediting import CREDITING_MUTANTS
from tests.spec.mutants_of_steps import IN_STEPS

PROGRAM = compile_model(MODEL)


@cache
def idle(name: str, kept: Cache | None) -> Idle:
    """Return what has no part in an instance; a check of it has found that, too."""
    instance = next(i for i in INSTANCES if i.name == name)
    return asked(chosen(MODEL, instance, cache=kept), "kernel", cache=kept).idle


def allowed(name: str) -> set[str]:
    instance = next(i for i in INSTANCES if i.name == name)
    return {a.name for a in PROGRAM.actions if a.kind != "fault" or a.name in instance.faults}


def test_each_action_is_enabled_in_some_instance(shared_cache: Cache | None) -> None:
    missing = {a.name for a in PROGRAM.actions}
    for instance in INSTANCES:
        missing -= (
            allowed(instance.name) - idle(instance.name, shared_cache).dead - set(instance.lacks)
        )
    assert not missing


def test_each_situation_comes_up_in_some_instance(shared_cache: Cache | None) -> None:
    missing = {p.name for p in PROGRAM.properties if p.kind == "reachable"}
    for instance in INSTANCES:
        missing -= {
            name
            for name in missing
            if name not in idle(instance.name, shared_cache).off and name not in instance.lacks
        }
    assert not missing


def test_each_claim_has_something_to_say_in_some_instance_or_against_some_design(
    shared_cache: Cache | None,
) -> None:
    missing = {p.name for p in PROGRAM.properties if p.kind != "reachable"}
    for instance in INSTANCES:
        missing &= set(idle(instance.name, shared_cache).vacuous)
    for design in museum(MODEL).values():
        missing -= {e.property for e in design.expect if isinstance(e, Breaks)}
    in_steps = {prop for _, prop, _ in IN_STEPS.values()}
    missing -= {*MUTANTS, *MISTAKES, *CREDITING_MUTANTS, *in_steps}
    assert not missing
