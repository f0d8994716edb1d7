"""TLC, on a twin of the counters, makes the same of a constraint as the kernel does.

It looks at the states that are cut, and at the steps to them, as we do, and expands none.  It
counts them as generated and not as distinct.  Of properties of runs it keeps to what is not cut.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ackproof.model.check import chosen
from ackproof.model.kernel.engine import explore

from tests.exploring import sample
from tests.model.counting import MODEL
from tests.peers.twins import told_by_tlc

pytestmark = pytest.mark.peer

TWIN = r"""
---- MODULE counting ----
EXTENDS Naturals
VARIABLES a, b, lit
vars == <<a, b, lit>>
Far == 40
Init == a = 0 /\ b = 0 /\ lit = FALSE
RaiseA == a < Far /\ a' = a + 1 /\ UNCHANGED <<b, lit>>
RaiseB == b < Far /\ b' = b + 1 /\ UNCHANGED <<a, lit>>
Again == a = b /\ a > 0 /\ a' = 0 /\ b' = 0 /\ UNCHANGED lit
Switch == a = b /\ lit' = ~lit /\ UNCHANGED <<a, b>>
Next == RaiseA \/ RaiseB \/ Again \/ Switch
Spec == Init /\ [][Next]_vars /\ WF_vars(RaiseB) /\ WF_vars(Switch)
SmallSum == a + b <= 6
NotAhead == a <= b + 2
Within == SmallSum /\ NotAhead
WithinOneOfTheConstraints == a + b <= 7 /\ a <= b + 3
NeverBeyond == [][a' + b' <= 6]_vars
Lit == []<>lit
Large == []<>(a + b > 6)
Small == []<>(a + b <= 6)
====
"""

#: How TLC is told of each property.
KINDS = {
    "Within": "INVARIANT",
    "WithinOneOfTheConstraints": "INVARIANT",
    "NeverBeyond": "PROPERTY",
    "Lit": "PROPERTY",
    "Large": "PROPERTY",
    "Small": "PROPERTY",
}


def told(folder: Path, *properties: str) -> str:
    """Return what TLC says of the twin."""
    asked = [f"{KINDS[name]} {name}" for name in properties]
    lines = ["SPECIFICATION Spec", "CONSTRAINT SmallSum", "CONSTRAINT NotAhead", *asked]
    return told_by_tlc(folder, "counting", TWIN, lines)


def test_it_counts_the_same_states_and_steps(tmp_path: Path) -> None:
    outcome = explore(chosen(MODEL, MODEL.instances[0], properties=[]))
    said = told(tmp_path)
    found = re.search(r"(\d+) states generated, (\d+) distinct states found, 0 states left", said)
    assert found is not None, said
    assert [int(n) for n in found.groups()] == [outcome.generated, outcome.states - outcome.cut]


@pytest.mark.parametrize("name", sample(list(KINDS), 2))
def test_it_finds_the_same_properties_false(name: str, tmp_path: Path) -> None:
    outcome = explore(chosen(MODEL, MODEL.instances[0], properties=[name]))
    said = told(tmp_path, name)
    assert ("is violated" in said or "were violated" in said) is (name in outcome.violations), said
    assert ("No error has been found" in said) is (name not in outcome.violations), said
