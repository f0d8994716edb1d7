"""The properties: each can fail, each cites its rule and gives its reason."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from ackproof.lang import Breaks, Design, handler
from ackproof.lang.properties import ASSERTION, Property, stated_by
from ackproof.model.check import check
from ackproof.model.museum import museum
from ackproof.spec.mirror import QueueProcess
from ackproof.spec.model import MODEL
from ackproof.spec.sorts import Msg

from tests.spec.mistakes import MISTAKES
from tests.spec.mutants import MUTANTS
from tests.spec.mutants_crediting import CREDITING_MUTANTS
from tests.spec.mutants_of_steps import IN_STEPS

CLAIMS = [p for p in MODEL.properties if p.kind != "reachable"]


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mistake_breaks_the_property_that_is_there_to_find_it(name: str) -> None:
    design, where = MUTANTS[name]
    instance = MODEL.instance(where)
    assert instance is not None
    report = check(MODEL, instance, design, properties=[name])
    assert name in report.outcome.violations


@pytest.mark.parametrize("name", IN_STEPS)
def test_a_mistake_in_a_step_breaks_some_property(name: str) -> None:
    design, prop, where = IN_STEPS[name]
    instance = MODEL.instance(where)
    assert instance is not None
    violations = check(MODEL, instance, design, properties=[prop]).outcome.violations
    assert prop in {stated_by(found) for found in violations}


def test_every_property_is_broken_by_a_design_or_a_mistake() -> None:
    broken = {e.property for d in museum(MODEL).values() for e in d.expect if isinstance(e, Breaks)}
    mistakes = set(MUTANTS) | set(MISTAKES) | set(CREDITING_MUTANTS)
    mistakes |= {prop for _, prop, _ in IN_STEPS.values()}
    assert {p.name for p in CLAIMS} == (broken | mistakes) - {ASSERTION}


class CarelessQueue(QueueProcess):
    """Keeps of what nobody will confirm the last only (B2.1)."""

    @handler
    def accept(self, msg: Msg, persistent: bool, confirming: bool) -> None:
        """Forget what came before."""
        if not confirming:
            self.ready.clear()
        super().accept(msg, persistent, confirming)


def test_what_nobody_will_confirm_is_kept_too() -> None:
    base = MODEL.instance("plain")
    assert base is not None
    constants = {**base.constants, "QueueProcess.limited": False}
    instance = replace(base, constants=constants, states=None, lacks=())
    careless = Design(claim="the last is enough", replace=(CarelessQueue,))
    report = check(MODEL, instance, careless, properties=["KeptWhileRunning"])
    assert [t.property for t in report.traces] == ["KeptWhileRunning"]


@pytest.mark.parametrize("prop", MODEL.properties, ids=lambda p: p.name)
def test_a_property_cites_its_rule(prop: Property) -> None:
    assert re.search(r"\((?:INV-)?[A-Z]\d+", prop.doc)


@pytest.mark.parametrize("prop", CLAIMS, ids=lambda p: p.name)
def test_a_claim_gives_its_reason(prop: Property) -> None:
    claim, _, reason = prop.doc.partition("\n\n")
    assert claim
    assert reason


@pytest.mark.parametrize(
    "name",
    [
        "NoAckBeforeDurable",
        "ReturnPrecedesAck",
        "SettledOnce",
        "NeverBothAckAndNack",
        "NoPhantomConfirm",
        "MultipleIsExact",
        "UnroutableIsConfirmed",
        "NackOnlyWithCause",
        "ConfirmedSurvives",
        "SequenceIsDense",
        "FifoPerPublisher",
    ],
)
def test_the_promised_properties_are_there(name: str) -> None:
    assert name in {p.name for p in CLAIMS}
