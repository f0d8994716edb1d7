"""What an action's text writes holds all that its formulas say it writes."""

from __future__ import annotations

import pytest
from ackproof.lang.lemmas import Library
from ackproof.lang.model import Model
from ackproof.proofs.obligations import Obligations
from ackproof.proofs.relevance import paths_written
from ackproof.spec.lemmas import LIBRARY
from ackproof.spec.model import MODEL as CONFIRMS

from tests.proofs import ferry, loops, office


@pytest.mark.parametrize(
    ("model", "library"),
    [
        (CONFIRMS, LIBRARY),
        (office.MODEL, Library()),
        (loops.MODEL, Library()),
        (ferry.MODEL, Library()),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_a_text_writes_what_its_formulas_write(model: Model, library: Library) -> None:
    obligations = Obligations(model, library)
    known = [a for a in obligations.program.actions if obligations._translatable(a)]
    assert len(known) > 1
    for action in known:
        assert obligations.step(action.name).written <= paths_written(action.body), action.name
